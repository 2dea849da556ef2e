"""`salticid crawl`: hunt for the pages of a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from salticid.cli import live_options, options
from salticid.cli.console import err, safe
from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import UserError
from salticid.runs.contact import how_to_set_contact, own_user_agent
from salticid.runs.defaults import DEFAULT_JUDGE, DEFAULT_STRATEGY
from salticid.runs.live_settings import USER_AGENT, LiveSettings

if TYPE_CHECKING:
    from salticid.model import Limits, Scope, Topic
    from salticid.runs.order import Order
    from salticid.webs.recorded import RecordedWeb

LIVE = "live"
"""The web that is not recorded."""

ASK_FOR_CONTACT = 1000
"""Above so many pages, the user agent should name a contact."""

_what = partial(typer.Option, rich_help_panel="What to look for, and how")
_where = partial(typer.Option, rich_help_panel="Where")
_much = partial(typer.Option, rich_help_panel="How much")
_manners = partial(typer.Option, rich_help_panel=live_options.MANNERS)
_safety = partial(typer.Option, rich_help_panel=live_options.SAFETY)
_cluster = partial(typer.Option, rich_help_panel="On a cluster")

_Start = tuple[Sequence[str], Path | None, str | None, Sequence[Path]]
"""Where to start, as typed: URLs, bookmarks, a search engine, crawls."""


def crawl(
    context: typer.Context,
    topic_file: Annotated[
        Path | None, typer.Argument(metavar="TOPIC.toml", help="What to look for, and where to start.")
    ] = None,
    query: Annotated[
        str | None, _what(help="What to look for, instead of a topic file.", metavar="WORDS")
    ] = None,
    seed_url: Annotated[
        list[str] | None, _where(help="With --query: a page to start from.", metavar="URL")
    ] = None,
    bookmarks: Annotated[
        Path | None, _where(help="With --query: start from a browser's bookmarks.", metavar="FILE")
    ] = None,
    search: Annotated[
        str | None,
        _where(help="With --query: start from what an engine finds.", metavar="searxng:URL|brave"),
    ] = None,
    from_crawl: Annotated[
        list[Path] | None, _where(help="With --query: start from what a crawl found.", metavar="DIR")
    ] = None,
    web: Annotated[str, _where(help="The live web, or a recorded world.", metavar="live|WORLD")] = "live",
    strategy: Annotated[
        str,
        _what(help="Its name, a strategy file, or a class of your own.", metavar="NAME[:KEY=VALUE,...]|FILE"),
    ] = DEFAULT_STRATEGY,
    set_: Annotated[
        list[str] | None, _what("--set", help="A setting of the strategy.", metavar="KEY=VALUE")
    ] = None,
    judge: Annotated[
        str | None,
        _what(
            help=f"What scores a page [default: the strategy file's, the strategy's own, else {DEFAULT_JUDGE}].",
            metavar="NAME[:KEY=VALUE,...]",
        ),
    ] = None,
    backlinks: Annotated[
        Path | None,
        _what(help="Who links to the examples: a world, or a crawl.", metavar="WORLD|DIR"),
    ] = None,
    max_pages: Annotated[int, _much(min=1, help="Good pages to fetch.")] = 1000,
    max_fetches: Annotated[
        int | None, _much(min=1, help="Attempts of any outcome [default: 10 x pages].")
    ] = None,
    max_buffer: Annotated[str, _much(help="Links the strategy may remember.", metavar="N|none")] = "100000",
    max_time: Annotated[
        str | None, _much(help="On the crawl's own clock, as in 10m.", metavar="DURATION")
    ] = None,
    stop_when: Annotated[
        str | None, _much(help='As in "harvest < 0.05", "remaining < 10".', metavar="CONDITION")
    ] = None,
    arrivals: Annotated[str, _much(help="Who returns first: one, window:N, roulette:100/50.")] = "one",
    include: Annotated[list[str] | None, _where(help="Fetch only URLs that match; * is a wildcard.")] = None,
    exclude: Annotated[list[str] | None, _where(help="Never fetch URLs that match.")] = None,
    same_site: Annotated[bool, _where("--same-site", help="Stay on the sites of the seeds.")] = False,
    max_depth: Annotated[int | None, _where(min=0, help="Links away from a seed at the most.")] = None,
    seed: Annotated[int, _what(min=0, help="Of all that is left to chance.")] = 0,
    out_dir: Annotated[
        Path | None,
        _where("--out", help="A folder for the crawl; one that it began in goes on.", metavar="DIR"),
    ] = None,
    new: Annotated[
        bool, _where("--new", help="Without --out: begin anew where the same command would go on.")
    ] = False,
    refresh: Annotated[
        Path | None, typer.Option(help="As salticid refresh DIR.", metavar="DIR", hidden=True)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Tell of every visit, on stderr.")] = False,
    concurrency: live_options.Concurrency = 64,
    delay: live_options.Delay = 1.0,
    timeout: live_options.Timeout = 10.0,
    per_address: live_options.PerAddress = 8,
    sitemaps: Annotated[bool, _manners("--sitemaps", help="Live: read sitemaps of liked sites.")] = False,
    user_agent: live_options.UserAgent = None,
    patience: live_options.Patience = "1h",
    max_bytes: live_options.MaxBytes = 1 << 20,
    max_disk: live_options.MaxDisk = None,
    no_warc: live_options.NoWarc = False,
    host_share: Annotated[
        float,
        _manners(min=0.01, max=1, help="Live: part of the budget a site may have while others wait."),
    ] = 0.25,
    no_traps: Annotated[
        bool,
        _safety("--no-traps", help="Live: follow calendars and other pages without end."),
    ] = False,
    proxy: live_options.Proxy = None,
    allow_net: live_options.AllowNet = None,
    resolve: live_options.Resolve = None,
    dns: live_options.Dns = None,
    ray: Annotated[
        str | None, _cluster(help="Live: crawl on a Ray cluster.", metavar="ADDRESS|local")
    ] = None,
    shards: Annotated[int, _cluster(min=1, help="With --ray: parts of the crawl.")] = 4,
) -> int:
    """Hunt for the pages of a topic.

    Example: salticid crawl ballooning.toml --web world/ --strategy best_first --max-pages 300
    """
    if refresh is not None:
        from salticid.cli.refresh import refresh_alias

        return refresh_alias(context, refresh, json)
    # Here and in the functions below: they take their time to import, and who asks for help need not wait.
    from salticid.cli.default_folder import default_folder, folders_there
    from salticid.model import Scope
    from salticid.runs import specs
    from salticid.runs.order import Order, Recipe, check_folder
    from salticid.worlds.inlinks import backlinks_from

    ground = _web(web, context.params, ray)
    name, strategy_object = specs.strategy_of(strategy, specs.pairs(set_ or []))
    judge_name, judge_object = specs.judge_of(judge or specs.judge_in(strategy), strategy_object)
    limits = _limits(max_pages, max_fetches, max_buffer, max_time, stop_when)
    start = (seed_url or (), bookmarks, search, from_crawl or ())
    if new and out_dir is not None:
        raise UserError("--new asks for a folder of its own, --out names one; leave one of them out")
    folder = None if out_dir is None else check_folder(out_dir)
    held = (folder,) if folder else () if new or query is None else folders_there(query, name)
    topic = _topic(topic_file, query, start, user_agent or own_user_agent(), held)
    scope = Scope(tuple(include or ()), tuple(exclude or ()), same_site, max_depth)
    topic = replace(topic, scope=_scope(topic.scope, scope))
    source = None if backlinks is None else partial(backlinks_from, backlinks)
    recipe = Recipe(strategy_object, judge_object, limits, arrivals, seed, source)
    order = Order(topic, ground, name, judge_name, recipe, backlinks=backlinks)
    shards_asked = None if ray is None else shards
    folder = folder or default_folder(order, new, shards_asked)
    return _run(replace(order, folder=folder), web, ray, shards, json, verbose and not quiet)


def _web(name: str, params: Mapping[str, Any], ray: str | None) -> RecordedWeb | LiveSettings:
    """The web of that name: the live one, asked as the options say, or a recorded one."""
    if name == LIVE:
        settings = live_options.live(params)
        if params["max_pages"] > ASK_FOR_CONTACT and settings.user_agent == USER_AGENT:
            err.print(safe(how_to_set_contact()), soft_wrap=True)
        return settings
    if ray is not None:
        raise UserError("a recorded world is crawled on one machine; leave --ray out, or crawl the live web")

    from salticid.webs.recorded import RecordedWeb

    return RecordedWeb(Path(name))


def _topic(
    file: Path | None, query: str | None, start: _Start, user_agent: str, folders: Sequence[Path]
) -> Topic:
    """What to look for: what a topic file says, or a query and where to start, unless a crawl in a folder says it."""
    if query is not None and file is None:
        from salticid.cli.query_topic import sources_of, topic_of

        return topic_of(query, sources_of(*start), user_agent, folders)
    if file is None:
        raise UserError(
            "no topic; name a topic file, as in: salticid crawl ballooning.toml, or say --query WORDS"
        )
    if query is not None or any(start):
        raise UserError(f"{file} says what to look for and where to start; leave it out, or --query")

    from salticid.truth import load_topic

    topic, _truth = load_topic(file)
    return topic


def _scope(of_file: Scope, of_options: Scope) -> Scope:
    """The scope of the topic file, narrowed or replaced by the options."""
    return replace(
        of_file,
        include=of_options.include or of_file.include,
        exclude=of_file.exclude + of_options.exclude,
        same_site=of_options.same_site or of_file.same_site,
        max_depth=of_file.max_depth if of_options.max_depth is None else of_options.max_depth,
    )


def _limits(
    max_pages: int, max_fetches: int | None, max_buffer: str, max_time: str | None, stop_when: str | None
) -> Limits:
    """The budget, and the condition under which it need not be spent."""
    from salticid.model import Limits

    limits = Limits(
        max_pages=max_pages,
        max_fetches=max_fetches,
        max_buffer=options.max_buffer(max_buffer),
        max_seconds=options.duration(max_time) if max_time else None,
    )
    return options.with_condition(limits, stop_when) if stop_when else limits


def _run(order: Order, web: str, ray: str | None, shards: int, json: bool, verbose: bool) -> int:
    """Crawl here or on a cluster, and say what came of it; the exit status."""
    from salticid.cli.going_on import say_how_to_go_on
    from salticid.cli.hunt import hunt
    from salticid.cli.summary import tell

    try:
        if ray is None:
            result = hunt(order, verbose)
        else:
            from salticid.cli.ray_cluster import hunt_on_ray

            result = hunt_on_ray(order, ray, shards)
    except KeyboardInterrupt:
        say_how_to_go_on(order.folder)
        return INTERRUPTED
    return tell(order, web, result, json)

"""`salticid crawl`: hunt for the pages of a topic."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from salticid.cli import live_options, options
from salticid.runs.defaults import DEFAULT_JUDGE, DEFAULT_STRATEGY

_what = partial(typer.Option, rich_help_panel="What to look for, and how")
_where = partial(typer.Option, rich_help_panel="Where")
_much = partial(typer.Option, rich_help_panel="How much")
_manners = partial(typer.Option, rich_help_panel=live_options.MANNERS)
_safety = partial(typer.Option, rich_help_panel=live_options.SAFETY)
_cluster = partial(typer.Option, rich_help_panel="On a cluster")


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
    known: Annotated[
        list[Path] | None,
        _where(help="A crawl whose pages are not fetched or suggested anew.", metavar="DIR"),
    ] = None,
    known_for: Annotated[
        str, _where(help="With --known: how long a page stays known.", metavar="DURATION")
    ] = "30d",
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
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65_535, help="Serve OpenMetrics on this port; 0: any free port.", metavar="N"
        ),
    ] = None,
    bind: options.Bind = None,
    host_name: options.HostName = None,
    concurrency: live_options.Concurrency = 64,
    delay: live_options.Delay = 1.0,
    timeout: live_options.Timeout = 10.0,
    per_address: live_options.PerAddress = 8,
    sitemaps: Annotated[bool, _manners("--sitemaps", help="Live: read sitemaps of liked sites.")] = False,
    feeds: Annotated[bool, _manners("--feeds", help="Live: read feeds that liked pages name.")] = False,
    user_agent: live_options.UserAgent = None,
    patience: live_options.Patience = "1h",
    max_bytes: live_options.MaxBytes = 1 << 20,
    max_disk: live_options.MaxDisk = None,
    no_warc: live_options.NoWarc = False,
    no_pdf: live_options.NoPdf = False,
    render: live_options.Render = "auto",
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
    header: live_options.Header = None,
    cookies: live_options.Cookies = None,
    ray: Annotated[
        str | None, _cluster(help="Live: crawl on a Ray cluster.", metavar="ADDRESS|local")
    ] = None,
    shards: Annotated[int, _cluster(min=1, help="With --ray: parts of the crawl.")] = 4,
) -> int:
    """Hunt for the pages of a topic.

    Example: salticid crawl ballooning.toml --web world/ --strategy best_first --max-pages 300
    """
    asked = locals()
    if refresh is not None:
        from salticid.cli.refresh import refresh_alias

        return refresh_alias(context, refresh, json)
    from salticid.cli.ordered_crawl import crawl_as_ordered  # here: it takes its time to import

    return crawl_as_ordered(asked)

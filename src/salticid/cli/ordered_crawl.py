"""A crawl as it was ordered on the command line; apart, so that its help need not wait for what a crawl needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salticid.cli import live_options, options
from salticid.cli.console import err, safe
from salticid.cli.default_folder import default_folder, folders_there
from salticid.cli.going_on import say_how_to_go_on
from salticid.cli.hunt import hunt
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.summary import tell
from salticid.errors import UserError
from salticid.model import Limits, Scope, Topic
from salticid.runs import specs
from salticid.runs.contact import how_to_set_contact, own_user_agent
from salticid.runs.live_settings import USER_AGENT, LiveSettings
from salticid.runs.order import Order, Recipe, check_folder, other_crawls
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.inlinks import backlinks_from

if TYPE_CHECKING:
    from salticid.runs.metrics_port import MetricsServer

LIVE = "live"
"""The web that is not recorded."""

ASK_FOR_CONTACT = 1000
"""Above so many pages, the user agent should name a contact."""

_Start = tuple[Sequence[str], Path | None, str | None, Sequence[Path]]
"""Where to start, as typed: URLs, bookmarks, a search engine, crawls."""


def crawl_as_ordered(asked: Mapping[str, Any]) -> int:
    """Crawl as the arguments of the command `crawl`, by name, say; the exit status."""
    out, query, new = asked["out_dir"], asked["query"], asked["new"]
    ground = _web(asked)
    name, strategy = specs.strategy_of(asked["strategy"], specs.pairs(asked["set_"] or []), files=True)
    judge_spec = asked["judge"] or specs.judge_in(asked["strategy"])
    judge_name, judge = specs.judge_of(judge_spec, strategy, files=True)
    limits = _limits(asked)
    if new and out is not None:
        raise UserError("--new asks for a folder of its own, --out names one; leave one of them out")
    folder = None if out is None else check_folder(out)
    held = (folder,) if folder else () if new or query is None else folders_there(query, name)
    topic = _topic(asked, held)
    topic = replace(topic, scope=_scope(topic.scope, asked))
    backlinks = asked["backlinks"]
    source = None if backlinks is None else partial(backlinks_from, backlinks)
    recipe = Recipe(strategy, judge, limits, asked["arrivals"], asked["seed"], source)
    known = other_crawls(asked["known"] or ())
    order = Order(
        topic, ground, name, judge_name, recipe, backlinks=backlinks, known=known,
        known_for=options.duration(asked["known_for"]),
    )  # fmt: skip
    shards = None if asked["ray"] is None else asked["shards"]
    return _run(replace(order, folder=folder or default_folder(order, new, shards)), asked)


def _web(asked: Mapping[str, Any]) -> RecordedWeb | LiveSettings:
    """The web of that name: the live one, asked as the options say, or a recorded one."""
    if asked["web"] == LIVE:
        settings = live_options.live(asked)
        if asked["max_pages"] > ASK_FOR_CONTACT and settings.user_agent == USER_AGENT:
            err.print(safe(how_to_set_contact()), soft_wrap=True)
        return settings
    if asked["ray"] is not None:
        raise UserError("a recorded world is crawled on one machine; leave --ray out, or crawl the live web")
    return RecordedWeb(Path(asked["web"]))


def _topic(asked: Mapping[str, Any], folders: Sequence[Path]) -> Topic:
    """What to look for: what a topic file says, or a query and where to start, unless a crawl in a folder says it."""
    file, query = asked["topic_file"], asked["query"]
    start: _Start = (
        asked["seed_url"] or (),
        asked["bookmarks"],
        asked["search"],
        asked["from_crawl"] or (),
    )
    if query is not None and file is None:
        from salticid.cli.query_topic import sources_of, topic_of  # here: it takes its time to import

        return topic_of(query, sources_of(*start), asked["user_agent"] or own_user_agent(), folders)
    if file is None:
        raise UserError(
            "no topic; name a topic file, as in: salticid crawl ballooning.toml, or say --query WORDS"
        )
    if query is not None or any(start):
        raise UserError(f"{file} says what to look for and where to start; leave it out, or --query")
    topic, _truth = load_topic(file)
    return topic


def _scope(of_file: Scope, asked: Mapping[str, Any]) -> Scope:
    """The scope of the topic file, narrowed or replaced by the options."""
    return Scope(
        include=tuple(asked["include"] or ()) or of_file.include,
        exclude=of_file.exclude + tuple(asked["exclude"] or ()),
        same_site=asked["same_site"] or of_file.same_site,
        max_depth=of_file.max_depth if asked["max_depth"] is None else asked["max_depth"],
    )


def _limits(asked: Mapping[str, Any]) -> Limits:
    """The budget, and the condition under which it need not be spent."""
    limits = Limits(
        max_pages=asked["max_pages"],
        max_fetches=asked["max_fetches"],
        max_buffer=options.max_buffer(asked["max_buffer"]),
        max_seconds=options.duration(asked["max_time"]) if asked["max_time"] else None,
    )
    return options.with_condition(limits, asked["stop_when"]) if asked["stop_when"] else limits


def _metrics(asked: Mapping[str, Any]) -> MetricsServer | None:
    """The server of --metrics-port, which has its port; None if it is not wanted."""
    if asked["metrics_port"] is None:
        if asked["bind"] is not None or asked["host_name"]:
            raise UserError("--bind says where --metrics-port listens; add --metrics-port N, or leave it out")
        return None
    from salticid.runs.local_port import Binding  # here, as what follows: few need them
    from salticid.runs.metrics_port import MetricsServer

    return MetricsServer(asked["metrics_port"], Binding.of(asked["bind"], asked["host_name"]))


def _run(order: Order, asked: Mapping[str, Any]) -> int:
    """Crawl here or on a cluster, and say what came of it; the exit status."""
    metrics = _metrics(asked)
    try:
        if asked["ray"] is not None and order.known:
            raise UserError(
                "what other crawls hold is known on one machine only; leave --ray out, or --known"
            )
        if asked["ray"] is None:
            result = hunt(order, asked["verbose"] and not asked["quiet"], metrics)
        else:
            from salticid.cli.ray_cluster import hunt_on_ray  # here: it takes its time to import

            result = hunt_on_ray(order, asked["ray"], asked["shards"], metrics)
    except KeyboardInterrupt:
        say_how_to_go_on(order.folder)
        return INTERRUPTED
    finally:
        if metrics is not None:
            metrics.close()
    return tell(order, asked["web"], result, asked["json"])

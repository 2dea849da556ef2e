"""A crawl as it was ordered on the command line; apart, so that its help need not wait for what a crawl needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from salticid.cli.console import err, safe
from salticid.cli.crawl import Running, Start
from salticid.cli.default_folder import default_folder, folders_there
from salticid.cli.going_on import say_how_to_go_on
from salticid.cli.hunt import hunt
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.summary import tell
from salticid.errors import UserError
from salticid.runs.contact import how_to_set_contact, own_user_agent
from salticid.runs.live_settings import USER_AGENT
from salticid.runs.order import Order, check_folder, resolve
from salticid.runs.spec import LIVE, scoped, spec_of
from salticid.topic import Topic
from salticid.truth import load_topic
from salticid.worlds.inlinks import backlinks_from

if TYPE_CHECKING:
    from salticid.runs.metrics_port import MetricsServer

ASK_FOR_CONTACT = 1000
"""Above so many pages, the user agent should name a contact."""
_NO_TOPIC = Topic("", "", ())


def crawl_as_ordered(start: Start, options: Mapping[str, Any], running: Running) -> int:
    """Crawl as the command `crawl` was typed, the fields of its spec among the options; the exit status."""
    spec = spec_of(_NO_TOPIC, options)
    if spec.web != LIVE and running.ray is not None:
        raise UserError("a recorded world is crawled on one machine; leave --ray out, or crawl the live web")
    order = resolve(spec, files=True, backlinks_from=backlinks_from)
    if (
        order.opened is None
        and spec.limits.max_pages > ASK_FOR_CONTACT
        and spec.live.user_agent == USER_AGENT
    ):
        err.print(safe(how_to_set_contact()), soft_wrap=True)
    if running.new and running.out is not None:
        raise UserError("--new asks for a folder of its own, --out names one; leave one of them out")
    folder = None if running.out is None else check_folder(running.out)
    query = None if running.new else start.query
    held = (folder,) if folder else () if query is None else folders_there(query, order.spec.strategy)
    topic = scoped(_topic(start, options["user_agent"], held), options)
    order = replace(order, spec=msgspec.structs.replace(order.spec, topic=topic))
    shards = None if running.ray is None else running.shards
    return _run(replace(order, folder=folder or default_folder(order, running.new, shards)), running)


def _topic(start: Start, user_agent: str | None, folders: Sequence[Path]) -> Topic:
    """What to look for: what a topic file says, or a query and where to start, unless a crawl in a folder says it."""
    file, query = start.topic_file, start.query
    places = (start.urls, start.bookmarks, start.search, start.crawls)
    if query is not None and file is None:
        from salticid.cli.query_topic import sources_of, topic_of  # here: it takes its time to import

        return topic_of(query, sources_of(*places), user_agent or own_user_agent(), folders)
    if file is None:
        raise UserError(
            "no topic; name a topic file, as in: salticid crawl ballooning.toml, or say --query WORDS"
        )
    if query is not None or any(places):
        raise UserError(f"{file} says what to look for and where to start; leave it out, or --query")
    topic, _truth = load_topic(file)
    return topic


def _metrics(running: Running) -> MetricsServer | None:
    """The server of --metrics-port, which has its port; None if it is not wanted."""
    if running.metrics_port is None:
        if running.bind is not None or running.host_names:
            raise UserError("--bind says where --metrics-port listens; add --metrics-port N, or leave it out")
        return None
    from salticid.runs.local_port import Binding  # here, as what follows: few need them
    from salticid.runs.metrics_port import MetricsServer

    return MetricsServer(running.metrics_port, Binding.of(running.bind, running.host_names))


def _run(order: Order, running: Running) -> int:
    """Crawl here or on a cluster, and say what came of it; the exit status."""
    metrics = _metrics(running)
    try:
        if running.ray is not None and order.spec.known:
            raise UserError(
                "what other crawls hold is known on one machine only; leave --ray out, or --known"
            )
        if running.ray is None:
            result = hunt(order, running.verbose, metrics)
        else:
            from salticid.cli.ray_cluster import hunt_on_ray  # here: it takes its time to import

            result = hunt_on_ray(order, running.ray, running.shards, metrics)
    except KeyboardInterrupt:
        say_how_to_go_on(order.folder)
        return INTERRUPTED
    finally:
        if metrics is not None:
            metrics.close()
    return tell(order, result, running.json)

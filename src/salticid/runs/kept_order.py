"""The order of a crawl, read back from its folder, so that it can go on without being typed again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from salticid.errors import UserError, shortened
from salticid.judges import judges
from salticid.model import Topic
from salticid.protocols import Backlinks, Table, UrlTable
from salticid.registry import Registry, instance_of, settings_in
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Order, Recipe
from salticid.runs.specs import class_of
from salticid.store.continuing import current_limits
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies import strategies
from salticid.version import __version__

T = TypeVar("T")
BacklinksFrom = Callable[[Path, UrlTable, Table], Backlinks]
"""Opens a source of backlinks that a person named."""


class KeptFacts(msgspec.Struct, frozen=True):
    """What a crawl folder says of its crawl."""

    version: str
    topic: Topic
    strategy: dict[str, Any]
    judge: dict[str, Any]
    web: dict[str, Any]
    arrivals: str
    seed: int
    backlinks: str | None
    known_crawls: tuple[str, ...] = ()


def kept_order(
    folder: Path,
    settings: LiveSettings,
    backlinks_from: BacklinksFrom,
    strategy: str | None = None,
    judge: str | None = None,
) -> Order:
    """The order of the crawl of the live web in a folder, asked as these settings say, with the limits it has now;
    whichever version of the program made it.

    The names in the folder are data: strategy and judge have to be built in or installed, or a user names them again
    as `strategy` and `judge`. Settings that those do not give are the folder's. UserError where neither helps.
    """
    with closing(CrawlFolder(folder)) as crawl:
        facts = crawl.about()
        try:
            kept = msgspec.convert(facts, KeptFacts)
        except msgspec.ValidationError as error:
            raise UserError(
                f"what {folder} says of its crawl is damaged: {error}; crawl into a new folder"
            ) from None
        if "shards" in kept.web:
            raise UserError(
                f"the crawl in {folder} was made in shards, which cannot go on as one; refresh it, or watch a crawl of "
                "one machine"
            )
        limits = current_limits(crawl.database, facts)
    path = None if kept.backlinks is None else Path(kept.backlinks)
    strategy_name, strategy_made = _made(strategies, kept, folder, strategy)
    judge_name, judge_made = _made(judges, kept, folder, judge)
    recipe = Recipe(
        strategy_made,
        judge_made,
        limits,
        kept.arrivals,
        kept.seed,
        None if path is None else partial(backlinks_from, path),
    )
    known = tuple(map(Path, kept.known_crawls))
    return Order(
        kept.topic, settings, strategy_name, judge_name, recipe, folder, path, known=known, as_given=True
    )


def _made(registry: Registry[T], kept: KeptFacts, folder: Path, spec: str | None) -> tuple[str, T]:
    """A strategy or judge and its name: what the user named, else what is installed under the name in the folder."""
    kind = registry.kind
    settings: dict[str, Any] = dict(getattr(kept, kind))
    name = str(settings.pop("name", ""))
    typed: dict[str, Any] = {}
    if spec is not None:
        name, cls, typed = class_of(spec, registry, files=True)
    elif name in registry.names():
        cls = registry.find(name)
    else:
        raise UserError(
            f"the {kind} {shortened(name)!r} of the crawl in {folder} is neither built in nor installed; install its "
            f"package, or name your own class: --{kind} FILE.py:{shortened(name.rpartition(':')[2])}"
        )
    if kept.version != __version__:  # which may have had others
        known = {setting.name for setting in settings_in(cls)}
        settings = {key: value for key, value in settings.items() if key in known}
    return name, instance_of(name, cls, {**settings, **typed})

"""The order of a crawl, read back from its folder, so that it can go on without being typed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError
from salticid.judges import judges
from salticid.model import Topic
from salticid.protocols import Backlinks, Table, UrlTable
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Order, Recipe
from salticid.store.continuing import current_limits
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies import strategies
from salticid.version import __version__

BacklinksFrom = Callable[[Path, UrlTable, Table], Backlinks]
"""Opens a source of backlinks that a person named."""


def kept_order(folder: Path, settings: LiveSettings, backlinks_from: BacklinksFrom) -> Order:
    """The order of the crawl of the live web in a folder, asked as these settings say, with the limits it has now;
    whichever version of the program made it.

    UserError where its folder does not hold all of it: the strategy was a class of a file, or an instance.
    """
    with closing(CrawlFolder(folder)) as crawl:
        facts = crawl.about()
        if "shards" in facts["web"]:
            raise UserError(
                f"the crawl in {folder} was made in shards, which cannot go on as one; refresh it, or watch a crawl of "
                "one machine"
            )
        limits = current_limits(crawl.database, facts)
    path = None if facts["backlinks"] is None else Path(facts["backlinks"])
    recipe = Recipe(
        _made(strategies, "strategy", facts, folder),
        _made(judges, "judge", facts, folder),
        limits,
        facts["arrivals"],
        facts["seed"],
        None if path is None else partial(backlinks_from, path),
    )
    topic = msgspec.convert(facts["topic"], Topic)
    names = facts["strategy"]["name"], facts["judge"]["name"]
    known = tuple(map(Path, facts.get("known_crawls", ())))
    return Order(topic, settings, *names, recipe, folder, path, known=known, as_given=True)


def _made(registry: Any, kind: str, facts: Mapping[str, Any], folder: Path) -> Any:
    settings = dict(facts[kind])
    name = settings.pop("name")
    try:
        if facts["version"] != __version__:  # which may have had others
            known = {setting.name for setting in registry.settings(name)}
            settings = {key: value for key, value in settings.items() if key in known}
        return registry.make(name, settings)
    except UserError as error:
        raise UserError(
            f"the crawl in {folder} cannot go on by itself: its {kind} {name} is not to be had by name ({error}); "
            "install the package that has it, or refresh the crawl instead"
        ) from None

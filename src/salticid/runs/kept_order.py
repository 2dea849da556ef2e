"""The spec of a crawl, read back from its folder, so that it can go on without being typed again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from salticid.errors import UserError, shortened
from salticid.judges import judges
from salticid.registry import Registry, instance_of, settings_in
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import BacklinksFrom, Order, resolve
from salticid.runs.spec import LIVE, CrawlSpec
from salticid.runs.specs import class_of
from salticid.store.continuing import current_limits
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies import strategies
from salticid.version import __version__

T = TypeVar("T")


def spec_in(crawl: CrawlFolder) -> CrawlSpec:
    """The spec of the crawl in a folder, with the limits that it has now; UserError if it is damaged.

    The names in it are data. Of how the live web was asked it says nothing: see `kept_runs`.
    """
    facts = crawl.about()
    try:
        web = msgspec.convert(facts["web"], dict[str, Any])
        strategy, judge = (msgspec.convert(facts[kind], dict[str, Any]) for kind in ("strategy", "judge"))
        told = {name: facts[name] for name in ("topic", "arrivals", "seed", "backlinks")}
        return msgspec.convert(
            {
                **told,
                "web": LIVE if LIVE in web else facts.get("folder", ""),
                "strategy": strategy.pop("name", ""),
                "strategy_settings": strategy,
                "judge": judge.pop("name", ""),
                "judge_settings": judge,
                "known": facts.get("known_crawls", ()),
                "limits": asdict(current_limits(crawl.database, facts)),
            },
            CrawlSpec,
        )
    except (KeyError, msgspec.ValidationError) as error:
        cause = f"it has no {error}" if isinstance(error, KeyError) else error
        raise UserError(
            f"what {crawl.folder} says of its crawl is damaged: {cause}; crawl into a new folder"
        ) from None


def kept_order(
    folder: Path,
    settings: LiveSettings,
    backlinks_from: BacklinksFrom,
    strategy: str | None = None,
    judge: str | None = None,
) -> Order:
    """The crawl of the live web in a folder, asked as these settings say, whichever version of the program made it.

    The names in the folder are data: strategy and judge have to be built in or installed, or a user names them again
    as `strategy` and `judge`. Settings that those do not give are the folder's. UserError where neither helps.
    """
    with closing(CrawlFolder(folder)) as crawl:
        spec, facts = spec_in(crawl), crawl.about()
    if "shards" in facts["web"]:
        raise UserError(
            f"the crawl in {folder} was made in shards, which cannot go on as one; refresh it, or watch a crawl of "
            "one machine"
        )
    same_version = facts.get("version") == __version__
    where: dict[str, Any] = {"folder": folder, "same_version": same_version}
    strategy_name, made = _made(strategies, spec.strategy, spec.strategy_settings, strategy, **where)
    judge_name, judging = _made(judges, spec.judge or "", spec.judge_settings, judge, **where)
    spec = msgspec.structs.replace(spec, strategy=strategy_name, judge=judge_name, live=settings)
    order = resolve(spec, folder, strategy=made, judge=judging, backlinks_from=backlinks_from)
    return replace(order, as_given=True)


def _made(
    registry: Registry[T],
    name: str,
    settings: dict[str, Any],
    spec: str | None,
    *,
    folder: Path,
    same_version: bool,
) -> tuple[str, T]:
    """A strategy or judge and its name: what the user named, else what is installed under the name in the folder."""
    kind = registry.kind
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
    if not same_version:  # which may have had others
        known = {setting.name for setting in settings_in(cls)}
        settings = {key: value for key, value in settings.items() if key in known}
    return name, instance_of(name, cls, {**settings, **typed})

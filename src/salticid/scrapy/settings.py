"""What a Scrapy project says about its crawl: settings whose names begin with SALTICID_."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from scrapy import Spider
from scrapy.settings import BaseSettings

from salticid.api.topics import crawlers_half
from salticid.errors import UserError, unknown
from salticid.model import Limits, Topic
from salticid.runs.defaults import DEFAULT_STRATEGY
from salticid.runs.order import ForeignWeb, Order, check_folder, resolve
from salticid.runs.spec import CrawlSpec
from salticid.store.folder_lock import IN_MEMORY
from salticid.urls import canonical

PREFIX = "SALTICID_"
NAMES = ("TOPIC", "KEYWORDS", "STRATEGY", "JUDGE", "MAX_PAGES", "MAX_BUFFER", "SEED", "DIR")
NO_BOUND = 1_000_000_000
"""As many pages as a crawl may have that nobody bounds."""


def order_of(settings: BaseSettings, spider: Spider) -> Order:
    """The crawl that a project orders for one of its spiders; a UserError names the setting that is wrong."""
    for name in settings:
        if str(name).startswith(PREFIX) and str(name).removeprefix(PREFIX) not in NAMES:
            raise unknown("setting", str(name), [PREFIX + known for known in NAMES])
    max_pages = _number(settings, "MAX_PAGES") or settings.getint("CLOSESPIDER_PAGECOUNT") or NO_BOUND
    usual = Limits().max_buffer or 0
    spec = CrawlSpec(
        topic=_topic(settings, spider),
        web="scrapy",
        strategy=_of(settings, "STRATEGY") or DEFAULT_STRATEGY,
        judge=_of(settings, "JUDGE") or None,
        limits=Limits(max_pages, max_buffer=_number(settings, "MAX_BUFFER", usual) or None),
        seed=_number(settings, "SEED"),
    )
    return resolve(spec, _folder(settings), web=ForeignWeb("scrapy", spider.name), files=True)


@contextmanager
def in_words_of_settings() -> Iterator[None]:
    """Errors name the setting where those of the command line name the option."""
    try:
        yield
    except UserError as error:
        text = str(error).replace("--out", f"{PREFIX}DIR")
        for name in ("strategy", "judge"):
            text = text.replace(f"--{name} ", f"{PREFIX}{name.upper()}=")
        raise UserError(text) from None


def _of(settings: BaseSettings, name: str) -> str | None:
    value: str | None = settings.get(PREFIX + name)
    return value


def _number(settings: BaseSettings, name: str, otherwise: int = 0) -> int:
    text = settings.get(PREFIX + name, otherwise)
    try:
        number = int(text or 0)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise UserError(f"{PREFIX}{name} is {text!r}; give a whole number, or 0 for none")
    return number


def _topic(settings: BaseSettings, spider: Spider) -> Topic:
    """The topic, whose seeds the start URLs of the spider are too."""
    topic, keywords = settings.get(f"{PREFIX}TOPIC"), _of(settings, "KEYWORDS")
    if (topic is None) == (keywords is None):
        raise UserError(
            f"a crawl is about one topic; name its file as {PREFIX}TOPIC, or words to look for as {PREFIX}KEYWORDS"
        )
    chosen = Topic(spider.name, str(keywords), ()) if topic is None else crawlers_half(topic)
    starts = [url for url in getattr(spider, "start_urls", ()) if canonical(url) is not None]
    return replace(chosen, seeds=tuple(dict.fromkeys([*chosen.seeds, *starts])))


def _folder(settings: BaseSettings) -> Path:
    """Where the crawl is kept: a folder of its own, or one in that of the job; none without either."""
    if folder := _of(settings, "DIR"):
        return check_folder(Path(folder))
    job = settings.get("JOBDIR")
    return check_folder(Path(job) / "salticid") if job else IN_MEMORY

"""The crawl behind a spider: begun, or gone on with, and ended. Scrapy's engine runs it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from scrapy import Request, Spider
from scrapy.http import Response as ScrapyResponse
from scrapy.settings import BaseSettings

from salticid import model
from salticid.api import crawlers_half
from salticid.crawl import Crawl
from salticid.errors import UserError, unknown
from salticid.model import Choice, Ints, Outcome, Page, StopReason, Visit, Wall
from salticid.parse import (
    AGENT,
    GOOD_STATUSES,
    Parser,
    content,
    directives_for,
    prescan,
    wall_by_head,
    wall_of,
    wall_of_refusal,
)
from salticid.protocols import Strategy
from salticid.runs import (
    DEFAULT_STRATEGY,
    CrawlSpec,
    ForeignWeb,
    KnownPages,
    Order,
    Past,
    Stopwatch,
    check_folder,
    relive,
    resolve,
    settle,
)
from salticid.scrapy.kept_requests import KeptRequests
from salticid.store import IN_MEMORY, CrawlLog
from salticid.tables import Urls, Words
from salticid.topic import Limits, Topic
from salticid.urls import canonical

# The web as a spider sees it: Scrapy's responses become answers to the choices of a crawl.

MAX_BYTES = 1 << 20
"""So much of a page is read."""


class SpiderWeb:
    """The two tables of a crawl, and the parser that fills them.

    Pages are read where Scrapy's own selectors read them, in its process; those that are made to keep a parser
    busy are left unread. `language` is that of the crawl.
    """

    def __init__(self) -> None:
        self.urls, self.words = Urls(), Words()
        self.language: str | None = None
        self._parser = Parser(self.urls, self.words)

    def page(self, response: ScrapyResponse) -> tuple[Outcome | Wall, Page | None]:
        """The page of a response, or why there is none."""
        fields, at = _fields(response), canonical(response.url)
        if (wall := wall_by_head(response.status, fields)) is not None:
            return wall, None
        document = content(fields, response.body, MAX_BYTES)
        if response.status not in GOOD_STATUSES:
            return wall_of_refusal(response.url, document.html, response.status) or Outcome.DEAD, None
        if document.html is None or at is None:
            return Outcome.NOT_HTML, None
        if prescan(document.html):
            return Outcome.UNPARSABLE, None
        page = self._parser.parse(document.html, at, document.charset, self.language)
        if (wall := wall_of(at, document.html, len(page.tokens))) is not None:
            return wall, None
        directives = directives_for(AGENT, fields.get("x-robots-tag", ""))
        return Outcome.OK, replace(page, noindex=page.noindex or "noindex" in directives)

    def answer(
        self, url: int, request: Request, response: ScrapyResponse, asked: Callable[[int], bool]
    ) -> model.Response:
        """The answer to a choice. Its page lets us follow the links that the spider asked for, and no others."""
        outcome, page = self.page(response)
        at = canonical(response.url)
        fields = _fields(response)
        return model.Response(
            url=url,
            final=url if at is None else self.urls.intern(at),
            outcome=Outcome.KEPT_OUT if isinstance(outcome, Wall) else outcome,
            wall=outcome if isinstance(outcome, Wall) else None,
            status=response.status,
            page=None if page is None else _followed(page, asked),
            seconds=float(request.meta.get("download_latency", 0.0)),
            size=len(response.body),
            modified=content(fields, b"", 0).modified,
            etag=fields.get("etag"),
        )


def _fields(response: ScrapyResponse) -> dict[str, str]:
    """The fields of a head, their names in lower case. How a body was sent, Scrapy has seen to."""
    fields = {
        name.decode("latin-1").lower(): b",".join(values).decode("latin-1") for name, values in response.headers.items()
    }
    fields.pop("transfer-encoding", None)
    return fields


def _followed(page: Page, asked: Callable[[int], bool]) -> Page:
    """The page as the spider follows it: what it did not ask for counts as nofollow, and nothing else does."""
    links = page.links
    ignored = np.fromiter((not asked(url) for url in links.url.tolist()), np.bool_, len(links))
    return replace(page, nofollow=False, links=replace(links, nofollow=ignored))


# Priorities of requests as a strategy hears of them.


class _ByPriority:
    """Shows a strategy the links of a page in the order of their priorities, and is it in all else."""

    def __init__(self, strategy: Strategy, priority: Callable[[int], int]) -> None:
        self._strategy, self._priority = strategy, priority

    def observe(self, visit: Visit, fresh: Ints) -> None:
        if visit.page is not None and len(fresh):
            urls = visit.page.links.url[fresh].tolist()
            ranks = np.fromiter(map(self._priority, urls), np.int64, len(urls))
            if ranks.min() != ranks.max():
                fresh = fresh[np.argsort(-ranks, kind="stable")]
        self._strategy.observe(visit, fresh)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._strategy, name)


def by_priority(strategy: Strategy, priority: Callable[[int], int]) -> Strategy:
    """The strategy, which prefers of links that it thinks equal the one whose URL has the higher priority.

    Equal links are taken in the order in which the strategy hears of them, so that is all that is changed.
    """
    return cast(Strategy, _ByPriority(strategy, priority))


ReadPages = Callable[[tuple[str, ...]], Awaitable[tuple[Page, ...]]]
"""Reads the pages of some URLs, as far as they can be had."""

_logger = logging.getLogger(__name__)


class SpiderCrawl:
    """A crawl, its log and its clock. `crawl` is there once it was `open`ed."""

    crawl: Crawl

    def __init__(self, order: Order, web: SpiderWeb, requests: KeptRequests) -> None:
        self.order, self._web, self._requests = order, web, requests
        self.log = CrawlLog(order.folder, web.urls, web.words, own_tables=True)
        self.log.attach(requests.news)
        self._clock = Stopwatch()
        self._is_open = False

    async def open(self, read_pages: ReadPages, settings: Mapping[str, object]) -> list[Choice]:
        """Begin, or go on from the folder; the choices that were under way when an earlier run ended."""
        order, log, larger = self.order, self.log, None
        if (before := log.open()) is not None:
            order, larger = order.continuing(log, before)
            if (missing := log.go_on()) is not None:
                _logger.warning(missing)
            self._requests.recall(log.memory())
            self._clock = Stopwatch(log.record().seconds)
        facts = None if before is None else log.known_pages()
        past = None if facts is None else Past(log)
        if facts is None:
            pages = await _known_pages(order.topic, read_pages)
        else:
            pages = KnownPages(facts.get("examples", ()), facts.get("negatives", ()))
        recipe = order.recipe
        brief = settle(order.topic, pages, self._web, recipe.limits, recipe.seed, meanings=recipe.meanings(log))
        self._web.language = brief.language
        ordered = replace(recipe, strategy=by_priority(recipe.strategy, self._requests.priority))
        self.crawl = ordered.crawl(brief, log, self._clock, log.page, past=past)
        flying: list[Choice] = []
        if past is not None:
            _logger.info("Going on after %d visits", past.visits)
            flying = await relive(self.crawl, recipe.judge, past, lambda visit: None)
        elif before is None:
            log.begin(order.facts())
        if past is None:
            log.add_known_pages({"examples": pages.examples, "negatives": pages.negatives})
        log.session(self._clock(), settings)
        if larger is not None:
            self.crawl.extend(larger)
        self._is_open = True
        return flying

    def close(self, finished: bool) -> None:
        """Write down why it ends, and let go of the folder. One that was not `finished` is interrupted."""
        if self._is_open:
            crawl = self.crawl
            reason = (crawl.stopped or StopReason.FRONTIER_EMPTY) if finished else StopReason.INTERRUPTED
            self.log.about({"seconds": self._clock(), "line": crawl.judge.line, "stopped": reason.value})
        self.log.close()


async def _known_pages(topic: Topic, read: ReadPages) -> KnownPages:
    return KnownPages(await read(topic.examples), await read(topic.negatives))


# What a Scrapy project says about its crawl: settings whose names begin with SALTICID_.

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

"""Asking again for the good pages of a crawl: changed, gone, or the same."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from email.utils import formatdate
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from salticid.drivers import wait_for_the_log
from salticid.errors import UserError, shortened
from salticid.model import Outcome, Response
from salticid.runs.live import Stopwatch, live_web
from salticid.runs.live_settings import REACH, LiveSettings, kept_runs, without_password
from salticid.runs.onlooker import Onlooker, outage
from salticid.runs.snapshot import machine_key
from salticid.store import CrawlFolder, CrawlLog, check_not_merged
from salticid.store.archive import Archive
from salticid.store.news import PageVersion, Versions
from salticid.tables import Urls, Words
from salticid.text import SoftChanges
from salticid.webs.live import Crowded, LiveWeb, Memory, OutageCalls, Parked

# Changes that all pages of a site have in common: a new banner, another footer. They are no news of any of them.

HELD = 12
"""So many pages of a host that changed are compared before anything is said of the first of them."""
LEAST_PAGES = 8
"""What fewer pages have in common is their own,"""
LEAST_SHARE = 0.8
"""and what a smaller share of the pages that were looked at have."""

T = TypeVar("T")


class SiteChanges(Generic[T]):
    """The pages of one host that changed, each with how much more or less it says each word.

    >>> site = SiteChanges[str]()
    >>> for name in "abcdefgh":
    ...     decided = site.look(name, {"cookies": 2})
    >>> site.look("i", {"cookies": 2, "spiders": 1}), site.look("j")
    ([], [])
    >>> [name for name, is_news in site.rest() if is_news]
    ['i']
    """

    def __init__(self) -> None:
        self._looks = 0
        self._held: list[tuple[T, Mapping[str, int]]] = []
        self._common: frozenset[tuple[str, int]] | None = None

    def look(self, page: T, difference: Mapping[str, int] | None = None) -> list[tuple[T, bool]]:
        """A page was looked at, and differs so, if it does; those of which it is settled whether they have news."""
        self._looks += 1
        if difference is None:
            return []
        if self._common is not None:
            return [(page, self._is_news(difference))]
        self._held.append((page, difference))
        return self.rest() if len(self._held) == HELD else []

    def rest(self) -> list[tuple[T, bool]]:
        """All that were held back: nobody waits any longer."""
        if self._common is None:
            pages = Counter(change for _, difference in self._held for change in difference.items())
            least = max(LEAST_PAGES, LEAST_SHARE * self._looks)
            self._common = frozenset(change for change, many in pages.items() if many >= least)
        held, self._held = self._held, []
        return [(page, self._is_news(difference)) for page, difference in held]

    def _is_news(self, difference: Mapping[str, int]) -> bool:
        return not difference.items() <= (self._common or frozenset())


_GONE = (404, 410)
_NOT_MODIFIED = 304


class PageFate(StrEnum):
    """What became of a page."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"
    """Its server could not be reached, or forbids us to ask: nothing is known of it."""


class Look(NamedTuple):
    """A page that was asked for again: how it was last seen, and the answer."""

    step: int
    version: PageVersion
    response: Response


class Refresh:
    """Asks again for pages, by step and URL, host by host, politely, and writes down what it finds.

    A server that knows when its page was changed is asked only for what is new. `last` gives a page as it was last
    seen. The `rule` says what became of a page; `on_look` is called with each before it is written down, `on_trouble`
    when the log cannot write.
    """

    def __init__(
        self,
        web: LiveWeb,
        log: CrawlLog,
        requests: int,
        pages: Sequence[tuple[int, int]],
        last: Callable[[int], PageVersion],
        rule: FateRule | None = None,
        on_look: Callable[[Look, PageFate], None] | None = None,
        on_trouble: Callable[[str], None] | None = None,
    ) -> None:
        self._web, self._log, self._requests, self._last = web, log, requests, last
        self._workers: list[asyncio.Task[None]] = []
        self._hosts: dict[int, deque[tuple[int, int]]] = {}
        for step, url in pages:
            self._hosts.setdefault(web.urls.host(url), deque()).append((step, url))
        self.pages = len(pages)
        self.fates: Counter[PageFate] = Counter()
        self.stopped = False
        self._rule = FateRule(SoftChanges(web.words)) if rule is None else rule
        self._on_look, self._on_trouble = on_look, on_trouble

    async def run(self, watch: Callable[[], None]) -> None:
        """Ask for all of them; `watch` is called after each."""
        hosts = deque(self._hosts.values())

        async def work() -> None:
            while hosts and not self.stopped:
                await self._one_host(hosts.popleft(), watch)

        self._workers = [asyncio.create_task(work()) for _ in range(self._requests)]
        results = await asyncio.gather(*self._workers, return_exceptions=True)
        for error in results:
            if isinstance(error, Exception):
                raise error
        self._log.retry()
        if self._log.write_error is not None:
            await self._wait_for_the_log()

    def stop(self) -> None:
        """Leave the rest for another time."""
        self.stopped = True
        for worker in self._workers:
            worker.cancel()

    async def _one_host(self, pages: deque[tuple[int, int]], watch: Callable[[], None]) -> None:
        site = SiteChanges[Look]()
        while pages and not self.stopped:
            step, url = pages.popleft()
            version = self._last(step)
            try:
                response = await self._web.fetch(url, unless=_unless(version))
            except (Parked, Crowded):
                self.fates[PageFate.UNKNOWN] += 1 + len(pages)
                break
            look = Look(step, version, response)
            fate = self._rule(look)
            if fate is PageFate.CHANGED:
                settled = site.look(look, self._rule.difference(look))
            else:
                settled = site.look(look)
                self._write_down(look, fate)
            await self._write_down_all(settled, watch)
        if not self.stopped:
            await self._write_down_all(site.rest(), watch)

    async def _write_down_all(self, looks: Sequence[tuple[Look, bool]], watch: Callable[[], None]) -> None:
        """Pages that differ, and whether that is news."""
        for look, is_news in looks:
            self._write_down(look, PageFate.CHANGED if is_news else PageFate.SAME)
        watch()
        await self._wait_for_the_log()

    def _write_down(self, look: Look, fate: PageFate) -> None:
        self.fates[fate] += 1
        if self._on_look is not None:
            self._on_look(look, fate)
        response = look.response
        change = response if fate is PageFate.CHANGED else replace(response, page=None)
        self._log.add_recheck(look.step, fate, change)

    async def _wait_for_the_log(self) -> None:
        await wait_for_the_log(self._log, lambda: self.stopped, self._on_trouble)


def last_settings(folder: Path, options: Mapping[str, Any], warn: Callable[[str], None]) -> LiveSettings:
    """How the pages of a crawl were fetched in its last run, changed by the options of this command.

    Options that widen or redirect what this machine reaches must be given again; `warn` hears which are missing.
    """
    with closing(CrawlFolder(folder)) as crawl:
        check_not_merged(folder, crawl.about())
        web = crawl.about()["web"]
        if "world" in web:
            raise UserError(f"the crawl in {folder} is of a recorded world, where nothing changes; name a live one")
        if "live" not in web:
            raise UserError(
                f"the pages in {folder} were fetched by another program, {', '.join(web)}, which has to ask for them "
                "again; name a crawl that salticid made"
            )
        runs = kept_runs(crawl)
    if not runs:
        raise UserError(f"the crawl in {folder} has no page yet; give its own command again, and refresh it later")
    before = runs[0]
    # A run without these options does not make them unnecessary: the last that was given counts.
    given = {
        name: next((value for run in runs if (value := getattr(run.settings, name)) not in (None, ())), None)
        for name in REACH
    }
    kept = replace(before.settings, **{name: value for name, value in given.items() if value is not None})
    settings = replace(kept.of_a_folder(), **options)
    if kept.proxy and "proxy" not in options:
        raise UserError(
            f"{folder} was crawled through the proxy {without_password(kept.proxy)}, which is not taken from a folder; "
            "give it again with --proxy, or --proxy '' to connect directly"
        )
    missing = [option for name, option in kept.reach_options().items() if name not in options]
    if missing:
        warn(
            f"This crawl was made with {' '.join(missing)}; a folder cannot set that. Add it to this command to reach "
            "those addresses again."
        )
    if before.access and not (settings.header or settings.cookies):
        raise UserError(
            f"{folder} was crawled with fields or cookies for {shortened(', '.join(before.access))}, which are not "
            "kept; give them again with --header or --cookies"
        )
    return settings.check()


async def refresh(
    folder: Path, settings: LiveSettings, onlooker: Onlooker, watch: Callable[[Refresh], None]
) -> Refresh:
    """Ask again for the good pages of the crawl in a folder; `watch` is shown how far it is.

    Pages that were never asked for again come first, so that a refresh that was interrupted goes on where it ended.
    """
    tables = Urls(), Words()
    archive = Archive(folder) if settings.warc else None
    with closing(CrawlLog(folder, *tables, own_tables=True, archive=archive, max_bytes=settings.max_disk)) as log:
        log.open()
        if (missing := log.go_on()) is not None:
            onlooker.warn(missing)
        clock = Stopwatch(log.record().seconds)
        calls = OutageCalls(on_loss=lambda failure, names: onlooker.warn(outage(failure, names)))
        async with live_web(settings, clock, archive, tables, calls, onlooker.warn) as web:
            memory = Memory(web, machine_key())
            memory.recall(log.memory())
            log.attach(memory.news)
            versions = Versions(log.database)
            due, trouble = versions.due(), onlooker.trouble
            work = Refresh(web, log, settings.concurrency, due, versions.last, on_trouble=trouble)
            onlooker.begins(work.stop)
            watch(work)
            await work.run(lambda: watch(work))
            return work


def _unless(version: PageVersion) -> dict[str, str]:
    """The fields of a request that asks only for what is new."""
    fields = {}
    if version.etag:
        fields["If-None-Match"] = version.etag
    if version.modified is not None:
        fields["If-Modified-Since"] = formatdate(version.modified, usegmt=True)
    return fields


class FateRule:
    """What became of a page: it changed if it says something that it did not say before, or says something no more.

    `belongs_to_another` says whether a URL, to which the page of a step was moved, is that of another page that is
    known: then there is one page less.
    """

    def __init__(
        self,
        soft_changes: SoftChanges,
        belongs_to_another: Callable[[int, int], bool] = lambda step, url: False,
    ) -> None:
        self._soft_changes, self._belongs_to_another = soft_changes, belongs_to_another

    def __call__(self, look: Look) -> PageFate:
        old, response = look.version.page, look.response
        new = response.page
        if response.status == _NOT_MODIFIED:
            return PageFate.SAME
        if new is not None:
            if (new.title, new.text) == (old.title, old.text) or self._soft_changes.is_soft(old, new):
                return PageFate.SAME
            moved = response.final != response.url
            return PageFate.GONE if moved and self._belongs_to_another(look.step, response.final) else PageFate.CHANGED
        if response.status in _GONE or response.outcome is Outcome.NOT_HTML:
            return PageFate.GONE
        return PageFate.UNKNOWN

    def difference(self, look: Look) -> dict[str, int]:
        """How a page that changed differs from what it was."""
        new = look.response.page
        return {} if new is None else self._soft_changes.difference(look.version.page, new)

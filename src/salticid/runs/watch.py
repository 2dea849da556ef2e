"""A round of watching: a crawl looks at what it knows, hunts on from what is new there, and tells what that brought.

All of it is in the log of the crawl. A round begins with a message and ends with one; what comes between follows from
the log before it and from what the web answers, so that a round that was killed goes on where it was.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace

import numpy as np

from salticid.errors import SalticidError
from salticid.messages import Round, RoundEnd
from salticid.model import NO_SHARD, Bools, Links, Page, StopReason
from salticid.runs.live import LiveRun
from salticid.runs.live_settings import LiveSettings
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import Order
from salticid.runs.refreshing import FateRule, Look, PageFate, Refresh
from salticid.runs.round_plan import FeedSource, HeardBefore, RoundStart, SitemapSource, fetches_of, round_start
from salticid.store import SESSION, CrawlFolder, time_of
from salticid.store.news import (
    NOTE,
    LastVersions,
    LookTable,
    RoundNews,
    StoredRound,
    looks_before,
    rechecks,
    rounds,
    what_came,
    write_digest,
)
from salticid.tables import excerpt
from salticid.text import SoftChanges
from salticid.urls import host
from salticid.watching import ByWorth, InTurn, Policy
from salticid.webs.live import Parked

LEAST_HUNT = 100
"""A round without a bound hunts on with as many fetches as there are pages to look at, and with so many at least."""
SOURCES_SHARE = 4
"""Of the fetches of a round, one in so many goes to feeds and sitemaps at the most."""
CLOCK_ERROR = 600.0
"""Seconds by which two right clocks may differ."""
DONE, FETCHES, ROUND_INTERRUPTED = "done", "fetches", "interrupted"
"""Why a round stopped."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What came of a round, so far if it was interrupted, and why it stopped.

    `nobody_there`: it was interrupted because nobody could be reached any more. `why_none`: why it fetched nothing
    although there were pages to revisit; empty if it fetched something.
    """

    news: RoundNews
    fetches: int
    stopped: str
    nobody_there: bool = False
    why_none: str = ""


async def watch_crawl(
    order: Order,
    settings: LiveSettings,
    fetches: int | None = None,
    onlooker: Onlooker | None = None,
    policy: Policy | None = None,
    keep: int | None = None,
) -> RoundResult:
    """Make one round over the crawl that an order made, or go on with the one that was interrupted.

    `fetches` bounds all that is asked for, robots.txt and the like apart. `keep`: of each page only so many versions
    are kept, the newest. KeyboardInterrupt if it was ended before the round began.
    """
    run = WatchRun(order, settings, onlooker or Onlooker(), fetches, policy or ByWorth(), keep)
    with closing(run.log):
        try:
            await run.run()
        finally:
            run.close()
    return run.result()


class WatchRun(LiveRun):
    """The run of a live crawl in which a round is made.

    `keep`: how many versions of each page are kept, the newest; all, if it is None.
    """

    _round: StoredRound
    _start: RoundStart

    def __init__(
        self,
        order: Order,
        settings: LiveSettings,
        onlooker: Onlooker,
        fetches: int | None,
        policy: Policy,
        keep: int | None,
    ) -> None:
        super().__init__(order, settings, onlooker)
        self._fetches, self._policy, self._keep = fetches, policy, keep
        self._news: RoundNews | None = None
        self._fetches_before = self._sources_asked = 0
        self._has_news = self._is_ended = False
        self._new_scores: dict[int, float] = {}
        self._stopped = ROUND_INTERRUPTED
        self._stop_looking: Callable[[], None] = lambda: None

    def result(self) -> RoundResult:
        """What came of the round, once it has run."""
        with closing(CrawlFolder(self.order.folder)) as crawl:
            stored = rounds(crawl.database)[-1]
            hunted = fetches_of(crawl.rows(stored.first_step - 1))
            looked = stored.end_recheck - stored.first_recheck
            news = self._news or what_came(crawl, stored.number)
            found = rechecks(crawl.database, stored.first_recheck, stored.end_recheck)
        nobody_there = self._is_ended and self.crawl.stopped is StopReason.WAITING
        fetches = looked + hunted + self._sources_asked
        answered = hunted or any(row.status or row.finding != PageFate.UNKNOWN for row in found)
        why_none = "" if answered else self._why_none(looked)
        return RoundResult(news, fetches, self._stopped, nobody_there, why_none)

    def _why_none(self, looked: int) -> str:
        """Why a round that had pages to revisit fetched none of them."""
        pages = len(self._start.brief.pages)
        if not pages:
            return ""
        if looked:
            return (
                f"None of {pages} known pages could be fetched: their hosts did not answer, or the address guard "
                "refused them. If they have private addresses, add --allow-net."
            )
        hosts = sorted({host(self.web.urls[url]) for url in self._start.places.values()})
        return (
            f"None of {pages} known pages was fetched: {', '.join(hosts[:3])}{' and others' * (len(hosts) > 3)} asked "
            "for a longer pause than a round waits. Later rounds try again."
        )

    async def work(self) -> StopReason:
        """The round, from its beginning or from where it was, to its end."""
        if self.crawl.stopped is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        before = self.log.database.facts().get("stopped", StopReason.FRONTIER_EMPTY.value)
        self._round = await self._begin()
        db = self.log.database
        heard = HeardBefore.read(db, self._round.number)
        looks = looks_before(db, self._round.first_recheck)
        folder = CrawlFolder(self.order.folder, db)
        self._start = round_start(folder, self.web.urls, self._round, heard, looks)
        self._has_news = heard.news_since
        self._fetches_before = self.crawl.fetches - fetches_of(folder.rows(self._round.first_step - 1))
        reason = await self._look_and_hunt(looks)
        own_limits = heard.limits or self.order.recipe.limits
        if self._is_ended:
            return StopReason.INTERRUPTED
        if self.crawl.limits != own_limits:
            self.crawl.extend(own_limits)
        await self._finish(looks)
        return StopReason(before) if reason is None else reason

    def on_end(self) -> None:
        self._is_ended = True
        self._stop_looking()

    async def _begin(self) -> StoredRound:
        """The round that was not ended yet; else a new one."""
        await self.driver.settle()
        known = rounds(self.log.database)
        if known and known[-1].ended is None:
            return known[-1]
        number = known[-1].number + 1 if known else 1
        self._report_clock(known)
        first = self.crawl.step, self.log.next_recheck
        self.log.add_message(Round(number, time.time(), *first, self._fetches))
        await self.driver.settle()
        return rounds(self.log.database)[-1]

    def _report_clock(self, known: Sequence[StoredRound]) -> None:
        """Warn if the folder holds times that this machine's clock has not reached."""
        db = self.log.database
        times = [wall for stored in known for wall in (stored.wall, stored.ended or 0.0)]
        times += [row[1] for row in list(db.all(SESSION))[:-1]]
        last, now = max(times, default=0.0), time.time()
        if last > now + CLOCK_ERROR:
            self.onlooker.warn(
                f"The clock jumped: this crawl was last written at {time_of(last):%Y-%m-%d %H:%M} UTC, and now it is "
                f"{time_of(now):%Y-%m-%d %H:%M} UTC. Times of the folder that lie ahead are not used. Check the clock "
                "of this machine if it is the wrong one."
            )

    async def _look_and_hunt(self, looks: LookTable) -> StopReason | None:
        """Sources first, then the pages that are worth it, then new links; with what is left, other pages.

        Why the hunt stopped; None if there was none.
        """
        start, most = self._start, self._round.fetches
        sources: list[FeedSource | SitemapSource] = [*start.sitemaps]
        sources += [feed for feed in start.feeds if feed.finds]
        sources = sources if most is None else sources[: most // SOURCES_SHARE]
        await self._ask_sources(sources)
        left = None if most is None else most - len(sources)
        plan = self._policy.plan(replace(start.brief, fetches=left))
        in_turn = InTurn().plan(replace(start.brief, fetches=None)).again
        planned, rest = plan.again.tolist(), in_turn[~np.isin(in_turn, plan.again)].tolist()
        if most is None:
            await self._look([*planned, *rest], looks)
            await self._ask_sources([feed for feed in start.feeds if not feed.finds])
            allowance = max(len(start.brief.pages), LEAST_HUNT) if self._has_news else 0
            return await self._hunt(allowance - self._hunted)
        await self._look(planned, looks)
        reason = await self._hunt(most - self._spent)
        if most > self._spent:
            await self._look(rest, looks)
            reason = await self._hunt(most - self._spent) or reason
        return reason

    @property
    def _hunted(self) -> int:
        return self.crawl.fetches - self._fetches_before

    @property
    def _spent(self) -> int:
        looked = self.log.next_recheck - self._round.first_recheck
        return looked + self._hunted + self._sources_asked

    async def _ask_sources(self, sources: Sequence[FeedSource | SitemapSource]) -> None:
        """Read feeds and sitemaps again; the crawl is shown what it has never seen."""
        if self._is_ended:
            return
        self._sources_asked += len(sources)
        asking = asyncio.gather(*map(self._ask_source, sources))
        self._stop_looking = asking.cancel  # type: ignore[assignment]
        with suppress(asyncio.CancelledError):
            await asking

    async def _ask_source(self, source: FeedSource | SitemapSource) -> None:
        crawl = self.crawl
        with suppress(Parked):
            if isinstance(source, SitemapSource):
                self.driver.take_for_read(sitemap_host=self.web.urls.host(source.url))
                urls = np.array(await self.web.sitemap(source.url), np.int32)
                news = urls[crawl.unseen(urls)].tolist()
                if news:
                    self._has_news = True
                    crawl.offer(Links.to(news), source.depth)
                return
            about = source.glimpse
            self.driver.take_for_read(about.url)
            if (page := await self.web.feed(about.url)) is not None:
                self._show(page, crawl.unseen(page.links.url), about.score, about.positive, about.depth)

    async def _look(self, steps: Sequence[int], looks: LookTable) -> None:
        """Ask again for the pages of these steps that the round has not looked at, as far as its fetches go."""
        if self._is_ended:
            return
        await self.driver.settle()
        db, stored, start = self.log.database, self._round, self._start
        found = rechecks(db, stored.first_recheck, self.log.next_recheck)
        seen = {row.step for row in found if row.finding != PageFate.UNKNOWN}
        due = [(step, start.places[step]) for step in steps if step not in seen]
        if stored.fetches is not None:
            due = due[: max(stored.fetches - self._spent, 0)]
        soft_changes = SoftChanges(self.web.words, self.crawl.brief.own_words.of)
        rule, last = FateRule(soft_changes, self._belongs_to_another), LastVersions(db, looks).last
        requests, trouble = self.settings.concurrency, self.onlooker.trouble
        work = Refresh(self.web, self.log, requests, due, last, rule, self._take_look, trouble)
        self._stop_looking = work.stop
        self.onlooker.looks(0, len(due))
        await work.run(lambda: self.onlooker.looks(work.fates.total(), len(due)))
        if not self._is_ended:
            await self._revise(looks)

    def _belongs_to_another(self, step: int, url: int) -> bool:
        return self._start.pages_at.get(url, step) != step

    def _take_look(self, look: Look, fate: PageFate) -> None:
        """Before a look is written down: where the page is now, what is thought of it, which links are new."""
        page, crawl, step = look.response.page, self.crawl, look.step
        if page is None or fate not in (PageFate.SAME, PageFate.CHANGED):
            return
        final = look.response.final
        if final != look.response.url and final not in self._start.pages_at:
            self._start.pages_at[final] = step
            crawl.move(step, final)
        score = crawl.judge.score(page)
        urls = page.links.url
        if fate is PageFate.CHANGED:
            self._new_scores[step] = score
            are_new = crawl.unchosen(urls) & ~np.isin(urls, look.version.page.links.url)
        else:
            are_new = crawl.unseen(urls)  # its version is not kept: others would be new with every look
        if not page.nofollow:
            self._show(page, are_new & ~page.links.nofollow, score, score >= crawl.judge.line, crawl.depth_of(step))

    def _show(self, page: Page, are_new: Bools, score: float, positive: bool, depth: int) -> None:
        """Show the crawl the new links of a page, and the words around them."""
        if not are_new.any():
            return
        self._has_news = True
        crawl = self.crawl
        places = np.flatnonzero(are_new).tolist()
        crawl.glimpse(
            excerpt(
                page, places, crawl.brief, origin=NO_SHARD, step=crawl.step, score=score, positive=positive,
                depth=depth,
            )
        )  # fmt: skip

    async def _revise(self, looks: LookTable) -> None:
        """Pages that changed have the scores of what they say now."""
        crawl, db = self.crawl, self.log.database
        await self.driver.settle()
        found = rechecks(db, self._round.first_recheck, self.log.next_recheck)
        changed = [row.step for row in found if row.finding == PageFate.CHANGED]
        if not changed:
            return
        now = LastVersions(db, looks.with_more(found))
        scores = []
        for step in dict.fromkeys(changed):
            score = self._new_scores.get(step)
            score = crawl.judge.score(now.last(step).page) if score is None else score
            if score != crawl.score_of(step):
                scores.append((step, score))
        if scores:
            crawl.revise(scores, [])

    async def _hunt(self, fetches: int) -> StopReason | None:
        """Hunt on with so many fetches, as the crawl did before; why it stopped, None if it did not begin."""
        crawl = self.crawl
        if self._is_ended or fetches <= 0:
            return None
        limits = replace(
            crawl.limits,
            max_pages=crawl.pages + fetches,
            max_fetches=crawl.fetches + fetches,
            max_seconds=None,
            min_harvest=None,
            min_remaining=None,
        )
        if limits != crawl.limits:
            crawl.extend(limits)
        return await self.driver.run(self.onlooker.visit)

    async def _finish(self, looks: LookTable) -> None:
        """Write the digest, which follows from the log, and that the round is over."""
        stored = self._round
        await self.driver.settle()
        found = rechecks(self.log.database, stored.first_recheck, self.log.next_recheck)
        try:
            self._news = write_digest(self.order.folder, stored.number)
        except OSError as error:
            raise SalticidError(
                f"cannot write the digest of round {stored.number} into {self.order.folder}: {error.strerror}; make "
                f"room there, then go on with: salticid watch {shlex.quote(str(self.order.folder))}"
            ) from None
        self._stopped = FETCHES if stored.fetches is not None and self._spent >= stored.fetches else DONE
        self.log.remember(NOTE, looks.with_more(found).packed())
        self.log.add_message(RoundEnd(stored.number, time.time(), self._stopped))
        if self._keep is not None:
            self.log.thin(self._keep)

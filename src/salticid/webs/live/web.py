"""The live web: robots, manners, redirects, retries, and pages parsed out of reach of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace

from salticid.model import NO_URL, Outcome, Page, Response
from salticid.parse import (
    GOOD_STATUSES,
    Content,
    PdfPool,
    content,
    decode_body,
    directives_for,
    prescan,
    wall_by_head,
    wall_of,
    wall_of_refusal,
)
from salticid.tables import Texts, Urls
from salticid.urls import canonical
from salticid.urls import host as host_of
from salticid.urls import origin as origin_of
from salticid.webs.live.browser import Rendering
from salticid.webs.live.client import Exchange, LongBodies
from salticid.webs.live.failures import LATER_STATUSES, REMEDIES, Failure, FailureNote, retry_after
from salticid.webs.live.guard import AddressRefused
from salticid.webs.live.parser_pool import ParserPool
from salticid.webs.live.politeness import Crowded, Line, Manners, MayAsk, Parked
from salticid.webs.live.reach import Reach
from salticid.webs.live.rules import Rules
from salticid.webs.live.sitemaps import Sitemaps

MAX_REDIRECTS = 10
LONGEST_FEED = 4 << 20
"""Bytes of a feed after all decoding; what comes behind them is not read."""
REST = 60.0
"""Seconds that a host which is suddenly gone is left alone before it gets another chance."""
_REDIRECTS = (301, 302, 303, 307, 308)
_NO_HTTPS = (Failure.NO_CONNECTION, Failure.BAD_CERTIFICATE, Failure.TIMEOUT, Failure.BROKEN)


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The parts of the way to a server."""

    line: Line
    manners: Manners
    reach: Reach
    rules: Rules


@dataclass(frozen=True, slots=True, eq=False)
class PdfReading:
    """Who reads PDFs, and the room for long ones."""

    pool: PdfPool
    long_bodies: LongBodies


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """What a crawl asks of its web: no bounds at first.

    `may_follow` says whether a redirect or a sitemap is in scope. URLs in `either_scheme` are of https because the
    person wrote no scheme: where no server speaks it, http is tried. Of pages that name translations of themselves, the
    one into `language` is a link.
    """

    may_follow: Callable[[str], bool] = lambda url: True
    either_scheme: frozenset[int] = frozenset()
    language: str | None = None


@dataclass(slots=True)
class _Way:
    """How far a fetch has come: where it is, after how many redirects, and what lies behind it."""

    at: str
    hops: int = 0
    seconds: float = 0.0
    records: tuple[int, ...] = ()


class LiveWeb:
    """The web out there. `fetch` takes as long as manners demand, and raises nothing but `Parked` and `Crowded`.

    `clock` is the crawl's, `wall` the one servers go by. `doing` tells, by URL id, what each fetch waits
    for; `places` are the addresses of hosts, but for those that the person placed. Without `pdfs`, a PDF is no page.
    With `rendering`, pages that are empty without a browser are rendered. Of a host given up nothing more is asked,
    until it is forgiven. A fetch that was parked, or found a host crowded, goes on where it was; one that fails because
    the network is lost waits until it is back.
    """

    def __init__(
        self,
        network: Network,
        pool: ParserPool,
        max_bytes: int,
        clock: Callable[[], float],
        wall: Callable[[], float] = time.time,
        pdfs: PdfReading | None = None,
        rendering: Rendering | None = None,
    ) -> None:
        self.urls: Urls = pool.urls
        self.words: Texts = pool.words
        self.doing: dict[int, str] = {}
        self.places: dict[str, str] = {}
        self.rendering = rendering
        self.bind(Bounds())
        self._failure_notes: dict[str, FailureNote] = {}
        self._refused_addresses: dict[str, str | None] = {}
        self.network, self._pool, self._pdfs, self._max_bytes = network, pool, pdfs, max_bytes
        self.clock, self._wall = clock, wall
        self._sitemaps = Sitemaps(network.rules.of, self._ask_for_file)
        self._lost_origins: dict[str, Outcome] = {}
        self._tries: dict[str, int] = {}
        self._halfway: dict[int, _Way] = {}

    @property
    def parser_restarts(self) -> int:
        """How often a process that reads pages had to be replaced."""
        return self._pool.restarts + (0 if self._pdfs is None else self._pdfs.pool.restarts)

    def bind(self, bounds: Bounds) -> None:
        """Keep within the bounds of a crawl from here on.

        They are no argument of the constructor: they follow from the brief, and that from known pages of this web.
        """
        self.may_follow, self._language = bounds.may_follow, bounds.language
        self._either_scheme = set(bounds.either_scheme)

    async def fetch(self, url: int, may_ask: MayAsk | None = None, unless: Mapping[str, str] | None = None) -> Response:
        """The answer to a URL, redirects followed, each hop checked like the first.

        `may_ask` says whether a host may be asked now on behalf of a URL; Crowded if it may not. `unless` are
        fields of a conditional request: an answer that nothing has changed is dead, of status 304.
        """
        try:
            with nullcontext() if self._pdfs is None else self._pdfs.long_bodies.fetching():
                return await self._fetch(url, may_ask, unless)
        finally:
            self.doing.pop(url, None)

    async def sitemap(self, url: int) -> list[int]:
        """The pages that the site of a URL names in its sitemaps."""
        try:
            return [self.urls.intern(link) for link in await self._sitemaps.of(self.urls[url])]
        finally:
            self.doing.pop(NO_URL, None)

    async def feed(self, url: str) -> Page | None:
        """The links of a feed, newest first, as a page; None if it cannot be had or names nothing."""
        try:
            answer = await self._ask_for_file(url)
            if answer is None:
                return None
            body = await asyncio.to_thread(decode_body, answer.fields, answer.body, LONGEST_FEED)
            page = await self._pool.parse_feed(body, url) if body else None
            return page if page is not None and len(page.links) else None
        finally:
            self.doing.pop(NO_URL, None)

    def new_failures(self) -> dict[str, FailureNote]:
        """Why origins could not be reached, since the last call."""
        notes, self._failure_notes = self._failure_notes, {}
        return notes

    def forgive(self) -> None:
        """Give those who were given up another chance."""
        self._lost_origins.clear()

    async def file(self, at: str, url: int, admits: Callable[[str], Awaitable[bool]]) -> Exchange | None:
        """What is `at` a URL, on behalf of another, redirects followed; None if it cannot be had, or not admitted."""
        for _ in range(MAX_REDIRECTS + 1):
            if not await admits(at):
                return None
            answer, _seconds = await self._ask(at, url)
            if isinstance(answer, Outcome):
                return None
            if answer.status not in _REDIRECTS:
                return answer
            where = canonical(answer.fields.get("location", ""), at)
            if where is None:
                return None
            at = where
        return None

    async def address(self, at: str) -> str | None:
        """The address a URL is asked at, None when that cannot be found out."""
        try:
            return (await self.network.line.place(at))[0]
        except OSError:
            return None

    async def parse(self, html: bytes, at: str, charset: str | None) -> Page | None:
        """The page of a document, None if it cannot be parsed, or should not be."""
        return None if prescan(html) else await self._pool.parse(html, at, charset, self._language)

    async def _ask_for_file(self, at: str) -> Exchange | None:
        """The answer that is a file; None when it cannot be had, or is out of scope."""
        answer = await self.file(at, NO_URL, self._is_in_scope)
        return answer if answer is not None and answer.status == 200 else None

    async def _is_in_scope(self, at: str) -> bool:
        return self.may_follow(at) and not self.urls.hides(at)

    async def _fetch(self, url: int, may_ask: MayAsk | None, unless: Mapping[str, str] | None) -> Response:
        way = self._halfway.pop(url, None) or _Way(self.urls[url])
        while way.hops <= MAX_REDIRECTS:
            if self.urls.hides(way.at):
                return self._response(url, way, Outcome.FORGOTTEN)
            try:
                await self._wait_for_others(way.at, url, may_ask)
                if url in self._either_scheme:
                    way.at = await self._with_scheme(way.at, url)
                answer, seconds = await self._ask(way.at, url, None if way.hops else unless)
            except (Parked, Crowded):
                self._halfway[url] = way
                raise
            way.seconds += seconds
            if isinstance(answer, Outcome):
                return self._response(url, way, answer)
            if answer.record is not None:
                way.records += (answer.record,)
            if answer.status not in _REDIRECTS or not answer.fields.get("location"):
                return await self._page_response(url, way, answer)
            where = canonical(answer.fields["location"], way.at)
            if where is None:
                return self._response(url, way, Outcome.DEAD, answer.status)
            way.at = where
            way.hops += 1
            if not self.may_follow(where):
                return self._response(url, way, Outcome.OUT_OF_SCOPE)
        return self._response(url, way, Outcome.REDIRECT_LOOP)

    def _response(self, url: int, way: _Way, outcome: Outcome, status: int = 0) -> Response:
        """A response without a page."""
        final = self.urls.intern(way.at)
        return Response(url, final, outcome, status, seconds=way.seconds, records=way.records)

    async def _wait_for_others(self, at: str, url: int, may_ask: MayAsk | None) -> None:
        """Find out where a host is; Crowded if it has to wait for others."""
        host = host_of(at)
        if host not in self.places:
            self.doing[url] = f"the address of {host}"
            try:
                address, by_rule = await self.network.line.place(at)
                if not by_rule:
                    self.places[host] = address
            except AddressRefused as refused:
                self._refused_addresses[host] = refused.address
            except OSError:
                pass  # whoever asks finds out why
        if may_ask is not None and not may_ask(url, host):
            raise Crowded(host)

    async def _with_scheme(self, at: str, url: int) -> str:
        """The address by https, or by http where nobody speaks that: asked for robots.txt, as all may, it shows."""
        host = host_of(at)
        self.doing[url] = f"an answer of {host}"
        async with self.network.manners.turn(host):
            answer, _ = await self.network.line.get(f"{origin_of(at)}/robots.txt")
        self._either_scheme.discard(url)
        return f"http{at.removeprefix('https')}" if answer in _NO_HTTPS else at

    async def _ask(
        self, at: str, url: int, fields: Mapping[str, str] | None = None
    ) -> tuple[Exchange | Outcome, float]:
        """One hop: allowed by robots, in its turn, tried again as the table says; and the seconds it took."""
        host, origin = host_of(at), origin_of(at)
        if origin in self._lost_origins:
            return self._lost_origins[origin], 0.0
        self.doing[url] = f"the robots.txt of {host}"
        allows = await self.network.rules.allow(at)
        if isinstance(allows, Failure):
            return self._give_up(origin, allows), 0.0
        if not allows:
            return Outcome.ROBOTS, 0.0
        seconds, tries, failed_at = 0.0, self._tries.pop(at, 0), self.clock()
        while True:
            self.doing[url] = f"its turn at {host}"
            try:
                async with self.network.manners.turn(host):
                    if origin in self._lost_origins:
                        return self._lost_origins[origin], seconds
                    self.doing[url] = f"an answer of {host}"
                    answer, time_taken = await self.network.line.get(at, fields=fields)
            except Parked:
                self._tries[at] = tries
                raise
            seconds, tries = seconds + time_taken, tries + 1
            if isinstance(answer, Exchange) and (
                answer.status not in LATER_STATUSES or wall_by_head(answer.status, answer.fields)
            ):
                return answer, seconds
            failure = answer if isinstance(answer, Failure) else Failure.LATER
            since, failed_at = failed_at, self.clock()
            last = tries >= REMEDIES[failure].tries
            if isinstance(answer, Failure):
                self.doing[url] = f"the network, or {host}"
                if await self.network.reach.waits_out_loss(origin, answer, since, last):
                    tries -= 1
                    continue
            delay = retry_after(answer.fields, self._wall()) if isinstance(answer, Exchange) else None
            if delay is not None or not last:
                pause = REMEDIES[failure].wait * 2 ** (tries - 1) if delay is None else delay
                self.network.manners.leave_alone(host, self.clock() + pause)
            if last and isinstance(answer, Exchange):
                return answer, seconds
            if last:
                self._leave_lost_host_alone(host, failure)
                return self._give_up(origin, failure), seconds

    def _leave_lost_host_alone(self, host: str, failure: Failure) -> None:
        """It was there: it may be there again before long."""
        if REMEDIES[failure].drop_host:
            self.network.manners.leave_alone(host, self.clock() + REST)

    def _give_up(self, origin: str, failure: Failure) -> Outcome:
        remedy = REMEDIES[failure]
        refused = failure is Failure.REFUSED_ADDRESS
        address = self._refused_addresses.get(host_of(f"{origin}/")) if refused else None
        self._failure_notes[origin] = FailureNote(failure.value, address)
        if remedy.drop_host:
            self._lost_origins[origin] = remedy.outcome
        return remedy.outcome

    async def _page_response(self, url: int, way: _Way, answer: Exchange) -> Response:
        """The response an answer makes: its page, if it is a good one of HTML, or a PDF, that can be parsed."""
        final = self.urls.intern(way.at)
        document = content(answer.fields, answer.body, self._max_bytes)
        outcome, page, modified = Outcome.DEAD, None, document.modified
        wall = wall_by_head(answer.status, answer.fields)
        if wall is None and answer.status not in GOOD_STATUSES:
            wall = wall_of_refusal(way.at, document.html, answer.status)
        if wall is None and answer.status in GOOD_STATUSES:
            outcome, html, charset = Outcome.NOT_HTML, document.html, document.charset
            self.doing[url] = "a parser"
            if document.pdf is not None and self._pdfs is not None and answer.whole:
                outcome = Outcome.UNPARSABLE
                if (told := await self._pdfs.pool.read(document.pdf)) is not None:
                    html, charset = told.html[: self._max_bytes], "utf-8"
                    modified = told.modified if modified is None else modified
            if html is not None:
                page = await self.parse(html, way.at, charset)
                outcome = Outcome.UNPARSABLE if page is None else Outcome.OK
                wall = None if page is None else wall_of(way.at, html, len(page.tokens))
                if page is not None and wall is None:
                    page = await self._rendered(url, way, answer, document, page)
        robots_tags = answer.fields.get("x-robots-tag")
        response = Response(
            url=url,
            final=final,
            outcome=outcome,
            status=answer.status,
            page=_with_directives(page, self._pool.agent, robots_tags) if page and robots_tags else page,
            seconds=way.seconds,
            size=len(answer.body),
            modified=modified,
            etag=answer.fields.get("etag"),
            records=way.records,
        )
        return response if wall is None else response.kept_out(wall)

    async def _rendered(self, url: int, way: _Way, answer: Exchange, document: Content, page: Page) -> Page:
        """The page, or what a browser makes of it if it is an empty shell; the archive keeps both."""
        if self.rendering is None:
            return page
        self.doing[url] = "a browser"
        rendered = await self.rendering.of(self, url, way.at, answer, document, page)
        if rendered is None:
            return page
        if rendered.record is not None:
            way.records += (rendered.record,)
        return rendered.page


def _with_directives(page: Page, agent: str, robots_tags: str) -> Page:
    """The page, with what X-Robots-Tag fields add to its own robots tags."""
    directives = directives_for(agent, robots_tags)
    return replace(
        page,
        noindex=page.noindex or "noindex" in directives,
        nofollow=page.nofollow or "nofollow" in directives,
    )

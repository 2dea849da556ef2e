"""The robots.txt of every host of a crawl: asked for once a day, obeyed always."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from urllib.parse import urlsplit

from salticid.parse import decode_body
from salticid.urls import canonical
from salticid.urls import origin as origin_of
from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import OURS, REMEDIES, Failure, retry_after
from salticid.webs.live.politeness import Line, Manners
from salticid.webs.live.reach import Reach
from salticid.webs.live.robots import LONGEST_FILE, RobotsFile, meaning

RULES_LIFETIME = 24 * 3600.0
MAX_REDIRECTS = 5
FIRST_BACKOFF, BACKOFF_GROWTH = 30.0, 5.0
_MOST_GROWTH = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_NOBODY_THERE = (
    *OURS,
    Failure.NO_SUCH_HOST,
    Failure.NO_CONNECTION,
    Failure.BAD_CERTIFICATE,
    Failure.REFUSED_ADDRESS,
)

RobotsAnswer = tuple[int, bytes]
"""What an origin answered: a status and the file."""


@dataclass(slots=True)
class _OriginRules:
    """What one origin said, and until when that holds; how and when it failed to say anything."""

    file: RobotsFile | None = None
    until: float = 0.0
    failure: Failure = Failure.NO_CONNECTION
    failed_at: float = -inf
    failures: int = 0
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Rules:
    """Robots rules by origin (scheme and host).

    A server error or a timeout forbids everything until it recovers: the host is left alone, longer each
    time, until `Manners` parks it. A host that is not there at all is told as the failure it is, each time it is
    asked for.
    """

    def __init__(
        self,
        agent: str,
        line: Line,
        manners: Manners,
        reach: Reach,
        clock: Callable[[], float],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._agent, self._line, self._manners, self._reach = agent, line, manners, reach
        self._clock, self._wall = clock, wall
        self._origins: dict[str, _OriginRules] = {}
        self._news: dict[str, RobotsAnswer] = {}

    async def of(self, url: str) -> RobotsFile | Failure:
        """The rules for a URL, asked for if need be."""
        origin = origin_of(url)
        entry = self._origins.get(origin) or self._origins.setdefault(origin, _OriginRules())
        if entry.file is not None and entry.until > self._clock():
            return entry.file
        start = self._clock()
        async with entry.asking:
            if entry.failed_at >= start:  # somebody asked while we waited
                return entry.failure
            if entry.file is not None and entry.until > self._clock():
                return entry.file
            answer = await self._ask(origin, entry)
            if isinstance(answer, Failure):
                entry.failure, entry.failed_at = answer, self._clock()
                return answer
            self._news[origin] = answer
            rules = self.recall(origin, self._clock() + RULES_LIFETIME, answer)
            if delay := rules.crawl_delay(self._agent):
                self._manners.ask_pause(urlsplit(origin).netloc, delay)
            return rules

    async def allow(self, url: str) -> bool | Failure:
        """Whether a URL may be asked for."""
        rules = await self.of(url)
        return rules if isinstance(rules, Failure) else rules.allows(url, self._agent)

    def news(self) -> list[tuple[str, float, RobotsAnswer]]:
        """What origins said since the last call, and until when it holds."""
        news, self._news = self._news, {}
        return [(origin, self._origins[origin].until, answer) for origin, answer in news.items()]

    def recall(self, origin: str, until: float, answer: RobotsAnswer) -> RobotsFile:
        """An origin said this, and until then it holds: what it means."""
        entry = self._origins.setdefault(origin, _OriginRules())
        entry.until, entry.file = until, meaning(*answer)
        return entry.file

    async def _ask(self, origin: str, entry: _OriginRules) -> RobotsAnswer | Failure:
        host, tries, failed_at = urlsplit(origin).netloc, 0, self._clock()
        while True:
            answer = await self._follow(f"{origin}/robots.txt")
            since, failed_at = failed_at, self._clock()
            tries += 1
            if isinstance(answer, Exchange) and answer.status < 500 and answer.status != 429:
                entry.failures = 0
                return answer.status, decode_body(answer.fields, answer.body, LONGEST_FILE + 1)
            if isinstance(answer, Failure):
                last = tries >= REMEDIES[answer].tries
                if await self._reach.waits_out_loss(origin, answer, since, last):
                    tries -= 1
                    continue
                if last and answer in _NOBODY_THERE:
                    return answer
            if isinstance(answer, Failure) and answer in _NOBODY_THERE:
                pause = REMEDIES[answer].wait * 2 ** (tries - 1)
            else:
                pause = FIRST_BACKOFF * BACKOFF_GROWTH ** min(entry.failures, _MOST_GROWTH)
                entry.failures += 1
            if isinstance(answer, Exchange):
                pause = max(pause, retry_after(answer.fields, self._wall()) or 0.0)
            self._manners.leave_alone(host, self._clock() + pause)

    async def _follow(self, url: str) -> Exchange | Failure:
        """Ask for a robots.txt where it says it is; where redirects lead nowhere, there is none."""
        at = url
        for _ in range(MAX_REDIRECTS + 1):
            async with self._manners.turn(urlsplit(at)[1]):
                answer, _ = await self._line.get(at, LONGEST_FILE + 1)
            if isinstance(answer, Failure) or answer.status not in _REDIRECTS:
                return answer
            where = canonical(answer.fields.get("location", ""), at)
            if where is None:
                break
            at = where
        return Exchange(404, {}, b"")

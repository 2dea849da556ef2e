"""The robots.txt of every host of a crawl: asked for once a day, obeyed always."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from salticid.parse.content import decoded
from salticid.urls import canonical
from salticid.webs.live.client import Exchange
from salticid.webs.live.line import Line
from salticid.webs.live.manners import Manners
from salticid.webs.live.retries import REMEDIES, Failure, retry_after
from salticid.webs.live.robots import LONGEST_FILE, RobotsFile, meaning

KEPT_FOR = 24 * 3600.0
MAX_REDIRECTS = 5
FIRST_BACKOFF, BACKOFF_GROWTH = 30.0, 5.0
_MOST_GROWTH = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_NOBODY_THERE = (
    Failure.NO_SUCH_HOST,
    Failure.NO_CONNECTION,
    Failure.BAD_CERTIFICATE,
    Failure.REFUSED_ADDRESS,
)

Said = tuple[int, bytes] | Failure
"""What an origin answered: a status and the file, or how it failed to."""


@dataclass(slots=True)
class _Kept:
    """What one origin said, and until when that holds."""

    said: RobotsFile | Failure | None = None
    until: float = 0.0
    failures: int = 0
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Rules:
    """Robots rules by origin (scheme and host).

    A server error or a timeout forbids everything until it recovers: the host is left alone, longer each
    time, until `Manners` parks it. A host that is not there at all is told as the failure it is.
    """

    def __init__(
        self,
        agent: str,
        line: Line,
        manners: Manners,
        clock: Callable[[], float],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._wall = wall
        self._agent, self._line, self._manners, self._clock = agent, line, manners, clock
        self._origins: dict[str, _Kept] = {}
        self._news: dict[str, Said] = {}

    async def of(self, url: str) -> RobotsFile | Failure:
        """The rules for a URL, asked for if need be."""
        origin = url[: url.index("/", url.index("://") + 3)]
        kept = self._origins.get(origin) or self._origins.setdefault(origin, _Kept())
        if kept.said is not None and kept.until > self._clock():
            return kept.said
        async with kept.asking:
            if kept.said is None or kept.until <= self._clock():
                said = self._news[origin] = await self._ask(f"{origin}/robots.txt", kept)
                rules = self.recall(origin, self._clock() + KEPT_FOR, said)
                if isinstance(rules, RobotsFile) and (delay := rules.crawl_delay(self._agent)):
                    self._manners.ask_pause(urlsplit(origin).netloc, delay)
                return rules
            return kept.said

    async def allow(self, url: str) -> bool | Failure:
        """Whether a URL may be asked for."""
        rules = await self.of(url)
        return rules if isinstance(rules, Failure) else rules.allows(url, self._agent)

    def news(self) -> list[tuple[str, float, Said]]:
        """What origins said since the last call, and until when it holds."""
        news, self._news = self._news, {}
        return [(origin, self._origins[origin].until, said) for origin, said in news.items()]

    def recall(self, origin: str, until: float, said: Said) -> RobotsFile | Failure:
        """An origin said this, and until then it holds: what it means."""
        kept = self._origins.setdefault(origin, _Kept())
        kept.until = until
        kept.said = said if isinstance(said, Failure) else meaning(*said)
        return kept.said

    async def _ask(self, url: str, kept: _Kept) -> Said:
        host, tries = urlsplit(url).netloc, 0
        while True:
            answer = await self._follow(url)
            tries += 1
            if isinstance(answer, Exchange) and answer.status < 500 and answer.status != 429:
                kept.failures = 0
                return answer.status, decoded(answer.fields, answer.body, LONGEST_FILE + 1)
            if isinstance(answer, Failure) and answer in _NOBODY_THERE:
                if tries >= REMEDIES[answer].tries:
                    return answer
                pause = REMEDIES[answer].wait * 2 ** (tries - 1)
            else:
                pause = FIRST_BACKOFF * BACKOFF_GROWTH ** min(kept.failures, _MOST_GROWTH)
                kept.failures += 1
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

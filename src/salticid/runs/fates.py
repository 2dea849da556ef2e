"""What became of the start points of a crawl, and of whatever else could not be read: why, and what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from salticid.model import Outcome
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.stored_visit import StoredVisit
from salticid.urls import host, origin, typed
from salticid.webs.live.failure_notes import PREFIX, FailureNote
from salticid.webs.live.guard import AddressGuard
from salticid.webs.live.retries import Failure

NO_FAILURES = (
    Outcome.OK,
    Outcome.DUPLICATE,
    Outcome.OUT_OF_SCOPE,
    Outcome.ELSEWHERE,
    Outcome.KNOWN,
    Outcome.FORGOTTEN,
)
"""Outcomes of links that nothing was wrong with."""
_AGAIN = "try again later"
_ELSEWHERE = "start from another page"
_SPELLING = "look whether it is spelt right"
_CAUSES = {
    Outcome.FORGOTTEN: ("it was deleted by salticid forget", "start from another page"),
    Outcome.DEAD: ("there is no page", _SPELLING),
    Outcome.NOT_HTML: ("it is no page of HTML", _ELSEWHERE),
    Outcome.NOT_RECORDED: ("the recording does not hold it", "start from a page of the recording"),
    Outcome.REDIRECT_LOOP: ("its redirects lead nowhere", _ELSEWHERE),
    Outcome.OUT_OF_SCOPE: ("it is out of scope", "widen the scope, or start from another page"),
    Outcome.ROBOTS: ("its robots.txt forbids it", _ELSEWHERE),
    Outcome.UNREACHABLE: ("it cannot be reached", _AGAIN),
    Outcome.REFUSED_ADDRESS: ("its address is not public", "allow it with --allow-net"),
    Outcome.TIMEOUT: ("it did not answer in time", _AGAIN),
    Outcome.BROKEN: ("its answer was broken off, or is none", _AGAIN),
    Outcome.UNPARSABLE: ("it is made to stop parsers, or a PDF that is locked or damaged", _ELSEWHERE),
    Outcome.TRAP: ("it looked like one of pages without end", "follow it with --no-traps"),
}
"""Why a link was not read, and what to do about it."""
_ADVICE = {404: _SPELLING, 429: _AGAIN} | dict.fromkeys(range(500, 600), _AGAIN)
_UNREACHABLE = {
    Failure.NO_SUCH_HOST.value: ("there is no host of that name", _SPELLING),
    Failure.NO_NAME_SERVER.value: ("no name server says where it is", "look whether the network works"),
    Failure.NO_ROUTE.value: ("there is no way to its network", "look whether the network works"),
    Failure.NO_DESCRIPTORS.value: ("too many files were open", _AGAIN),
    Failure.NO_CONNECTION.value: ("nobody answers there", f"{_SPELLING}, or {_AGAIN}"),
    Failure.BAD_CERTIFICATE: ("its certificate cannot be trusted", _ELSEWHERE),
}
"""The same for what cannot be reached, by what the log notes of its host."""


class Fate(msgspec.Struct, frozen=True):
    """What became of a start point, as it was given: `state` says whether it was read, failed, or was not asked yet.

    `cause` and `advice` are there for what failed; `step` is its visit, if it has one, and `final_url` what answered.
    """

    url: str
    state: Literal["read", "failed", "waiting"]
    cause: str | None = None
    advice: str | None = None
    step: int | None = None
    final_url: str | None = None

    @property
    def sentence(self) -> str:
        """The same in words."""
        if self.state == "failed":
            return f"{self.url}: {self.cause}; {self.advice}"
        return f"{self.url} was read" if self.state == "read" else f"{self.url} was not asked for yet"


class HostFailures(msgspec.Struct, frozen=True):
    """How many links of a host failed for one cause, and the first of them."""

    host: str
    cause: str
    count: int
    url: str


class Causes:
    """Why visits of a crawl brought nothing."""

    def __init__(self, crawl: CrawlFolder) -> None:
        self._notes = {at: FailureNote.decode(note) for at, note in crawl.notes(PREFIX).items()}

    def of(self, visit: StoredVisit) -> str:
        """The cause, in one line."""
        return self.cause_and_advice(visit)[0]

    def cause_and_advice(self, visit: StoredVisit) -> tuple[str, str]:
        """The cause, and what a person can do about it."""
        outcome, at = Outcome(visit.outcome), visit.final_url
        note = self._notes.get(origin(at))
        if outcome is Outcome.UNREACHABLE and note is not None:
            return _UNREACHABLE.get(note.failure, _CAUSES[outcome])
        if outcome is Outcome.REFUSED_ADDRESS:
            return _refusal(at, None if note is None else note.address)
        if outcome is Outcome.DEAD and visit.status >= 400:
            advice = _ADVICE.get(visit.status, _ELSEWHERE)
            return f"it answered {visit.status}{_phrase(visit.status)}", advice
        return _CAUSES[outcome]


def fates_of_start_points(crawl: CrawlFolder) -> list[Fate]:
    """What became of each start point, in the order they were given."""
    seeds: list[str] = crawl.about()["topic"].get("seeds") or []
    wanted = {url for seed in seeds for url in typed(seed)}
    visits = {
        visit.url: visit for visit in crawl.visits_from_nowhere() if visit.url in wanted and not visit.revisit
    }
    causes = Causes(crawl)
    return [_fate(seed, visits, causes) for seed in seeds]


def failures(crawl: CrawlFolder) -> Iterator[StoredVisit]:
    """The last visits of links that were never read, in order."""
    last: dict[str, StoredVisit] = {}
    for visit in crawl.visits():
        if visit.revisit:
            continue
        last.pop(visit.url, None)
        if visit.outcome not in NO_FAILURES:
            last[visit.url] = visit
    return iter(last.values())


def failures_by_host(crawl: CrawlFolder) -> list[HostFailures]:
    """The hosts that failed, those with most failures first, and why."""
    causes, counts = Causes(crawl), Counter[tuple[str, str]]()
    first: dict[tuple[str, str], str] = {}
    for visit in failures(crawl):
        key = host(visit.final_url), causes.of(visit)
        counts[key] += 1
        first.setdefault(key, visit.final_url)
    in_order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [HostFailures(*key, count, first[key]) for key, count in in_order]


def _fate(seed: str, visits: Mapping[str, StoredVisit], causes: Causes) -> Fate:
    visit = next((visits[url] for url in typed(seed) if url in visits), None)
    if visit is None:
        return Fate(seed, "waiting")
    if visit.outcome in (Outcome.OK, Outcome.DUPLICATE):
        return Fate(seed, "read", step=visit.step, final_url=visit.final_url)
    cause, advice = causes.cause_and_advice(visit)
    return Fate(seed, "failed", cause, advice, visit.step, visit.final_url)


def _refusal(url: str, noted: str | None) -> tuple[str, str]:
    """That an address may not be reached, and what allows it."""
    name = urlsplit(url).hostname or ""
    address = noted or name
    reason = AddressGuard().why_not(address)
    if reason in (None, "not an address"):
        return _CAUSES[Outcome.REFUSED_ADDRESS]
    kind = f"{'an' if reason[0] in 'aeiouI' else 'a'} {reason} address"
    cause = f"{address} is {kind}" if address == name else f"{name} is at {address}, {kind}"
    return cause, f"allow it with --allow-net {address}/{128 if ':' in address else 32}"


def _phrase(status: int) -> str:
    """What a status is called.

    >>> _phrase(404), _phrase(499)
    (' (Not Found)', '')
    """
    return f" ({HTTPStatus(status).phrase})" if status in set(HTTPStatus) else ""

"""Explanations for people: what became of seeds and failed links, and why a link was followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from salticid.model import Outcome, Wall
from salticid.store import CrawlFolder, StoredVisit, walls
from salticid.urls import host, origin, typed
from salticid.webs.live import PREFIX, AddressGuard, Failure, FailureNote

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
    Outcome.KEPT_OUT: ("a wall keeps programs out", _ELSEWHERE),
    Outcome.TRAP: ("it looked like one of pages without end", "follow it with --no-traps"),
}
"""Why a link was not read, and what to do about it."""
_BY_HAND = "open it in a browser"
_WALLS = {
    Wall.CHALLENGE: ("a challenge keeps programs out", _BY_HAND),
    Wall.CAPTCHA: ("a captcha keeps programs out", _BY_HAND),
    Wall.CONSENT: ("it asks for consent first", _BY_HAND),
    Wall.LOG_IN: ("it asks to log in", "give it a cookie or a header of yours with --cookies or --header"),
    Wall.PAYMENT: ("it asks for payment", _BY_HAND),
    Wall.PARKED: ("the domain is parked", _ELSEWHERE),
    Wall.SAME_PAGE: ("many URLs of its host bring this same page", _BY_HAND),
}
"""The same for what a wall kept out."""
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
        self._walls = walls(crawl.database)

    def of(self, visit: StoredVisit) -> str:
        """The cause, in one line."""
        return self.cause_and_advice(visit)[0]

    def cause_and_advice(self, visit: StoredVisit) -> tuple[str, str]:
        """The cause, and what a person can do about it."""
        outcome, at = Outcome(visit.outcome), visit.final_url
        note = self._notes.get(origin(at))
        if outcome is Outcome.KEPT_OUT and (wall := self._walls.get(visit.step)) is not None:
            cause, advice = _WALLS[wall]
            answered = f" (it answered {visit.status}{_phrase(visit.status)})" if visit.status >= 400 else ""
            return cause + answered, advice
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
    visits = {visit.url: visit for visit in crawl.visits_from_nowhere() if visit.url in wanted and not visit.revisit}
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


def walls_sentence(crawl: CrawlFolder) -> str:
    """How many links walls kept a crawl from, and on how many hosts."""
    hosts = Counter(host(visit.final_url) for visit in failures(crawl) if visit.outcome == Outcome.KEPT_OUT)
    links, many = hosts.total(), len(hosts)
    were = "link was behind a wall" if links == 1 else "links were behind walls"
    return f"{links} of the most promising {were} on {many} {'host' if many == 1 else 'hosts'}"


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


# Why a link was followed, as a person understands it.
#
# A strategy says what spoke for a link by the names of its own features, which the log keeps. People see a handful of
# reasons instead, each with the share that its features had together.

LINK_WORDS = "the words of the link"
WORDS_BESIDE = "words beside the link"
LINKS_BESIDE = "the links next to it"
PAGE = "the page it is on"
PAGES_ABOVE = "the pages that led there"
POINTED_AT = "who else points at it"
ADDRESS = "its address"
SITE = "what its site gave so far"
HUNT = "how the hunt goes"
TOPIC = "how near the topic it seems"

REASONS = {
    **dict.fromkeys(("anchor", "door words", "link"), LINK_WORDS),
    **dict.fromkeys(("near", "context"), WORDS_BESIDE),
    "beside": LINKS_BESIDE,
    **dict.fromkeys(
        ("pages", "hubs", "title", "in", "away", "early", "links beside", "parent_1", "hub", "source"), PAGE
    ),
    **dict.fromkeys(("inherited", "parent_2", "parent_3", "parent_4", "parent_5"), PAGES_ABOVE),
    **dict.fromkeys(("links in", "from", "authority", "comm_in", "comm_out"), POINTED_AT),
    **dict.fromkeys(("address", "folder", "door folder"), ADDRESS),
    "host": SITE,
    "luck": HUNT,
    **dict.fromkeys(("nearness", "likeness"), TOPIC),
}
"""By the whole name of a feature, else by its first word that is no way of summing up."""
_SUMS = ("all", "best")
FACTS = {
    "probability": lambda x: f"the spider drew it, with a chance of {x:.0%}",
    "depth": lambda x: f"from here the way may go on for {x:.0f} more links",
}


class Reason(msgspec.Struct, frozen=True):
    """What spoke for a link, below 0 against it: its share of all that is told; None for what is no part of a sum."""

    line: str
    share: float | None


def reasons(why: Iterable[tuple[str, float]]) -> list[Reason]:
    """What a choice's `why` means, the weightiest first.

    >>> reasons([("best near topic", 3.0), ("away", -1.0), ("all near learned", 1.0)])
    [Reason(line='words beside the link', share=0.8), Reason(line='the page it is on', share=-0.2)]
    >>> reasons([("probability", 0.125)])
    [Reason(line='the spider drew it, with a chance of 12%', share=None)]
    """
    facts: list[Reason] = []
    parts: dict[str, float] = {}
    for name, x in why:
        if (fact := FACTS.get(name)) is not None:
            facts.append(Reason(fact(x), None))
        else:
            line = reason(name)
            parts[line] = parts.get(line, 0.0) + x
    whole = sum(map(abs, parts.values())) or 1.0
    by_weight = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return [*facts, *(Reason(line, x / whole) for line, x in by_weight)]


def main_reason(why: Iterable[tuple[str, float]]) -> str | None:
    """What spoke most for a link, or against it, as its kind; None where nothing is told.

    >>> main_reason([("luck", 0.5), ("best near topic", -3.0)]), main_reason([("probability", 0.125)]), main_reason([])
    ('words beside the link', 'probability', None)
    """
    parts: dict[str, float] = {}
    for name, x in why:
        parts[reason(name)] = parts.get(reason(name), 0.0) + x
    return max(parts, key=lambda line: abs(parts[line]), default=None)


def reason(name: str) -> str:
    """What the name of a feature means; that of a strategy from elsewhere is left as it is, save for its underscores.

    >>> reason("all anchor topic"), reason("door words"), reason("page_rank")
    ('the words of the link', 'the words of the link', 'page rank')
    """
    words = name.split(" ")
    first = words[1] if words[0] in _SUMS and len(words) > 1 else words[0]
    return REASONS.get(name) or REASONS.get(first) or name.replace("_", " ")

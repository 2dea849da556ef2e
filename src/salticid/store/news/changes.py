"""What changed between two versions of a page: the sentences that came, and those that went."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import msgspec

from salticid.messages import Round, RoundEnd
from salticid.model import Page
from salticid.store.database import Database
from salticid.store.news.versions import CHANGED, GONE, SAME
from salticid.store.record import VisitRow, all_messages
from salticid.store.schema import RECHECK, VISIT
from salticid.text import LEAST_PAGES, LEAST_SHARE, sentences, telling

MOST_SENTENCES = 50
"""Sentences that are told of one page, of those that came and of those that went."""
LONGEST = 600
"""Characters told of a sentence."""
_LONG, _ALIKE, _CONTEXT = 40, 4, 4
"""Words of a sentence that is long, those by which it is known again, and those shown beside what changed in it."""
_WORDS = re.compile(r"[^\W\d_]+")


class Change(msgspec.Struct, frozen=True):
    """The first sentences that came and went, in reading order; `more_added` and `more_removed` are not told."""

    added: list[str]
    removed: list[str]
    more_added: int = 0
    more_removed: int = 0


def change(before: Page, after: Page) -> Change:
    """What a page says that it did not say before, and what it says no more; a sentence that moved is no change.

    A title counts as a sentence. Sentences that differ by what is no news (`text/changes.py`) are the same: by
    numbers, dates, case, punctuation, the order of words. The time grows with the length of the texts and with nothing
    else, for no order of sentences is compared.

    >>> from salticid.testing.small import SmallWeb
    >>> web = SmallWeb({"a": "Spiders jump. They have eyes.", "b": "They have 8 eyes! Flies flee. Spiders jump."})
    >>> change(web.page(web.id("a")), web.page(web.id("b")))
    Change(added=['Flies flee.'], removed=[], more_added=0, more_removed=0)
    """
    old, new = ([page.title, *sentences(page)] for page in (before, after))
    added, removed = _without(new, old), _without(old, new)
    told = _without_common_ends(added[:MOST_SENTENCES], removed[:MOST_SENTENCES])
    came, went = ([_short(sentence) for sentence in each] for each in told)
    return Change(came, went, len(added) - len(came), len(removed) - len(went))


def _without(these: list[str], those: Iterable[str]) -> list[str]:
    """Those that stand there more often than among the others, each once."""
    there = Counter(map(_gist, those))
    left: list[str] = []
    for sentence in these:
        gist = _gist(sentence)
        if gist and there[gist] == 0:
            left.append(sentence)
        there[gist] -= 1
    return left


def _without_common_ends(added: list[str], removed: list[str]) -> tuple[list[str], list[str]]:
    """Long sentences without what a version before had in common with them: lists often have no full stop.

    >>> before, after = "one two three four five " * 5, "six seven eight nine ten " * 5
    >>> _without_common_ends([f"{before}eyes {after}"], [f"{before}legs {after}"])
    (['…two three four five eyes six seven eight nine…'], ['…two three four five legs six seven eight nine…'])
    """
    here, there = [sentence.split() for sentence in added], [sentence.split() for sentence in removed]
    starts = {tuple(words[:_ALIKE]): at for at, words in enumerate(there) if len(words) >= _LONG}
    for place, words in enumerate(here):
        at = starts.pop(tuple(words[:_ALIKE]), None)
        if at is None or len(words) < _LONG:
            continue
        pair = words, there[at]
        shorter = min(map(len, pair))
        first = _common(*pair, shorter)
        last = min(_common(words[::-1], there[at][::-1], shorter), shorter - first)
        added[place], removed[at] = (_middle(words, first - _CONTEXT, last - _CONTEXT) for words in pair)
    return added, removed


def _common(these: list[str], those: list[str], most: int) -> int:
    """With how many of the same words both begin."""
    return next((n for n in range(most) if these[n] != those[n]), most)


def _middle(words: list[str], before: int, after: int) -> str:
    """Words without so many at either end."""
    before, after = max(before, 0), max(after, 0)
    return "…" * (before > 0) + " ".join(words[before : len(words) - after]) + "…" * (after > 0)


def _gist(sentence: str) -> tuple[tuple[str, int], ...]:
    """What of a sentence can be news."""
    return tuple(sorted(telling(_WORDS.findall(sentence.lower())).items()))


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1]}…"


# What a whole site changed at once, such as a new footer, is told of one of its pages and not of each.


def told_once(changes: Sequence[tuple[str, Change | None]]) -> list[Change | None]:
    """The changes of pages, each with its host, without sentences that changed on many pages of it before.

    Many are as many as judge and strategy ask for to call words a site's own (`text/boilerplate.py`).

    >>> pages = [("a", Change([f"News {n}.", "New footer."], [])) for n in range(4)]
    >>> [change.added for change in told_once(pages)]
    [['News 0.', 'New footer.'], ['News 1.'], ['News 2.'], ['News 3.']]
    """
    pages: Counter[str] = Counter(host for host, change in changes if change is not None)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for host, change in changes:
        if change is not None:
            counts[host].update({*change.added, *change.removed})
    told: set[tuple[str, str]] = set()

    def news(host: str, sentences: list[str]) -> list[str]:
        least = max(LEAST_PAGES, LEAST_SHARE * pages[host])
        left = [each for each in sentences if counts[host][each] < least or (host, each) not in told]
        told.update((host, each) for each in sentences)
        return left

    return [
        change and msgspec.structs.replace(change, added=news(host, change.added), removed=news(host, change.removed))
        for host, change in changes
    ]


# What was found of pages that were asked for again, over a span of time: where each stood before it, and after it.

_NEWEST = f"SELECT step, max(id) FROM recheck WHERE id < ? AND finding = '{CHANGED}' GROUP BY step"
_LAST = f"""SELECT step, finding, max(id) FROM recheck WHERE id < ?
    AND finding IN ('{CHANGED}', '{GONE}', '{SAME}') GROUP BY step"""
_FINDINGS = "SELECT id, step, finding FROM recheck WHERE id >= ? AND id < ? ORDER BY id"


class Span(Protocol):
    """Rechecks from one number on, up to another; a round is one."""

    @property
    def first_recheck(self) -> int: ...

    @property
    def end_recheck(self) -> int: ...


class PageState(NamedTuple):
    """Which recheck brought the newest version of a page, None if the visit did; and whether it was gone."""

    version: int | None
    gone: bool


@dataclass(slots=True)
class Findings:
    """What a span brought of the pages that were asked for in it, by step.

    `was` and `now` say how a page stood before it and after it, `seen` which recheck was its last. Of `unknown` pages
    nothing could be learned.
    """

    was: dict[int, PageState] = field(default_factory=dict)
    now: dict[int, PageState] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    unknown: int = 0


def findings_of(db: Database, spans: Sequence[Span]) -> list[Findings]:
    """What each span brought; rows are checked where they are told of."""
    found = [Findings() for _ in spans]
    unsure: list[set[int]] = [set() for _ in spans]
    start = min((span.first_recheck for span in spans), default=0)
    end = max((span.end_recheck for span in spans), default=0)
    newest: dict[int, int] = dict(db.run(_NEWEST, (start,)))
    gone = {step for step, finding, _ in db.run(_LAST, (start,)) if finding == GONE}
    for number, step, finding in db.run(_FINDINGS, (start, end)):
        before = PageState(newest.get(step), step in gone)
        if finding == CHANGED:
            newest[step] = number
        if finding in (CHANGED, GONE, SAME):
            (gone.add if finding == GONE else gone.discard)(step)
        for span, findings, unknown in zip(spans, found, unsure, strict=True):
            if span.first_recheck <= number < span.end_recheck:
                if finding in (CHANGED, GONE, SAME):
                    findings.was.setdefault(step, before)
                    findings.now[step] = PageState(newest.get(step), step in gone)
                    findings.seen[step] = number
                else:
                    unknown.add(step)
    for findings, unknown in zip(found, unsure, strict=True):
        findings.unknown = len(unknown - findings.was.keys())
    return found


# The rounds of a crawl that is watched: when each began, and what belongs to it.


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A round: visits from its first step and rechecks from its first on, up to those of the next round.

    `ended` and `stopped` are None while it is not over.
    """

    number: int
    wall: float
    fetches: int | None
    first_step: int
    first_recheck: int
    end_step: int
    end_recheck: int
    ended: float | None
    stopped: str | None


def rounds(db: Database) -> list[StoredRound]:
    """All rounds in order. Visits and rechecks that come before the next one belong to the one before."""
    heard = [message for _, message in all_messages(db) if isinstance(message, Round | RoundEnd)]
    begins = [message for message in heard if isinstance(message, Round)]
    if not begins:
        return []
    ends = {message.number: message for message in heard if isinstance(message, RoundEnd)}
    step = VisitRow._make(row).step + 1 if (row := db.last(VISIT)) else 0
    recheck = row[0] + 1 if (row := db.last(RECHECK)) else 1
    borders = [(begin.step, begin.recheck) for begin in begins[1:]] + [(step, recheck)]
    return [
        StoredRound(
            begin.number, begin.wall, begin.fetches, begin.step, begin.recheck, *border,
            *((end.wall, end.stopped) if (end := ends.get(begin.number)) else (None, None)),
        )
        for begin, border in zip(begins, borders, strict=True)
    ]  # fmt: skip

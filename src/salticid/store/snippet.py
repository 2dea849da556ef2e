"""The piece of a page that shows why it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from string import digits
from unicodedata import normalize

from salticid.model import Area, Page
from salticid.store.search_words import search_words
from salticid.text.link_lists import link_lists
from salticid.text.tokens import letter_runs

WIDTH = 240
LEAD = 60
"""Characters shown before the first word that was looked for."""
MOST_CHARACTERS = 100_000
"""Characters of a page; a word that stands only after them is found but not shown."""

_FIRST_OF_CJK = "\u1100"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text, white space folded, and where in it the words stand: from, up to."""

    text: str
    matches: list[tuple[int, int]]


def page_snippet(page: Page, words: frozenset[str], forms: Callable[[list[str]], list[str]]) -> Snippet:
    """The piece of a page's text that shows why; one within a list of links only if there is no other."""
    in_head = len(page.words_in(Area.META)) + sum(1 for _ in letter_runs(page.title))
    return snippet(page.text, words, forms, link_lists(page)[in_head:].tolist())


def snippet(
    text: str,
    words: frozenset[str],
    forms: Callable[[list[str]], list[str]],
    in_lists: Sequence[bool] = (),
) -> Snippet:
    """The first piece of a text that shows most of the words looked for; `forms` says what a word counts as.

    `in_lists` says for each word, numbers aside, whether it is part of a list of links; others are shown first.

    >>> snippet("A web is no trap. Spiders jump.", frozenset({"spiders", "web"}), list)
    Snippet(text='A web is no trap. Spiders jump.', matches=[(2, 5), (18, 25)])
    """
    text = " ".join(normalize("NFC", text[:MOST_CHARACTERS]).split())
    places = list(_places(text))
    word_forms = forms([text[start:end].lower() for start, end in places])
    hits = [(*place, form) for place, form in zip(places, word_forms, strict=True) if form in words]
    listed = _listed(text, places, in_lists)
    first, last = _bounds(text, _best([hit for hit in hits if hit[0] not in listed] or hits))
    before, after = "…" * (first > 0), "…" * (last < len(text))
    shift = len(before) - first
    matches: list[tuple[int, int]] = []
    for start, end, _ in hits:
        if first <= start and end <= last:
            touches = bool(matches) and matches[-1][1] >= start + shift
            matches.append((matches.pop()[0] if touches else start + shift, end + shift))
    return Snippet(before + text[first:last] + after, matches)


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where each token of a text stands."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    at = 0
    for token in search_words(text):
        start = lower.find(token, at)
        if start >= 0:
            at = start + len(token)
            yield start, at
            at -= len(token) == 2 and token >= _FIRST_OF_CJK  # pairs overlap


def _listed(text: str, places: list[tuple[int, int]], in_lists: Sequence[bool]) -> set[int]:
    """Where the words begin that are part of a list of links."""
    starts = (start for start, _ in places if text[start] not in digits)
    return {start for start, is_listed in zip(starts, in_lists, strict=False) if is_listed}


def _best(hits: list[tuple[int, int, str]]) -> int:
    """Where the first stretch with most different words begins."""
    counts: Counter[str] = Counter()
    best, most, oldest = 0, 0, 0
    for start, _, form in hits:
        counts[form] += 1
        while start - hits[oldest][0] > WIDTH - 2 * LEAD:
            leaving = hits[oldest][2]
            counts[leaving] -= 1
            if not counts[leaving]:
                del counts[leaving]
            oldest += 1
        if len(counts) > most:
            best, most = hits[oldest][0], len(counts)
    return best


def _bounds(text: str, at: int) -> tuple[int, int]:
    """A piece around a place, cut between words where there is space between words."""
    first = max(0, at - LEAD)
    if first:
        first = text.find(" ", first, at) + 1 or first
    last = min(len(text), first + WIDTH)
    if last < len(text):
        gap = text.rfind(" ", last - LEAD, last)
        last = gap if gap > 0 else last
    return first, last

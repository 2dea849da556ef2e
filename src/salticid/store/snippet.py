"""The piece of a page that shows why it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from string import digits
from unicodedata import normalize

from salticid.model import Bools, Page
from salticid.store.search_words import search_words
from salticid.text.link_lists import link_lists
from salticid.text.sentences import words_before_text

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


def page_snippet(
    page: Page, words: frozenset[str], forms: Callable[[list[str]], list[str]], repeated: Bools
) -> Snippet:
    """The piece of a page's text that shows why; `repeated` says for each token whether the site repeats it.

    One within a list of links or of what is repeated is shown only if there is no other.
    """
    common = (link_lists(page) | repeated)[words_before_text(page) :]
    return snippet(page.text, words, forms, common.tolist())


def snippet(
    text: str,
    words: frozenset[str],
    forms: Callable[[list[str]], list[str]],
    common: Sequence[bool] = (),
) -> Snippet:
    """The first piece of a text that shows most of the words looked for; `forms` says what a word counts as.

    `common` says for each word, numbers aside, whether it is in a list of links or on every page of the site; others
    are shown first, the first of them where no word is found.

    >>> snippet("A web is no trap. Spiders jump.", frozenset({"spiders", "web"}), list)
    Snippet(text='A web is no trap. Spiders jump.', matches=[(2, 5), (18, 25)])
    >>> snippet("Spiders online: Spiders jump.", frozenset({"spiders"}), list, [True, True, False, False])
    Snippet(text='…Spiders jump.', matches=[(1, 8)])
    """
    text = " ".join(normalize("NFC", text[:MOST_CHARACTERS]).split())
    places = list(_places(text))
    word_forms = forms([text[start:end].lower() for start, end in places])
    hits = [(*place, form) for place, form in zip(places, word_forms, strict=True) if form in words]
    begins = _own_text(text, places, common)
    own_hits = [hit for hit in hits if hit[0] in begins]
    at = _best(own_hits or hits, next(iter(begins), 0))
    first, last = _bounds(text, at, begins.get(at, 0))
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


def _own_text(text: str, places: list[tuple[int, int]], common: Sequence[bool]) -> dict[int, int]:
    """Where each word begins that is not common, and where the stretch of such words begins it stands in.

    A number goes with the word before it.
    """
    begins: dict[int, int] = {}
    marks = iter(common)
    is_common = bool(common) and common[0]
    begin: int | None = None
    before = 0
    for start, end in places:
        if text[start] not in digits:
            is_common = next(marks, False)
        if is_common:
            begin = None
        else:
            if begin is None:
                begin = min(start, max(before, text.rfind(" ", before, start) + 1)) if before else 0
            begins[start] = begin
        before = end
    return begins


def _best(hits: list[tuple[int, int, str]], otherwise: int) -> int:
    """Where the first stretch with most different words begins."""
    counts: Counter[str] = Counter()
    best, most, oldest = otherwise, 0, 0
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


def _bounds(text: str, at: int, least: int) -> tuple[int, int]:
    """A piece around a place, cut between words where there is space between words; nothing before `least`."""
    first = max(least, at - LEAD)
    if first > least:
        first = text.find(" ", first, at) + 1 or first
    last = min(len(text), first + WIDTH)
    if last < len(text):
        gap = text.rfind(" ", last - LEAD, last)
        last = gap if gap > 0 else last
    return first, last

"""What changed between two versions of a page: the sentences that came, and those that went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from salticid.model import Page
from salticid.text.sentences import sentences
from salticid.text.soft_changes import telling

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

    A title counts as a sentence. Sentences that differ by what is no news (`text/soft_changes.py`) are the same: by
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

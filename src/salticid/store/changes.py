"""What changed between two versions of a page: the sentences that came, and those that went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from salticid.model import Page
from salticid.text.sentences import sentences

MOST_SENTENCES = 50
"""Sentences that are told of one page, of those that came and of those that went."""
LONGEST = 600
"""Characters told of a sentence."""
_NO_WORDS = re.compile(r"[\W_]+")


class Change(msgspec.Struct, frozen=True):
    """The first sentences that came and went, in reading order; `more_added` and `more_removed` are not told."""

    added: list[str]
    removed: list[str]
    more_added: int = 0
    more_removed: int = 0


def change(before: Page, after: Page) -> Change:
    """What a page says that it did not say before, and what it says no more; a sentence that moved is no change.

    A title counts as a sentence. Case, blanks and punctuation make no difference. The time grows with the length of
    the texts and with nothing else, for no order is compared.

    >>> from salticid.testing.small import SmallWeb
    >>> web = SmallWeb({"a": "Spiders jump. They have eyes.", "b": "They have eyes! Flies flee. Spiders jump."})
    >>> change(web.page(web.id("a")), web.page(web.id("b")))
    Change(added=['Flies flee.'], removed=[], more_added=0, more_removed=0)
    """
    old, new = ([page.title, *sentences(page)] for page in (before, after))
    added, removed = _without(new, old), _without(old, new)
    return Change(
        [_short(sentence) for sentence in added[:MOST_SENTENCES]],
        [_short(sentence) for sentence in removed[:MOST_SENTENCES]],
        max(0, len(added) - MOST_SENTENCES),
        max(0, len(removed) - MOST_SENTENCES),
    )


def _without(these: list[str], those: Iterable[str]) -> list[str]:
    """Those that are not among the others; one that stands there once takes away one."""
    there = Counter(map(_key, those))
    left: list[str] = []
    for sentence in these:
        key = _key(sentence)
        if key and not there[key]:
            left.append(sentence)
        there[key] -= 1
    return left


def _key(sentence: str) -> str:
    return _NO_WORDS.sub(" ", sentence.casefold()).strip()


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1]}…"

"""The usual words of a language: what a page about nothing in particular would say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from salticid.text import language

SIZE = 10_000
"""How many words, stop words aside, the imagined text has: about as many as a dozen example pages."""


@cache
def background(code: str) -> tuple[tuple[str, int], ...]:
    """How often each word is to be expected in a text of SIZE words; the commonest first, none below once.

    The frequencies are renormalised without stop words. For a language without a word list (Estonian,
    Basque, Esperanto, ...) they are the English ones, which says little and misleads nobody: few of those
    words will turn up.

    >>> [word for word, times in background("en")[:3]], sum(times for _, times in background("en")) <= SIZE
    (['time', 'people', 'day'], True)
    """
    shares = frequencies(code)
    per_word = SIZE / sum(shares.values())
    counts = ((word, int(frequency * per_word)) for word, frequency in shares.items())
    return tuple(sorted((pair for pair in counts if pair[1]), key=lambda pair: (-pair[1], pair[0])))


@cache
def frequencies(code: str) -> Mapping[str, float]:
    """The share of a language's text that each of its usual words has, stop words left out."""
    stop = language.stop_words(language.listed(code))
    return MappingProxyType(
        {word: share for word, share in language.frequencies(code).items() if word not in stop}
    )

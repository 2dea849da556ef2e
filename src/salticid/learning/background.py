"""The usual words of a language: what a page about nothing in particular would say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from salticid.text import language
from salticid.text.tokens import letter_runs

SIZE = 10_000
"""How many words, stop words aside, the imagined text has: about as many as a dozen example pages."""

_OTHER_NAMES = {"no": "nb", "hr": "sh", "tl": "fil"}
"""Codes for which `wordfreq` keeps its list under another one."""


@cache
def background(code: str) -> tuple[tuple[str, int], ...]:
    """How often each word is to be expected in a text of SIZE words; the commonest first, none below once.

    The frequencies are those of `wordfreq`, renormalised without stop words. For a language it does not
    know (Estonian, Basque, Esperanto, ...) they are the English ones, which says little and misleads
    nobody: few of those words will turn up.

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
    import wordfreq  # heavy, and needed by those who learn without negatives only

    code = code if _list_name(code) in wordfreq.available_languages("small") else language.DEFAULT
    stop = language.stop_words(code)
    shares: dict[str, float] = {}
    for entry, frequency in wordfreq.get_frequency_dict(_list_name(code), "small").items():
        for word in letter_runs(entry):
            if word not in stop:
                shares[word] = shares.get(word, 0.0) + frequency
    return MappingProxyType(shares)


def _list_name(code: str) -> str:
    return _OTHER_NAMES.get(code, code)

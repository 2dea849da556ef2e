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
    expected = frequencies(code)
    per_word = SIZE / sum(expected.values())
    counted = ((word, int(frequency * per_word)) for word, frequency in expected.items())
    return tuple(sorted((pair for pair in counted if pair[1]), key=lambda pair: (-pair[1], pair[0])))


@cache
def frequencies(code: str) -> Mapping[str, float]:
    """The share of a language's text that each of its usual words has, stop words left out."""
    import wordfreq  # heavy, and needed by those who learn without negatives only

    code = code if _listed(code) in wordfreq.available_languages("small") else language.DEFAULT
    stop = language.stop_words(code)
    expected: dict[str, float] = {}
    for entry, frequency in wordfreq.get_frequency_dict(_listed(code), "small").items():
        for word in letter_runs(entry):
            if word not in stop:
                expected[word] = expected.get(word, 0.0) + frequency
    return MappingProxyType(expected)


def _listed(code: str) -> str:
    return _OTHER_NAMES.get(code, code)

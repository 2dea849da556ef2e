"""What can be searched for: the words of the crawler, and numbers, which it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from salticid.tables import Texts
from salticid.text.tokens import LONGEST, Tokenizer, letter_runs

_NUMBER = re.compile(r"([0-9]+)")
_LETTERS = str.maketrans({str(digit): chr(0x1681 + digit) for digit in range(10)})
"""Letters of Ogham, which was carved in stone and is on few pages."""


def search_words(text: str) -> Iterator[str]:
    """The words and numbers of a text, in order.

    >>> list(search_words("Python 3.8 was new in 2019"))
    ['python', '3', '8', 'was', 'new', 'in', '2019']
    """
    for at, part in enumerate(_NUMBER.split(text)):
        if at % 2 == 0:
            yield from letter_runs(part)
        elif len(part) <= LONGEST:
            yield part


def in_letters(text: str) -> str:
    """A text whose numbers are words of letters, which nobody else writes: so the tokenizer keeps them.

    >>> in_letters("x86")
    'x ᚉᚇ '
    """
    return _NUMBER.sub(lambda number: f" {number[0].translate(_LETTERS)} ", text)


class WordSpeller:
    """The words and numbers of many texts, quickly: each with one space between two, numbers in letters."""

    def __init__(self) -> None:
        self._table = Texts()
        self._tokenizer = Tokenizer(self._table)
        self._texts: list[str] = []

    def of(self, text: str) -> str:
        ids = self._tokenizer.ids(in_letters(text)).tolist()
        self._texts += self._table.spell(range(len(self._texts), len(self._table)))
        return " ".join(map(self._texts.__getitem__, ids))

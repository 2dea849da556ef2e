"""What can be searched for: the words of the crawler, and numbers, which it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from salticid.tables import Texts
from salticid.text.tokens import LONGEST, Tokenizer, letter_runs

_NUMBER = re.compile(r"(\d+)")


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


class WordSpeller:
    """The same, quickly, for many texts: each with one space between two words."""

    def __init__(self) -> None:
        self._table = Texts()
        self._tokenizer = Tokenizer(self._table)
        self._texts: list[str] = []

    def of(self, text: str) -> str:
        parts = enumerate(_NUMBER.split(text))
        said = (
            self._words(part) if at % 2 == 0 else part
            for at, part in parts
            if at % 2 == 0 or len(part) <= LONGEST
        )
        return " ".join(filter(None, said))

    def _words(self, text: str) -> str:
        if not text.strip(" .,:;/-\n"):  # what stands between two numbers
            return ""
        ids = self._tokenizer.ids(text).tolist()
        self._texts += self._table.spell(range(len(self._texts), len(self._table)))
        return " ".join(map(self._texts.__getitem__, ids))

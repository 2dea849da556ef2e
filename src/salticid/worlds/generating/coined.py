"""Words nobody has heard of, that can be said aloud: a number in, a word out, no number's word twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Tongue:
    """How the words of a language sound: syllables are an onset and a vowel, and a coda ends some words."""

    onsets: str
    vowels: str
    codas: str

    def words(self, first: int, count: int) -> Iterator[str]:
        """Words number `first` and on: those of two syllables, well shuffled, then those of three, of four.

        >>> list(HOME.words(0, 4))
        ['baba', 'dravend', 'nedot', 'bidram']
        """
        syllables = [onset + vowel for onset in self.onsets.split() for vowel in self.vowels]
        codas, size = ["", *self.codas.split()], len(syllables)
        length, begin, many = 2, 0, size * size * len(codas)
        for number in range(first, first + count):
            while number >= begin + many:
                length, begin, many = length + 1, begin + many, many * size
            rest, coda = divmod((number - begin) * _SHUFFLE % many, len(codas))
            sounds = []
            for _ in range(length):
                rest, syllable = divmod(rest, size)
                sounds.append(syllables[syllable])
            yield "".join(sounds) + codas[coda]


_SHUFFLE = 1_000_000_007
"""A prime, so that multiplying by it shuffles any smaller range."""

HOME = Tongue("b c d f g h l m n p r s t v br cl dr gl pl sh sp st th tr", "aeiou", "n r l s m t nd")
ABROAD = (
    Tongue("b d f g h k l m n r s t w z br kl pf sch", "aeiouäöü", "en er t ß ng"),
    Tongue("b c ch d f g j l m n p qu r s t v", "aeiouéèô", "s x r lle nt"),
    Tongue("b c d g h j l ll m n ñ p r s t y z", "aeiouáíó", "s n r l ndo"),
)
"""The languages of other countries' pages."""

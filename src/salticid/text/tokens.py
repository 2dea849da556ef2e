"""Text to word ids.

A token is a run of Unicode letters (with the marks that belong to them), in lower case; a run of
Chinese, Japanese or Korean characters becomes its overlapping pairs. Nothing else is a token.

Most text of the web is ASCII between the odd accent, so the work goes in two steps: the UTF-8
bytes are cut at everything ASCII that is no letter, and the pieces are looked up, all at once. Only a
piece never seen before is looked at letter by letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from salticid.model import Ints
from salticid.protocols import Interning
from salticid.text.pieces import Pieces

MARKS = tuple(map(chr, range(1, 5)))
"""Characters that stand for no word but for a place, kept by `Tokenizer.tokens_and_marks`."""

LONGEST = 64
"""A longer run of letters is data and no word."""

_CUT = bytes(
    ord(chr(b).lower()) if chr(b).isalpha() or b >= 0x80 or chr(b) in MARKS else ord(" ") for b in range(128)
) + bytes(range(128, 256))
_CUT_MARKS_TOO = _CUT.translate(bytes.maketrans("".join(MARKS).encode(), b" " * len(MARKS)))
_LATIN = re.compile("[\0-\u02ff\u2000-\u206f]*")
"""Letters that no mark belongs to and signs of punctuation: no text of these reads otherwise when normalised."""
_LATIN_RUNS = re.compile(r"[^\W\d_²³¹¼½¾]+")
"""Runs of letters among those."""
_NOTHING = -1 - len(MARKS)
"""The memo code of pieces that hold no token."""
_SEVERAL = _NOTHING - 1
"""Memo codes from here down stand for pieces that hold more than one."""
_MEMO_SIZE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class MarkedTokens:
    """Tokens in reading order, and where between them each mark stood: before token `at`."""

    tokens: Ints
    mark: Ints
    at: Ints


class Tokenizer:
    """Turns text into ids of a table of words.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> [words[i] for i in Tokenizer(words).ids("The spider's 8 EYES, naïve—and 蜘蛛网")]
    ['the', 'spider', 's', 'eyes', 'naïve', 'and', '蜘蛛', '蛛网']
    """

    def __init__(self, words: Interning) -> None:
        self._memo = _Memo(words)
        self._pieces = Pieces(self._memo.codes)

    def ids(self, text: str) -> Ints:
        """The tokens of a text, in reading order."""
        return self._split(text.encode("utf-8", "replace").translate(_CUT_MARKS_TOO)).tokens

    def tokens_and_marks(self, text: str) -> MarkedTokens:
        """The tokens and the places of the MARKS, each of which must stand between spaces."""
        return self._split(text.encode("utf-8", "replace").translate(_CUT))

    def _split(self, cut: bytes) -> MarkedTokens:
        memo = self._memo
        if len(memo) > _MEMO_SIZE:
            memo.forget()
            self._pieces = Pieces(memo.codes)
        codes = self._pieces.codes(cut)
        least = codes.min(initial=0)
        if least <= _SEVERAL:
            codes = memo.spread(codes)
        if least <= _NOTHING:
            codes = codes[codes != _NOTHING]
        is_mark = codes < 0
        at = np.flatnonzero(is_mark)
        marks = -codes[at]
        return MarkedTokens(codes[~is_mark], marks, (at - np.arange(len(at))).astype(np.int32))


class _Memo(dict[bytes, int]):
    """Piece of text -> word id, or minus the number of a mark, or a code for several tokens."""

    def __init__(self, words: Interning) -> None:
        super().__init__()
        self._words = words
        self._several: list[Ints] = []
        self.forget()

    def forget(self) -> None:
        self.clear()
        self._several.clear()
        self.update({mark.encode(): -ord(mark) for mark in MARKS})

    def codes(self, pieces: list[bytes]) -> list[int]:
        """The code of each piece; those never seen before are looked at now."""
        news = [piece for piece in pieces if piece not in self]
        words = [piece for piece in news if piece.isalpha() and len(piece) <= LONGEST]
        self.update(zip(words, self._words.intern_all(words), strict=True))
        if len(words) < len(news):
            self._learn(dict.fromkeys(piece for piece in news if piece not in self))
        return list(map(self.__getitem__, pieces))

    def _learn(self, pieces: Collection[bytes]) -> None:
        """Pieces that are not simply words."""
        tokens = [() if piece.isascii() else _tokens(piece.decode("utf-8", "replace")) for piece in pieces]
        ids = iter(self._words.intern_all([token.encode() for some in tokens for token in some]))
        for piece, some in zip(pieces, tokens, strict=True):
            self[piece] = self._code([next(ids) for _ in some])

    def _code(self, ids: list[int]) -> int:
        if len(ids) > 1:
            self._several.append(np.array(ids, np.int32))
            return _SEVERAL - len(self._several) + 1
        return ids[0] if ids else _NOTHING

    def spread(self, codes: Ints) -> Ints:
        """Put the tokens of each several-code in its place."""
        parts: list[Ints] = []
        start = 0
        for at in np.flatnonzero(codes <= _SEVERAL).tolist():
            parts += (codes[start:at], self._several[_SEVERAL - int(codes[at])])
            start = at + 1
        parts.append(codes[start:])
        return np.concatenate(parts)


def _tokens(text: str) -> Sequence[str]:
    """The tokens of a piece of text; most hold nothing but Latin letters, which are quick to find."""
    if not _LATIN.fullmatch(text):
        return list(letter_runs(text))
    runs = _LATIN_RUNS.findall(text)
    return [unicodedata.normalize("NFC", run.lower()) for run in runs if len(run) <= LONGEST]


def letter_runs(text: str) -> Iterator[str]:
    """The tokens of a text, by the rule itself: slow, exact, what the fast path must agree with.

    >>> list(letter_runs("Ünïcode, 東京 x2y"))
    ['ünïcode', '東京', 'x', 'y']
    """
    for kind, letters in groupby(unicodedata.normalize("NFC", text), _Runs()):
        run = "".join(letters)
        if kind == "word" and len(run) <= LONGEST:
            yield unicodedata.normalize("NFC", run.lower())
        elif kind == "cjk":
            yield from (a + b for a, b in pairwise(run)) if len(run) > 1 else (run,)


class _Runs:
    """Says of each character in turn what kind of run it belongs to."""

    def __init__(self) -> None:
        self._kind = ""

    def __call__(self, char: str) -> str:
        if char.isalpha():
            self._kind = "cjk" if _is_cjk(char) else "word"
        elif not (self._kind == "word" and unicodedata.category(char)[0] == "M"):
            self._kind = ""
        return self._kind


def _is_cjk(char: str) -> bool:
    """Han, kana and hangul, by block."""
    c = ord(char)
    return c >= 0x1100 and (
        c <= 0x11FF or 0x2E80 <= c <= 0x31FF or 0x3400 <= c <= 0x9FFF or 0xA960 <= c <= 0xA97F
        or 0xAC00 <= c <= 0xD7FF or 0xF900 <= c <= 0xFAFF or 0xFF66 <= c <= 0xFFDC or 0x20000 <= c <= 0x3FFFF
    )  # fmt: skip

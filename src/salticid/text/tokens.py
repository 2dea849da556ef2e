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
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from salticid.model import Ints
from salticid.native import at, lib
from salticid.native.text_arrays import TextArrays
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
_ROOM = 1 << 16
"""A text of no more bytes, or tokens, needs no arrays of its own."""


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
        self._arrays: TextArrays | None = getattr(words, "arrays", None)  # of a table that has them
        self._pieces = self._no_pieces()
        self._room = np.empty(_ROOM, np.uint8)

    def _no_pieces(self) -> Pieces:
        return Pieces(self._memo.codes, words=self._arrays, longest=LONGEST)

    def ids(self, text: str) -> Ints:
        """The tokens of a text, in reading order."""
        return self._split(text.encode("utf-8", "replace"), 0).tokens

    def tokens_and_marks(self, text: bytes) -> MarkedTokens:
        """The tokens of a text in UTF-8 and the places of the MARKS, each of which must stand between spaces."""
        return self._split(text, len(MARKS))

    def _split(self, text: bytes, marks: int) -> MarkedTokens:
        memo = self._memo
        if len(memo) > _MEMO_SIZE:
            memo.forget()
            self._pieces = self._no_pieces()
        if lib is None:
            return memo.with_numpy(self._pieces.codes(text.translate(_CUT if marks else _CUT_MARKS_TOO)))
        cut = self._room[: len(text)] if len(text) <= _ROOM else np.empty(len(text), np.uint8)
        lib.cut_text(at(text), len(text), marks, at(cut))
        return memo.compiled(self._pieces.codes(cut))


class _Memo(dict[bytes, int]):
    """Piece of text -> word id, or minus the number of a mark, or a code for several tokens."""

    def __init__(self, words: Interning) -> None:
        super().__init__()
        self._words = words
        self._several, self._ends = array("i"), array("i")
        """The tokens of all several-codes, one behind the other, and where those of each end."""
        self._rooms = np.empty((3, _ROOM), np.int32)
        self.forget()

    def forget(self) -> None:
        self.clear()
        self._several, self._ends = array("i"), array("i")
        self.update({mark.encode(): -ord(mark) for mark in MARKS})

    def codes(self, pieces: list[bytes]) -> list[int]:
        """The code of each piece; those never seen before are looked at now."""
        news = [piece for piece in pieces if piece not in self]
        words = [piece for piece in news if piece.isalpha() and len(piece) <= LONGEST]
        if words:
            self.update(zip(words, self._words.intern_all(words), strict=True))
        if len(words) < len(news):
            self._learn(dict.fromkeys(piece for piece in news if piece not in self))
        return list(map(self.__getitem__, pieces))

    def _learn(self, pieces: Collection[bytes]) -> None:
        """Pieces that are not simply words."""
        tokens = [() if piece.isascii() else tokens_of(piece.decode("utf-8", "replace")) for piece in pieces]
        ids = iter(self._words.intern_all([token.encode() for some in tokens for token in some]))
        for piece, some in zip(pieces, tokens, strict=True):
            self[piece] = self._code([next(ids) for _ in some])

    def _code(self, ids: list[int]) -> int:
        if len(ids) > 1:
            self._several.extend(ids)
            self._ends.append(len(self._several))
            return _SEVERAL - len(self._ends) + 1
        return ids[0] if ids else _NOTHING

    def compiled(self, codes: Ints) -> MarkedTokens:
        """The tokens and marks that codes stand for."""
        room = max(len(codes), _ROOM)
        while True:
            tokens, marks, places = self._rooms if room == _ROOM else np.empty((3, room), np.int32)
            counts = np.empty(2, np.int32)
            lib.tokens_of_codes(
                at(codes), len(codes), at(self._several), at(self._ends), len(self._ends), _NOTHING,
                at(tokens), room, at(marks), at(places), at(counts),
            )  # fmt: skip
            many, met = counts.tolist()
            if many <= room:
                return MarkedTokens(tokens[:many].copy(), marks[:met].copy(), places[:met].copy())
            room = many

    def with_numpy(self, codes: Ints) -> MarkedTokens:
        """The same, not compiled."""
        if codes.min(initial=0) <= _NOTHING:
            codes = self._spread(codes)
            codes = codes[codes != _NOTHING]
        is_mark = codes < 0
        place = np.flatnonzero(is_mark)
        return MarkedTokens(codes[~is_mark], -codes[place], (place - np.arange(len(place))).astype(np.int32))

    def _spread(self, codes: Ints) -> Ints:
        """Put the tokens of each several-code in its place."""
        parts: list[Ints] = []
        start = 0
        several, ends = np.array(self._several, np.int32), [*self._ends, 0]
        for place in np.flatnonzero(codes <= _SEVERAL).tolist():
            which = _SEVERAL - int(codes[place])
            parts += (codes[start:place], several[ends[which - 1] : ends[which]])
            start = place + 1
        parts.append(codes[start:])
        return np.concatenate(parts)


def tokens_of(text: str) -> Sequence[str]:
    """The tokens of a piece of text; most hold nothing but Latin letters, which are quick to find."""
    if not _LATIN.fullmatch(text):
        return list(letter_runs(text))
    runs = _LATIN_RUNS.findall(text)
    return [
        run.lower() if run.isascii() else unicodedata.normalize("NFC", run.lower())
        for run in runs
        if len(run) <= LONGEST
    ]


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

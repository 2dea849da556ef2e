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
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

from salticid.model import Ints
from salticid.native import NOTHING, TextArrays, at, lib
from salticid.protocols import Interning
from salticid.snapshots import in_snapshot, rows

# Short pieces of text looked up a whole text at a time.
#
# A dictionary look-up per word costs more than all the rest of reading a page. Pieces of up to 16 bytes fit into two
# 64-bit numbers, so that a small table of numbers answers for nearly all words of a text in a few array operations;
# what it does not hold is asked of a dictionary, and then it does. Compiled, this is one loop, which can give ids to
# new words by itself.

Bytes = npt.NDArray[np.uint8]

_SHORT = 16
_SLOT_BITS = 18
"""Two to this power pieces are remembered at the most, if nothing else is said."""
_KEY = np.dtype(f"S{_SHORT}")  # which numpy gathers quickly, also from where no number may stand
_MASKS = np.frombuffer(b"".join((b"\xff" * size).ljust(_SHORT, b"\0") for size in [*range(_SHORT + 1), _SHORT]), _KEY)
_MIX_LOW, _MIX_HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@in_snapshot("_ask", "_slot_bits", "_words", "_longest", _slots=rows(np.uint64))
class Pieces:
    """The codes of the pieces of a text; `ask` knows the codes of pieces nobody remembers.

    Exact: a slot holds the piece itself beside its code, and the last piece to fall into it stays.

    >>> Pieces(lambda pieces: list(map(len, pieces))).codes(b"jumping spiders  and jumping flies")
    array([7, 7, 3, 7, 5], dtype=int32)
    """

    def __init__(
        self,
        ask: Callable[[list[bytes]], list[int]],
        slot_bits: int = _SLOT_BITS,
        words: TextArrays | None = None,
        longest: int = 0,
    ) -> None:
        self._ask, self._slot_bits = ask, slot_bits
        self._words, self._longest = words, longest
        """A table that gives codes to all words of no more than so many small letters of ASCII."""
        self._slots = self._no_slots()
        """The two numbers of a piece and its code, side by side: what is looked at together."""

    def _no_slots(self) -> npt.NDArray[np.uint64]:
        """Compiled, the second number is half as long, and the code the other half."""
        return np.zeros((1 << self._slot_bits, 3 if lib is None else 2), np.uint64)

    def codes(self, text: bytes | Bytes) -> Ints:
        """The code of each piece between spaces, in order. The text may hold no NUL."""
        if (self._slots.shape[1] == 3) != (lib is None):  # they were kept by a program with the library, or without
            self._slots = self._no_slots()
        return self._with_numpy(bytes(text)) if lib is None else self._compiled(text)

    def _compiled(self, text: bytes | Bytes) -> Ints:
        size, slots = len(text), at(self._slots)
        codes, missing = np.empty(size // 2 + 1, np.int32), np.empty((size // 2 + 1, 3), np.int32)
        counts = np.empty(2, np.int32)
        words = NOTHING if self._words is None else self._words.with_room(size // 2 + 1, size)
        lib.piece_codes(
            at(text), size, slots, self._slot_bits, words, self._longest, at(codes), at(missing), at(counts)
        )
        many, misses = counts.tolist()
        if misses:
            spans, whole = missing[:misses].tolist(), bytes(text)
            news = np.array(self._ask([whole[start:end] for _, start, end in spans]), np.int32)
            lib.keep_pieces(at(text), at(missing), at(news), misses, slots, self._slot_bits, at(codes))
        return codes[:many]

    def _with_numpy(self, text: bytes) -> Ints:
        line = b" " + text + b" " * (_SHORT + 1)
        space = np.frombuffer(line, np.uint8, len(text) + 2) == ord(" ")
        edges = np.flatnonzero(space[1:] != space[:-1])
        edges += 1
        starts, ends = edges[::2], edges[1::2]
        size = np.minimum(ends - starts, _SHORT + 1)
        pieces = _numbers(np.ndarray((len(line) - _SHORT + 1,), _KEY, line, strides=(1,)).take(starts))
        pieces &= _numbers(_MASKS.take(size))
        low, high = pieces[:, 0], pieces[:, 1]
        slot = (((low ^ high * _MIX_HIGH) * _MIX_LOW) >> np.uint64(64 - self._slot_bits)).view(np.int64)
        rows = self._slots.take(slot, axis=0)
        codes: Ints = rows[:, 2].astype(np.int32)
        unknown = (rows[:, 0] != low) | (rows[:, 1] != high)
        unknown |= size > _SHORT
        missing = np.flatnonzero(unknown)
        if len(missing):
            spans = zip(starts[missing].tolist(), ends[missing].tolist(), strict=True)
            news = np.array(self._ask([line[a:b] for a, b in spans]), np.int32)
            codes[missing] = news
            short = size[missing] <= _SHORT
            places = missing[short]
            self._slots[slot[places], :2] = pieces[places]
            self._slots[slot[places], 2] = news[short].astype(np.uint64)
        return codes


def _numbers(pieces: npt.NDArray[np.bytes_]) -> npt.NDArray[np.uint64]:
    """Pieces of 16 bytes as two numbers each."""
    return pieces.view(np.uint64).reshape(-1, 2)


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

"""How near words are to a topic in meaning, by word vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Any, Protocol
from unicodedata import combining, normalize

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.errors import UserError
from salticid.model import Floats, Ints, Page
from salticid.protocols import Table
from salticid.snapshots import in_snapshot, rows
from salticid.text import STOP, Stems, letter_runs

MOST_STEMS = 50_000
"""Stems that turn up later have no meaning: by then the words of the topic are known."""


class Vectors(Protocol):
    """Words as places in a space where related ones are near."""

    def of(self, words: Sequence[str]) -> Floats:
        """A row for each word, at length 1; zeros for a word nobody knows."""
        ...


_Vectors = rows(np.float32)


@in_snapshot(
    "_vectors", "_words", _stems=Stems, _stem_list=list[int], _has_vector=np.bool_,
    _rows="list[_Vectors]",
)  # fmt: skip
class Meanings:
    """The vectors of the stems met so far: that of the first word met with each.

    Only what a page has shown is looked up, in reading order, so that neither ids nor words of pages that
    nobody has fetched have a say.
    """

    def __init__(self, vectors: Vectors, words: Table, stems: Stems) -> None:
        self._vectors, self._words, self._stems = vectors, words, stems
        self._stem_list: list[int] = []
        self._has_vector = np.zeros(1024, np.bool_)
        self._has_vector[STOP] = True
        self._rows: list[npt.NDArray[np.float32]] = []

    def meet(self, page: Page) -> None:
        """Look up the stems of a page that are new."""
        stems = self._stems.of(page.tokens)
        unknown = np.flatnonzero(~self._has(stems))
        first = unknown[np.sort(np.unique(stems[unknown], return_index=True)[1])]
        if len(first):
            self._look_up(stems[first].tolist(), self._words.spell(page.tokens[first].tolist()))

    def meet_text(self, text: str) -> None:
        """Look up the stems of what a person wrote."""
        for word in letter_runs(text):
            for stem in self._stems.terms(word):
                if not self._has(np.array([stem], np.int32))[0]:
                    self._look_up([stem], [word])

    def near(self, topic: Floats) -> Floats:
        """For each stem, how much nearer it is in meaning to the topic's than the usual stem; 0 at least.

        `topic` has a weight for each stem; those above 0 say where the topic is.
        """
        nearness = np.zeros(len(topic))
        if self._stem_list:
            rows = np.concatenate(self._rows).astype(np.float64)
            self._rows = [rows.astype(np.float32)]
            place = np.maximum(topic[self._stem_list], 0.0) @ rows
            cosines = rows @ (place / (np.sqrt(place @ place) or 1.0))
            has_vector = rows.any(axis=1)
            usual = cosines[has_vector].mean() if has_vector.any() else 0.0
            nearness[self._stem_list] = np.where(has_vector, np.maximum(cosines - usual, 0.0), 0.0)
        return nearness

    def _has(self, stems: Ints) -> npt.NDArray[np.bool_]:
        self._has_vector = grow(self._has_vector, len(self._stems))
        rows: npt.NDArray[np.bool_] = self._has_vector[stems]
        return rows

    def _look_up(self, stems: list[int], words: list[str]) -> None:
        room = MOST_STEMS - len(self._stem_list)
        if room > 0:
            self._has_vector[stems[:room]] = True
            self._stem_list += stems[:room]
            self._rows.append(self._vectors.of(words[:room]).astype(np.float32))


# Word vectors that were trained elsewhere, from a folder on this machine; nothing is ever downloaded.
#
# The folder is in the form of model2vec: `model.safetensors` with the matrix `embeddings`, a row for each token,
# and maybe `weights` (a factor for each token) and `mapping` (the row of each token); `tokenizer.json` with the
# tokens. Both are read as data, here, so that no other library is needed. A crawl folder names the folder that it was
# made with, so what is there is not trusted: only plain files are read, up to a size.

_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I8": "<i1"}
_LONGEST_HEADER = 1 << 20
_LARGEST_TOKENIZER = 256 << 20
_MOST_NUMBERS = 1 << 30
"""Numbers in the matrix of all tokens: 2 million tokens of 512 each."""
_WORD_STARTS = ("", "\u2581", "\u0120")
"""What tokenizers write before a token that begins a word: nothing, or a mark of theirs."""
_GOES_ON = "##"


class StaticVectors:
    """The vectors of a folder. A word that is no token is the mean of its pieces, the longest first.

    Paper: Tulkens, van Dongen, "Model2Vec: fast state-of-the-art static embeddings", 2024.
    """

    def __init__(self, folder: Path) -> None:
        try:
            tensors = _tensors(folder / "model.safetensors")
            tokens = _tokens(json.loads(_start(folder / "tokenizer.json", _LARGEST_TOKENIZER)))
            self._rows = _rows(tensors)
            self._ids = {token: at for token, at in tokens.items() if 0 <= at < len(self._rows)}
        except OSError as error:
            raise UserError(
                f"cannot read the word vectors in {folder}: {error.strerror}; it should hold model.safetensors "
                "and tokenizer.json, as model2vec writes them"
            ) from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise UserError(f"the word vectors in {folder} are not in the form of model2vec: {error}") from None
        self._longest = max(map(len, self._ids), default=0)

    def of(self, words: Sequence[str]) -> Floats:
        vectors = np.zeros((len(words), self._rows.shape[1]))
        for at, word in enumerate(words):
            pieces = self._pieces(word) or self._pieces(_plain(word))
            if pieces:
                vectors[at] = self._rows[pieces].astype(np.float64).mean(axis=0)
        lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
        unit: Floats = vectors / np.where(lengths > 0.0, lengths, 1.0)
        return unit

    def _pieces(self, word: str) -> list[int]:
        """The tokens a word is made of, each the longest that fits; none if some part fits none."""
        pieces: list[int] = []
        start = 0
        while start < len(word):
            marks = (_GOES_ON, "") if start else _WORD_STARTS
            for end in range(min(len(word), start + self._longest), start, -1):
                candidates = [mark + word[start:end] for mark in marks if mark + word[start:end] in self._ids]
                if candidates:
                    pieces.append(self._ids[candidates[0]])
                    start = end
                    break
            else:
                return []
        return pieces


def _plain(word: str) -> str:
    """A word without its accents."""
    return "".join(letter for letter in normalize("NFD", word) if not combining(letter))


def _tensors(file: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a safetensors file, mapped, not read."""
    length = int.from_bytes(_start(file, 8, whole=False), "little")
    if length > _LONGEST_HEADER:
        raise ValueError("model.safetensors begins with no header")
    header = json.loads(_start(file, 8 + length, whole=False)[8:])
    raw = np.memmap(file, np.uint8, "r", offset=8 + length)
    tensors = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] in _KINDS:
            start, end = about["data_offsets"]
            tensors[name] = raw[start:end].view(_KINDS[about["dtype"]]).reshape(about["shape"])
    return tensors


def _start(file: Path, size: int, *, whole: bool = True) -> bytes:
    """The first bytes of a plain file, at most `size`; ValueError if it is not plain, or should end there."""
    if not S_ISREG(file.stat().st_mode):
        raise ValueError(f"{file.name} is not a plain file")
    with file.open("rb") as stream:
        data = stream.read(size)
        if whole and stream.read(1):
            raise ValueError(f"{file.name} is larger than {size >> 20} MB")
    return data


def _tokens(tokenizer: dict[str, Any]) -> dict[str, int]:
    """Token -> id, whichever way the tokenizer lists them; special ones are no words and left out."""
    entries = tokenizer["model"]["vocab"]
    tokens = dict(entries) if isinstance(entries, dict) else {entry[0]: at for at, entry in enumerate(entries)}
    for extra in tokenizer.get("added_tokens", []):
        if extra.get("special"):
            tokens.pop(extra["content"], None)
    return tokens


def _rows(tensors: dict[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The vector of each token, times its weight if there are weights."""
    rows = tensors["embeddings"]
    if rows.ndim != 2 or not rows.size:
        raise ValueError("embeddings is no matrix")
    if max(len(rows), tensors.get("mapping", rows).shape[0]) * rows.shape[1] > _MOST_NUMBERS:
        raise ValueError("there are too many vectors")
    if "mapping" in tensors:
        rows = rows[np.asarray(tensors["mapping"], np.int64)]
    if "weights" in tensors:
        rows = rows * np.asarray(tensors["weights"], np.float32).reshape(len(rows), 1)
    return rows

"""Texts of more different words than people use are read up to a point: what a table has met it keeps for good."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salticid.text.tokens import MarkedTokens, Tokenizer

MAX_WORDS = 50_000
"""After so many different words a page is read no further; Ulysses has 30,000."""
_AT_ONCE = 10_000  # characters, so that the last piece brings few more


def bounded_tokens(marked: bytes, tokenizer: Tokenizer) -> MarkedTokens:
    """What the tokenizer makes of a text in UTF-8, or of its beginning with `MAX_WORDS` different words and few more.

    Where it ends depends on nothing but the text.
    """
    if len(marked) <= MAX_WORDS or len(text := marked.decode()) <= MAX_WORDS:  # a word has a letter, at least
        return tokenizer.tokens_and_marks(marked)
    parts: list[MarkedTokens] = []
    words: set[int] = set()
    size = counted = 0
    for piece in _pieces(text):
        parts.append(tokenizer.tokens_and_marks(piece.encode()))
        size += len(parts[-1].tokens)
        if size >= MAX_WORDS:  # before that, they cannot be so many different ones
            words.update(*(part.tokens.tolist() for part in parts[counted:]))
            counted = len(parts)
        if len(words) >= MAX_WORDS:
            break
    before = np.cumsum([0, *(len(each.tokens) for each in parts)], dtype=np.int32)
    return MarkedTokens(
        tokens=np.concatenate([each.tokens for each in parts]),
        mark=np.concatenate([each.mark for each in parts]),
        at=np.concatenate([each.at + start for each, start in zip(parts, before, strict=False)]),
    )


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that end at a space, if there is one."""
    begin = 0
    while begin < len(text):
        end = begin + _AT_ONCE
        if end < len(text):
            space = text.rfind(" ", begin, end)
            end = end if space <= begin else space
        yield text[begin:end]
        begin = end

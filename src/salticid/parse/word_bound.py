"""Texts of more different words than people use are read up to a point: what a table has met it keeps for good."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salticid.text.tokens import MarkedTokens, Tokenizer

MAX_WORDS = 50_000
"""After so many different words a page is read no further; Ulysses has 30,000."""
_AT_ONCE = 10_000  # characters, so that the last piece brings few more


def bounded_tokens(text: str, tokenizer: Tokenizer) -> MarkedTokens:
    """What the tokenizer makes of a text, or of its beginning with `MAX_WORDS` different words and few more.

    Where it ends depends on nothing but the text.
    """
    if len(text) <= MAX_WORDS:  # a word has a letter, at least
        return tokenizer.tokens_and_marks(text)
    parts: list[MarkedTokens] = []
    words: set[int] = set()
    for piece in _pieces(text):
        parts.append(tokenizer.tokens_and_marks(piece))
        words.update(parts[-1].tokens.tolist())
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

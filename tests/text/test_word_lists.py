"""The word lists: which languages have one, and that no word or share in them has changed."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.words import pack

from salticid.text.language import unpacked, word_lists, word_shares


def test_every_list_is_there() -> None:
    assert len(word_lists()) == 42
    assert {"en", "de", "nb", "sh", "fil", "zh"} <= word_lists()


@pytest.mark.parametrize(
    ("code", "words", "digest"),
    [
        ("en", 28917, "21a35f89101330a5"),
        ("de", 39277, "3a99dbc51e930eb4"),
        ("nb", 26117, "1d172bb644a6553a"),
        ("zh", 38590, "b1b12e0feda2fde3"),
    ],
)
def test_words_and_shares_are_those_of_wordfreq(code: str, words: int, digest: str) -> None:
    shares = list(word_shares(code))
    assert len(shares) == words
    assert sha256(repr(shares).encode()).hexdigest()[:16] == digest


@given(st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=300), min_size=1, unique=True))
def test_a_packed_list_has_the_words_it_was_made_of(words: list[str]) -> None:
    places = [words[::2], words[1::2]]
    expected = [(word, 10 ** (-place / 100)) for place in (0, 1) for word in sorted(places[place])]
    assert list(unpacked(pack(places))) == expected

"""Word lists are read as the package reads them that they come with."""

from __future__ import annotations

import pytest
import wordfreq

from salticid.text.word_lists import word_lists, word_shares


def test_the_same_languages_are_there() -> None:
    assert word_lists().keys() == wordfreq.available_languages("small").keys()


@pytest.mark.parametrize("code", ["en", "de", "nb", "zh"])
def test_words_and_shares_are_the_same(code: str) -> None:
    assert dict(word_shares(code)) == wordfreq.get_frequency_dict(code, "small")

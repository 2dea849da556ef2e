"""Tokens: the fast path against the rule itself, and the rule against what it says of each script."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.tables.texts import Texts
from salticid.text import tokens
from salticid.text.tokens import LONGEST, MARKS, Tokenizer, letter_runs

_ODD = [
    "\u0301", "\u030c", "\u0327", "\u0331", "\u0338", "\u3099", "\u093f",  # marks, some of which compose
    "Σ", "ς", "\u212a", "\u212b", "İ", "ß", "ﬁ", "ǅ", "ª",  # letters that case or NFC changes
    "東", "京", "か", "カ", "ー", "한", "\u1112", "\u1161", "ｶ", "々", "𠮷", "Ａ",
    "ह", "न", "्", "द", "ท", "ำ", "א", "ش", "\u200c", "\u200d",
    "😀", "٣", "²", "_", "'", "’", "\x00", "\x7f", "\x80", "\ud800", "\udfff", "\ufffd", "\u2028",
    "J", "H", "T", "i", "a", "Z", "0", "=", "<", "-", " ", "\n",
]  # fmt: skip
_unmarked = st.characters(exclude_characters=MARKS)
_text = st.lists(st.one_of(st.sampled_from(_ODD), _unmarked)).map("".join)


def spelled(text: str) -> list[str]:
    words = Texts()
    return words.spell(Tokenizer(words).ids(text).tolist())


@given(_text)
@example("J\u030c H\u0331 T\u0308 W\u030a")  # composed in lower case only
@example("I\u0307stanbul İ ΟΔΟΣ ΟΔΟΣ' Σ aΣb")
@example("\u212aelvin \u212bngström")
@example("a\ud800\u0301b\x00c\udfffd")
@example("x=\u0338y <\u0338z e\u0301\u0327")
@example("東京tower東京タワー,か\u3099 한국어 \u1112\u1161\u11ab")
@example("z" * LONGEST + " " + "z" * (LONGEST + 1))
@example("é" * LONGEST + "-" + "é" * (LONGEST + 1) + "-" + "e\u0301" * LONGEST + "-" + "e\u0301" * (LONGEST + 1))
@example("東" * 1000)
@example("慢 ba 慢慢 baba é慡 aa")  # strings that share their bytes in memory, and so their hash()
def test_the_fast_path_agrees_with_the_rule(text: str) -> None:
    assert spelled(text) == list(letter_runs(text))


@given(st.text(st.characters(max_codepoint=127, exclude_characters=MARKS)))
@example("The spider's 8 EYES_x2y")
def test_ascii_is_cut_at_everything_but_letters(text: str) -> None:
    runs = re.findall("[a-z]+", text.lower())
    assert spelled(text) == [run for run in runs if len(run) <= LONGEST]


@given(_text)
def test_a_token_holds_letters_and_their_marks_only(text: str) -> None:
    for token in spelled(text):
        assert token[0].isalpha()
        assert all(char.isalpha() or unicodedata.category(char)[0] == "M" for char in token)


@given(_text)
def test_ids_are_those_of_the_table(text: str) -> None:
    words = Texts()
    before = words.intern("before")
    tokenizer = Tokenizer(words)
    once, again = tokenizer.ids(text).tolist(), tokenizer.ids(text).tolist()
    assert once == again == [words.find(token) for token in letter_runs(text)]
    assert words[before] == "before"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("naïve—and Łódź", ["naïve", "and", "łódź"]),
        ("nai\u0308ve", ["naïve"]),
        ("x2y 3D 1990s", ["x", "y", "d", "s"]),
        ("snake_case", ["snake", "case"]),
        ("東", ["東"]),
        ("東京都", ["東京", "京都"]),
        ("Tokyo東京Tower", ["tokyo", "東京", "tower"]),
        ("東京、大阪", ["東京", "大阪"]),
        ("タワー", ["タワ", "ワー"]),
        ("한국어", ["한국", "국어"]),
        ("हिन्दी में", ["हिन्दी", "में"]),  # vowel signs and viramas belong to the letters before them
        ("ภาษาไทย", ["ภาษาไทย"]),  # Thai writes no spaces: a run is one token
        ("น้ำ", ["น้ำ"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("Ελλάς ΕΛΛΑΣ", ["ελλάς", "ελλας"]),
        ("Ａｂｃ", ["ａｂｃ"]),
        ("😀😀", []),
        ("\u0301alone", ["alone"]),
        ("", []),
    ],
)
def test_scripts(text: str, expected: list[str]) -> None:
    assert spelled(text) == [unicodedata.normalize("NFC", token) for token in expected]
    assert list(letter_runs(text)) == [unicodedata.normalize("NFC", token) for token in expected]


def test_a_mark_glued_to_a_word_does_not_swallow_it() -> None:
    assert spelled("jumping\x01spiders") == ["jumping", "spiders"]


@given(st.lists(st.one_of(st.sampled_from(MARKS), _text)))
def test_marks_stand_where_they_stood(parts: list[str]) -> None:
    words = Texts()
    marked = Tokenizer(words).tokens_and_marks(" ".join(parts).encode("utf-8", "replace"))
    expected: list[tuple[int, int]] = []
    read: list[str] = []
    for part in parts:
        if part in MARKS:
            expected.append((ord(part), len(read)))
        else:
            read += letter_runs(part)
    assert words.spell(marked.tokens.tolist()) == read
    assert list(zip(marked.mark.tolist(), marked.at.tolist(), strict=True)) == expected


@given(st.lists(_text, max_size=8))
def test_a_memo_that_overflows_changes_nothing(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_MEMO_SIZE", 6)
        words = Texts()
        tokenizer = Tokenizer(words)
        for text in texts:
            marked = tokenizer.tokens_and_marks(f"{text} \x01 {text}".encode("utf-8", "replace"))
            half = list(letter_runs(text))
            assert words.spell(marked.tokens.tolist()) == half + half
            assert marked.at.tolist() == [len(half)]
            assert len(tokenizer._memo) <= 6 + 1 + 2 * len(text)

"""Stems, stop words, languages, bags of terms and the judge that compares them."""

import unicodedata
from collections import Counter
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.runs.brief import prepare
from salticid.tables.texts import Texts
from salticid.testing.small import SmallWeb, address
from salticid.text import language
from salticid.text.stems import STOP, Bag, Stems
from salticid.text.tokens import Tokenizer
from salticid.topic import Limits, Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer
from salticid.worlds.writer import WorldWriter

GERMAN = "Der Luftballon und seine Geschichte in den Jahren nach dem Krieg, von den ersten Fahrten an"
FRENCH = "Les araignées sauteuses sont des chasseuses qui ne tissent pas de toile pour capturer leurs proies"
ENGLISH = "The jumping spiders are hunters that do not build a web in order to capture the insects they eat"

_terms = st.lists(st.integers(0, 30), max_size=60)


def texts_of(stems: Stems, words: list[str]) -> list[str]:
    """Each word's stem as text, with the words in a fresh table."""
    return [stems.text(stem) for stem in stems.of(np.arange(len(words), dtype=np.int32)).tolist()]


def fresh(code: str, words: list[str]) -> Stems:
    table = Texts()
    assert [table.intern(word) for word in words] == list(range(len(words)))
    return Stems(table, code)


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        ("en", ["the", "spiders", "spider", "relational", "caresses", "ponies"],
         ["", "spider", "spider", "relat", "caress", "poni"]),
        ("en", ["don", "t", "s", "ll"], ["", "", "", ""]),  # the pieces of don't, it's, they'll
        ("de", ["der", "für", "häuser", "spinnen", "the"], ["", "", "haus", "spinn", "the"]),
        ("fr", ["les", "araignées", "ballons"], ["", "araign", "ballon"]),
        ("cs", ["který", "pavouci", "pavouk"], ["", "pavouci", "pavouk"]),  # no stemmer: words as they are
    ],
)  # fmt: skip
def test_stems(code: str, words: list[str], expected: list[str]) -> None:
    assert texts_of(fresh(code, words), words) == expected


def test_equal_stems_have_one_id_and_stop_words_none() -> None:
    stems = fresh("en", ["jump", "the", "jumping", "jumps", "and"])
    ids = stems.of(np.array([0, 1, 2, 3, 4, 0], np.int32)).tolist()
    assert ids == [1, STOP, 1, 1, STOP, 1]
    assert len(stems) == 2
    assert stems.terms("Jumping and the jumpers") == [1, 2]
    assert stems.terms("the and, 42!") == []


@pytest.mark.parametrize("code", language.language_codes())
def test_every_language_can_be_used(code: str) -> None:
    assert language.check_code(code) == code
    stems, stopped = language.stemmer(code)(["spiders", "häuser", "пауки"]), language.stop_words(code)
    assert [type(stem) for stem in stems] == [str, str, str]
    # Tokens are in NFC and lower case: a stop word in another form would never meet one.
    assert [word for word in stopped if unicodedata.normalize("NFC", word).lower() != word] == []


def test_unknown_languages_are_named() -> None:
    with pytest.raises(UserError, match=r"^no language 'dee'; did you mean 'de'\?$"):
        language.check_code("dee")
    with pytest.raises(UserError, match=r"^no language 'klingon'; there is: af, ar, bg, "):
        language.check_code("klingon")


@pytest.mark.parametrize(
    ("text", "code"), [(GERMAN, "de"), (FRENCH, "fr"), (ENGLISH, "en"), ("", "en"), ("spiders", "en")]
)
def test_detection(text: str, code: str) -> None:
    assert language.detect(text) == code


def test_the_language_of_a_crawl_is_told_or_read_from_keywords_and_examples() -> None:
    web = SmallWeb({"a": ("nothing", []), "german": (f"{GERMAN}. " * 5, [])})

    def settled(topic: Topic) -> str:
        return prepare(topic, web, Limits(), 0).language

    french = Topic("t", FRENCH, (address("a"),))
    assert settled(french) == "fr"
    assert settled(replace(french, keywords="Ballone")) == "en"
    assert settled(replace(french, keywords="Ballone", examples=(address("german"),))) == "de"
    assert settled(replace(french, language="sv")) == "sv"
    with pytest.raises(UserError, match="no language 'swedish'"):
        settled(replace(french, language="swedish"))


@pytest.fixture(params=[(ENGLISH, "en"), (GERMAN, "de")], ids=["english", "german"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[RecordedWeb, str]:
    """A world of three pages, and its language."""
    text, code = request.param
    writer = WorldWriter(tmp_path / "world")
    for number in range(3):
        html = f"<title>Page {number}</title><p>{text} 蜘蛛网 spiders Spinnen"
        writer.add(Answer(f"http://a.example/{number}", html=html.encode()))
    writer.close("test")
    return RecordedWeb(tmp_path / "world"), code


def test_prepared_stems_equal_those_worked_out(world: tuple[RecordedWeb, str]) -> None:
    web, code = world
    words = [web.words[at] for at in range(len(web.words))]
    prepared, lazy = Stems(web.words, code), fresh(code, words)
    assert web.words.stems(prepared.rules) is not None
    assert web.words.stems(language.rules("fr")) is None
    every = np.arange(len(words), dtype=np.int32)
    assert prepared.of(every).tolist() == lazy.of(every).tolist()
    assert len(prepared) == len(lazy)
    assert [prepared.text(at) for at in range(len(prepared))] == [lazy.text(at) for at in range(len(lazy))]
    french = Stems(web.words, "fr")
    assert texts_of(french, words) == texts_of(fresh("fr", words), words)


def test_stems_grow_beyond_a_world(world: tuple[RecordedWeb, str]) -> None:
    web, code = world
    known, stems = len(web.words), Stems(web.words, code)
    prepared = len(stems)
    zebra, spider = stems.terms("zebra Spinnen")
    assert (zebra, stems.text(zebra)) == (prepared, "zebra")
    assert 0 < spider < prepared
    tokens = Tokenizer(web.words).ids("quokka zebra spinnen quokka")
    assert tokens[0] == known
    assert stems.of(tokens).tolist() == [prepared + 1, zebra, spider, prepared + 1]
    assert stems.text(prepared + 1) == "quokka"
    assert len(stems) == prepared + 2


@given(st.lists(st.integers(1, 3000), max_size=4))
def test_words_may_arrive_at_any_time(counts: list[int]) -> None:
    table = Texts()
    stems = Stems(table, "en")
    for count in counts:
        ids = np.array([table.intern("zq" + "abcdefghij"[at % 10] * (at // 10)) for at in range(count)], np.int32)
        told = [stems.text(stem) for stem in stems.of(ids).tolist()]
        assert told == language.stemmer("en")([table[at] for at in ids.tolist()])


@given(_terms)
def test_a_bag_is_a_counter(stems: list[int]) -> None:
    bag = Bag.of(stems)
    counter = Counter(stem for stem in stems if stem != STOP)
    assert list(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True)) == sorted(counter.items())
    assert bag.norm == pytest.approx(sqrt(sum(count * count for count in counter.values())))


@given(_terms, _terms)
@example([1, 2, 3], [1, 2, 3])
@example([30], [1, 2])
def test_cosine_is_its_formula(left: list[int], right: list[int]) -> None:
    f, g = (Counter(stem for stem in stems if stem != STOP) for stems in (left, right))
    lengths = sqrt(sum(n * n for n in f.values()) * sum(n * n for n in g.values()))
    expected = sum(f[k] * g[k] for k in f) / lengths if lengths else 0.0
    cosine = Bag.of(left).cosine(Bag.of(right))
    assert cosine == pytest.approx(expected)
    assert cosine == Bag.of(right).cosine(Bag.of(left))
    assert 0 <= cosine <= 1


def judge(keywords: str, similarity: float = 0.1, examples: tuple[str, ...] = ()) -> tuple[Cosine, SmallWeb]:
    web = SmallWeb({"a": ("jumping spiders", []), "b": ("the jumping spider eats flies", []), "c": ("balloons", [])})
    topic = Topic("t", keywords, (address("a"),), tuple(map(address, examples)), language="en")
    made = Cosine(similarity=similarity)
    made.start(prepare(topic, web, Limits(), 0))
    return made, web


def test_the_judge_scores_by_cosine_and_draws_its_line_from_the_examples() -> None:
    made, web = judge("jumping spiders", examples=("a", "b", "c"))
    scores = [made.score(web.page(web.id(name))) for name in "abc"]
    assert scores == pytest.approx([1, 2 / sqrt(2 * 4), 0])
    assert made.line == pytest.approx(sum(scores) / 3 / 2)
    assert judge("jumping spiders", 0.3)[0].line == 0.3
    assert judge("jumping spiders", 0.3, ("c",))[0].line == 0.3
    assert made.learn([]) is False


def test_the_judge_wants_a_word_to_go_by() -> None:
    with pytest.raises(UserError, match="the keywords of topic 't' hold no word to go by"):
        judge("the and of 42")

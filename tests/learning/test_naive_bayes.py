"""Naive Bayes and what it reads: numbers worked out by hand, and those of scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from salticid.learning.naive_bayes import OFF, ON, STOP_NUMBER, MultinomialBayes, TaggedPages, WordNumbers
from salticid.learning.rarity import SIZE, background
from salticid.model import Area, Ints, Links, Page
from salticid.protocols import PreparedStems
from salticid.tables.texts import Texts
from salticid.testing.small import SmallWeb
from salticid.text import language

EMPTY = Page(0, "", np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8), Links.to([]), b"")


def ints(*numbers: int) -> Ints:
    return np.array(numbers, np.int32)


def test_contexts_have_vocabularies_of_their_own() -> None:
    bayes = MultinomialBayes(classes=2, contexts=2)
    bayes.add(ints(1, 1, 2), label=1, context=ints(0, 0, 1))
    bayes.add(ints(3, 2), label=0, context=ints(0, 0))
    # Context 0 knows 1, 2 and 3, context 1 only 2. Class 1 has 2 words in context 0, 1 in context 1.
    #   P(1 in 0 | 1) = (2+1)/(2+3)   P(1 in 0 | 0) = (0+1)/(2+3)
    #   P(2 in 1 | 1) = (1+1)/(1+1)   P(2 in 1 | 0) = (0+1)/(0+1)
    evidence = bayes.evidence(ints(1, 2), ints(0, 1))
    assert np.exp(evidence) == pytest.approx([1 / 5 * 1, 3 / 5 * 1])
    # Word 1 is no word of context 1, and says nothing there.
    assert bayes.weigh(ints(1), context=1)[1] == 0
    assert np.exp(bayes.log_prior()) == pytest.approx([1 / 2, 1 / 2])


def random_documents(seed: int, many: int = 40) -> list[Ints]:
    dice = np.random.default_rng(seed)
    return [dice.integers(1, 60, dice.integers(1, 50)).astype(np.int32) for _ in range(many)]


def test_it_agrees_with_scikit_learn() -> None:
    documents = random_documents(1)
    labels = [number % 3 for number in range(len(documents))]
    bayes = MultinomialBayes(classes=3)
    for document, label in zip(documents, labels, strict=True):
        bayes.add(document, label)
    theirs = MultinomialNB(alpha=1.0)
    rows = np.stack([np.bincount(document, minlength=60)[1:] for document in documents])
    theirs.fit(rows, labels)
    for document in random_documents(2):
        row = np.bincount(document, minlength=60)[1:][None]
        ours = bayes.evidence(document) + bayes.log_prior()
        assert ours == pytest.approx(theirs.predict_joint_log_proba(row)[0])


def test_many_short_documents_at_once_are_each_alone() -> None:
    bayes = MultinomialBayes(classes=2)
    for number, document in enumerate(random_documents(3)):
        bayes.add(document, number % 2)
    anchors = [ints(5, 70, 6), ints(), ints(STOP_NUMBER), ints(9, 9)]
    owner = ints(0, 0, 0, 2, 3, 3)
    together = bayes.evidence_of_each(np.concatenate(anchors), owner, len(anchors))
    assert together == pytest.approx(np.stack([bayes.evidence(anchor) for anchor in anchors]))
    assert together[1].tolist() == together[2].tolist() == [0.0, 0.0]


def test_neither_the_order_of_learning_nor_the_numbers_of_words_change_a_bit() -> None:
    documents, asked = random_documents(4), random_documents(5)
    renumbered = np.concatenate(([0], 1 + np.random.default_rng(0).permutation(60))).astype(np.int32)
    one, other = MultinomialBayes(2), MultinomialBayes(2)
    for number, document in enumerate(documents):
        one.add(document, number % 2)
    for number, document in reversed(list(enumerate(documents))):
        other.add(renumbered[document], number % 2)
    for document in asked:
        assert one.evidence(document).tobytes() == other.evidence(renumbered[document]).tobytes()


def test_nothing_learned_and_nothing_said_are_no_trouble() -> None:
    bayes = MultinomialBayes(classes=2, contexts=3)
    assert bayes.log_prior().tolist() == [0.0, 0.0]
    assert bayes.evidence(ints(7, 100_000), ints(0, 2)).tolist() == [0.0, 0.0]
    bayes.add(ints(), 1, ints())
    bayes.add(ints(STOP_NUMBER), 1)
    assert bayes.documents.tolist() == [0, 2]
    assert bayes.log_prior().tolist() == [-np.inf, 0.0]
    assert [bayes.counts(context) for context in range(3)] == [{}, {}, {}]


def test_areas_of_a_page() -> None:
    tokens = ints(1, 2, 3, 4)
    page = replace(EMPTY, tokens=tokens, area_start=ints(1, 3), area=np.array([0, 1], np.uint8))
    assert page.areas.tolist() == [Area.REST, Area.META, Area.META, Area.HEADING]
    assert replace(EMPTY, tokens=tokens).areas.tolist() == [Area.REST] * 4
    assert EMPTY.areas.tolist() == []


def test_a_word_known_by_its_text_keeps_its_number_when_a_page_uses_it() -> None:
    words = Texts()
    vocabulary = WordNumbers(words, "en")
    (silk, the) = vocabulary.numbers(["silk", "the"])
    ids = np.array([words.intern(text) for text in ("eyes", "silk", "the")], np.int32)
    eyes = int(vocabulary.of(ids)[0])
    assert vocabulary.of(ids).tolist() == [eyes, silk, STOP_NUMBER]
    assert the == STOP_NUMBER
    assert vocabulary.numbers(["silk", "eyes"]) == [silk, eyes]
    assert vocabulary.texts() == {silk: "silk", eyes: "eyes"}


class PreparedTexts(Texts):
    """A table some of whose stems were worked out before."""

    def stems(self, rules: str) -> PreparedStems | None:
        return PreparedStems(np.array([5, 0, 6], np.int32), Texts()) if rules == language.rules("en") else None


def test_prepared_stop_words_are_believed_and_later_words_spelled() -> None:
    words = PreparedTexts()
    ids = np.array([words.intern(text) for text in ("eyes", "the", "silk", "of", "moss")], np.int32)
    vocabulary = WordNumbers(words, "en")
    numbers = vocabulary.of(ids).tolist()
    assert [number == STOP_NUMBER for number in numbers] == [False, True, False, True, False]
    assert vocabulary.texts() == dict(zip(numbers[::2], ["eyes", "silk", "moss"], strict=True))


@pytest.mark.parametrize("code", ["en", "de", "no", "zh"])
def test_the_background_has_no_stop_words_and_about_the_size_it_should(code: str) -> None:
    usual = background(code)
    assert not {word for word, _ in usual} & language.stop_words(code)
    assert SIZE / 3 < sum(times for _, times in usual) <= SIZE
    assert [times for _, times in usual] == sorted((times for _, times in usual), reverse=True)
    assert len(dict(usual)) == len(usual)


def test_a_language_without_frequencies_borrows_the_english_ones() -> None:
    assert background("eo") == background("en")


@pytest.fixture
def web() -> SmallWeb:
    return SmallWeb(
        {
            "on": "<title>Salticid</title><p>salticid jumps salticid",
            "off": "<title>Finch</title><p>finch sings",
            "new": "<title>Finch</title><p>salticid sings salticid",
            "the": "<title>the</title><p>of and the",
        }
    )


def test_pages_by_hand(web: SmallWeb) -> None:
    pages = TaggedPages(WordNumbers(web.words, "en"), classes=2)
    pages.teach([web.page(web.id("on"))], [web.page(web.id("off"))], "", "en")
    # Headings: V = {salticid, finch}, one word each side: P(finch | on) = 1/3, P(finch | off) = 2/3.
    # Rest: V = {salticid, jumps, finch, sings}; on has 3 words, off 2:
    #   P(salticid | on) = 3/7, P(sings | on) = 1/7;  P(salticid | off) = 1/6, P(sings | off) = 2/6.
    on, off = 1 / 3 * 3 / 7 * 1 / 7 * 3 / 7, 2 / 3 * 1 / 6 * 2 / 6 * 1 / 6
    assert pages.posterior(web.page(web.id("new")))[ON] == pytest.approx(on / (on + off))
    # Counted as a page of one word: the fourth root of the odds.
    pages.most_words = 1
    assert pages.posterior(web.page(web.id("new")))[ON] == pytest.approx(1 / (1 + (off / on) ** 0.25))


def test_a_page_of_stop_words_and_an_empty_one_have_the_prior(web: SmallWeb) -> None:
    pages = TaggedPages(WordNumbers(web.words, "en"), classes=2)
    pages.teach([web.page(web.id("on"))], [web.page(web.id("off"))] * 3, "", "en")
    for page in (web.page(web.id("the")), EMPTY):
        assert pages.posterior(page).tolist() == pytest.approx([3 / 4, 1 / 4])


def test_against_the_language_words_of_the_examples_speak_for_a_page(web: SmallWeb) -> None:
    pages = TaggedPages(WordNumbers(web.words, "en"), classes=2)
    pages.teach([web.page(web.id("on"))], [], "", "en")
    assert pages.posterior(web.page(web.id("on")))[ON] > 0.9
    assert pages.posterior(web.page(web.id("off")))[OFF] >= 0.5


def test_keywords_stand_for_examples(web: SmallWeb) -> None:
    pages = TaggedPages(WordNumbers(web.words, "en"), classes=2)
    pages.teach([], [web.page(web.id("off"))], "the salticid, a salticid", "en")
    assert pages.bayes.documents.tolist() == [1, 1]
    salticid = pages.vocabulary.numbers(["salticid"])[0]
    assert [pages.bayes.counts(area).get(salticid) for area in Area] == [None, [0, 100], [0, 100]]
    assert pages.posterior(web.page(web.id("new")))[ON] > 0.5

"""Judges that learn: scores worked out by hand, and what all of them owe a crawl."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import pytest
from tests.support.judging import EMPTY, PAGES, briefed, page, scores

from salticid.errors import UserError
from salticid.judges import judges
from salticid.judges.naive_bayes import NaiveBayes
from salticid.judges.rocchio import Rocchio
from salticid.judges.svm import Svm
from salticid.judges.tfidf import Tfidf
from salticid.learning.trained_judge import MOST_CONFIDENT, Surest
from salticid.protocols import Brief, Judge

LEARNERS = ["naive_bayes", "rocchio", "svm", "tfidf"]


def started(judge: Judge, brief: Brief) -> Judge:
    judge.start(brief)
    return judge


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("negatives", [(), ("trains",)])
def test_pages_on_topic_score_above_others_and_the_line_lies_between(name: str, negatives: tuple[str, ...]) -> None:
    web, brief = briefed(negatives=negatives)
    judge = started(judges.make(name), brief)
    found = scores(judge, web)
    assert all(0 <= score <= 1 for score in found.values())
    assert min(found["silk"], found["leap"]) > max(found["engines"], found["bread"])
    assert found["leap"] >= judge.line > found["engines"]


@pytest.mark.parametrize("name", ["naive_bayes", "rocchio", "tfidf"])
def test_keywords_are_enough_for_some(name: str) -> None:
    web, brief = briefed(())
    judge = started(judges.make(name), brief)
    assert judge.score(page(web, "spiders")) >= judge.line > judge.score(page(web, "bread"))


@pytest.mark.parametrize("name", LEARNERS)
def test_without_anything_to_learn_from_the_person_is_told_what_to_add(name: str) -> None:
    _, brief = briefed((), keywords="the of")
    with pytest.raises(UserError, match=r"topic 'small'.*examples.*topic file"):
        judges.make(name).start(brief)


def test_svm_cannot_do_without_examples() -> None:
    with pytest.raises(UserError, match=r"add examples = "):
        Svm().start(briefed((), ("trains",))[1])


@pytest.mark.parametrize("name", LEARNERS)
def test_examples_make_up_for_empty_keywords(name: str) -> None:
    web, brief = briefed(negatives=("trains",), keywords="")
    judge = started(judges.make(name), brief)
    assert judge.score(page(web, "leap")) > judge.score(page(web, "bread"))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("negatives", [(), ("trains",)])
def test_a_page_that_says_nothing_is_never_positive(name: str, negatives: tuple[str, ...]) -> None:
    _, brief = briefed(negatives=negatives)
    judge = started(judges.make(name), brief)
    assert judge.score(EMPTY) == 0.0
    assert judge.line > 0


@pytest.mark.parametrize("name", LEARNERS)
def test_known_pages_may_be_empty(name: str) -> None:
    web, brief = briefed(negatives=("trains",), keywords="spiders")
    hollow = replace(brief, examples=(*brief.examples, EMPTY), negatives=(EMPTY,))
    judge = started(judges.make(name), hollow)
    assert 0 <= judge.score(page(web, "leap")) <= 1
    assert judge.score(EMPTY) == 0.0


@pytest.mark.parametrize("name", LEARNERS)
def test_scoring_changes_nothing_and_a_restart_forgets(name: str) -> None:
    web, brief = briefed(negatives=("trains",))
    judge = started(judges.make(name), brief)
    first = scores(judge, web)
    assert scores(judge, web) == first
    judge.learn([(page(web, "bread"), 1), (page(web, "eyes"), -1)])
    assert scores(judge, web) != first
    assert scores(started(judge, brief), web) == first


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("negatives", [(), ("trains",)])
def test_the_numbering_of_words_changes_not_a_bit(name: str, negatives: tuple[str, ...]) -> None:
    web, brief = briefed(negatives=negatives)
    turned, other = briefed(negatives=negatives, pages=dict(reversed(PAGES.items())))
    assert web.words.find("salticids") != turned.words.find("salticids")
    one, two = started(judges.make(name), brief), started(judges.make(name), other)
    assert scores(one, web) == scores(two, turned)
    assert one.line == two.line


@pytest.mark.parametrize("name", LEARNERS)
def test_a_persons_word_is_learned(name: str) -> None:
    web, brief = briefed(negatives=("trains",))
    judge = started(judges.make(name), brief)
    before = judge.score(page(web, "bread"))
    assert judge.learn([(page(web, "bread"), 1)])
    assert judge.score(page(web, "bread")) > max(before, judge.line)
    assert judge.learn([(page(web, "bread"), -1)])
    assert judge.score(page(web, "bread")) < judge.line
    assert not judge.learn([])


@pytest.mark.parametrize("name", ["naive_bayes", "rocchio", "svm"])
def test_it_trains_itself_only_if_asked_to_and_more_and_more_rarely(name: str) -> None:
    web, brief = briefed()
    visited = [page(web, name) for name in ("leap", "engines", "silk", "bread")]

    def watched(retrain: int) -> tuple[list[int], dict[str, float]]:
        judge = started(judges.make(name, {"retrain": retrain}), brief)
        due = [at for at in range(1, 20) if judge.watch(it := visited[at % 4], judge.score(it))]
        return due, scores(judge, web)

    assert watched(0) == ([], scores(started(judges.make(name), brief), web))
    due, taught = watched(4)
    assert due == [4, 6, 9, 14]
    assert taught != watched(0)[1]
    assert taught["leap"] > taught["engines"]


def test_of_the_pages_of_a_crawl_the_surer_half_is_believed() -> None:
    surest = Surest()
    pages = [replace(EMPTY, url=number) for number in range(200)]
    for number in (0, 1, 2, 3, 4):
        surest.note(pages[number], [0.6, 0.9, 0.7, 0.9, 0.5][number])
    assert [found.url for found in surest.pages()] == [1, 3, 2]
    for at in range(5, 200):
        surest.note(pages[at], at / 1000)
    assert [found.url for found in surest.pages()][:6] == [1, 3, 2, 0, 4, 199]
    assert len(surest.pages()) == MOST_CONFIDENT


def test_tfidf_by_hand() -> None:
    web, brief = briefed(
        examples=("x",),
        negatives=("y",),
        keywords="silk",
        pages={"x": "silk moss", "y": "moss", "z": "silk fern"},
    )
    judge = started(Tfidf(refresh=2), brief)
    # N = 2, silk in 1, moss in 2, fern in 0: idf = 1 + log(3/2), 1 + log(3/3) = 1, 1 + log 3.
    silk, moss, fern = 1 + log(3 / 2), 1.0, 1 + log(3)
    # The query is silk + (silk + moss) / sqrt 2, the page z is silk + fern, each times its idf.
    q_silk, q_moss = (1 + 1 / sqrt(2)) * silk, moss / sqrt(2)
    expected = q_silk * silk / (sqrt(q_silk**2 + q_moss**2) * sqrt(silk**2 + fern**2))
    assert judge.score(page(web, "z")) == pytest.approx(expected)
    # The line: x against the keywords alone, halved.
    assert judge.line == pytest.approx(silk / sqrt(silk**2 + moss**2) / 2)
    before = judge.score(page(web, "z"))
    assert not judge.watch(page(web, "z"), before)
    assert judge.score(page(web, "z")) == before
    assert judge.watch(page(web, "z"), before)
    # Now N = 4, silk in 3, moss and fern in 2: silk 1 + log(5/4), moss and fern 1 + log(5/3).
    silk, moss = 1 + log(5 / 4), 1 + log(5 / 3)
    q_silk, q_moss = (1 + 1 / sqrt(2)) * silk, moss / sqrt(2)
    expected = q_silk * silk / (sqrt(q_silk**2 + q_moss**2) * sqrt(silk**2 + moss**2))
    assert judge.score(page(web, "z")) == pytest.approx(expected)


def test_tfidf_takes_a_disliked_page_out_of_the_query() -> None:
    web, brief = briefed(examples=("spiders", "trains"))
    judge = started(Tfidf(), brief)
    assert not judge.learn([(page(web, "bread"), -1)])
    before = judge.score(page(web, "engines"))
    assert judge.learn([(page(web, "trains"), -1)])
    assert judge.score(page(web, "engines")) < before


def test_rocchio_by_hand() -> None:
    pages = {"x": "silk silk moss", "y": "moss fern", "z": "silk fern"}
    web, brief = briefed(examples=("x",), negatives=("y",), keywords="silk", pages=pages)
    judge = started(Rocchio(), brief)
    # x = (1 + log 2, 1) / 1.9664 on silk, moss; y = (1, 1) / sqrt 2 on moss, fern.
    length = sqrt((1 + log(2)) ** 2 + 1)
    silk = 8 + 16 * (1 + log(2)) / length
    moss = 16 / length - 4 / sqrt(2)
    # fern would be -4 / sqrt 2, and is 0.
    norm = sqrt(silk**2 + moss**2)
    assert judge.score(page(web, "z")) == pytest.approx(silk / sqrt(2) / norm)
    # Without x the query is the keywords less y: silk alone. y itself scores moss / sqrt 2 / norm.
    assert judge.line == pytest.approx(((1 + log(2)) / length + moss / sqrt(2) / norm) / 2)


def test_naive_bayes_by_hand() -> None:
    pages = {"x": "silk silk", "y": "moss", "z": "silk moss moss", "zz": "silk moss moss " * 30}
    web, brief = briefed(examples=("x",), negatives=("y",), pages=pages)
    # V = {silk, moss}. P(silk | on) = 3/4, P(moss | on) = 1/4; P(silk | off) = 1/3, P(moss | off) = 2/3.
    odds = (3 / 4) / (1 / 3) * ((1 / 4) / (2 / 3)) ** 2
    judge = started(NaiveBayes(), brief)
    assert judge.score(page(web, "z")) == pytest.approx(odds / (1 + odds))
    # 90 words count as 30, ten times z, unless all count.
    assert judge.score(page(web, "zz")) == pytest.approx(odds**10 / (1 + odds**10))
    everything = started(NaiveBayes(evidence=0), brief)
    assert everything.score(page(web, "zz")) == pytest.approx(odds**30 / (1 + odds**30))


def test_pairs_of_words_count_for_the_svm() -> None:
    pages = {"x": "house music", "y": "music house", "z": "house music club", "w": "club music house"}
    web, brief = briefed(examples=("x",), negatives=("y",), pages=pages)
    judge = started(Svm(), brief)
    assert judge.score(page(web, "z")) > 0.5 > judge.score(page(web, "w"))

"""Shark-Search against a crawl worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from salticid.errors import UserError
from salticid.strategies import strategies
from salticid.strategies.parts.rank_terms import Spans
from salticid.strategies.shark_search import SharkSearch
from salticid.testing.checks import check_strategy
from salticid.testing.courses import Course, CourseResult, drive, watch
from salticid.testing.small import SmallWeb, random_web
from salticid.text.stems import Bag
from salticid.topic import Limits


def crawled(web: SmallWeb, strategy: SharkSearch, limits: Limits | None = None) -> CourseResult:
    return drive(watch(strategy), Course(web, limits or Limits()))


def a_dozen_pages() -> SmallWeb:
    """Keywords: jumping spiders. A page given as text has links without anchors after its last word."""
    return SmallWeb(
        {
            "seed": "<p><a href=a>jumping spiders</a> rain <a href=b>spider</a> rain rain <a href=c>river</a>"
            " spiders rain rain <a href=d>bread</a> rain",
            "a": ("music music", ["a1"]),
            "b": ("spiders bread", ["b1"]),
            "c": ("jumping spiders rain rain", ["c1"]),
            "d": ("bread", []),
            "a1": ("music", ["a11"]),
            "b1": ("bread", []),
            "c1": ("river", ["c11"]),
            "c11": ("river", ["c111"]),
            "c111": ("river", []),
            "a11": ("music", []),
        }
    )


def test_a_crawl_worked_out_on_paper() -> None:
    """With one word of context on each side, |q| = sqrt 2:

    page  sim                        its links inherit        and score, half of that and half of what is nearby
    seed  4/sqrt(2*48)     = .4082   .2041                    a: anchor 1, context 1:          .1021 + .5    = .6021
                                                              b: anchor .7071, context 1:      .1021 + .3828 = .4849
                                                              c: 'rain river spiders' .4082:   .1021 + .0408 = .1429
                                                              d: nothing nearby:               .1021
    a     0                          half the seed's: .1021   a1:   .0510
    b     1/sqrt(2*2)      = .5      .25                      b1:   .125
    c     2/sqrt(2*6)      = .5774   .2887                    c1:   .1443
    c1    0                          .1443                    c11:  .0722
    c11   0                          .0722                    c111: .0361
    a1    0                          .0510                    a11:  .0255
    """
    web = a_dozen_pages()
    run = crawled(web, SharkSearch(window=1))
    assert [web.name(visit.url) for visit in run.visits] == [
        "seed", "a", "b", "c", "c1", "b1", "d", "c11", "a1", "c111", "a11",
    ]  # fmt: skip
    assert [round(visit.choice.score, 4) for visit in run.visits] == [
        1.0, 0.6021, 0.4849, 0.1429, 0.1443, 0.125, 0.1021, 0.0722, 0.0510, 0.0361, 0.0255,
    ]  # fmt: skip


def test_why_gives_the_parts_of_the_score() -> None:
    web = a_dozen_pages()
    run = crawled(web, SharkSearch(window=1))
    why = {web.name(visit.url): [(name, round(part, 4)) for name, part in visit.choice.why] for visit in run.visits}
    assert why["seed"] == []
    assert why["a"] == [("inherited", 0.1021), ("anchor", 0.4), ("context", 0.1)]
    assert why["c"] == [("inherited", 0.1021), ("anchor", 0.0), ("context", 0.0408)]
    for visit in run.visits[1:]:
        assert sum(part for _, part in visit.choice.why) == pytest.approx(visit.choice.score)


def test_a_wider_window_sees_more() -> None:
    """Within three words of `bread` stands a keyword: spiders rain rain bread rain, 1/sqrt(2*11) = .2132."""
    web = a_dozen_pages()
    run = crawled(web, SharkSearch(window=3))
    found = next(visit for visit in run.visits if web.name(visit.url) == "d")
    assert found.choice.score == pytest.approx(0.1021 + 0.5 * 0.2 * 0.2132, abs=1e-4)


def test_without_what_is_nearby_only_pages_count_and_without_pages_only_what_is_nearby() -> None:
    web = a_dozen_pages()
    by_page = crawled(web, SharkSearch(gamma=1.0)).visits
    assert {round(visit.choice.score, 4) for visit in by_page[1:5]} == {0.2041, 0.25}
    nearby = crawled(web, SharkSearch(gamma=0.0, window=1)).visits
    assert [web.name(visit.url) for visit in nearby[:4]] == ["seed", "a", "b", "c"]
    assert nearby[1].choice.score == pytest.approx(1.0)


def test_a_link_found_again_is_explained_by_where_it_scored_best() -> None:
    web = SmallWeb(
        {
            "seed": "<p>spiders <a href=a>jumping</a> <a href=z>rain</a>",
            "a": "<p>jumping spiders <a href=z>jumping spiders</a>",
            "z": ("rain", []),
        }
    )
    run = crawled(web, SharkSearch(window=0))
    last = run.visits[-1]
    assert web.name(last.url) == "z"
    assert last.choice.link.source == 1
    assert dict(last.choice.why)["anchor"] == pytest.approx(0.4)


def test_spans_score_as_their_bags_do() -> None:
    dice = np.random.default_rng(5)
    query = Bag.of([3, 3, 5, 8])
    for _ in range(50):
        stems = dice.integers(0, 12, dice.integers(1, 60)).astype(np.int32)
        start = dice.integers(0, len(stems), 9).astype(np.int32)
        end = np.minimum(start + dice.integers(0, 20, 9), len(stems)).astype(np.int32)
        expected = [query.cosine(Bag.of(stems[a:b])) for a, b in zip(start, end, strict=True)]
        assert Spans(query, stems).cosines(start, end).tolist() == pytest.approx(expected)


def test_the_scores_of_links_that_are_gone_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("salticid.strategies.shark_search._SLACK", 8)
    web, strategy = random_web(pages=120, hosts=3, seed=4), SharkSearch()
    kept: list[int] = []
    watched = watch(strategy)
    watched.after = lambda _: kept.append(len(strategy._nearby))
    run = drive(watched, Course(web, Limits(max_buffer=6)))
    assert len(run.visits) > 30
    assert 6 < max(kept) <= 2 * 6 + 8
    for visit in run.visits:
        parts = sum(part for _, part in visit.choice.why)
        assert visit.choice.link.source < 0 or parts == pytest.approx(visit.choice.score)


@pytest.mark.parametrize("settings", [{"delta": 1.1}, {"beta": -0.1}, {"gamma": 2.0}, {"window": 51}])
def test_settings_have_their_bounds(settings: dict[str, float]) -> None:
    with pytest.raises(UserError, match=f"setting {next(iter(settings))}="):
        strategies.make("shark_search", settings)


def test_the_contract_holds_at_the_ends_of_the_settings() -> None:
    check_strategy(lambda: SharkSearch(delta=1.0, beta=0.0, gamma=0.0, window=0))


def test_keywords_that_are_all_stop_words_are_refused() -> None:
    web = a_dozen_pages()
    brief = Course(web).brief()
    with pytest.raises(UserError, match="hold no word to go by"):
        SharkSearch().start(replace(brief, topic=replace(web.topic, keywords="the of and")))


def test_a_word_repeated_without_end_still_makes_a_score() -> None:
    web = SmallWeb({"seed": "<a href=b>spider " + "zq " * 49_000 + "</a>", "b": "spiders"})
    assert len(crawled(web, SharkSearch()).visits) == 2

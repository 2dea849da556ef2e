"""Best-first by the URL string alone, worked out by hand.

The topic is "jumping spiders", so a URL scores 0.5 for each of the two words that occurs in it.

    seed -> birds  spiders/a  jumping-spiders  jumping/b
    birds 0 -> SPIDERS-JUMPING  wrens          spiders/a 0.5 -> spider/one  jumping.example/
    jumping-spiders 1 -> deep                  jumping/b 0.5 -> birds
    deep 0 -> leaps-of-spiders                 spider/one 0 -> spiderspiders
"""

from dataclasses import replace

import numpy as np
import pytest

from salticid.crawl import Crawl
from salticid.model import Links, Outcome, Visit
from salticid.strategies.url_keyword import UrlKeyword
from salticid.testing.courses import Course, CourseResult, drive, watch
from salticid.testing.small import SmallWeb
from salticid.topic import Limits


def _web() -> SmallWeb:
    return SmallWeb(
        {
            "seed": ("", ["birds", "small.example/spiders/a", "jumping-spiders", "small.example/jumping/b"]),
            "birds": ("jumping spiders", ["SPIDERS-JUMPING", "wrens"]),
            "small.example/spiders/a": ("", ["small.example/spider/one", "jumping.example/"]),
            "jumping-spiders": ("", ["deep"]),
            "small.example/jumping/b": ("", ["birds"]),
            "deep": ("jumping spiders", ["leaps-of-spiders"]),
            "small.example/spider/one": ("", ["spiderspiders"]),
            "SPIDERS-JUMPING": ("", []),
            "wrens": ("", []),
            "jumping.example/": ("", []),
            "leaps-of-spiders": ("", []),
            "spiderspiders": ("", []),
        }
    )


def _crawl(web: SmallWeb, max_buffer: int | None = None) -> CourseResult:
    return drive(watch(UrlKeyword()), Course(web, Limits(max_pages=50, max_buffer=max_buffer)))


def _scores(web: SmallWeb, run: CourseResult) -> dict[str, float]:
    return {web.name(visit.url): visit.choice.score for visit in run.visits}


def test_the_order_worked_out_by_hand() -> None:
    # seed: birds 0, spiders/a .5, jumping-spiders 1, jumping/b .5. jumping-spiders first: deep 0.
    # spiders/a, the older .5: spider/one 0, for it is not "spiders"; jumping.example .5, behind jumping/b.
    # What is left has 0, oldest first: birds, which leads to SPIDERS-JUMPING 1 and wrens 0; then deep, which leads to
    # leaps-of-spiders .5; spider/one, which leads to spiderspiders .5: a word counts once; wrens.
    web = _web()
    run = _crawl(web)
    assert " ".join(web.asked) == (
        "seed jumping-spiders spiders/a jumping/b jumping.example/ "
        "birds SPIDERS-JUMPING deep leaps-of-spiders spider/one spiderspiders wrens"
    )
    scores = _scores(web, run)
    assert scores["seed"] == scores["jumping-spiders"] == scores["SPIDERS-JUMPING"] == 1
    assert scores["jumping.example/"] == scores["spiderspiders"] == 0.5
    assert scores["deep"] == scores["spider/one"] == 0


def test_a_full_frontier_gives_up_the_links_that_say_nothing() -> None:
    # Of seed's four, birds goes. jumping-spiders: deep finds room. spiders/a: spider/one finds room, and goes
    # again for jumping.example. jumping/b: birds is back. Then deep, birds, and what they lead to.
    web = _web()
    _crawl(web, max_buffer=3)
    assert " ".join(web.asked) == (
        "seed jumping-spiders spiders/a jumping/b jumping.example/ deep leaps-of-spiders birds SPIDERS-JUMPING wrens"
    )


@pytest.mark.parametrize(
    ("keywords", "language", "url", "score"),
    [
        ("the spiders", "en", "the-spiders", 1),  # stop words do not count
        ("the spiders", "en", "the-birds", 0),
        ("of the", "en", "the-birds", 0.5),  # unless there is nothing else
        ("spiders Spiders webs", "en", "spiders", 0.5),  # nor do repeats
        ("spider", "en", "spiderman", 1),  # parts of words do
        ("spiders", "en", "spider", 0),  # stems do not
        ("Füße", "de", "F%C3%9C%C3%9FE", 1),  # escapes are read, and case is not
        ("蜘蛛", "zh", "%E8%9C%98%E8%9B%9B", 1),
        ("1994", "en", "1994", 0),  # a topic without a word
    ],
)
def test_what_counts_as_a_keyword_in_a_url(keywords: str, language: str, url: str, score: float) -> None:
    web = SmallWeb({"seed": ("", [url])})
    web.topic = replace(web.topic, keywords=keywords, language=language)
    strategy = UrlKeyword()
    strategy.start(Course(web).brief())
    (choice,) = strategy.choose(1, frozenset())
    seed = web.id("seed")
    visit = Visit(0, choice, seed, Outcome.OK, web.page(seed), score=0.9, positive=True, depth=0)
    strategy.observe(visit, np.array([0], np.int32))
    assert [link.score for link in strategy.waiting(9)[1]] == [score]


def test_offered_links_go_first_whatever_their_name() -> None:
    web = _web()

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        if len(visits) == 2:
            crawl.offer(Links.to([web.id("wrens")]))

    drive(watch(UrlKeyword()), Course(web, tell=tell))
    assert web.asked[:3] == ["seed", "jumping-spiders", "wrens"]


def test_a_judge_that_changes_its_mind_changes_nothing() -> None:
    web, other = _web(), _web()
    _crawl(web)
    drive(watch(UrlKeyword()), Course(other, tell=lambda crawl, _: crawl.revise([(0, 0.1)], [])))
    assert other.asked == web.asked

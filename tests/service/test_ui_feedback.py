"""A person's word in a large crawl: heard in time, and told which links it moved."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks._feedback_trial import FeedbackTrial, Sitting, worth
from tests.support.running import salticid

from salticid.crawl import Crawl
from salticid.judges.profile import Profile
from salticid.judges.rocchio import Rocchio
from salticid.model import Feedback, Outcome, Response
from salticid.parse.html import Parser
from salticid.protocols import Judge
from salticid.runs.brief import KnownPages, prepare, settle
from salticid.service.crawl_process import MOST_MOVES, MOST_PLACES, LinkMoves, places
from salticid.store.log import CrawlLog
from salticid.strategies.best_first import BestFirst
from salticid.tables.texts import Texts, Urls
from salticid.testing.small import spider_web
from salticid.topic import Limits, Topic
from salticid.truth import Truth, load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.topics import TopicPlan, make_topics

PAGES, LINKS = 400, 300


class Tables:
    def __init__(self) -> None:
        self.urls, self.words = Urls(), Texts()


@pytest.mark.parametrize("kind", [Profile, Rocchio])
def test_a_word_is_heard_within_two_seconds_where_a_hundred_thousand_links_wait(
    tmp_path: Path, kind: Callable[[], Judge]
) -> None:
    tables, rng = Tables(), random.Random(1)
    parser = Parser(tables.urls, tables.words)
    words = ["".join(rng.choices("abcdeilmnorst", k=rng.randrange(3, 10))) for _ in range(5000)]
    topic = Topic("spider", "spider", ("http://h.example/0",), language="en")
    brief = settle(topic, KnownPages(), tables, Limits(max_pages=10**6), 0)
    with closing(CrawlLog(tmp_path / "c", tables.urls, tables.words, own_tables=True)) as log:
        crawl = Crawl(brief, BestFirst(), kind(), log, time.monotonic, log.page)
        log.begin({})
        for step in range(PAGES):
            (choice,) = crawl.choices(1)
            text = " ".join([*rng.choices(words, k=300), *["spider"] * rng.randrange(9)])
            links = "".join(f'<a href="http://h{rng.randrange(50)}.example/{step}-{n}"></a>' for n in range(LINKS))
            page = parser.parse(f"<p>{text}</p>{links}".encode(), tables.urls[choice.link.url])
            crawl.deliver(choice, Response(choice.link.url, choice.link.url, Outcome.OK, 200, page))
        log.commit()
        assert crawl.strategy.waiting(0)[0] == 100_000
        began = time.process_time()
        before = places(crawl.strategy)
        crawl.hear([Feedback(choice.link.url, 1)])
        log.retry()
        after = places(crawl.strategy)
        moves = LinkMoves.between(before, after, tables.urls)
        up, down = moves.up, moves.down
        assert time.process_time() - began < 2
    assert len(before) == len(after) == MOST_PLACES
    assert len(up) == len(down) == MOST_MOVES
    assert min(moves.rose, moves.fell) > MOST_MOVES, "all are counted, and only some are named"
    liked = f"/{PAGES - 1}-"
    assert all(liked in link["url"] for link in up), "the links of the liked page rise"
    assert all(link["before"] is None or link["after"] < link["before"] for link in up)
    assert all(link["after"] is None or link["after"] > link["before"] for link in down)


@pytest.mark.parametrize("kind", [Profile, Rocchio])
def test_a_word_that_was_taken_back_is_forgotten(kind: Callable[[], Judge]) -> None:
    web, judge = spider_web(), kind()
    judge.start(prepare(web.topic, web, Limits(), seed=0))
    page, other = web.page(web.id("a1")), web.page(web.id("b1"))
    before = judge.score(page), judge.score(other), judge.line
    assert judge.learn([(page, 1)])
    assert judge.score(page) > before[0]
    assert judge.learn([(page, 0)])
    assert (judge.score(page), judge.score(other), judge.line) == before


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[RecordedWeb, list[tuple[Topic, Truth]]]:
    """A generated web and some of its topics."""
    folder = tmp_path_factory.mktemp("generated")
    assert salticid("world", "build", folder / "w", "--synthetic", 600, "--seed", 5).status == 0
    made = make_topics(folder / "w", folder / "t", TopicPlan(min_pages=20))
    return RecordedWeb(folder / "w"), [load_topic(file) for file in made.files[:4]]


@pytest.mark.parametrize("strategy", ["best_first", "myspiders"])
def test_the_worth_of_feedback_is_measured_against_the_same_crawl_left_alone(
    generated: tuple[RecordedWeb, list[tuple[Topic, Truth]]], strategy: str
) -> None:
    silent = worth(FeedbackTrial(strategy, max_pages=60, sitting=Sitting(20, words=0)), *generated)
    assert silent is not None
    assert (silent.diff, silent.low, silent.high) == (0, 0, 0), "who says nothing changes nothing"
    spoken = worth(FeedbackTrial(strategy, max_pages=60, sitting=Sitting(20, words=10)), *generated)
    again = worth(FeedbackTrial(strategy, max_pages=60, sitting=Sitting(20, words=10)), *generated)
    assert spoken == again
    assert spoken is not None
    assert spoken.n == silent.n >= 3

"""System 2 as strategies: which link first, what is learned from its target, what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.errors import UserError
from salticid.learning.link_model import LONGEST_ANCHOR, AnchorWords, LinkModel, model_for
from salticid.learning.link_tables import AnchorCounts, LinkTables, PageCounts, load, save_link_tables
from salticid.model import Choice, Link, Links, Outcome, Page, Visit
from salticid.protocols import Brief, Strategy
from salticid.runs.brief import prepare
from salticid.runs.named import strategy_of
from salticid.runs.recorded import MemoryLog
from salticid.strategies import strategies
from salticid.strategies.anchor import Anchor
from salticid.strategies.neighbourhood import Neighbourhood
from salticid.strategies.transition import Transition
from salticid.tables.texts import Texts
from salticid.testing.small import SmallWeb, address
from salticid.topic import Limits

NONE = np.zeros(0, np.int32)


class ByName:
    """A judge who knows the pages on topic by name."""

    line = 0.5

    def __init__(self, web: SmallWeb, *on_topic: str) -> None:
        self._on = {web.id(name) for name in on_topic}

    def start(self, brief: Brief) -> None: ...

    def score(self, page: Page) -> float:
        return float(page.url in self._on)

    def watch(self, page: Page, score: float) -> bool:
        return False

    def learn(self, liked: Sequence[tuple[Page, float]]) -> bool:
        return False


def crawl(web: SmallWeb, strategy: Strategy, *on_topic: str, limits: Limits | None = None) -> list[str]:
    """The names of the pages in the order they were found."""
    log, clock = MemoryLog(), VirtualClock()
    brief = prepare(web.topic, web, limits or Limits(), seed=0)
    replay(Crawl(brief, strategy, ByName(web, *on_topic), log, clock, web.page), web, Window(), clock)
    return [web.name(visit.final) for visit in log.visits if visit.outcome is Outcome.OK]


# Pages: V = {silk, moss}. P(silk | on) = (3+1)/(4+2) = 2/3, P(silk | off) = 1/3; moss the other way round.
# Each silk doubles the odds of a page, each moss halves them; they begin at 1.
# Anchors: V = {eyes, nest}. P(eyes | on) = (2+1)/(2+2) = 3/4, P(eyes | off) = 1/4; nest the other way round.
# Each "eyes" triples the odds of a link, each "nest" divides them by 3; they begin at 1/3.
# Steps, one added: from off 8/10 to off, 2/10 to on; from on 3/10 to off, 7/10 to on.
TABLES = LinkTables(
    classes=["off", "on"],
    target="on",
    transitions=[[7, 1], [2, 6]],
    pages=PageCounts([2, 2], rest={"silk": [1, 3], "moss": [3, 1]}),
    anchors=AnchorCounts([3, 1], {"eyes": [0, 2], "nest": [2, 0]}),
)


def dozen() -> SmallWeb:
    """Twelve pages. Beside each, P(on | page), and what Transition makes of it: 0.2 + 0.5 P."""
    return SmallWeb(
        {
            "seed": "silk <a href=a>nest</a> <a href=b>eyes</a> <a href=c></a>",  # 2/3, 0.5333
            "a": "moss <a href=a1>eyes eyes</a> <a href=a2></a>",  # 1/3, 0.3667
            "b": "silk silk <a href=b1>nest</a> <a href=b2>eyes</a>",  # 4/5, 0.6
            "c": "silk moss <a href=c1>eyes</a> <a href=c2>nest</a>",  # 1/2, 0.45
            "b2": "moss moss <a href=d>eyes</a>",  # 1/5, 0.3
            "c1": "silk <a href=e>nest</a>",  # 2/3, 0.5333
            **dict.fromkeys(["a1", "a2", "b1", "c2", "d", "e"], "moss"),
        }
    )


def test_neighbourhood_goes_by_the_page_alone() -> None:
    # seed gives a, b, c 2/3 each, oldest first; a gives 1/3, b 4/5, b2 gives d 1/5, c 1/2, c1 gives e 2/3.
    order = crawl(dozen(), Neighbourhood(tables=TABLES, learn=False))
    assert order == ["seed", "a", "b", "b1", "b2", "c", "c1", "e", "c2", "a1", "a2", "d"]


def test_anchor_goes_by_the_anchor_alone() -> None:
    # eyes 1/2, no anchor 1/4 (the prior), nest 1/10, eyes eyes 3/4; oldest first among the nests.
    order = crawl(dozen(), Anchor(tables=TABLES, learn=False))
    assert order == ["seed", "b", "b2", "d", "c", "c1", "a", "a1", "a2", "b1", "c2", "e"]


def test_transition_goes_by_both() -> None:
    # Odds of the page's sum, times 3 for eyes, over 3 for nest:
    #   seed 0.5333: a 0.276, b 0.774, c 0.533     b 0.6: b1 0.333, b2 0.818     b2 0.3: d 0.5625
    #   c 0.45: c1 0.711, c2 0.214                 c1 0.5333: e 0.276            a 0.3667: a1 0.839, a2 0.367
    order = crawl(dozen(), Transition(tables=TABLES, learn=False))
    assert order == ["seed", "b", "b2", "d", "c", "c1", "b1", "a", "a1", "a2", "e", "c2"]


def test_the_scores_are_the_ones_worked_out_on_paper() -> None:
    web = dozen()
    model = model_for(prepare(web.topic, web, Limits(), 0), TABLES, most_words=0)
    page = web.page(web.id("seed"))
    posterior = model.pages.posterior(page)
    assert posterior == pytest.approx([1 / 3, 2 / 3])
    anchors = AnchorWords.of(page, np.arange(3, dtype=np.int32))
    by_anchor = model.link_posteriors(anchors, model.anchor_prior())[:, model.target]
    assert by_anchor == pytest.approx([1 / 10, 1 / 2, 1 / 4])
    by_both = model.link_posteriors(anchors, model.step_prior(posterior))[:, model.target]
    assert by_both == pytest.approx([8 / 29, 24 / 31, 8 / 15])


def test_a_visit_labels_the_link_that_led_to_it() -> None:
    web, strategy = dozen(), Transition(tables=TABLES)
    crawl(web, strategy, "seed", "b", "b2", limits=Limits(max_pages=4))
    # After seed, b and b2 comes d. The seed was reached by no link; eyes led on topic twice, then astray.
    learned = strategy.model.tables()
    assert learned.anchors.words == {"eyes": [1, 4], "nest": [2, 0]}
    assert learned.anchors.documents == [4, 3]
    assert learned.transitions == [[7, 1], [3, 8]]
    assert learned.pages.documents == [3, 5]
    assert learned.pages.rest["silk"] == [1, 3 + 1 + 2]


def test_what_is_not_to_be_learned_is_not() -> None:
    for strategy in (Neighbourhood(tables=TABLES, learn=False), Transition(tables=TABLES, learn=False)):
        crawl(dozen(), strategy, "seed", "b")
        assert strategy.model.tables() == TABLES


def test_neighbourhood_learns_pages_and_no_links() -> None:
    web, strategy = dozen(), Neighbourhood(tables=TABLES)
    crawl(web, strategy, "seed", "b")
    learned = strategy.model.tables()
    assert learned.pages.documents == [2 + 10, 2 + 2]
    assert learned.anchors == TABLES.anchors
    assert learned.transitions == TABLES.transitions


def test_a_failed_fetch_teaches_nothing() -> None:
    web = SmallWeb({"seed": "silk <a href=gone>eyes</a> <a href=never>nest</a>"}, dead=["gone"])
    strategy = Anchor(tables=TABLES)
    crawl(web, strategy, "seed")
    assert strategy.model.tables() == TABLES


def test_the_better_of_two_links_to_one_page_is_the_one_remembered() -> None:
    web = SmallWeb(
        {
            "seed": "silk <a href=x>nest</a> <a href=x>eyes</a> <a href=x>nest</a> <a href=y>eyes</a>",
            "x": "moss",
        }
    )
    strategy = Anchor(tables=TABLES)
    assert crawl(web, strategy, "x") == ["seed", "x"]
    assert strategy.model.tables().anchors.words == {"eyes": [0, 3], "nest": [2, 0]}


def chain() -> SmallWeb:
    """The seed's links read alike, until it turns out where the first of them leads."""
    return SmallWeb(
        {
            "seed": "<a href=a>nest one</a> <a href=b>plain</a> <a href=c>nest two</a>",
            **dict.fromkeys("abc", "moss"),
        }
    )


def test_waiting_links_are_scored_anew_only_if_asked_to() -> None:
    nothing_yet = AnchorCounts([1, 1], {"nest": [0, 0], "plain": [0, 0]})
    plain = msgspec.structs.replace(TABLES, anchors=nothing_yet)
    assert crawl(chain(), Anchor(tables=plain, rescore=0)) == ["seed", "a", "b", "c"]
    assert crawl(chain(), Anchor(tables=plain, rescore=1), "a") == ["seed", "a", "c", "b"]
    assert crawl(chain(), Transition(tables=plain, rescore=1), "a") == ["seed", "a", "c", "b"]
    assert crawl(chain(), Anchor(tables=plain, rescore=1)) == ["seed", "a", "b", "c"]


def test_an_offered_link_scores_as_such_even_after_rescoring() -> None:
    web = dozen()
    strategy = Anchor(tables=TABLES, rescore=1)
    strategy.start(prepare(web.topic, web, Limits(), 0))
    strategy.choose(1, frozenset())
    strategy.observe(visit(web, "seed"), np.arange(3, dtype=np.int32))
    strategy.offer(Links.to([web.id("a")]))
    strategy.observe(visit(web, "d", step=1), NONE)
    (best,) = strategy.choose(1, frozenset())
    assert (web.name(best.link.url), best.score) == ("a", 1.0)


def visit(web: SmallWeb, name: str, step: int = 0, positive: bool = False) -> Visit:
    url = web.id(name)
    return Visit(step, Choice(Link(url)), url, Outcome.OK, web.page(url), float(positive), positive, 0)


@pytest.mark.parametrize("make", [Anchor, Transition])
def test_what_is_remembered_of_links_is_bounded_like_the_frontier(make: type[Anchor | Transition]) -> None:
    pages = {
        f"p{n}": "silk " + "".join(f"<a href=x{n}-{at}>eyes {'nest ' * (at % 5)}</a>" for at in range(60))
        for n in range(40)
    }
    web = SmallWeb(pages)
    strategy = make()
    strategy.start(prepare(web.topic, web, Limits(max_buffer=16), 0))
    for step, name in enumerate(pages):
        chosen = strategy.choose(2, frozenset())
        strategy.observe(visit(web, name, step, positive=step % 3 == 0), np.arange(60, dtype=np.int32))
        for choice in chosen:
            dead = Visit(step, choice, choice.link.url, Outcome.DEAD, None, 0.0, False, 1)
            strategy.observe(dead, NONE)
        assert len(strategy.frontier) <= 16
        assert len(strategy._waiting) <= 16 + 64
        assert not strategy._in_flight


def test_of_an_anchor_nobody_closed_the_first_words_are_read() -> None:
    web = SmallWeb({"seed": f"<a href=a>{'eyes ' * 500}</a>", "a": "silk"})
    strategy = Anchor(tables=TABLES)
    crawl(web, strategy, "a")
    assert strategy.model.tables().anchors.words["eyes"] == [0, 2 + LONGEST_ANCHOR]


def test_before_the_first_link_titles_keywords_and_links_between_known_pages_stand_for_labelled_links() -> None:
    web = SmallWeb(
        {
            "seed": "",
            "good": "<title>Salticids</title><p>hunters <a href=bad>finches</a> <a href=good>home</a>",
            "bad": "<title>Birds</title><h1>Finches</h1><p>seeds <a href=other>other</a>",
        }
    )
    web.topic = replace(web.topic, examples=(address("good"),), negatives=(address("bad"),))
    learned = model_for(prepare(web.topic, web, Limits(), 0), None, 0).tables()
    assert learned.anchors.words == {
        "birds": [1, 0],
        "finches": [2, 0],
        "jumping": [0, 1],
        "salticids": [0, 1],
        "spiders": [0, 1],
    }
    assert learned.anchors.documents == [2, 2]
    assert learned.transitions == [[0, 0], [1, 0]]
    assert learned.pages.heading == {"birds": [1, 0], "finches": [1, 0], "salticids": [0, 1]}


@pytest.mark.parametrize("name", ["neighbourhood", "anchor", "transition"])
@pytest.mark.parametrize("keywords", ["", "the of and", "jumping spiders"])
def test_a_bare_topic_and_empty_pages_are_no_trouble(name: str, keywords: str) -> None:
    web = SmallWeb({"seed": "<a href=a></a><a href=b><img src=x></a>", "a": "", "b": "<a href=a>the</a>"})
    web.topic = replace(web.topic, keywords=keywords)
    strategy = strategies.make(name, {"rescore": 1} if name != "neighbourhood" else {})
    assert sorted(crawl(web, strategy, "a")) == ["a", "b", "seed"]


def test_a_page_without_areas_can_be_scored_and_learned() -> None:
    web = dozen()
    bare = replace(web.page(web.id("seed")), area_start=NONE, area=np.zeros(0, np.uint8))
    web._pages[web.id("seed")] = bare
    web.topic = replace(web.topic, examples=(address("seed"),))
    for name in ("neighbourhood", "anchor", "transition"):
        assert len(crawl(web, strategies.make(name))) == 12


def test_tables_go_through_a_strategy_file(tmp_path: Path) -> None:
    file = tmp_path / "learned.toml"
    file.write_text(save_link_tables("transition", TABLES, {"learn": False, "rescore": 7}))
    name, strategy = strategy_of(str(file), {"rescore": "0"}, files=True)
    assert isinstance(strategy, Transition)
    assert (name, strategy.tables, strategy.learn, strategy.rescore) == ("transition", TABLES, False, 0)
    assert load(file.read_text()) == TABLES
    assert crawl(dozen(), strategy)[:5] == ["seed", "b", "b2", "d", "c"]


def test_what_a_crawl_learned_is_where_the_next_one_starts(tmp_path: Path) -> None:
    teacher = Anchor(tables=TABLES)
    crawl(dozen(), teacher, "seed", "b", "b2", "d")
    file = tmp_path / "learned.toml"
    file.write_text(save_link_tables("anchor", teacher.model.tables()))
    _, pupil = strategy_of(str(file), files=True)
    assert isinstance(pupil, Anchor)
    pupil.start(prepare(dozen().topic, dozen(), Limits(), 0))
    assert pupil.model.tables() == teacher.model.tables()


def test_rare_words_may_be_left_out_of_tables() -> None:
    web = dozen()
    model = model_for(prepare(web.topic, web, Limits(), 0), TABLES, 0)
    model.learn_page(web.page(web.id("seed")), 1)
    assert set(model.tables(least=2).pages.rest) == {"moss", "silk"}
    assert set(model.tables().pages.rest) == {"eyes", "moss", "nest", "silk"}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"target": "course"}, "is none of the classes"),
        ({"classes": ["on"]}, "two or more different names"),
        ({"transitions": [[1, 2]]}, "1 rows of transitions for 2 classes"),
        ({"transitions": [[1, 2], [1, -2]]}, "2 counts, one for each class"),
        ({"anchors": {"documents": [1, 2], "words": {"eyes": [1]}}}, "eyes should be 2 counts"),
        ({"anchors": {"documents": [1, 2], "words": {"eyes": [1, 10**30]}}}, "."),
        ({"anchors": {"documents": [1, 2], "word": {}}}, "unknown field `word`"),
        ({"pages": {"documents": ["one", 2]}}, "Expected `int`"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(wrong: dict[str, object], why: str) -> None:
    told = {
        "classes": ["off", "on"],
        "target": "on",
        "transitions": [[1, 1], [1, 1]],
        "pages": {"documents": [1, 1]},
        "anchors": {"documents": [1, 1]},
    }
    strategies.make("anchor", {"tables": told})
    with pytest.raises(UserError, match=why):
        strategies.make("anchor", {"tables": {**told, **wrong}})
    with pytest.raises(UserError):
        strategies.make("anchor", {"tables": "a text"})
    with pytest.raises(UserError, match="no \\[tables\\]"):
        load('strategy = "anchor"')


def test_with_more_classes_a_rejected_page_is_of_the_likeliest_other() -> None:
    words = Texts()
    model = LinkModel(words, "en", ["course", "staff", "project"], "staff")
    assert model.label(True, np.array([0.9, 0.0, 0.1])) == 1
    assert model.label(False, np.array([0.3, 0.6, 0.1])) == 0
    assert model.label(False, np.array([0.1, 0.6, 0.3])) == 2


def test_three_classes_steer_a_crawl() -> None:
    tables = LinkTables(
        ["course", "staff", "other"],
        "staff",
        [[4, 1, 1], [1, 4, 1], [1, 1, 4]],
        PageCounts([1, 1, 1], rest={"silk": [3, 0, 0], "moss": [0, 3, 0]}),
        AnchorCounts([1, 1, 1], {"eyes": [3, 0, 0], "nest": [0, 3, 0]}),
    )
    # Now nest leads to the class sought, so the order among the seed's links turns round.
    strategy = Transition(tables=tables)
    assert crawl(dozen(), strategy, "a")[:2] == ["seed", "a"]
    # Reached by "nest" from the seed, a course by its silk; the pages that were rejected are no staff.
    assert strategy.model.tables().anchors.words["nest"][1] == 3 + 1
    assert sum(strategy.model.tables().pages.documents) == 3 + 12
    assert strategy.model.tables().pages.documents[1] == 1 + 1

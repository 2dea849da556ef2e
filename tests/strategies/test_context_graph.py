"""Context graphs against a crawl worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.model import Event, Ints, Page, Visit
from salticid.protocols import Brief
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies import strategies
from salticid.strategies.context_graph import ContextGraph, Layers
from salticid.testing.small import SmallWeb, address
from salticid.text.stems import Bag
from salticid.topic import Limits


class KnownLinks:
    """Backlinks among some pages of a small web, in the order given."""

    def __init__(self, web: SmallWeb, names: Sequence[str]) -> None:
        self._pages = [web.page(web.id(name)) for name in names]

    def sources(self, url: int, most: int) -> list[Page]:
        return [page for page in self._pages if url in page.links.url and page.url != url][:most]


def a_dozen_pages() -> SmallWeb:
    """Music leads to gardens, and gardens to spiders: so it was with m, g and the example t."""
    pages = {
        "seed": ("music rain", ["a", "b", "c"]),
        "a": ("garden bread", ["a1", "a2"]),
        "b": ("rain bread", ["b1"]),
        "c": ("garden", ["c1"]),
        "a1": ("spider", ["a11"]),
        "a2": ("music", ["a21"]),
        "c1": ("spider rain rain rain", ["c11"]),
        "a11": ("rain", ["x"]),
        **{name: ("rain", []) for name in ("a21", "b1", "c11", "x")},
        "m": ("music music", ["g"]),
        "g": ("garden garden", ["t"]),
        "t": ("spiders spiders", []),
    }
    web = SmallWeb(pages)
    web.topic = replace(web.topic, examples=(address("t"),))
    return web


def brief_of(web: SmallWeb, known: Sequence[str] | None) -> Brief:
    brief = prepare(web.topic, web, Limits(), seed=0)
    return brief if known is None else replace(brief, backlinks=KnownLinks(web, known))


def crawl(strategy: ContextGraph, web: SmallWeb, known: Sequence[str] | None) -> tuple[list[Visit], list[Event]]:
    log, clock = MemoryLog(), VirtualClock()
    crawl = Crawl(brief_of(web, known), strategy, Cosine(), log, clock, web.page)
    news = strategy.events()
    replay(crawl, web, Window(), clock)
    return log.visits, news


def names(web: SmallWeb, visits: Sequence[Visit]) -> str:
    return " ".join(web.name(visit.url) for visit in visits)


def test_a_crawl_worked_out_on_paper() -> None:
    """Layers: 0 is t, 1 is g, 2 is m; each has one telling word, P = 3/5 there and 1/5 elsewhere.

    page  layer  nearness  likeness           its links score, of 4
    seed  2      1         1/sqrt 2  = .7071  a b c  .4268
    a     1      2         .7071              a1 a2  .6768
    a1    0      3         1                  a11    1.0
    a11   none   0         0                  x      0
    a2    2      1         1                  a21    .5
    b     none                                b1     0
    c     1      2         1                  c1     .75
    c1    0      3         1/sqrt 10 = .3162  c11    .8291
    """
    web = a_dozen_pages()
    visits, news = crawl(ContextGraph(layers=2), web, ["m", "g", "t"])
    assert names(web, visits) == "seed a a1 a11 a2 a21 b c c1 c11 x b1"
    assert [round(visit.choice.score, 4) for visit in visits] == [
        1.0, 0.4268, 0.6768, 1.0, 0.6768, 0.5, 0.4268, 0.4268, 0.75, 0.8291, 0.0, 0.0,
    ]  # fmt: skip
    assert news == [Event("layers", (("0", 1), ("1", 1), ("2", 1)))]
    assert [(name, round(part, 4)) for name, part in visits[9].choice.why] == [
        ("nearness", 0.75),
        ("likeness", 0.0791),
    ]
    assert visits[0].choice.why == ()


@pytest.mark.parametrize("known", [None, [], ["m", "t"]])
def test_without_backlinks_it_goes_by_likeness_to_the_examples(known: list[str] | None) -> None:
    """Only spiders are known: a1 leads to a11 with 1.0, c1 to c11 with (1 + .3162)/2, all else in order."""
    web = a_dozen_pages()
    visits, news = crawl(ContextGraph(), web, known)
    assert names(web, visits) == "seed a b c a1 a11 a2 b1 c1 c11 x a21"
    assert Event("no backlinks") in news


def test_without_examples_it_goes_by_the_keywords() -> None:
    web = SmallWeb(
        {
            "seed": ("rain", ["a", "b"]),
            "a": ("spiders rain", ["a1"]),
            "b": ("jumping spiders", ["b1"]),
            "a1": ("rain", []),
            "b1": ("rain", []),
        }
    )
    visits, news = crawl(ContextGraph(), web, None)
    assert names(web, visits) == "seed a a1 b b1"
    assert news == [Event("layers", (("0", 1),)), Event("no backlinks")]
    assert [round(visit.choice.score, 4) for visit in visits] == [1.0, 0.0, 0.75, 0.0, 1.0]


def test_a_page_is_in_the_lowest_layer_it_can_be_in() -> None:
    web = SmallWeb(
        {
            "seed": ("rain", []),
            "t": ("spiders", ["t"]),
            "both": ("garden", ["t", "near"]),
            "near": ("garden", ["t", "both"]),
            "far": ("music", ["both", "near"]),
        }
    )
    web.topic = replace(web.topic, examples=(address("t"),))
    _, news = crawl(ContextGraph(layers=3), web, ["far", "both", "near", "t"])
    assert news == [Event("layers", (("0", 1), ("1", 2), ("2", 1)))]


def test_a_layer_has_its_bound_and_each_example_its_turn() -> None:
    pages = {f"many{n}": (f"garden {'rain ' * n}", ["t1"]) for n in range(9)}
    web = SmallWeb({"seed": ("rain", []), **pages, "one": ("music", ["t2"]), "t1": ("spiders", []), "t2": ("webs", [])})
    web.topic = replace(web.topic, examples=(address("t1"), address("t2")))
    strategy = ContextGraph(layers=1, pages_per_layer=2)
    _, news = crawl(strategy, web, [*pages, "one"])
    assert news == [Event("layers", (("0", 2), ("1", 2)))]
    layer = next(strategy._context(KnownLinks(web, [*pages, "one"]), brief_of(web, None).examples))
    assert [web.name(page.url) for page in layer] == ["many0", "one"]


def test_pages_like_the_negatives_are_of_no_layer() -> None:
    web, rain = a_dozen_pages(), address("x")
    web.topic = replace(web.topic, negatives=(rain,))
    visits, _ = crawl(ContextGraph(layers=2), web, ["m", "g", "t"])
    from_c1 = next(visit for visit in visits if web.name(visit.url) == "c11")
    assert from_c1.choice.score == 0.0, "one spider in three rains is rain"


def test_the_order_of_words_in_the_tables_changes_no_score() -> None:
    dice = np.random.default_rng(3)
    pages = [dice.integers(1, 300, 400) for _ in range(30)]
    renamed = np.concatenate(([0], 1 + dice.permutation(300))).astype(np.int32)

    def placed(names: Ints) -> list[tuple[int | None, float]]:
        bags = [Bag.of(names[page]) for page in pages]
        layers = Layers([bags[:3], bags[3:9], bags[9:20]], bags[20:24])
        return [layers.place(bag) for bag in bags]

    assert placed(np.arange(301, dtype=np.int32)) == placed(renamed)
    assert {layer for layer, _ in placed(renamed)} == {0, 1, 2, None}


@pytest.mark.parametrize("settings", [{"layers": 0}, {"layers": 11}, {"pages_per_layer": 0}])
def test_settings_have_their_bounds(settings: dict[str, int]) -> None:
    with pytest.raises(UserError, match=f"setting {next(iter(settings))}="):
        strategies.make("context_graph", settings)

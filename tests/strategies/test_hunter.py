"""The hunter: what it sums up, what it learns, what it crosses, and that it finds more than best-first does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pytest
from tests.support.tiny_model import Synonyms

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock
from salticid.encoders import AbsentEncoder, KeptMeanings
from salticid.errors import UserError
from salticid.judges import judges
from salticid.judges.cosine import Cosine
from salticid.metrics.parts.graph import Oracle
from salticid.metrics.targets import share_of_area
from salticid.model import Feedback, Outcome
from salticid.protocols import Meanings
from salticid.registry import settings_of
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.strategies.hunter import evidence, meaning, page_records
from salticid.strategies.hunter import waiting as waiting_links
from salticid.strategies.hunter.features import NAMES
from salticid.strategies.hunter.hunter import Hunter
from salticid.strategies.hunter.url_parts import WORDS
from salticid.strategies.hunter.waiting import Waiting
from salticid.strategies.hunter.weights import ALL_NAMES, OnlineWeights, Prior, default_prior, strategy_file
from salticid.testing.small import SmallWeb, spider_web
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.urls import canonical
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

FLOORS = json.loads((Path(__file__).parents[1] / "floors.json").read_text())


class Stepped:
    """A crawl that goes a page at a time."""

    def __init__(
        self,
        web: SmallWeb,
        hunter: Hunter,
        examples: Sequence[str] = (),
        meanings: Meanings | None = None,
        **limits: int,
    ) -> None:
        told = replace(web.topic, examples=tuple(f"http://small.example/{name}" for name in examples))
        self.web, self.hunter, self.log = web, hunter, MemoryLog()
        brief = prepare(told, web, Limits(max_pages=100, **limits), seed=0, meanings=meanings)
        self.crawl = Crawl(brief, hunter, Cosine(), self.log, VirtualClock(), web.page)

    def step(self, pages: int = 1) -> list[str]:
        """The names of the next pages fetched."""
        names = []
        for _ in range(pages):
            for choice in self.crawl.choices(1):
                self.crawl.deliver(choice, self.web.fetch(choice.link.url))
                names.append(self.web.name(choice.link.url))
        return names

    def waiting(self) -> list[str]:
        """The names of what waits, best first."""
        return [self.web.name(choice.link.url) for choice in self.hunter.waiting(100)[1]]


def only(**weights: float) -> Prior:
    """A prior by which only these features count, written with _ for spaces."""
    told = {name.replace("_", " "): weight for name, weight in weights.items()}
    names = NAMES if set(told) <= set(NAMES) else ALL_NAMES
    assert set(told) <= set(names)
    row = {name: told.get(name, 0.0) for name in names}
    return Prior("by hand", row, row, dict.fromkeys(names, float("inf")), dict.fromkeys(names, 1.0))


def fixed(**weights: float) -> Hunter:
    """A hunter that goes by these features and learns no others."""
    return Hunter(prior=only(**weights), pull=1e9)


def test_a_link_is_followed_for_what_it_means_in_other_words() -> None:
    web = SmallWeb(
        {
            "seed": "<p>birds <a href=a>moss</a> <a href=b>fern</a> <a href=c>salticidae</a> "
            "<a href=p/arachnids.html></a>",
            **dict.fromkeys(("a", "b", "c", "p/arachnids.html"), "<p>moss"),
        }
    )
    encoder = Synonyms("spiders", "salticidae", "arachnids")
    stepped = Stepped(web, fixed(link_means_keywords=1.0), meanings=KeptMeanings(encoder))
    assert stepped.step() == ["seed"]
    assert stepped.waiting() == ["c", "p/arachnids.html", "a", "b"]
    assert stepped.hunter.waiting(1)[1][0].why[0][0] == "link means keywords"
    without = Stepped(web, fixed(link_means_keywords=1.0))
    without.step()
    assert without.waiting() == ["a", "b", "c", "p/arachnids.html"]


def test_titles_that_are_liked_draw_links_and_titles_that_are_rejected_push_them_away() -> None:
    web = SmallWeb(
        {
            "seed": "<title>start</title><p>birds <a href=a>one</a> <a href=b>nine</a> <a href=c>salticidae</a> "
            "<a href=d>lycosidae</a>",
            "known": "<title>lycosidae</title><p>jumping spiders",
            "known2": "<title>lycosidae</title><p>jumping spiders",
            **dict.fromkeys(("a", "b", "c", "d"), "<p>moss"),
        },
        seeds=["seed"],
    )
    encoder = Synonyms("lycosidae", "arachnids")
    for side, first in (("mean", "d"), ("best", "d")):
        hunter = fixed(**{f"link_means_liked_{side}": 1.0})
        stepped = Stepped(web, hunter, examples=["known", "known2"], meanings=KeptMeanings(encoder))
        stepped.step()
        assert stepped.waiting()[0] == first
    away = Stepped(web, fixed(link_means_rejected_mean=-1.0), meanings=KeptMeanings(Synonyms("start", "salticidae")))
    away.step()
    assert away.waiting()[-1] == "c"


def test_few_links_of_a_page_are_encoded_and_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "AT_FIRST", 8)
    monkeypatch.setattr(meaning, "AT_ONCE", 4)
    links = " ".join(f"<a href=t{n}>word{n}</a>" for n in range(60))
    web = SmallWeb(
        {"seed": f"<title>start</title><p>birds {links}"} | {f"t{n}": f"<title>t{n}</title>" for n in range(60)}
    )
    encoder = Synonyms()
    stepped = Stepped(web, fixed(link_means_keywords=1.0), meanings=KeptMeanings(encoder))
    stepped.step(5)
    titles, texts = 5, encoder.texts
    assert len(texts) == len(set(texts)) <= 8 + 4 * meaning.LINKS_A_PAGE + titles + 1
    monkeypatch.setattr(meaning, "KEPT_LINKS", 6)
    monkeypatch.setattr(meaning, "KEPT_TITLES", 6)
    assert len(stepped.step(20)) == 20  # with all that is forgotten
    assert len(encoder.texts) == len(set(encoder.texts))


def test_an_encoder_that_knows_nothing_changes_nothing() -> None:
    web = spider_web()
    silent = KeptMeanings(AbsentEncoder("none", "", "", 4))
    prior = replace_weights(default_prior(semantic=True))
    with_it, without = (Stepped(web, Hunter(prior=prior), meanings=some).step(9) for some in (silent, None))
    assert with_it == without


def replace_weights(prior: Prior) -> Prior:
    """The prior, read from its own file again."""
    text = strategy_file(prior)
    return msgspec.convert(msgspec.toml.decode(text)["prior"], Prior)


def test_the_second_link_to_a_url_raises_it_above_its_twin() -> None:
    web = SmallWeb(
        {
            "seed": "<p>birds <a href=a>jumping</a> <a href=b>jumping</a> <a href=hub>spiders spiders spiders</a>",
            "hub": "<p>birds <a href=b>jumping</a>",
            "a": "<p>moss",
            "b": "<p>moss",
        }
    )
    stepped = Stepped(web, fixed(all_anchor_topic=1.0))
    assert stepped.step() == ["seed"]
    assert stepped.waiting() == ["hub", "a", "b"]
    assert stepped.step(2) == ["hub", "b"]


def test_links_of_the_examples_count_although_no_crawl_may_start_there() -> None:
    web = SmallWeb(
        {
            "seed": "<p>birds <a href=a>more</a> <a href=b>more</a>",
            "known": "<p>jumping spiders <a href=b>see also</a>",
            "a": "<p>moss",
            "b": "<p>moss",
        },
        seeds=["seed"],
    )
    stepped = Stepped(web, fixed(from_examples=1.0), examples=["known"])
    assert stepped.step(3) == ["seed", "b", "a"]


def test_a_door_is_crossed_because_one_like_it_led_to_good_pages() -> None:
    pages = {
        "seed": "<p>birds <a href=/d/1>catalogue</a> <a href=/x/1>moss</a> <a href=/x/2>fern</a>"
        " <a href=/d/2>catalogue</a>",
        "d/1": "<p>letters " + " ".join(f"<a href=/g/{n}>jumping</a>" for n in range(3)),
        "d/2": "<p>letters <a href=/g/9>page</a>",
        "x/1": "<p>moss",
        "x/2": "<p>fern",
        **{f"g/{n}": "<p>jumping spiders" for n in (0, 1, 2, 9)},
    }
    web = SmallWeb({f"small.example/{name}": sheet for name, sheet in pages.items()})
    blind = Stepped(web, fixed(best_anchor_topic=9.0)).step(9)
    assert blind == ["seed", "d/1", "g/0", "g/1", "g/2", "x/1", "x/2", "d/2", "g/9"]
    for door in ("door_words", "door_folder"):
        crossing = Stepped(web, fixed(best_anchor_topic=9.0, **{door: 1.0})).step(7)
        assert crossing == ["seed", "d/1", "g/0", "g/1", "g/2", "d/2", "x/1"], door


def test_an_address_that_shares_or_does_something_speaks_for_nothing() -> None:
    """They name a page on the topic, in their own address, and lead to none."""
    links = [
        "small.example/jumping-spiders",
        "small.example/trains",
        "small.example/jumping-spiders?action=edit",
        "small.example/send?u=https://a.example/jumping-spiders",
        "small.example/login/jumping-spiders",
    ]
    stepped = Stepped(SmallWeb({"seed": ("jumping spiders", links)}), Hunter(prior=only(address_topic=1.0)))
    stepped.step()
    best, *others = stepped.hunter.waiting(5)[1]
    assert stepped.web.urls[best.link.url] == "http://small.example/jumping-spiders"
    assert best.score > 0.5
    assert [choice.score for choice in others] == [0.5] * 4


def test_what_a_person_likes_moves_up_what_is_near_it() -> None:
    web = SmallWeb(
        {
            "seed": "<p>birds <a href=a>one</a> <a href=b>two</a>",
            "a": "<p>moss <a href=a1>x</a> <a href=a2>y</a>",
            "b": "<p>fern <a href=b1>x</a> <a href=b2>y</a>",
        }
    )
    stepped = Stepped(web, fixed(pages_best=1.0))
    stepped.step(3)
    assert stepped.waiting() == ["a1", "a2", "b1", "b2"]
    stepped.hunter.revise([], [Feedback(web.id("b"), 1)])
    assert stepped.waiting() == ["b1", "b2", "a1", "a2"]
    stepped.hunter.revise([(1, 0.9)], [Feedback(web.id("b"), -1)])
    assert stepped.waiting() == ["a1", "a2", "b1", "b2"]


def test_words_of_liked_pages_become_words_of_the_topic() -> None:
    pages = {f"p{n}": f"<p>jumping spiders salticid eyes <a href=p{n + 1}>next</a>" for n in range(6)}
    web = SmallWeb({**pages, "p6": "<p>birds <a href=moss>moss</a> <a href=salticid>salticid</a>", "q": "<p>fern"})
    stepped = Stepped(web, fixed(best_anchor_learned=1.0))
    stepped.step(7)
    assert stepped.waiting() == ["salticid", "moss"]


def test_why_names_the_three_features_that_count_most() -> None:
    web = SmallWeb({"seed": "<p>birds <a href=spiders>jumping spiders</a>", "spiders": "<p>jumping spiders"})
    stepped = Stepped(web, fixed(best_anchor_learned=2.0, address_learned=-1.0, links_in=0.5))
    stepped.step()
    (choice,) = stepped.hunter.waiting(1)[1]
    told = dict(choice.why)
    assert list(told) == ["best anchor learned", "address learned", "links in"]
    assert told["best anchor learned"] == pytest.approx(2.0)
    assert told["address learned"] == pytest.approx(-(0.5**0.5))
    assert told["links in"] == 0.5


def test_what_was_dropped_for_want_of_room_keeps_its_evidence() -> None:
    anchors = " ".join(f"<a href=n{n}>jumping</a>" for n in range(6))
    web = SmallWeb(
        {
            "seed": f"<p>birds {anchors} <a href=low>moss</a> <a href=hub>jumping spiders</a>",
            "hub": "<p>x <a href=low>jumping spiders</a>",
        }
    )
    stepped = Stepped(web, fixed(all_anchor_topic=1.0), max_buffer=3)
    stepped.step()
    assert stepped.waiting() == ["hub", "n0", "n1"]
    assert stepped.step() == ["hub"]
    assert stepped.waiting() == ["low", "n0", "n1"]


def test_what_it_remembers_does_not_grow_with_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "ROWS_ANYWAY", 60)
    monkeypatch.setattr(page_records, "WAYS", 10)
    chain = {
        f"p{n}": f"<p>spiders <a href=p{n + 1}>spiders</a> <a href=p{n // 2}>back</a> <a href=p0>home</a>"
        for n in range(100)
    }
    stepped = Stepped(SmallWeb(chain, seeds=["p0"]), fixed(best_anchor_topic=1.0))
    assert stepped.step(100) == [f"p{n}" for n in range(100)]
    rows, ways = stepped.hunter._pages.link_targets()
    assert rows.tolist() == list(range(90, 100))
    assert all(len(column) == 10 for column in ways)
    assert len(stepped.hunter._evidence) <= 60 + 3 * stepped.hunter.rescore


def test_how_pages_were_found_is_told_of_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_records, "WAYS", 3)
    known = page_records.PageRecords()
    for row in range(20):
        way = page_records.Ways(np.full((1, 2), row), np.full((1, page_records.LED_BY), row), np.full((1, WORDS), row))
        known.add([row], None if row in (0, 18) else row, 0.5, 1, way)
        rows, ways = known.link_targets()
        last = [at for at in range(max(0, row - 2), row + 1) if at not in (0, 18)]
        assert rows.tolist() == last
        assert ways.places[:, 0].tolist() == ways.anchor[:, 0].tolist() == ways.address[:, 0].tolist() == last
    assert [known.row_of(step) for step in (-1, 0, 1, 17, 18, 19, 5000)] == [-1, -1, 1, 17, -1, 19, -1]


def test_equals_wait_oldest_first_and_the_newest_is_dropped() -> None:
    waiting, hosts, shut = Waiting(limit=2, width=1), np.array([1, 2, 1], np.int32), np.zeros(3, np.bool_)
    waiting.enter(np.array([7, 3, 5], np.int32), hosts, 0, np.arange(3, dtype=np.int32))
    newest = waiting.new_slots()
    waiting.margin.held[newest] = 1.0
    waiting.has_scored(newest)
    waiting.shrink(newest)
    assert waiting.url.held[waiting.best(5)].tolist() == [7, 3]
    waiting.discard(7)
    waiting.enter(np.array([5], np.int32), hosts[:1], 1, np.zeros(1, np.int32))
    waiting.margin.held[waiting.new_slots()] = 1.0
    assert waiting.url.held[waiting.best(1)].tolist() == [waiting.url.held[waiting.best_one(shut)]] == [3]
    shut[2] = True
    assert waiting.url.held[waiting.best_one(shut)] == 5
    shut[1] = True
    assert waiting.best_one(shut) == waiting_links.NOWHERE


def test_the_lowest_are_dropped_whatever_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_links, "_LOW", 8)
    rng = np.random.default_rng(0)
    waiting, naive, url = Waiting(limit=30, width=1), list[tuple[float, int]](), 0
    for step in range(300):
        fresh = np.arange(url, url + int(rng.integers(0, 9)), dtype=np.int32)
        url += len(fresh)
        waiting.enter(fresh, fresh, step, np.zeros(len(fresh), np.int32))
        newest = waiting.new_slots()
        margins = rng.integers(0, 5, len(newest)) / 4.0
        waiting.margin.held[newest] = margins
        waiting.has_scored(newest)
        naive += [(float(margin), -int(waiting.url.held[at])) for margin, at in zip(margins, newest, strict=True)]
        waiting.shrink(newest)
        naive = sorted(naive, reverse=True)[:30]
        assert waiting.url.held[waiting.best(30)].tolist() == [-age for _, age in naive]
        if naive and step % 3 == 0:
            gone = naive.pop(int(rng.integers(len(naive))))
            waiting.discard(-gone[1])


def test_weights_move_towards_what_pays_and_a_strong_pull_holds_them() -> None:
    rng = np.random.default_rng(0)
    first, second = NAMES.index("links in"), NAMES.index("early")
    rows = np.zeros((60, len(NAMES)))
    rows[:, [first, second]] = rng.random((60, 2))
    moved = []
    for pull in (1.0, 1e9):
        weights = OnlineWeights(only(links_in=1.0), pull)
        for at, row in enumerate(rows):
            weights.add(row, at)
        for _ in range(5):
            weights.learn(rows[:, second], lists=0.0)
        moved.append(weights.now)
    assert moved[0][second] > moved[0][first]
    assert moved[1][[first, second]] == pytest.approx([1.0, 0.0], abs=1e-3)


def test_where_links_stand_in_lists_other_weights_count_and_no_feature_runs_away() -> None:
    texts, menus = only(links_in=1.0), only(early=2.0)
    prior = Prior("by hand", texts.texts, menus.texts, texts.most | {"links in": 5.0}, texts.spread)
    weights = OnlineWeights(prior, 1e9)
    columns = [np.zeros(1) for _ in NAMES]
    columns[NAMES.index("links in")][:], columns[NAMES.index("early")][:] = 101.0, 1.0
    for lists, margin in ((0.0, 5.0), (0.4, 0.5 * 5.0 + 0.5 * 2.0), (0.9, 2.0)):
        weights.learn(np.zeros(0), lists)
        assert weights.margins(columns) == pytest.approx([margin])


def test_a_prior_must_name_every_feature() -> None:
    told = {"provenance": "x"} | {key: {"luck": 1.0} for key in ("texts", "menus", "most", "spread")}
    with pytest.raises(UserError, match="needs each of its features once"):
        strategies.make("hunter", {"prior": told})


def test_the_prior_that_is_shipped_says_where_it_comes_from() -> None:
    assert "schools" in default_prior().provenance
    assert settings_of(Hunter())["prior"] is None


def share(world: Path, file: Path, strategy: str, pages: int) -> float:
    """The oracle share of one crawl."""
    web, log = RecordedWeb(world), MemoryLog()
    topic, truth = load_topic(file)
    recipe = Recipe(strategies.make(strategy), judges.make(Hunter.judge), Limits(max_pages=pages))
    RecordedCrawl(topic, web, recipe, log).run()

    def ids(texts: Iterable[str]) -> list[int]:
        return [web.urls.find(canonical(text) or "") for text in texts]

    wanted = set(ids(truth.targets)) - set(ids((*topic.seeds, *topic.examples)))
    best = Oracle(web).crawl(np.array(ids(topic.seeds), np.int32), np.array(sorted(wanted), np.int32), pages)
    found = [visit.final in wanted for visit in log.visits if visit.outcome is Outcome.OK]
    return share_of_area(found, best, pages) or 0.0


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated world of a few thousand pages."""
    world = tmp_path_factory.mktemp("hunting") / "world"
    build_generated(world, WebEdition(4000, seed=11))
    return world


@pytest.mark.parametrize("task", ["examples", "neighbours"])
def test_on_a_generated_web_it_keeps_its_floor(task: Literal["examples", "neighbours"], generated: Path) -> None:
    files = make_topics(generated, generated.parent / task, TopicPlan(task=task)).files[1::8]
    found, other = (
        float(np.mean([share(generated, file, name, 150) for file in files])) for name in ("hunter", "best_first")
    )
    assert found >= FLOORS[f"generated {task}"], "the floor is never lowered"
    assert found > other

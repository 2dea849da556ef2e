"""The sans-IO crawl: what it fetches, what it charges, what it refuses."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.support.scripted import ENOUGH, Crawled, Script, star

from salticid import crawl as crawling
from salticid.errors import ContractBroken
from salticid.messages import Extension, Message, Offer, Revision
from salticid.model import FROM_OFFER, Feedback, Links, Outcome, StopReason
from salticid.strategies.breadth_first import BreadthFirst
from salticid.testing.small import SmallWeb, address
from salticid.topic import Scope


def test_where_a_redirect_ends_counts_as_chosen() -> None:
    web = SmallWeb(star("old", "x", new=("spiders", []), x=("spiders", ["new", "y"])), redirects={"old": "new"})
    script = Script(web, "seed", "old", "x")
    done = Crawled(web, script)
    done.to_the_end()
    assert done.log.visits[1].final == web.id("new")
    assert script.fresh["x"] == ["y"]


def test_a_url_reached_by_redirect_is_a_duplicate_nobody_is_asked_for() -> None:
    web = SmallWeb(star("old", "new"), redirects={"old": "new"})
    done = Crawled(web, Script(web, "seed", "old", "new"))
    done.to_the_end()
    assert done.visits() == [("seed", "ok"), ("old", "ok"), ("new", "duplicate")]
    assert web.asked == ["seed", "old"]
    assert (done.crawl.pages, done.crawl.fetches) == (2, 2)


def test_a_redirect_onto_a_chosen_url_is_a_duplicate_that_is_not_charged() -> None:
    web = SmallWeb(star("new", "old"), redirects={"old": "new"})
    script = Script(web, "seed", "new", "old")
    done = Crawled(web, script)
    done.to_the_end()
    assert done.visits() == [("seed", "ok"), ("new", "ok"), ("old", "duplicate")]
    assert done.log.visits[2].final == web.id("new")
    assert script.fresh["old"] == []
    assert (done.crawl.pages, done.crawl.fetches) == (2, 3)


def test_so_is_a_redirect_onto_one_still_in_flight() -> None:
    web = SmallWeb(star("new", "old"), redirects={"old": "new"})
    done = Crawled(web, Script(web, "seed", "new old"))
    done.deliver(*done.crawl.choices(1))
    new, old = done.crawl.choices(2)
    assert done.deliver(old).outcome is Outcome.DUPLICATE
    assert done.deliver(new).outcome is Outcome.OK
    assert done.crawl.pages == 2


def test_two_redirects_to_one_page_bring_it_once() -> None:
    web = SmallWeb(star("one", "two", new=("spiders", [])), redirects={"one": "new", "two": "new"})
    done = Crawled(web, BreadthFirst())
    assert done.to_the_end() is StopReason.FRONTIER_EMPTY
    assert done.visits() == [("seed", "ok"), ("one", "ok"), ("two", "duplicate")]


@pytest.mark.parametrize(
    ("scope", "asked"),
    [
        (Scope(exclude=("*/b",)), ["seed", "a", "big.example/x"]),
        (Scope(include=("small.example/",)), ["seed", "a", "b"]),
        (Scope(same_site=True), ["seed", "a", "b"]),
        (Scope(max_depth=0), ["seed"]),
    ],
)
def test_what_is_out_of_scope_is_never_fetched_nor_charged(scope: Scope, asked: list[str]) -> None:
    names = ["a", "b", "big.example/x"]
    web = SmallWeb(star(*names))
    done = Crawled(web, BreadthFirst(), topic=replace(web.topic, scope=scope))
    assert done.to_the_end() is StopReason.FRONTIER_EMPTY
    assert web.asked == asked
    assert done.crawl.pages == done.crawl.fetches == len(asked)
    left_out = [name for name, outcome in done.visits() if outcome == "out of scope"]
    assert sorted([*asked, *left_out]) == sorted(["seed", *names])


def test_seeds_are_not_exempt_from_the_scope() -> None:
    web = SmallWeb(star("a"))
    done = Crawled(web, BreadthFirst(), topic=replace(web.topic, scope=Scope(exclude=("*/seed",))))
    assert done.to_the_end() is StopReason.FRONTIER_EMPTY
    assert (done.visits(), web.asked) == ([("seed", "out of scope")], [])


def test_depth_counts_the_links_from_a_seed() -> None:
    web = SmallWeb({"s": ("", ["a", "t"]), "a": ("", ["b"]), "b": ("", ["c"]), "t": ("", [])}, seeds=["s", "t"])
    done = Crawled(web, BreadthFirst())
    done.to_the_end()
    depths = {web.name(visit.url): visit.depth for visit in done.log.visits}
    assert depths == {"s": 0, "t": 0, "a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("turns", "rule"),
    [
        (["a"], "/a was chosen but never seen"),
        (["seed", "elsewhere"], "/elsewhere was chosen but never seen"),
        (["seed", "a", "a"], "/a was chosen twice"),
        (["seed", "a a"], "/a was chosen twice"),
        (["seed", "a", "seed"], "/seed was chosen twice"),
        (["seed", "a b a"], r"choose\(2\) gave 3 choices"),
    ],
)
def test_a_breach_of_contract_ends_the_crawl(turns: list[str], rule: str) -> None:
    web = SmallWeb(star("a", "b"))
    done = Crawled(web, Script(web, *turns))
    with pytest.raises(ContractBroken, match=rule):
        done.to_the_end(window=2)


# Examples and offers


def test_examples_are_read_and_never_charged() -> None:
    pages = star("a", known=("spiders", ["hidden"]), hidden=("spiders", []))
    web = SmallWeb(pages)
    topic = replace(web.topic, examples=(address("known"),), negatives=(address("a"),))
    done = Crawled(web, BreadthFirst(), topic=topic)
    assert [page.url for page in done.crawl.brief.examples] == [web.id("known")]
    assert (done.crawl.pages, done.crawl.fetches, done.log.visits) == (0, 0, [])
    done.to_the_end()
    assert done.visits() == [("seed", "ok"), ("a", "ok")]
    assert done.crawl.pages == done.crawl.fetches == 2


@pytest.mark.parametrize("name", ["known", "hidden"])
def test_neither_an_example_nor_its_links_are_start_points(name: str) -> None:
    web = SmallWeb(star("a", known=("spiders", ["hidden"])))
    topic = replace(web.topic, examples=(address("known"),))
    with pytest.raises(ContractBroken, match="never seen"):
        Crawled(web, Script(web, name), topic=topic).to_the_end()


def test_offers_leave_out_what_was_chosen() -> None:
    web = SmallWeb(star("a", "old", new=("spiders", [])), redirects={"old": "new"})
    script = Script(web, "seed", "old", "island")
    done = Crawled(web, script)
    for _ in range(2):
        done.deliver(*done.crawl.choices(1))
    done.crawl.offer(Links.to([web.id(name) for name in ("seed", "old", "new", "a", "island")]))
    assert script.fresh["offered"] == ["a", "island"]
    assert [web.name(choice.link.url) for choice in done.crawl.choices(1)] == ["island"]


def test_an_offered_link_starts_at_depth_nought() -> None:
    web = SmallWeb({**star("a"), "island": ("spiders", [])})
    done = Crawled(web, BreadthFirst())
    done.deliver(*done.crawl.choices(1))
    done.crawl.offer(Links.to([web.id("island")]))
    done.to_the_end()
    island = next(visit for visit in done.log.visits if visit.url == web.id("island"))
    assert (island.choice.link.source, island.depth, island.outcome) == (FROM_OFFER, 0, Outcome.OK)


def test_every_call_is_logged_when_it_is_made() -> None:
    calls: list[object] = []

    def hears(name: str) -> Callable[..., None]:
        return lambda *args: calls.append(type(args[0]) if name == "add_message" else name)

    web = SmallWeb(star("a"))
    done = Crawled(web, BreadthFirst())
    for name in ("add_choices", "add_visit", "add_message"):
        setattr(done.log, name, hears(name))
    (seed,) = done.crawl.choices(1)
    done.crawl.revise([], [])
    done.deliver(seed)
    done.crawl.offer(Links.to([]))
    done.crawl.extend(ENOUGH)
    assert calls == ["add_choices", Revision, "add_visit", Offer, Extension]


def test_when_the_judge_learns_only_the_last_pages_are_scored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawling, "MOST_RESCORES", 2)
    web = SmallWeb(star("a", "b", "missing", "c"), dead=["missing"])
    done = Crawled(web, BreadthFirst())
    done.to_the_end()
    assert [name for name, outcome in done.visits() if outcome == "ok"] == ["seed", "a", "b", "c"]
    told: list[tuple[list[str], list[float]]] = []

    def add_message(message: Message) -> None:
        assert isinstance(message, Revision)
        told.append(([done.visits()[step][0] for step, _ in message.scores], [score for _, score in message.scores]))

    monkeypatch.setattr(done.log, "add_message", add_message)
    monkeypatch.setattr(done.crawl.judge, "learn", lambda liked: len(liked) == 1)
    monkeypatch.setattr(done.crawl.judge, "score", lambda page: 0.25)
    done.crawl.hear([Feedback(web.id("a"), 1), Feedback(web.id("missing"), 1)])
    assert told == [(["b", "c"], [0.25, 0.25])]
    done.crawl.hear([Feedback(web.id("a"), 1)])
    assert told[1:] == [([], [])], "these scores are what the strategy was told last"


def test_when_the_judge_learns_pages_are_scored_as_they_are_by_now(monkeypatch: pytest.MonkeyPatch) -> None:
    web = SmallWeb(star("a", "b"))
    done = Crawled(web, BreadthFirst(), newest=lambda step: web.page(web.id("b")) if step == 1 else None)
    done.to_the_end()
    monkeypatch.setattr(done.crawl.judge, "learn", lambda liked: True)
    monkeypatch.setattr(done.crawl.judge, "score", lambda page: page.url / 100)
    done.crawl.hear([])
    assert done.crawl.score_of(1) == done.crawl.score_of(2) == web.id("b") / 100


def test_where_a_page_was_moved_to_is_a_duplicate_nobody_is_asked_for() -> None:
    web = SmallWeb(star("a", "b"))
    done = Crawled(web, Script(web, "seed", "a", "b"))
    done.crawl.move(0, web.id("b"))
    done.to_the_end()
    assert done.visits() == [("seed", "ok"), ("a", "ok"), ("b", "duplicate")]
    assert web.asked == ["seed", "a"]

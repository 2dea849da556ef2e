"""The rank function of system 5, each term against values worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest

from salticid.errors import UserError
from salticid.model import FROM_SEED, Choice, Link, Links, Outcome, Visit
from salticid.protocols import Brief
from salticid.runs.brief import prepare
from salticid.strategies import strategies
from salticid.strategies.linear_rank import LinearRank
from salticid.strategies.parts.rank_terms import TERMS, Weights
from salticid.testing.checks import check_strategy
from salticid.testing.small import SmallWeb
from salticid.topic import Limits

NOTHING = dict.fromkeys(TERMS, 0.0)


def only(**weights: Any) -> LinearRank:
    """A strategy that goes by these terms alone."""
    return LinearRank(**{**NOTHING, **weights})


class Told:
    """A strategy that is told of visits one by one, in any order we like; `rank` is what it makes of a URL."""

    def __init__(self, web: SmallWeb, strategy: LinearRank, **limits: Any) -> None:
        self.web, self.strategy, self.step = web, strategy, 0
        self.brief: Brief = prepare(web.topic, web, Limits(**limits), seed=0)
        strategy.start(self.brief)
        strategy.choose(len(self.brief.seeds), frozenset())
        self._visited = set(self.brief.seeds.url.tolist())

    def visit(self, name: str, score: float, final: str | None = None) -> None:
        """The page of a name arrives and is given a score; from 0.5 on it is a good one."""
        url, at = self.web.id(name), self.web.id(final or name)
        page = self.web.page(at)
        self._visited |= {url, at}
        self.strategy.frontier.discard(url)
        unchosen = [
            place
            for place, to in enumerate(page.links.url.tolist())
            if to not in self._visited and not page.links.nofollow[place]
        ]
        visit = Visit(self.step, Choice(Link(url)), at, Outcome.OK, page, score, score >= 0.5, 0)
        self.step += 1
        self.strategy.observe(visit, np.array(unchosen, np.int32))

    def rank(self, name: str) -> float:
        return self.strategy.frontier.score(self.web.id(name))


def fork() -> SmallWeb:
    """Two seeds: `s` links to a, b, c and t, `t` to b and s; a leads to b, d and t, b to d, d to e, e to f."""
    return SmallWeb(
        {
            "s": ("", ["a", "b", "c", "t"]),
            "t": ("", ["b", "s"]),
            "a": ("", ["b", "d", "t"]),
            "b": ("", ["d"]),
            "d": ("", ["e"]),
            "e": ("", ["f"]),
            "f": ("", ["g"]),
            "g": ("", ["h"]),
        },
        seeds=["s", "t"],
    )


def test_hub_is_the_mean_of_the_parents_links_by_that_of_all_pages() -> None:
    told = Told(fork(), only(hub=1.0))
    told.visit("s", 0.9)
    assert told.rank("b") == 1.0
    told.visit("t", 0.9)
    assert told.rank("b") == ((4 + 2) / 2) / ((4 + 2) / 2)
    told.visit("a", 0.9)
    assert told.rank("b") == ((4 + 2 + 3) / 3) / ((4 + 2 + 3) / 3)
    assert told.rank("d") == 3 / 3
    assert told.rank("c") == 1.0


def test_authority_is_the_number_of_parents_by_that_of_all_urls_seen() -> None:
    told = Told(fork(), only(authority=1.0))
    told.visit("s", 0.9)
    assert told.rank("b") == 1 / (4 / 5)
    told.visit("t", 0.9)
    assert told.rank("b") == 2 / (6 / 5)
    told.visit("a", 0.9)
    assert told.rank("b") == 3 / (9 / 6)
    assert told.rank("c") == 1 / (4 / 5), "no page that came since points at it"


def test_comm_in_is_the_share_of_parents_in_the_community() -> None:
    told = Told(fork(), only(comm_in=1.0))
    told.visit("s", 0.1)
    assert told.rank("b") == 1.0, "a seed is in the community whatever it says"
    told.visit("a", 0.4)
    assert told.rank("b") == 1 / 2
    told.visit("t", 0.9)
    assert told.rank("b") == 2 / 3
    assert told.rank("d") == 0.0


def test_comm_out_adds_up_which_shares_of_the_parents_links_lead_into_the_community_now() -> None:
    told = Told(fork(), only(comm_out=1.0))
    told.visit("s", 0.9)
    assert told.rank("b") == 1 / 4, "of a, b, c and t the seed t is in the community"
    told.visit("a", 0.9)
    # a has joined, so that s has two links of four into the community; a itself has t, one of three.
    assert told.rank("b") == pytest.approx(2 / 4 + 1 / 3)
    assert told.rank("d") == pytest.approx(1 / 3)
    assert told.rank("c") == 1 / 4, "no page that came since points at it"
    told.visit("b", 0.9)
    assert told.rank("d") == pytest.approx(2 / 3 + 0 / 1), "a has b in the community now"


def test_a_page_off_topic_joins_no_community() -> None:
    told = Told(fork(), only(comm_out=1.0))
    told.visit("s", 0.9)
    told.visit("a", 0.49)
    assert told.rank("b") == pytest.approx(1 / 4 + 1 / 3)


@pytest.mark.parametrize(
    ("first", "second", "telling"), [(0.6, 0.9, 0.9), (0.4, 0.1, 0.1), (0.7, 0.05, 0.7), (0.05, 0.7, 0.7)]
)
def test_parents_of_one_sign_speak_by_the_strongest_others_by_the_highest(
    first: float, second: float, telling: float
) -> None:
    told = Told(fork(), only(parent_1=1.0))
    told.visit("s", first)
    told.visit("t", second)
    assert told.rank("b") == 2 * telling - 1


def test_generations_above_are_settled_when_a_page_arrives() -> None:
    web = fork()
    scores = {"s": 0.9, "a": 0.2, "b": 0.6, "d": 0.7, "e": 0.3, "f": 0.8}
    signed = {name: 2 * score - 1 for name, score in scores.items()}
    for level, above in enumerate(["f", "e", "d", "b", "s"], start=1):
        told = Told(web, only(**{f"parent_{level}": 1.0}))
        for name in ("s", "b", "d", "a", "e", "f"):
            told.visit(name, scores[name])
        assert told.rank("g") == signed[above], "a points at b and d, but came after them"


def test_without_pages_so_far_above_the_score_is_nothing() -> None:
    told = Told(fork(), only(parent_2=1.0))
    told.visit("s", 0.9)
    assert told.rank("a") == 0.0


def test_anchor_and_context_are_cosines_with_the_keywords() -> None:
    page = "<p>rain rain <a href=a>jumping birds</a> spiders <a href=b>music</a> <a href=c rel=nofollow>spiders</a>"
    web = SmallWeb({"s": page + " <a href=a>spider</a>"})
    anchor, context = Told(web, only(anchor=1.0)), Told(web, only(context=1.0))
    anchor.visit("s", 0.9)
    context.visit("s", 0.9)
    # Keywords: jumping spiders. The better one of the two links to a says "spider": 1 / sqrt 2.
    assert anchor.rank("a") == pytest.approx(1 / sqrt(2), rel=1e-7)
    assert anchor.rank("b") == 0.0
    assert web.id("c") not in anchor.strategy.frontier
    # The page is short: the context of all links is "rain rain jumping birds spiders music spiders spider".
    assert context.rank("b") == pytest.approx(4 / (sqrt(2) * sqrt(4 + 1 + 1 + 1 + 9)), rel=1e-7)


def test_no_keyword_is_needed_unless_words_are_read() -> None:
    web = fork()
    web.topic = replace(web.topic, keywords="the")
    Told(web, LinearRank())
    with pytest.raises(UserError, match="no word to go by"):
        Told(web, only(context=0.1))


def test_host_is_the_share_of_good_pages_with_one_of_each_granted() -> None:
    web = SmallWeb({"s": ("", ["a", "b", "far.example/x"]), "a": ("", ["b"]), "b": ("", [])})
    told = Told(web, only(host=1.0))
    told.visit("s", 0.9)
    assert told.rank("b") == 2 / 3
    assert told.rank("far.example/x") == 1 / 2
    told.visit("a", 0.1)
    assert told.rank("b") == 2 / 4


def test_the_rank_is_the_weighted_sum_and_why_gives_the_three_strongest() -> None:
    told = Told(fork(), only(hub=0.2, authority=0.4, comm_in=0.1, parent_1=0.3))
    told.visit("s", 0.1)
    shares = {"hub": 0.2 * 1.0, "authority": 0.4 * 1.25, "comm_in": 0.1 * 1.0, "parent_1": 0.3 * -0.8}
    assert told.rank("a") == pytest.approx(sum(shares.values()))
    (choice,) = told.strategy.choose(1, frozenset())
    assert [name for name, _ in choice.why] == ["authority", "parent_1", "hub"]
    assert dict(choice.why) == pytest.approx({name: shares[name] for name, _ in choice.why})


def test_a_page_reached_by_a_redirect_is_in_the_community_under_both_urls() -> None:
    web = SmallWeb(
        {"s": ("", ["a", "old-b", "b"]), "a": ("", ["old-b", "b", "c", "d"]), "b": ("", ["c"])},
        redirects={"old-b": "b"},
    )
    told = Told(web, only(comm_out=1.0))
    told.visit("s", 0.9)
    told.visit("old-b", 0.9, final="b")
    assert told.rank("c") == 0.0
    told.visit("a", 0.1)
    assert told.rank("c") == 2 / 4


def test_nofollow_links_are_no_links() -> None:
    web = SmallWeb({"s": "<a href=a>a</a> <a href=b rel=nofollow>b</a> <a href=a>again</a>", "a": ("", [])})
    told = Told(web, only(hub=1.0))
    told.visit("s", 0.9)
    assert told.strategy._open_urls.totals.links == 1


def test_later_weights_take_over_in_equal_parts_and_rank_all_that_wait_anew() -> None:
    strategy = only(parent_1=1.0, later=(Weights(authority=1.0),))
    told = Told(fork(), strategy, max_pages=4)
    told.visit("s", 0.9)
    assert told.rank("c") == 0.8
    told.visit("t", 0.2)
    assert told.rank("c") == 1 / (6 / 5), "two of four pages are there"
    assert told.rank("b") == 2 / (6 / 5)


def test_a_larger_budget_does_not_bring_earlier_weights_back() -> None:
    told = Told(fork(), only(parent_1=1.0, later=(Weights(authority=1.0),)), max_pages=2)
    told.visit("s", 0.9)
    told.strategy.extend(Limits(max_pages=100))
    told.visit("t", 0.9)
    assert told.rank("b") == 2 / (6 / 5)


def test_seeds_go_first_and_keep_their_place() -> None:
    web = fork()
    strategy = only(authority=1.0)
    strategy.start(prepare(web.topic, web, Limits(), seed=0))
    (first,) = strategy.choose(1, frozenset())
    assert (web.name(first.link.url), first.score) == ("s", 1.0)
    visit = Visit(0, first, first.link.url, Outcome.OK, web.page(first.link.url), 0.9, True, 0)
    strategy.observe(visit, np.arange(4, dtype=np.int32))
    (second,) = strategy.choose(1, frozenset())
    assert (web.name(second.link.url), second.link.source) == ("t", FROM_SEED)


def test_an_offered_link_counts_as_one_of_a_perfect_page_until_a_page_points_to_it() -> None:
    told = Told(fork(), only(parent_1=0.5, comm_in=0.25))
    told.strategy.offer(Links.to([told.web.id("b")]))
    assert told.rank("b") == 0.75
    told.visit("s", 0.6)
    assert told.rank("b") == pytest.approx(0.25 + 0.5 * 0.2)


def test_a_judge_that_changes_its_mind_changes_what_parents_say() -> None:
    told = Told(fork(), only(parent_1=1.0))
    told.visit("s", 0.9)
    told.visit("t", 0.8)
    told.strategy.revise([(0, 0.3), (99, 0.1)], [])
    assert told.rank("b") == pytest.approx(0.6), "t still speaks for it"
    assert told.rank("a") == pytest.approx(-0.4)


def test_what_is_kept_of_evicted_links_and_old_pages_is_bounded() -> None:
    pages = {f"p{n}": ("", [f"p{n + 1}", *(f"q{n}-{m}" for m in range(30))]) for n in range(200)}
    told = Told(SmallWeb(pages), only(authority=0.5, comm_out=0.5), max_buffer=10)
    for n in range(200):
        told.visit(f"p{n}", 0.9)
    strategy = told.strategy
    assert len(strategy.frontier) == 10
    assert len(strategy._open_urls) < 2 * 10 + 1024 + 31
    assert len(strategy._past._pages) == 10
    assert len(strategy._past._url) <= 1024


def test_it_keeps_the_contract_with_all_terms_and_phases() -> None:
    later = (Weights(anchor=0.5, host=0.5), Weights(comm_out=1.0))
    check_strategy(lambda: LinearRank(anchor=0.3, context=0.3, host=0.2, later=later))


def test_weights_are_settings_and_later_ones_tables_of_a_strategy_file() -> None:
    made = strategies.make("linear_rank", {"hub": "0.5", "later": [{"parent_1": 1.0}]})
    assert isinstance(made, LinearRank)
    assert (made.hub, made.later) == (0.5, (Weights(parent_1=1.0),))
    with pytest.raises(UserError, match=r"comm_out=1\.5"):
        strategies.make("linear_rank", {"comm_out": "1.5"})
    defaults = LinearRank()
    assert sum(getattr(defaults, term) for term in TERMS) == pytest.approx(1, abs=1e-5)

"""The frontier does what a plain list would do, and does not mind who is busy."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salticid.errors import ContractBroken
from salticid.model import Choice, Link
from salticid.strategies.parts.frontier import Frontier
from salticid.tables.texts import Texts

HOSTS = 4
DISTINCT = 60
MODES = ["compete", "always"]
SCORES = [-1.0, -0.0, 0.0, 0.25, 0.5, 0.5000000000000001, 1.0, 7.5]


class ManyUrls(Texts):
    """URLs by number alone, spread over `hosts`; counts how often it is asked for a host."""

    def __init__(self, hosts: int) -> None:
        super().__init__()
        self.hosts, self.asked = hosts, 0

    def host(self, url: int) -> int:
        self.asked += 1
        return url % self.hosts

    def host_name(self, host: int) -> str:
        return f"h{host}.example"


@dataclass
class Waiting:
    url: int
    score: float
    age: int
    source: int
    place: int


class Naive:
    """The frontier's rules over a plain list."""

    def __init__(self, limit: int | None, admit: str) -> None:
        self.limit, self.admit = limit, admit
        self.links: list[Waiting] = []
        self.age = 0

    def push(self, urls: list[int], scores: list[float], source: int, places: list[int]) -> None:
        for url, score, place in zip(urls, scores, places, strict=True):
            known = self.find(url)
            if known is None:
                self.age += 1
                self.admit_one(Waiting(url, score, self.age, source, place))
            elif score > known.score:
                known.score, known.source, known.place = score, source, place

    def admit_one(self, link: Waiting) -> None:
        if self.limit is None or len(self.links) < self.limit:
            self.links.append(link)
        elif self.limit > 0:
            if self.admit == "compete":
                self.links.append(link)
                self.links.remove(self.worst())
            else:
                self.links.remove(self.worst())
                self.links.append(link)

    def worst(self) -> Waiting:
        return min(self.links, key=lambda link: (link.score, -link.age))

    def best(self) -> list[Waiting]:
        return sorted(self.links, key=lambda link: (-link.score, link.age))

    def pop(self, n: int, busy: frozenset[int]) -> list[Choice]:
        taken = [link for link in self.best() if link.url % HOSTS not in busy][:n]
        self.links = [link for link in self.links if link not in taken]
        return choices(taken)

    def rescore_from(self, scores: dict[int, float]) -> None:
        for link in self.links:
            link.score = scores.get(link.source, link.score)

    def find(self, url: int) -> Waiting | None:
        return next((link for link in self.links if link.url == url), None)


def choices(links: list[Waiting]) -> list[Choice]:
    return [Choice(Link(link.url, link.source, link.place), link.score) for link in links]


class Pair:
    """A frontier and its naive twin: whatever is done is done to both, and must come out the same."""

    def __init__(self, limit: int | None, admit: str) -> None:
        self.real, self.naive = Frontier(ManyUrls(HOSTS), limit, admit), Naive(limit, admit)
        self.source = -3

    def push(self, urls: list[int], score: float) -> None:
        self.source += 1
        self.real.push(urls, score, self.source)
        self.naive.push(urls, [score] * len(urls), self.source, list(range(len(urls))))

    def push_each(self, links: list[tuple[int, float]]) -> None:
        self.source += 1
        urls, scores = [url for url, _ in links], [score for _, score in links]
        places = [10 * at for at in range(len(links))]
        self.real.push(np.array(urls, np.int32), np.array(scores), self.source, np.array(places, np.int32))
        self.naive.push(urls, scores, self.source, places)

    def pop(self, n: int, busy: frozenset[int]) -> None:
        assert self.real.pop(n, busy) == self.naive.pop(n, busy)

    def rescore(self, url: int, score: float) -> None:
        self.real.rescore(url, score)
        if known := self.naive.find(url):
            known.score = score

    def rescore_from(self, ago: int, score: float) -> None:
        scores = {self.source - ago: score, self.source - ago - 2: -score}
        self.real.rescore_from(scores)
        self.naive.rescore_from(scores)

    def discard(self, url: int) -> None:
        self.real.discard(url)
        self.naive.links = [link for link in self.naive.links if link.url != url]

    def dead(self) -> int:
        """How many entries the heap of the best still holds for links that wait no more."""
        parked = sum(map(len, self.real._parking.values()))
        return len(self.real._best) + parked - len(self.real)

    def agree(self) -> None:
        best = self.naive.best()
        assert len(self.real) == len(best)
        assert self.real.best(len(best) + 1) == choices(best)
        assert set(self.real) == {link.url for link in best}
        for link in best[:3]:
            assert link.url in self.real
            assert self.real.score(link.url) == link.score


urls_ = st.integers(0, 30)
scores_ = st.sampled_from(SCORES) | st.floats(-10, 10)
busy_ = st.frozensets(st.integers(0, HOSTS - 1), max_size=HOSTS)
deeds = st.one_of(
    st.tuples(st.just("push"), st.lists(urls_, max_size=12), scores_),
    st.tuples(st.just("push_each"), st.lists(st.tuples(urls_, scores_), max_size=12)),
    st.tuples(st.just("pop"), st.integers(0, 6), busy_),
    st.tuples(st.just("rescore"), urls_, scores_),
    st.tuples(st.just("rescore_from"), st.integers(0, 6), scores_),
    st.tuples(st.just("discard"), urls_),
)


@pytest.mark.parametrize("admit", MODES)
@settings(max_examples=300, deadline=None)
@given(limit=st.none() | st.integers(0, 12), todo=st.lists(deeds, max_size=40))
def test_it_is_a_plain_list_to_the_eye(admit: str, limit: int | None, todo: list[tuple[object, ...]]) -> None:
    pair = Pair(limit, admit)
    for deed, *arguments in todo:
        getattr(pair, str(deed))(*arguments)
        pair.agree()


@pytest.mark.parametrize("admit", MODES)
@pytest.mark.parametrize("limit", [None, 1, 25])
def test_it_stays_one_over_a_long_life(limit: int | None, admit: str) -> None:
    """Long enough that the dead outnumber the living many times and hosts fall asleep and wake."""
    dice = np.random.default_rng(7)
    pair, most = Pair(limit, admit), 0
    for turn in range(3000):
        urls = dice.integers(DISTINCT, size=dice.integers(12)).tolist()
        match dice.integers(8):
            case 0 | 1:
                pair.push(urls, float(dice.choice(SCORES)))
            case 2 | 3:
                pair.push_each([(url, float(dice.choice(SCORES))) for url in urls])
            case 4 | 5:
                busy = frozenset(dice.integers(HOSTS, size=dice.integers(HOSTS)).tolist())
                pair.pop(int(dice.integers(5)), busy)
            case 6:
                pair.rescore_from(int(dice.integers(5)), float(dice.choice(SCORES)))
            case _:
                pair.rescore(int(dice.integers(DISTINCT)), float(dice.choice(SCORES)))
                pair.discard(int(dice.integers(DISTINCT)))
        if turn % 10 == 0:
            pair.agree()
            most = max(most, pair.dead())
    assert 0 < most <= 2 * DISTINCT + 200, "the dead pile up"
    pair.pop(1000, frozenset())
    assert len(pair.real) == 0


def test_equal_scores_leave_oldest_first_and_are_evicted_newest_first() -> None:
    frontier = Frontier(ManyUrls(1), limit=3)
    frontier.push([9, 2, 5], 0.5)
    frontier.push([1], 0.5)
    frontier.push([7], 0.6)
    assert [choice.link.url for choice in frontier.pop(9)] == [7, 9, 2]


def test_always_makes_room_even_for_a_worse_newcomer() -> None:
    frontier = Frontier(ManyUrls(1), limit=2, admit="always")
    frontier.push([1, 2], [0.9, 0.8])
    frontier.push([3], 0.1)
    assert [choice.link.url for choice in frontier.pop(9)] == [1, 3]


@pytest.mark.parametrize("score", [float("nan"), [0.5, float("nan")]])
def test_nan_is_no_score(score: float | list[float]) -> None:
    frontier = Frontier(ManyUrls(1), limit=None)
    with pytest.raises(ContractBroken, match="NaN"):
        frontier.push([1, 2], score)


@pytest.mark.parametrize("score", [0.0, 1e-308, 5e-324, -2.5, 1e308, float("inf"), float("-inf"), 1 / 3])
def test_a_score_comes_out_as_it_went_in(score: float) -> None:
    frontier = Frontier(ManyUrls(1), limit=None)
    frontier.push([1], score)
    frontier.push([2], [score])
    assert [choice.score for choice in frontier.pop(2)] == [score, score]


def _urls_on(host: int, hosts: int, count: int) -> list[int]:
    return list(range(host, host + hosts * count, hosts))


def test_a_big_busy_host_is_passed_over_once() -> None:
    """200,000 links on one busy host, all better than the 3,000 elsewhere: each is looked at once."""
    big, pops = 200_000, 3_000
    urls = ManyUrls(hosts=2)
    frontier = Frontier(urls, limit=None)
    frontier.push(_urls_on(0, 2, big), np.linspace(1, 2, big))
    frontier.push(_urls_on(1, 2, pops), 0.5)
    for _ in range(pops):
        (taken,) = frontier.pop(1, busy=frozenset([0]))
        assert taken.score == 0.5
    assert frontier.pop(1, busy=frozenset([0])) == []
    assert urls.asked <= big + 2 * pops


def test_nor_does_a_host_that_is_busy_now_and_then_cost_more() -> None:
    """Busy at every other pop, while its links are moved up and new ones come in."""
    big, pops = 200_000, 3_000
    urls = ManyUrls(hosts=2)
    frontier = Frontier(urls, limit=None)
    frontier.push(_urls_on(0, 2, big), np.linspace(1, 2, big))
    frontier.push(_urls_on(1, 2, pops), 0.5)
    for turn in range(pops):
        assert frontier.pop(1, busy=frozenset([0]))[0].link.url % 2 == 1
        assert frontier.pop(1)[0].link.url % 2 == 0
        frontier.push([2 * (big + turn), 2 * turn], 3.0)
    assert urls.asked <= big + 10 * pops

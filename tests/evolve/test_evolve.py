"""The search by itself: its operators by hand, its populations, what it keeps, what it says it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import pytest

from salticid.errors import UserError
from salticid.evolve.fitness import CrawlTrial, Goal, Interval, worth
from salticid.evolve.optimizers import (
    BITS,
    PARENT,
    Genetic,
    Individual,
    Shape,
    Weights,
    best,
    cross,
    decode,
    encode,
    flip,
    known_starts,
    roulette,
    within_reach,
)
from salticid.evolve.search import (
    FILE,
    PAPER_TERMS,
    Checkpoint,
    Evolution,
    SearchPlan,
    State,
    best_finalist,
    elite,
    finalists,
)
from salticid.evolve.simulation import SimulatedCrawl, Simulation
from salticid.lab.search_report import EvolvedStrategy, render_search, strategy_file, weights_in, with_evidence
from salticid.registry import read_strategy_file
from salticid.strategies import strategies

T = TypeVar("T")
R = TypeVar("R")
NINE = Shape(1, 9)
TERMS = Simulation.terms
IDEAL = {"comm_out": 0.5, "parent_1": 0.3, "anchor": 0.2}


class Toy:
    """Stands in for crawls: the nearer weights are to an ideal, the fitter; the seed adds a little noise."""

    def __init__(self, last: int | None = None) -> None:
        self.trials: list[CrawlTrial] = []
        self._last = last

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        for task in tasks:
            if self._last is not None and len(self.trials) >= self._last:
                raise KeyboardInterrupt
            assert isinstance(task, CrawlTrial)
            self.trials.append(task)
            fitness: Any = toy_fitness(task)
            yield fitness


def toy_fitness(trial: CrawlTrial) -> float:
    ideal = np.array([IDEAL.get(term, 0.0) for term in TERMS])
    apart = sum(float(np.abs(np.array(row) - ideal).sum()) for row in trial.weights) / len(trial.weights)
    return float(max(0.0, 1 - apart / 2) * 0.9 + np.random.default_rng(trial.seed).random() * 0.05)


def plan(**asked: Any) -> SearchPlan:
    base: dict[str, Any] = {
        "world": "w", "topic": "cats", "told": "t", "seeds": ("http://a.example/",), "terms": TERMS, "searched": TERMS,
        "population": 12, "generations": 10, "crawl_length": 100,
    }  # fmt: skip
    return SearchPlan(**{**base, **asked})


def evolved(folder: Path, asked: SearchPlan, toy: Toy) -> State:
    return Evolution(asked, toy, Checkpoint(folder)).run(lambda done: None)


def individual(bits: Sequence[int], fitness: float) -> Individual:
    return Individual(tuple(map(float, bits)), ((1.0,),), fitness)


def test_the_papers_genome_has_63_bits_and_the_first_of_seven_counts_64() -> None:
    assert NINE.bits == 63
    bits = np.zeros(63, np.bool_)
    bits[0] = True  # 64 for the first weight
    bits[7:14] = True  # 127 for the second
    bits[20] = True  # 1 for the third
    assert decode(bits, NINE)[0] == pytest.approx(np.array([64, 127, 1, 0, 0, 0, 0, 0, 0]) / 192)
    assert not decode(np.zeros(63, np.bool_), NINE).any()


def test_a_decoded_individual_survives_being_encoded_again() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        weights = decode(rng.random(2 * NINE.bits) < 0.5, Shape(2, 9))
        again = decode(encode(weights), Shape(2, 9))
        assert np.abs(again - weights).max() < 0.01
        assert again.sum(axis=1) == pytest.approx(1)


def test_crossover_swaps_all_that_follows_the_point() -> None:
    one, other = np.array([1, 1, 0, 0], np.bool_), np.array([0, 1, 1, 1], np.bool_)
    for point, first, second in (
        (0, [0, 1, 1, 1], [1, 1, 0, 0]),
        (1, [1, 1, 1, 1], [0, 1, 0, 0]),
        (3, [1, 1, 0, 1], [0, 1, 1, 0]),
        (4, [1, 1, 0, 0], [0, 1, 1, 1]),
    ):
        assert [each.astype(int).tolist() for each in cross(one, other, point)] == [first, second]
    assert flip(one, 2).astype(int).tolist() == [1, 1, 1, 0]
    assert one.astype(int).tolist() == [1, 1, 0, 0]


def test_the_wheel_never_stops_at_one_without_a_slot() -> None:
    wheel = np.array([0.0, 0.2, 0.0, 0.8, 0.0])
    assert [roulette(wheel, spin) for spin in (0.0, 0.1999, 0.2001, np.nextafter(1, 0))] == [1, 1, 3, 3]
    assert [roulette(np.zeros(2), spin) for spin in (0.0, 0.49, 0.51)] == [0, 0, 1]


def test_one_child_in_a_hundred_has_one_bit_flipped() -> None:
    search = Genetic(NINE, 20_000, seed=5)
    born = search.children([individual([0] * 63, 0.5)] * 2, 1)
    flips = np.array(born).sum(axis=1)
    assert set(flips) == {0.0, 1.0}
    assert 160 < flips.sum() < 240  # 200 expected, 14 the deviation


def test_nine_pairs_in_ten_are_crossed() -> None:
    search = Genetic(NINE, 20_000, seed=6)
    parents = [individual([0] * 63, 0.5), individual([1] * 63, 0.5)]
    ones = np.array(search.children(parents, 1)).sum(axis=1)
    mixed = ((ones > 1) & (ones < 62)).mean()
    # Parents differ in half of the pairs, 0.9 are crossed, and 60 of 64 points mix by more than a flip could.
    assert mixed == pytest.approx(0.5 * 0.9 * 60 / 64, abs=0.02)


def test_the_best_half_of_old_and_new_survives_and_the_older_of_equals() -> None:
    search = Genetic(Shape(1, 1), 2, seed=0)
    old = [individual([0] * BITS, 0.5), individual([1] * BITS, 0.2)]
    new = [individual([0, 1] + [0] * 5, 0.5), individual([1, 0] + [0] * 5, 0.1)]
    assert search.survivors(old, new) == [old[0], new[0]]
    assert search.survivors(new, old) == [new[0], old[0]]


@pytest.mark.parametrize("kind", ["genetic", "real"])
@pytest.mark.parametrize("phases", [1, 2])
def test_a_search_finds_what_is_fit_and_tries_nothing_twice(kind: Any, phases: int, tmp_path: Path) -> None:
    asked = plan(search=kind, phases=phases, population=30, generations=40)
    toy = Toy()
    state = evolved(tmp_path, asked, toy)
    bests = [each.best for each in state.history]
    assert bests == sorted(bests)
    assert len(bests) == 41
    assert bests[-1] > bests[0] + 0.1
    row = dict(zip(TERMS, asked.spread(best(state.population).weights)[0], strict=True))
    assert sum(row.values()) == pytest.approx(1)
    assert sum(row[term] for term in IDEAL) > 0.5
    crawled = [(trial.weights, trial.seed) for trial in toy.trials]
    assert len(set(crawled)) == len(crawled) == asked.runs * len(state.tried)
    assert len(crawled) <= 30 * 41 * 3
    assert {trial.seed for trial in toy.trials} == set(asked.training_seeds)


def test_the_papers_search_leaves_all_other_terms_at_zero(tmp_path: Path) -> None:
    toy = Toy()
    evolved(tmp_path, plan(searched=PAPER_TERMS, generations=1), toy)
    used = {term for trial in toy.trials for term, weight in zip(TERMS, trial.weights[0], strict=True) if weight}
    assert used == set(PAPER_TERMS)


@pytest.mark.parametrize("kind", ["genetic", "real"])
def test_a_search_that_was_interrupted_ends_as_one_that_was_not(kind: Any, tmp_path: Path) -> None:
    asked = plan(search=kind)
    whole = evolved(tmp_path / "whole", asked, Toy())
    for crawls in (10, 60, 45):
        with pytest.raises(KeyboardInterrupt):
            evolved(tmp_path / "parts", asked, Toy(last=crawls))
    assert evolved(tmp_path / "parts", asked, Toy()) == whole
    kept = [(tmp_path / each / FILE).read_bytes() for each in ("whole", "parts")]
    assert kept[0] == kept[1]
    nothing_to_do = Toy()
    assert evolved(tmp_path / "parts", asked, nothing_to_do) == whole
    assert not nothing_to_do.trials


def test_another_search_in_the_same_place_is_refused_by_name(tmp_path: Path) -> None:
    evolved(tmp_path, plan(generations=0), Toy())
    with pytest.raises(UserError, match="population was 12 and is 14; runs was 3 and is 5; give the same"):
        Checkpoint(tmp_path).load(plan(generations=0, population=14, runs=5))
    (tmp_path / FILE).write_text("{")
    with pytest.raises(UserError, match=r"remove .* to begin anew"):
        Checkpoint(tmp_path).load(plan())


def test_seeds_held_back_are_never_trained_on_nor_chosen_by() -> None:
    for seed in range(50):
        asked = plan(seed=seed, runs=9)
        parts = [asked.training_seeds, asked.choosing_seeds, asked.held_back_seeds]
        assert list(map(len, parts)) == [9, 30, 15]
        assert len({seed for part in parts for seed in part}) == 9 + 30 + 15
    assert plan(runs=2).training_seeds == plan(runs=3).training_seeds[:2]


class Lucky(Toy):
    """The fittest of the search is so by luck: with other seeds it is the worst of all."""

    def __init__(self, lucky: Weights, seeds: list[int]) -> None:
        super().__init__()
        self._lucky, self._seeds = lucky, seeds

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        for task, fitness in zip(tasks, super().map(work, tasks), strict=True):
            assert isinstance(task, CrawlTrial)
            assert task.seed in self._seeds
            worst: Any = 0.0
            yield worst if task.weights == self._lucky else fitness


def test_of_the_five_fittest_the_best_on_other_seeds_is_taken(tmp_path: Path) -> None:
    state = evolved(tmp_path, plan(), Toy())
    running = finalists(state)
    assert len(set(running)) == 5
    assert running[0] == best(state.population).weights
    lucky = Lucky(state.plan.spread(running[0]), state.plan.choosing_seeds)
    assert best_finalist(state, Toy(), lambda done, of: None) == running[0]
    assert best_finalist(state, lucky, lambda done, of: None) == running[1]


def helping(**asked: Any) -> SearchPlan:
    """A search that begins with what is known, Best-First in front."""
    return plan(search="real", letter=False, known=known_starts(TERMS, asked.get("phases", 1)), **asked)


@pytest.mark.parametrize("phases", [1, 2])
def test_a_search_begins_with_what_is_known_and_the_elite_holds_it(phases: int, tmp_path: Path) -> None:
    asked = helping(phases=phases)
    state = evolved(tmp_path, asked, Toy())
    starts = asked.starts()
    assert [asked.spread(each) for each in starts[:1]] == [asked.alone(PARENT)]
    assert len(starts) == 4
    assert [weights for weights, _ in state.tried[:4]] == starts
    assert elite(state)[:4] == starts
    assert elite(state)[4] == state.history[-1].weights
    assert len(set(elite(state))) == len(elite(state)) <= 4 + 10


def test_of_a_strategy_with_a_short_reach_the_rest_is_best_first() -> None:
    """A quarter of (0.2 parent_1, 0.8 anchor) and three quarters of Best-First; a file of such weights is met again."""
    asked = plan(searched=("parent_1", "anchor"), reach=0.25)
    row = dict(zip(TERMS, asked.spread(((0.2, 0.8),))[0], strict=True))
    assert (row["parent_1"], row["anchor"]) == pytest.approx((0.8, 0.2))
    assert sum(row.values()) == pytest.approx(1)
    assert asked.spread(((1.0, 0.0),)) == asked.alone(PARENT)
    assert within_reach(((0.8, 0.2),), asked.searched, 0.25)[0] == pytest.approx((0.2, 0.8))
    assert plan(searched=("parent_1",)).spread(((0.1,),))[0][TERMS.index("parent_1")] == 0.1


class ForBestFirst(Toy):
    """Best-First is as good as anything on the training seeds, and on all others the best by a little."""

    def __init__(self, asked: SearchPlan, ahead: float) -> None:
        super().__init__()
        self._plan, self._ahead = asked, ahead

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        for task, fitness in zip(tasks, super().map(work, tasks), strict=True):
            assert isinstance(task, CrawlTrial)
            lead: Any = 0.9 + self._ahead + 0.05 * np.random.default_rng(task.seed).random()
            is_it = task.weights == self._plan.alone(PARENT) and task.seed not in self._plan.training_seeds
            yield lead if is_it else fitness


def test_what_loses_to_best_first_on_other_seeds_is_never_handed_out(tmp_path: Path) -> None:
    asked = helping(generations=30)
    against = ForBestFirst(asked, 0.01)
    state = evolved(tmp_path / "against", asked, against)
    taken = with_evidence(state, against, lambda what, done, of: None)
    assert best(state.population).fitness > dict(state.tried)[asked.starts()[0]] + 0.2, "the search itself was misled"
    assert (taken.is_best_first, taken.ahead) == (True, Interval(0.0, 0.0, 0.0))
    assert "It is Best-First: nothing that the search tried is surely ahead" in strategy_file(taken)
    beaten = with_evidence(state, Toy(), lambda what, done, of: None)
    assert beaten.ahead.low > 0
    assert "beats Best-First" in beaten.verdict()


def crawled(good: Sequence[int], depth: Sequence[int], first: Sequence[int]) -> SimulatedCrawl:
    pages = np.arange(len(good), dtype=np.int32)
    return SimulatedCrawl(pages, np.array(good, np.bool_), np.array(depth, np.int32), np.array(first, np.bool_))


def test_rewards_make_some_good_pages_worth_more() -> None:
    one = crawled(good=[1, 0, 1, 1], depth=[0, 1, 1, 3], first=[0, 0, 1, 0])
    assert worth(one, Goal(), 4) == 3 / 4
    assert worth(one, Goal(hosts=2.0), 4) == (3 + 2) / 4
    assert worth(one, Goal(distance=1.0), 4) == (3 + 0 + 0.5 + 0.75) / 4
    assert worth(one, Goal(late=1.0), 4) == (3 + (1 + 3 + 4) / 4) / 4
    assert worth(crawled([], [], []), Goal(hosts=1.0), 4) == 0.0


def result(tmp_path: Path, **asked: Any) -> tuple[State, EvolvedStrategy]:
    state = evolved(tmp_path / "search", plan(generations=30, **asked), Toy())
    return state, with_evidence(state, Toy(), lambda what, done, of: None)


def test_the_file_says_how_it_was_found_and_still_is_a_strategy(tmp_path: Path) -> None:
    _, made = result(tmp_path)
    assert made.ahead.low > 0
    assert "beats Best-First" in made.verdict()
    assert made.losses["comm_out"].low > 0
    file = tmp_path / "evolved.toml"
    file.write_text(strategy_file(made))
    name, settings, judge = read_strategy_file(file)
    assert (name, judge) == ("linear_rank", "svm")
    assert "found" not in settings
    strategies.make(name, settings)
    assert weights_in(file, TERMS, 1)[0] == pytest.approx(made.weights[0])
    begun = plan(known=(weights_in(file, TERMS, 1),), generations=0)
    first = evolved(tmp_path / "again", begun, Toy())
    assert first.population[0].fitness == pytest.approx(made.trained, abs=0.02)


def test_what_is_no_better_than_best_first_says_so(tmp_path: Path) -> None:
    _, made = result(tmp_path)
    for low, high, word in ((-0.1, 0.1, "cannot be told from it"), (-0.2, -0.1, "loses to it")):
        no_better = msgspec.structs.replace(made, ahead=Interval((low + high) / 2, low, high))
        assert no_better.verdict().startswith("It is no better than Best-First. ")
        assert word in no_better.verdict()
        assert "# Evolved for cats. It is no better than Best-First." in strategy_file(no_better)


def test_a_file_of_several_phases_is_read_back_phase_by_phase(tmp_path: Path) -> None:
    _, made = result(tmp_path, phases=3)
    file = tmp_path / "evolved.toml"
    file.write_text(strategy_file(made))
    assert np.array(weights_in(file, TERMS, 3)) == pytest.approx(np.array(made.weights))
    strategies.make(*read_strategy_file(file)[:2])
    with pytest.raises(UserError, match="has 3 phases; begin a search with --phases 3"):
        weights_in(file, TERMS, 2)


def test_the_report_shows_fitness_and_weights_and_runs_no_code_of_a_topics_name(tmp_path: Path) -> None:
    state, made = result(tmp_path, topic="<script>alert(1)</script>")
    page = render_search(state, made)
    assert page == render_search(state, made)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert len(re.findall(r"<svg class=\"plot\"", page)) == 2
    assert all(term in page for term in TERMS)

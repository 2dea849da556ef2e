"""System 5 again: ranking the frontier by weights that a genetic search found on simulated crawls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from salticid.evolve import BEST_FIRST as BEST_FIRST_WEIGHTS
from salticid.evolve import CHOOSING, FINALISTS, HELD_BACK, PAPER_TERMS, Simulation, row_for_all
from salticid.evolve import THE_PAPERS as PAPER_WEIGHTS
from salticid.lab.reproduce.evolved_figures import (
    BEST_FIRST,
    MEASURES,
    NUMBER,
    THE_PAPERS,
    figures,
    loss_table,
    mean_text,
    names,
    place_table,
    transfer_table,
    weight_table,
)
from salticid.lab.reproduce.findings import Claim, Finding, finding_of, paper, untestable
from salticid.lab.reproduce.rank_search import (
    BEST,
    LENGTHS,
    Found,
    Place,
    PlaceTests,
    SearchSize,
    Workplace,
    extended,
    extension_findings,
    extension_table,
    places,
)
from salticid.lab.reproduce.reproduction import FigureTable, Reproduction, Setup, grounds
from salticid.lab.statistics import compare, p_of_equality
from salticid.strategies.parts import Ranking

POPULATION, GENERATIONS, RUNS = 50, 50, 3
ROOM = 300
"""So many times larger than a crawl the generated web is: 3,000,000 pages for the paper's 10,000."""
QUICK = 5
"""Crawls are so many times shorter than the paper's where nobody asks for the full experiment."""
HEAVIEST = ("comm_in", "comm_out", "parent_1")
LIGHT = 0.05
"""A weight below this is light."""
NEAR = 0.1
"""Two are equal when they differ by less than this part of Best-First's."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A search, on the rare topic of a world, and the tests of all strategies there and on the popular topic."""

    found: Found
    rare: PlaceTests
    popular: PlaceTests


def reproduce(setup: Setup) -> Reproduction:
    """Evolve on the rare topics of the public collections, as far as they are there, and of a generated web; test all
    that was evolved on the rare and the popular topics of all.
    """
    length = setup.pages if setup.full else max(setup.pages // QUICK, 10)
    workplace = Workplace(setup.out, setup.workers, SearchSize(POPULATION, GENERATIONS, RUNS), setup.watch)
    webs = grounds(setup.data, setup.out, setup.watch, ROOM * length)
    rankings = (Ranking(), *([Ranking(margin=True)] if setup.letter else []))
    batches = [_trials([places(ground, length, ranking) for ground in webs], workplace) for ranking in rankings]
    trials = [trial for batch in batches for trial in batch]
    wider = [extended(each.found, workplace) for each in (trials if setup.full else trials[:1])]
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data="; ".join(tests.place.description() for each in trials for tests in (each.rare, each.popular)),
        settings=_settings(length, setup),
        tables=[
            weight_table([each.found for each in trials]),
            *(_transfer(batch) for batch in batches),
            *map(extension_table, wider),
            *(place_table(tests, names(each.found)) for each in trials for tests in (each.rare, each.popular)),
            *(loss_table(each.found) for each in trials),
        ],
        figures=[
            figure
            for each in trials
            for tests in (each.rare, each.popular)
            for figure in figures(tests, names(each.found))
        ],
        findings=[
            *(finding for each in trials for finding in _findings(each)),
            *(finding for each in wider for finding in extension_findings(each)),
        ],
    )


def _settings(length: int, setup: Setup) -> dict[str, str]:
    margins = ", and once more by their raw margins, as the paper" if setup.letter else ""
    short = "" if setup.full else "; with --full the paper's 10,000 on 3,000,000 pages"
    return {
        "pages of a training crawl": f"{length:,} on the generated web, on small worlds a twentieth of their "
        f"pages{short}",
        "search": f"genetic, from a random start, on the rare topic, {POPULATION} individuals, {GENERATIONS} "
        f"generations, {RUNS} crawls each, the same random seeds for all",
        "choice": f"of the {FINALISTS} fittest, the {BEST} best on {CHOOSING} other random seeds",
        "tests": f"{HELD_BACK} more random seeds, two other sets of start pages, three lengths; findings are about the "
        f"mean of the {BEST}, seed by seed",
        "terms": "the paper's nine, k of PARENT_k being 5",
        "good": "an SVM on words and pairs of words says so, learned from the training seeds and random pages; parents "
        f"count by its scores from -1 to 1{margins}",
    }


def _trials(pairs: Sequence[tuple[Place, Place]], workplace: Workplace) -> list[Trial]:
    """Search on each rare topic, then test all that was found everywhere."""
    searches = [workplace.search(rare) for rare, _ in pairs]
    strategies = {
        BEST_FIRST: row_for_all(BEST_FIRST_WEIGHTS, Simulation.terms, 1),
        THE_PAPERS: row_for_all(PAPER_WEIGHTS, Simulation.terms, 1),
    }
    for found in searches:
        strategies |= dict(zip(names(found), found.best, strict=True))
    return [
        Trial(found, *(workplace.test(place, strategies) for place in pair))
        for found, pair in zip(searches, pairs, strict=True)
    ]


def _transfer(trials: Sequence[Trial]) -> FigureTable:
    everywhere = [tests for each in trials for tests in (each.rare, each.popular)]
    return transfer_table([each.found for each in trials], everywhere)


def _findings(trial: Trial) -> Iterator[Finding]:
    for tests in (trial.rare, trial.popular):
        for start in range(len(tests.place.starts)):
            for length in LENGTHS:
                yield from _at(trial.found, tests, start, length)
            yield _growth(trial.found, tests, start)
        yield from _on_distance(trial.found, tests)
    yield from _better_on_popular(trial)
    yield from _on_weights(trial.found)


def _at(found: Found, tests: PlaceTests, start: int, length: int) -> Iterator[Finding]:
    """Fitness and both cohesivenesses from one start, at one length."""
    longest = length == LENGTHS[-1]
    if not tests.place.rare:
        yield _differs(found, tests, "popular", 1, start, length, "good pages")
        yield _differs(found, tests, "popular_community", 1, start, length, "community cohesiveness")
        yield _differs(found, tests, "popular_overall", 1, start, length, "overall cohesiveness")
    elif longest:
        yield _differs(found, tests, "rare_longest", -1, start, length, "good pages")
        for part in ("community", "overall"):
            yield _same(found, tests, f"rare_{part}_longest", start, length, f"{part} cohesiveness")
    else:
        yield _differs(found, tests, "rare", 1, start, length, "good pages")
        yield _differs(found, tests, "rare_community", 1, start, length, "community cohesiveness")
        yield _differs(found, tests, "rare_overall", 1, start, length, "overall cohesiveness")


def _differs(found: Found, tests: PlaceTests, name: str, sign: int, start: int, length: int, measure: str) -> Finding:
    """Whether evolved crawls have more (1) or less (-1) of a figure than Best-First's, seed by seed."""
    ours, theirs, means = _values(found, tests, start, length, measure)
    test = compare(measure, "evolved", BEST_FIRST, ours, theirs, 0)
    return finding_of(_claim(tests, name, start, length), tests.place.name, means, test, sign)


def _same(found: Found, tests: PlaceTests, name: str, start: int, length: int, measure: str) -> Finding:
    """Whether evolved crawls have as much of a figure as Best-First's."""
    ours, theirs, means = _values(found, tests, start, length, measure)
    test = compare(measure, "evolved", BEST_FIRST, ours, theirs, 0)
    p = p_of_equality(ours, theirs, NEAR * sum(theirs) / len(theirs))
    return finding_of(_claim(tests, name, start, length), tests.place.name, means, test, p_same=p)


def _values(
    found: Found, tests: PlaceTests, start: int, length: int, measure: str
) -> tuple[list[float], list[float], str]:
    """The mean of the evolved and Best-First's, seed by seed, and both in words."""
    of = MEASURES[measure]
    ours, theirs = (tests.values(each, start, length, of) for each in (names(found), [BEST_FIRST]))
    return ours, theirs, f"{mean_text(ours)} against {mean_text(theirs)}"


def _claim(tests: PlaceTests, name: str, start: int, length: int) -> Claim:
    place = tests.place
    return (
        paper(NUMBER)
        .claims[name]
        .about(
            pages=f"{length * place.length:,}",
            fewer=f"{LENGTHS[0] * place.length:,}",
            seeds=len(place.starts[start]),
        )
    )


def _growth(found: Found, tests: PlaceTests, start: int) -> Finding:
    """Whether the evolved community gains cohesiveness with length, or on a rare topic loses it."""
    of, last = MEASURES["community cohesiveness"], LENGTHS[-1]
    late, early = (tests.values(names(found), start, length, of) for length in (last, LENGTHS[0]))
    name, sign = ("rare_community_falls", -1) if tests.place.rare else ("popular_community_grows", 1)
    test = compare("community cohesiveness", "long", "short", late, early, 0)
    means = f"{mean_text(late)} against {mean_text(early)}"
    return finding_of(_claim(tests, name, start, last), tests.place.name, means, test, sign)


def _on_distance(found: Found, tests: PlaceTests) -> Iterator[Finding]:
    last = len(tests.place.starts) - 1
    yield _differs(found, tests, "nearer", -1, last, 1, "links from the seeds")
    yield _differs(found, tests, "farthest", -1, last, 1, "farthest")


def _better_on_popular(trial: Trial) -> Iterator[Finding]:
    share = MEASURES["good pages"]
    for strategy, group in ((BEST_FIRST, [BEST_FIRST]), ("What was evolved", names(trial.found))):
        popular, rare = (each.values(group, None, 1, share) for each in (trial.popular, trial.rare))
        claim = paper(NUMBER).claims["all_better"].about(strategy=strategy)
        test = compare("good pages", "popular", "rare", popular, rare, 0)
        means = f"{mean_text(popular)} against {mean_text(rare)}"
        yield finding_of(claim, trial.popular.place.name, means, test)


def _on_weights(found: Found) -> Iterator[Finding]:
    """What the weights of one search say; one search is no sample, so nothing is tested."""
    claims, where = paper(NUMBER).claims, found.place.name
    weights = {term: found.weight(term) for term in PAPER_TERMS}
    heaviest = sorted(weights, key=lambda term: -weights[term])[: len(HEAVIEST)]
    told = ", ".join(f"{term} {weights[term]:.3f}" for term in heaviest)
    yield untestable(claims["heaviest"], where, f"{told}; one search is no sample")
    told = f"hub {weights['hub']:.3f}, authority {weights['authority']:.3f}"
    yield untestable(claims["light"].about(limit=LIGHT), where, f"{told}; one search is no sample")

"""System 5 again: ranking the frontier by weights that a genetic search found on simulated crawls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from salticid.evolve import CHOOSING, FINALISTS, PAPER_TERMS, Simulation, row_for_all
from salticid.evolve import THE_PAPERS as PAPER_WEIGHTS
from salticid.lab.reproduce.evolved_figures import (
    BEST_FIRST,
    MEASURES,
    NUMBER,
    THE_PAPERS,
    figures,
    loss_table,
    names,
    tested_table,
    weight_table,
)
from salticid.lab.reproduce.findings import Finding, finding_of, paper, untestable
from salticid.lab.reproduce.race import SHARE, equality, mean_text, part_of_mean
from salticid.lab.reproduce.rank_search import (
    BEST,
    BEST_FIRST_ROW,
    ENOUGH,
    LENGTHS,
    TEST_SEEDS,
    Found,
    Places,
    SearchSize,
    TopicTests,
    Workplace,
    extended,
    extension_findings,
    extension_table,
    places,
)
from salticid.lab.reproduce.reproduction import Reproduction, Setup, generated_ground
from salticid.lab.statistics import compare, unpaired
from salticid.strategies.parts import Ranking

POPULATION, GENERATIONS, RUNS = 50, 50, 3
ROOM = 1200
"""So many times larger than a crawl the generated web is: the paper's is 300 times, but its topics are larger."""
QUICK, FULL = 20, 4
"""Crawls are so many times shorter than the paper's 10,000 pages, as a rule and in the full experiment."""
HEAVIEST = ("comm_in", "comm_out", "parent_1")
LIGHT = 0.05
"""A weight below this is light."""
AT_LENGTH = {1: "at the length of training", 2: "twice as long", 3: "three times as long"}


@dataclass(frozen=True, slots=True)
class Trial:
    """A search on a rare topic, and the tests of all strategies on other rare topics and on popular ones."""

    places: Places
    found: Found
    rare: TopicTests
    popular: TopicTests


def reproduce(setup: Setup) -> Reproduction:
    """Evolve on a rare topic of a generated web; test on other rare topics and on popular ones."""
    length = max(setup.pages // (FULL if setup.full else QUICK), 10)
    workplace = Workplace(setup.out, setup.workers, SearchSize(POPULATION, GENERATIONS, RUNS), setup.watch)
    world = generated_ground(setup.out, ROOM * length, setup.watch).world
    rankings = (Ranking(), *([Ranking(margin=True)] if setup.letter else []))
    trials = [_trial(places(world, length, ranking), workplace) for ranking in rankings]
    wider = extended(trials[0].found, trials[0].rare, workplace)
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data=trials[0].places.description(),
        settings=_settings(length, setup),
        tables=[
            weight_table([each.found for each in trials]),
            extension_table(wider),
            *(tested_table(tests, names(each.found)) for each in trials for tests in (each.rare, each.popular)),
            *(loss_table(each.found) for each in trials),
        ],
        figures=[
            figure
            for each in trials
            for tests in (each.rare, each.popular)
            for figure in figures(tests, names(each.found), rare=tests is each.rare)
        ],
        findings=[*(finding for each in trials for finding in _findings(each)), *extension_findings(wider)],
    )


def _settings(length: int, setup: Setup) -> dict[str, str]:
    margins = ", and once more by their raw margins, as the paper" if setup.letter else ""
    return {
        "pages of a training crawl": f"{length:,}; the paper's 10,000 would need a web of 12,000,000 pages",
        "topics": f"each has at least {ENOUGH} times the pages that Best-First finds in the longest crawl",
        "search": f"genetic, from a random start, on the rare topic, {POPULATION} individuals, {GENERATIONS} "
        f"generations, {RUNS} crawls each, the same random seeds for all",
        "choice": f"of the {FINALISTS} fittest, the {BEST} best on {CHOOSING} other random seeds",
        "tests": f"two other sets of start pages, three lengths, {TEST_SEEDS} more random seeds; findings are about "
        f"the mean of the {BEST}, topic by topic",
        "terms": "the paper's nine, k of PARENT_k being 5",
        "good": "an SVM on words and pairs of words says so, learned from the training seeds and random pages; parents "
        f"count by its scores from -1 to 1{margins}",
    }


def _trial(where: Places, workplace: Workplace) -> Trial:
    """Search on the first topic, then test what was found on all others."""
    found = workplace.search(where.first)
    strategies = {
        BEST_FIRST: BEST_FIRST_ROW,
        THE_PAPERS: row_for_all(PAPER_WEIGHTS, Simulation.terms, 1),
        **dict(zip(names(found), found.best, strict=True)),
    }
    margins = ", raw margins" if where.first.ranking.margin else ""
    rare, popular = (
        workplace.test(f"{kind} topics{margins}", group, strategies)
        for kind, group in (("rare", where.rare), ("popular", where.popular))
    )
    return Trial(where, found, rare, popular)


def _findings(trial: Trial) -> Iterator[Finding]:
    ask = _Questions(trial)
    for tests, kind in ((trial.rare, "rare"), (trial.popular, "popular")):
        for length in LENGTHS:
            longest = kind == "rare" and length == LENGTHS[-1]
            if longest:
                yield ask.differs(tests, "rare_longest", length, "good pages", sign=-1)
                for part in ("community", "overall"):
                    yield ask.same(tests, f"rare_{part}_longest", length, f"{part} cohesiveness")
                continue
            yield ask.differs(tests, kind, length, "good pages")
            for part in ("community", "overall"):
                yield ask.differs(tests, f"{kind}_{part}", length, f"{part} cohesiveness")
        yield ask.growth(tests, kind)
        for name, measure in (("nearer", "links from the seeds"), ("farthest", "farthest")):
            yield ask.differs(tests, name, 1, measure, sign=-1, kind=kind)
    yield from ask.better_on_popular()
    yield from ask.weights()


@dataclass(frozen=True, slots=True)
class _Questions:
    """Questions to the tests of a trial, each answered by a test over topics."""

    trial: Trial

    @property
    def where(self) -> str:
        """On what."""
        return "generated" + (", raw margins" if self.trial.found.place.ranking.margin else "")

    def differs(
        self, tests: TopicTests, name: str, length: int, measure: str, sign: int = 1, **parts: object
    ) -> Finding:
        """Whether evolved crawls have more (1) or less (-1) of a figure than Best-First's."""
        ours, theirs = self._values(tests, length, measure)
        claim = paper(NUMBER).claims[name].about(length=AT_LENGTH[length], **parts)
        least = SHARE if measure == "good pages" else part_of_mean(theirs)
        return finding_of(claim, self.where, _means(ours, theirs), compare("", "", "", ours, theirs), least, sign)

    def same(self, tests: TopicTests, name: str, length: int, measure: str) -> Finding:
        """Whether evolved crawls have as much of a figure as Best-First's."""
        ours, theirs = self._values(tests, length, measure)
        return equality(paper(NUMBER).claims[name], self.where, _means(ours, theirs), ours, theirs)

    def growth(self, tests: TopicTests, kind: str) -> Finding:
        """Whether the evolved community gains cohesiveness with length, or on a rare topic loses it."""
        of = MEASURES["community cohesiveness"]
        late, early = (tests.values(names(self.trial.found), length, of) for length in (LENGTHS[-1], LENGTHS[0]))
        name, sign = ("rare_community_falls", -1) if kind == "rare" else ("popular_community_grows", 1)
        claim, least = paper(NUMBER).claims[name], part_of_mean(early)
        return finding_of(claim, self.where, _means(late, early), compare("", "", "", late, early), least, sign)

    def better_on_popular(self) -> Iterator[Finding]:
        """Whether popular topics are easier; they are other topics, so that nothing pairs them."""
        share = MEASURES["good pages"]
        for strategy, group in ((BEST_FIRST, [BEST_FIRST]), ("What was evolved", names(self.trial.found))):
            popular, rare = (each.values(group, 1, share) for each in (self.trial.popular, self.trial.rare))
            claim = paper(NUMBER).claims["all_better"].about(strategy=strategy)
            yield finding_of(claim, self.where, _means(popular, rare), unpaired(popular, rare), SHARE)

    def weights(self) -> Iterator[Finding]:
        """What the weights of one search say; one search is no sample, so nothing is tested."""
        claims = paper(NUMBER).claims
        weights = {term: self.trial.found.weight(term) for term in PAPER_TERMS}
        heaviest = sorted(weights, key=lambda term: -weights[term])[: len(HEAVIEST)]
        told = ", ".join(f"{term} {weights[term]:.3f}" for term in heaviest)
        yield untestable(claims["heaviest"], self.where, f"{told}; one search is no sample")
        told = f"hub {weights['hub']:.3f}, authority {weights['authority']:.3f}"
        yield untestable(claims["light"].about(limit=LIGHT), self.where, f"{told}; one search is no sample")

    def _values(self, tests: TopicTests, length: int, measure: str) -> tuple[list[float], list[float]]:
        """The mean of the evolved, and Best-First's, topic by topic."""
        of = MEASURES[measure]
        return tests.values(names(self.trial.found), length, of), tests.values([BEST_FIRST], length, of)


def _means(a: list[float], b: list[float]) -> str:
    return f"{mean_text(a)} against {mean_text(b)}"

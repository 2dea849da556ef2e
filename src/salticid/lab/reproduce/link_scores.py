"""System 2 again: three ways to tell from a link what it leads to, as classifiers; and a fourth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from salticid.lab.compare import crawls_and_measures
from salticid.lab.experiment import Experiment, Instances
from salticid.lab.links import (
    ALL_WORDS,
    ANCHOR,
    CONTEXT,
    NEIGHBOURHOOD,
    TRANSITION,
    TRUSTS,
    WITH_PATH,
    Context,
    Difference,
    LabelledLinks,
    ScoreTable,
    Split,
    SplitSettings,
    Trial,
    at_random,
    beside_paths,
    by_university,
    difference,
    figures,
    labelled_links,
    link_table,
    paired_bootstrap,
    percent,
    run_trial,
    tables_of,
    transition_by_class,
    with_paths,
)
from salticid.lab.plots import p_value
from salticid.lab.reproduce.findings import Claim, Finding, finding_of, paper, untestable
from salticid.lab.reproduce.race import mean_text
from salticid.lab.reproduce.reproduction import (
    WEBKB,
    FigureTable,
    PaperFigure,
    Reproduction,
    Setup,
    generated_ground,
    pages_of,
    world_of,
)
from salticid.lab.results import Curve, Test
from salticid.lab.statistics import all_pairs
from salticid.learning import LinkTables, LinkWeights, Whole
from salticid.protocols import Strategy
from salticid.strategies.anchor import Anchor
from salticid.strategies.breadth_first import BreadthFirst
from salticid.strategies.context import Context as ContextPriority
from salticid.strategies.neighbourhood import Neighbourhood
from salticid.strategies.transition import Transition
from salticid.topic import Topic
from salticid.truth import Truth, save_topic
from salticid.webs import PAGE
from salticid.worlds import WebKB, WorldSource

# The four scores of links as priorities of crawls: on each university of WebKB with what the others taught.

PAGES = 200
SOUGHT = ("course", "homepage", "project")
START = "department"
BLIND = "breadth_first"
SCORES = (BLIND, NEIGHBOURHOOD, ANCHOR, TRANSITION, CONTEXT)
MEASURES = ("target_recall", "recall_auc")


def score_race(
    links: LabelledLinks,
    splits: Sequence[Split],
    settings: Sequence[SplitSettings],
    context: Context,
    setup: Setup,
) -> Iterator[FigureTable]:
    """Crawls of each university after each class, from its department's page; and each score against each other."""
    values: dict[str, dict[str, list[float | None]]] = {metric: {name: [] for name in SCORES} for metric in MEASURES}
    total = len(splits) * len(SOUGHT)
    for at, (split, chosen) in enumerate(zip(splits, settings, strict=True)):
        tables = tables_of(links, split.pages, split.train, SOUGHT[0])
        for place, sought in enumerate(SOUGHT):
            folder = setup.out / "score-race" / f"{split.name}-{sought}"
            if _write_topic(links, split.name, sought, folder / "topics"):
                weights = context.weights(split.train, chosen.trust, sought)
                measures = _measure(links, folder, _priorities(msgspec.structs.replace(tables, target=sought), weights))
                for metric, by_name in values.items():
                    for name in SCORES:
                        by_name[name].append(measures.get(name, {}).get(metric))
            setup.watch("crawling by each score", at * len(SOUGHT) + place + 1, total)
    crawls = len(values[MEASURES[0]][BLIND])
    if not crawls:
        return
    yield FigureTable(
        f"The scores as priorities of crawls: {crawls} crawls of {PAGES} pages, each of one university after one class "
        "of page, by what the other universities taught",
        ["priority", "targets found", "area under the curve of targets found"],
        [[name, *(mean_text(values[metric][name]) for metric in MEASURES)] for name in SCORES],
    )
    tests = all_pairs(MEASURES[1], values[MEASURES[1]], 0)
    yield FigureTable(
        "Area under the curve of targets found: each priority less each other, p corrected for all pairs (Holm)",
        ["", "difference (95 %)", "p"],
        [
            [
                f"{test.b} less {test.a}",
                f"{-test.diff:+.3f} ({-test.high:+.3f} to {-test.low:+.3f})",
                p_value(test.p_adjusted),
            ]
            for test in tests
        ],
    )


def _write_topic(links: LabelledLinks, university: str, sought: str, folder: Path) -> bool:
    """A topic file: find the pages of a class from the department's page; whether there are any."""
    urls = links.web.urls.spell(links.web.arrays[PAGE.url].tolist())
    home = np.array(links.university) == university
    seeds, targets = (
        tuple(sorted(urls[at] for at in np.flatnonzero(home & (links.page_class == links.classes.index(label)))))
        for label in (START, sought)
    )
    if not seeds or not targets:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    topic = Topic(f"{sought} pages of {university}", f"{sought} {university}", seeds)
    save_topic(folder / f"{sought}.toml", topic, Truth("", targets))
    return True


def _priorities(tables: LinkTables, weights: LinkWeights) -> dict[str, Strategy]:
    """A strategy for each score: what was learned elsewhere is all it knows, and nothing is learned on the way."""
    return {
        BLIND: BreadthFirst(),
        NEIGHBOURHOOD: Neighbourhood(tables=tables, learn=False),
        ANCHOR: Anchor(tables=tables, learn=False),
        TRANSITION: Transition(tables=tables, learn=False),
        CONTEXT: ContextPriority(weights=weights),
    }


def _measure(links: LabelledLinks, folder: Path, priorities: dict[str, Strategy]) -> dict[str, dict[str, float | None]]:
    experiment = Experiment(
        str(links.web.folder),
        str(folder / "topics"),
        tuple(priorities),
        PAGES,
        measures=MEASURES,
        given=Instances(strategies=priorities),
    )
    return crawls_and_measures(experiment, folder / "crawls", 1, lambda what, done, of: None)[1][0].values


NUMBER = 2
WITH_CLASS = "transition, told the page's class"
GENERATED_PAGES = 3000
SEED = 0
LETTER = ", as the paper"
"""Marks a trial with stop words left out, as the paper has it."""
FAR = 0.1
"""Far more is ten points more, for sure."""
HARDLY_EVER = 0.05
CLASSES = ("course", "department", "homepage", "other", "project")


def reproduce(setup: Setup) -> Reproduction:
    """Run the experiment on WebKB if the data hold it, packed or not; else on a generated web, by topics.

    By the letter of the paper stop words are left out; we choose inside training whether to. Both are shown.
    """
    source = _webkb(setup.data, setup.out) if setup.data is not None else None
    if source is not None:
        source_text = "WebKB"
        world = world_of(setup.out, "webkb-with-context-paths", source, setup.watch, context_paths=True)
        links = labelled_links(world)
        contexts = {"": Context(links), WITH_PATH: Context(with_paths(links, world))}
        splits = {"by university": by_university(links), "at random": at_random(links, SEED)}
    else:
        source_text = "a generated web, where classes are fields of knowledge and not kinds of page: another question"
        links = labelled_links(generated_ground(setup.out, GENERATED_PAGES, setup.watch).world)
        contexts = {"": Context(links)}
        splits = {"at random": at_random(links, SEED)}
    trials = {}
    for name, parts in splits.items():
        trials[f"{name}{LETTER}"] = _trial(contexts, parts, setup, links.language)
        trials[name] = _trial(contexts, parts, setup)
    with_class = {name: _with_page_class(trial, splits[name.removesuffix(LETTER)]) for name, trial in trials.items()}
    by_home = "by university"
    races = (
        score_race(links, splits[by_home], trials[by_home].settings, contexts[""], setup) if by_home in splits else ()
    )
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data=f"{source_text}; {len(links):,} labelled links (the paper: 46,435, most of them from pages it collected)",
        settings=_settings(trials),
        tables=[
            *_beside_the_paper(with_class),
            *races,
            *(table for each in trials.items() for table in _figures(*each)),
        ],
        findings=[
            finding
            for name, trial in with_class.items()
            if setup.letter or not name.endswith(LETTER)
            for finding in _Findings(name, trial)
        ],
        figures=[*_recall_figures(with_class)],
    )


def _trial(
    contexts: Mapping[str, Context], splits: Sequence[Split], setup: Setup, stop_words: str | None = None
) -> Trial:
    """All scores; beside them, where context paths were kept, what they are with these."""
    plain, *pathed = (run_trial(splits, setup.watch, each, stop_words) for each in contexts.values())
    return beside_paths(plain, pathed[0]) if pathed else plain


def _with_page_class(trial: Trial, splits: Sequence[Split]) -> Trial:
    """The trial with one more score: transition, told the class of the page."""
    parts = zip(splits, trial.settings, strict=True)
    answers = [transition_by_class(trial.links, split, one.stop_words).argmax(axis=1) for split, one in parts]
    return replace(trial, answers={**trial.answers, WITH_CLASS: np.concatenate(answers).astype(np.int32)})


def _webkb(data: Path, out: Path) -> Callable[[], WorldSource] | None:
    if (archive := pages_of(WEBKB, data, out)) is not None:
        return archive
    for folder in (data, data / "webkb"):
        if any((folder / tree / "course").is_dir() for tree in ("", "raw", "webkb")):
            return lambda: WebKB(folder)
    return None


def _settings(trials: Mapping[str, Trial]) -> dict[str, str]:
    split_rules = {
        "by university": "each of four left out in turn, misc always learned from, links across dropped",
        "at random": f"23 % of the links, as in the paper, seed {SEED}; links of one page fall on both sides",
    }
    choices = [
        f"{name}, {one.split}: stop words {'kept' if one.stop_words == ALL_WORDS else 'left out'}, trust {one.trust:g}"
        for name, trial in trials.items()
        for one in trial.settings
    ]
    return {
        **{name: rule for name, rule in split_rules.items() if name in trials},
        "as the paper": "stop words are left out",
        "chosen inside training": "otherwise whether stop words are left out, by the anchor score; of "
        f"{', '.join(f'{trust:g}' for trust in TRUSTS)} the trust of the regression",
        "what was chosen": "; ".join(choices),
        "with path": "the words of the page's title, of the headings and of the list items above a link are read too",
        "significance": "paired bootstrap, 10,000 draws of source pages; in the tables p is of each test alone",
    }


def _figures(name: str, trial: Trial) -> Iterator[FigureTable]:
    for table in figures(trial):
        yield FigureTable(f"{name[0].upper()}{name[1:]}. {table.title}", table.head, table.rows)


def _beside_the_paper(trials: Mapping[str, Trial]) -> Iterator[FigureTable]:
    """Accuracy, and recall where the classes are the paper's."""
    tables = {name: link_table(trial) for name, trial in trials.items()}
    scores = list(next(iter(tables.values())).scores)
    rows = [
        [score, _by_paper(score), *(f"{100 * each.scores[score].accuracy:.2f}" for each in tables.values())]
        for score in scores
    ]
    yield FigureTable("Accuracy, %", ["score", "the paper", *tables], rows)
    if all(tuple(table.classes) == CLASSES for table in tables.values()):
        rows = [
            [name, score, *_recalls(score, table.scores[score] if table else None)]
            for score in scores
            for name, table in (("the paper", None), *tables.items())
            if table is not None or score in paper(NUMBER).numbers
        ]
        yield FigureTable("Recall, %", ["where", "score", *CLASSES], rows)


def _by_paper(score: str) -> str:
    printed = paper(NUMBER).numbers["accuracy"]
    return f"{printed[score]:.2f}" if score in printed else "—"


def _recalls(score: str, table: ScoreTable | None) -> list[str]:
    if table is None:
        return [f"{recall:.2f}" for recall in paper(NUMBER).numbers[score].values()]
    return [percent(table.recall[label]) for label in CLASSES]


def _recall_figures(trials: Mapping[str, Trial]) -> Iterator[PaperFigure]:
    """Table 1 drawn: accuracy by each score with its error over source pages, and the paper's."""
    printed = paper(NUMBER)
    scores = [score for score in next(iter(trials.values())).answers if score != WITH_CLASS]
    places = [float(n) for n in range(len(scores))]
    paper_bars = [printed.numbers["accuracy"].get(score, 0.0) for score in scores]
    curves = {"the paper": Curve(places, paper_bars, [0.0] * len(scores))}
    for name, trial in trials.items():
        shares = [_share(trial, score) for score in scores]
        curves[name] = Curve(places, [mean for mean, _ in shares], [error for _, error in shares])
    table = printed.figures["1"]
    yield PaperFigure(
        "Table 1", table.title, "all splits", table.quote, "", "accuracy, %", curves, groups=scores, main=True
    )


def _share(trial: Trial, score: str) -> tuple[float, float]:
    """Accuracy and its standard error by a bootstrap over source pages, both in percent."""
    right = (trial.answers[score] == trial.truth).astype(np.int64)
    test = paired_bootstrap(right, trial.links.source[trial.questions], 0)
    return 100 * test.diff, 100 * (test.high - test.low) / (2 * 1.96)


@dataclass(frozen=True)
class _Findings:
    """What the paper found, asked again of one trial."""

    name: str
    trial: Trial

    def __iter__(self) -> Iterator[Finding]:
        claims = paper(NUMBER).claims
        transition, context = (TRANSITION, ANCHOR), (CONTEXT, TRANSITION)
        yield self._comparison(claims["anchor"], (ANCHOR, NEIGHBOURHOOD), margin=FAR)
        yield self._comparison(claims["transition"], transition)
        if self.trial.links.classes == CLASSES:
            yield self._departments(claims["departments"])
            yield self._comparison(claims["homepages"], transition, self._links_to("homepage"))
            yield self._comparison(claims["others"], transition, self._links_to("other"))
            yield self._comparison(claims["courses"], transition[::-1], self._links_to("course"))
        yield self._comparison(claims["context"], context)
        yield self._comparison(claims["empty_anchors"], context, self._silent())
        yield self._path(claims["path"], ANCHOR)
        yield self._path(claims["path_empty_anchors"], ANCHOR, self._silent())
        yield self._path(claims["path_context"], CONTEXT)

    def _comparison(
        self, claim: Claim, scores: tuple[str, str], among: Whole | None = None, margin: float = 0.0
    ) -> Finding:
        """One score against another, on all links that were asked about or on some.

        With a margin, p is of the claim that the first is ahead by more.
        """
        if among is not None and not len(among):
            return untestable(claim, self.name, "no such link was asked about")
        test = difference(self.trial, *scores, among, margin=margin)
        many = f", {len(among):,} links" if among is not None else ""
        first, second = (self._right(score, among) for score in scores)
        return self._finding(claim, f"{first} against {second} %{many}", test, among)

    def _path(self, claim: Claim, score: str, among: Whole | None = None) -> Finding:
        """A score that read context paths against itself without them."""
        if f"{score}{WITH_PATH}" not in self.trial.answers:
            return untestable(claim, self.name, "pages of this web have no outline")
        return self._comparison(claim, (f"{score}{WITH_PATH}", score), among)

    def _departments(self, claim: Claim) -> Finding:
        """Whether the page tells fewer than one link to a department in twenty; the effect is what is left to that."""
        among = self._links_to("department")
        if not len(among):
            return untestable(claim, self.name, "no link to one was asked about")
        right = (self.trial.answers[NEIGHBOURHOOD] == self.trial.truth)[among].astype(np.int64)
        sources = self.trial.links.source[self.trial.questions[among]]
        test = paired_bootstrap(right, sources, 0, HARDLY_EVER)
        here = f"{100 * test.diff:.2f} % ({100 * test.low:.2f} to {100 * test.high:.2f})"
        room = Difference(HARDLY_EVER - test.diff, HARDLY_EVER - test.high, HARDLY_EVER - test.low, test.p)
        return self._finding(claim, here, room, among)

    def _finding(self, claim: Claim, here: str, test: Difference, among: Whole | None) -> Finding:
        n = len(self.trial.questions) if among is None else len(among)
        tested = Test(claim.finding, "", "", test.diff, test.p, None, None, test.low, test.high, n)
        return finding_of(claim, self.name, here, tested)

    def _silent(self) -> Whole:
        """The links without an anchor."""
        return np.flatnonzero([not len(anchor) for anchor in self.trial.links.anchors(self.trial.questions)])

    def _links_to(self, label: str) -> Whole:
        return np.flatnonzero(self.trial.truth == self.trial.links.classes.index(label))

    def _right(self, score: str, among: Whole | None) -> str:
        right = self.trial.answers[score] == self.trial.truth
        return f"{100 * float((right if among is None else right[among]).mean()):.2f}"

"""What the default strategy should believe before it starts, from crawls of recordings whose targets are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from salticid.errors import UserError
from salticid.lab.compare import processes
from salticid.lab.crawl_record import encoder_here, recorded_web
from salticid.lab.experiment import make_judge
from salticid.model import Floats, Outcome, Visit
from salticid.runs import MemoryLog, Recipe, RecordedCrawl
from salticid.strategies.hunter import ALL_NAMES, NAMES, Hunter, Prior, menu_share
from salticid.topic import Limits, Topic
from salticid.truth import Truth, load_topic
from salticid.urls import canonical

MOST_LINKS = 160
"""So many of the waiting links, at most, are a question to the model."""
PULL_TO_ZERO = 0.15
"""How much small weights are preferred, for each question."""
_STEPS = 200
_MOST_SPREADS = 3.0
"""A feature counts at most so many of its spreads above its mean."""
_ROUGH = {
    "best near topic": 2.0,
    "best anchor topic": 1.0,
    "address topic": 2.0,
    "pages best": 1.0,
    "hubs best": 3.0,
}
"""What the first round goes by."""

Watch = Callable[[str, int, int], None]


class FitPlan(NamedTuple):
    """How crawls are made to learn from; the fields are the options of `salticid fit`."""

    max_pages: int = 300
    every: int = 10
    rounds: int = 3
    judge: str = Hunter.judge
    workers: int = 1
    base: Prior | None = None


class FitTask(NamedTuple):
    """A crawl to learn from."""

    number: int
    world: str
    topic: Topic
    truth: Truth


class LinkQuestion(NamedTuple):
    """Waiting links at one moment of a crawl, and which of them lead to targets; at least one does.

    `lists` is the share of links that stood in lists by then.
    """

    topic: int
    features: Floats
    right: Floats
    lists: float


class Source(NamedTuple):
    """A world, and topic files for it."""

    world: Path
    topics: Sequence[Path]


def fit_prior(sources: Sequence[Source], plan: FitPlan, watch: Watch) -> Prior:
    """The weights under which the links that lead to targets come first, over all topics alike.

    The hunter crawls every topic as it is, and, if it has examples, by its keywords alone: first by a rough rule or by
    the `base`, then by what it has learned, `rounds` times, with the sentence encoder of this machine if there is one.
    Every so many pages its waiting links are a question: which of these lead to targets? The weights answer all
    questions of the last two rounds as well as they can.
    """
    topics = [(str(source.world), *task) for source in sources for task in _tasks(source)]
    tasks = [FitTask(number, *task) for number, task in enumerate(topics)]
    if not tasks:
        raise UserError("no topic files to learn from; make some with: salticid world topics WORLD --out DIR")
    encoder = encoder_here(Hunter())
    names = NAMES if encoder is None else ALL_NAMES
    prior = _completed(plan.base, names) if plan.base is not None else _rough_prior(names)
    webs = [recorded_web(str(source.world)) for source in sources]
    worlds = ", ".join(dict.fromkeys(f"{web.digest} ({web.arrays.manifest.built_from})" for web in webs))
    size = f"{len(tasks)} crawls of {plan.max_pages} pages, {plan.rounds} rounds"
    of_encoder = "" if encoder is None else f", encoder {encoder.name} {encoder.digest}"
    kept = "" if plan.base is None else f"; words by a prior of: {plan.base.provenance}"
    origin = f"{size}, judge {plan.judge}{of_encoder}; worlds: {worlds}{kept}"
    rounds: list[list[LinkQuestion]] = []
    with processes(plan.workers) as pool:
        for number in range(plan.rounds):
            questions: list[LinkQuestion] = []
            answers = pool.map(partial(_questions, prior=prior, plan=plan), tasks)
            for count, some in enumerate(answers, start=1):
                questions += some
                watch(f"round {number + 1}", count, len(tasks))
            rounds.append(questions)
            prior = best_weights([question for some in rounds[-2:] for question in some], origin, plan.base)
    return prior


def _rough_prior(names: Sequence[str]) -> Prior:
    rough, plain = {name: _ROUGH.get(name, 0.0) for name in names}, dict.fromkeys(names, 1.0)
    return Prior("rough", rough, rough, dict.fromkeys(names, float("inf")), plain)


def _completed(base: Prior, names: Sequence[str]) -> Prior:
    """A prior with all these features; those that it does not have weigh nothing."""
    tables = (base.texts, 0.0), (base.menus, 0.0), (base.most, float("inf")), (base.spread, 1.0)
    return Prior(base.provenance, *({name: table.get(name, usual) for name in names} for table, usual in tables))


def best_weights(questions: Sequence[LinkQuestion], provenance: str, base: Prior | None = None) -> Prior:
    """Minimise -sum over questions of the mean log share of the right links, a share being exp(margin) / sum exp.

    Topics count alike. Weights for webs of texts and of menus are found together, a question counting for both by the
    share of links in lists. Weights are drawn to 0 by half their squares, in units of the spread, PULL_TO_ZERO times
    for each question. A `base` keeps what it says: only features that it lacks get weights, and on webs of texts alone,
    for the meaning of labels in menus misleads (`docs/hunter.md`).
    """
    if not questions:
        raise UserError("no crawl met a target, so that nothing can be learned; are there targets in the topic files?")
    features = np.concatenate([question.features for question in questions])
    most = features.mean(axis=0) + _MOST_SPREADS * features.std(axis=0)
    if base is not None:
        most[: len(base.names)] = base.bounds()
    features = np.minimum(features, most)
    spread = features.std(axis=0)
    spread[spread == 0.0] = 1.0
    middle = np.zeros((2, len(spread)))
    if base is not None:
        spread[: len(base.names)] = base.spreads()
        middle[:, : len(base.names)] = (base.weights_in(0.0), base.weights_in(1.0))
    start = (middle * spread).ravel()
    is_free = np.ones((2, len(spread)), np.bool_)
    if base is not None:
        is_free[0, : len(base.names)] = is_free[1] = False
    free = is_free.ravel()
    sizes = [len(question.right) for question in questions]
    first = np.cumsum([0, *sizes[:-1]])
    owner = np.repeat(np.arange(len(questions)), sizes)
    times = np.bincount([question.topic for question in questions])
    weight = np.array([1.0 / times[question.topic] for question in questions])
    weight *= len(questions) / weight.sum()
    right = np.concatenate([question.right / question.right.sum() for question in questions]) * weight[owner]

    menu_like = np.array([menu_share(question.lists) for question in questions])[owner, None]
    scaled = features / spread
    scaled_features = np.concatenate((scaled * (1.0 - menu_like), scaled * menu_like), axis=1)
    pull = PULL_TO_ZERO * len(questions)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = scaled_features @ weights
        margin -= np.maximum.reduceat(margin, first)[owner]
        powers = np.exp(margin)
        total = np.add.reduceat(powers, first)[owner]
        error = weight[owner] * powers / total - right
        return (
            float(-(right * (margin - np.log(total))).sum() + pull * ((weights - start) @ (weights - start)) / 2),
            np.where(free, scaled_features.T @ error + pull * (weights - start), 0.0),
        )

    fit = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    texts, menus = fit.x.reshape(2, -1) / spread
    return Prior(provenance, _table(texts), _table(menus), _table(most), _table(spread))


def _table(numbers: Floats) -> dict[str, float]:
    names = NAMES if len(numbers) == len(NAMES) else ALL_NAMES
    return {name: float(f"{number:.6g}") for name, number in zip(names, numbers.tolist(), strict=True)}


def _tasks(source: Source) -> list[tuple[Topic, Truth]]:
    """Each topic as it is, and without its examples."""
    topics = [load_topic(file) for file in source.topics]
    return [
        (version, truth) for topic, truth in topics for version in dict.fromkeys((topic, replace(topic, examples=())))
    ]


def _questions(task: FitTask, prior: Prior, plan: FitPlan) -> list[LinkQuestion]:
    number, world, topic, truth = task
    web, hunter = recorded_web(world), Hunter(prior=prior)
    starts = {canonical(url) for url in (*topic.seeds, *topic.examples)}
    targets = {web.urls.find(url) for text in truth.targets if (url := canonical(text)) and url not in starts}
    questions: list[LinkQuestion] = []
    pages = 0

    def ask(visit: Visit) -> None:
        nonlocal pages
        if visit.outcome is not Outcome.OK:
            return
        pages += 1
        if pages % plan.every == 0:
            urls, features = hunter.look(MOST_LINKS)
            right = np.array([float(url in targets) for url in urls.tolist()])
            if right.any() and not right.all():
                questions.append(LinkQuestion(number, features, right, hunter.lists))

    judge = make_judge(plan.judge)
    recipe = Recipe(hunter, judge, Limits(max_pages=plan.max_pages), encoder=encoder_here(hunter, judge))
    RecordedCrawl(topic, web, recipe, MemoryLog()).run(ask)
    return questions

"""The report of a search: one HTML file that needs nothing else, with the look of a comparison's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from salticid.evolve.checkpoint import Generation, State
from salticid.lab.plots.lines import line_plot, simple_curve
from salticid.lab.plots.svg_parts import Axes
from salticid.lab.report import report_templates
from salticid.lab.report.figures import Figure
from salticid.lab.results import Curve
from salticid.lab.search_report.evidence import EvolvedStrategy
from salticid.text.templates import content_hash

REPORT = "report.html"
BEST, MEAN = "best", "mean of the population"


def render(state: State, strategy: EvolvedStrategy) -> str:
    """The page as text, the same bytes for the same search. It allows its own style, by its hash, and nothing else."""
    environment = report_templates("salticid.lab.search_report")
    return environment.get_template("page.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        plan=strategy.plan,
        strategy=strategy,
        rows=_rows(strategy),
        figures=[_fitnesses(state.history), *_weights(state)],
    )


def _rows(strategy: EvolvedStrategy) -> list[tuple[str, list[str], str]]:
    """Term by term its weights, and what is lost without it."""
    return [
        (
            term,
            [f"{row[place]:.3f}" for row in strategy.weights],
            str(strategy.losses[term]) if term in strategy.losses else "not used",
        )
        for place, term in enumerate(strategy.plan.terms)
        if term in strategy.plan.searched
    ]


def _fitnesses(history: Sequence[Generation]) -> Figure:
    curves = {
        BEST: simple_curve([each.best for each in history], first=0),
        MEAN: simple_curve([each.mean for each in history], first=0),
    }
    last = history[-1]
    leading = next(at for at, each in enumerate(history) if each.best == last.best)
    words = (
        f"From {history[0].best:.3f} at best in the first population to {last.best:.3f}, first reached in generation "
        f"{leading}; the mean of the population rose from {history[0].mean:.3f} to {last.mean:.3f}."
    )
    return Figure("Fitness on the training seeds", _plot(curves, "fitness", from_zero=False), [words])


def _weights(state: State) -> list[Figure]:
    """For each phase the weights of the fittest, generation by generation."""
    plan, figures = state.plan, []
    leaders = [plan.spread(each.weights) for each in state.history]
    for phase in range(plan.phases):
        curves = {
            term: simple_curve([weights[phase][place] for weights in leaders], first=0)
            for place, term in enumerate(plan.terms)
            if term in plan.searched
        }
        last = {term: curve.mean[-1] for term, curve in curves.items()}
        most = sorted(last, key=lambda term: -last[term])[:3]
        sentence = "Most weight in the end: " + ", ".join(f"{term} {last[term]:.3f}" for term in most) + "."
        part = f", phase {phase + 1} of {plan.phases}" if plan.phases > 1 else ""
        figures.append(Figure(f"Weights of the fittest{part}", _plot(curves, "weight"), [sentence]))
    return figures


def _plot(curves: Mapping[str, Curve], what: str, from_zero: bool = True) -> Markup:
    return line_plot(curves, list(curves), Axes("generation", what, from_zero=from_zero), what)

"""A race of policies as people read it: a table, a curve over the days, and under which terms."""

from __future__ import annotations

from salticid.lab.plots.lines import line_plot
from salticid.lab.plots.numbers import mean_and_error, number, p_value
from salticid.lab.plots.svg_parts import Axes, stand_alone
from salticid.lab.reproduce.markdown import markdown_table
from salticid.lab.reproduce.reproduction import FigureTable
from salticid.lab.rounds.race import OURS, PolicyResults

FIGURE = "policies.svg"
_HEAD = ("policy", "known and as it is", "known", f"{OURS} is ahead by", "95 % interval", "p (Holm)")
_DIGITS = 3


def terms(results: PolicyResults) -> str:
    """What was raced over."""
    race = results.race
    seeds = ", ".join(map(str, range(race.seed, race.seed + race.webs)))
    webs = "a generated web" if race.webs == 1 else f"{race.webs} generated webs"
    return (
        f"{len(results.subjects)} subjects of {webs} of {race.pages:,} pages (seed {seeds}); a first hunt with "
        f"{race.first} fetches on day 0, then {race.days} rounds, a day each, with {race.fetches} fetches each. "
        "Shares of the subject's pages on each day, the mean over the days and of that over the subjects, ± its "
        "standard error; differences are paired over subjects, their intervals a bootstrap over subjects, p "
        "of the paired t-test, corrected by Holm's method."
    )


def table(results: PolicyResults) -> FigureTable:
    """All policies, in the order of the race."""
    tests = {test.b: test for test in results.tests}
    rows = []
    for name, score in results.policies.items():
        row = [name, mean_and_error(score.fresh, _DIGITS), mean_and_error(score.known, _DIGITS)]
        if (test := tests.get(name)) is not None:
            interval = f"{number(test.low, _DIGITS)} to {number(test.high, _DIGITS)}"
            row += [number(test.diff, _DIGITS), interval, p_value(test.p_adjusted)]
        rows.append(row + [""] * (len(_HEAD) - len(row)))
    return FigureTable("Policies of rounds", list(_HEAD), rows)


def figure(results: PolicyResults) -> str:
    """The share that is known as it is, day by day, as an SVG file."""
    axes = Axes("day", "share of the subject known as it is")
    return stand_alone(line_plot(results.curves, list(results.curves), axes, "Policies of rounds"))


def markdown(results: PolicyResults, figure_at: str) -> str:
    """The table and the curve as a page of the docs shows them."""
    return f"{terms(results)}\n\n{markdown_table(table(results))}\n\n![Policies, day by day]({figure_at})\n"

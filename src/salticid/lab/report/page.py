"""The report of a comparison: one HTML file that needs nothing else, good on screen and on paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from jinja2 import Environment
from markupsafe import Markup

from salticid.lab.plots import Axes, distance_plot, line_plot, number, unbroken
from salticid.lab.report import sentences, tables
from salticid.lab.report.tables import Findings
from salticid.lab.results import Curve, Results
from salticid.lab.topic_measures import chance_correlation
from salticid.metrics import Better, Group, Measure
from salticid.text import content_hash, templates

# The figures of a report: a plot, and the sentence that says what it shows.

TRADE_OFF = "precision_recall"
OVER = "_by_"
"""Parts the name of a measure from that of a setting it was swept over, as in oracle_share_by_max_buffer."""
NEVER_FROM_ZERO = ("rank",)
"""Units whose zero means nothing, so that an axis need not show it."""
LOG_FROM = 30
"""An axis of sizes is logarithmic when the last is so many times the first."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot under its title, with what it shows in words."""

    title: str
    plot: Markup
    words: list[str]


@dataclass(frozen=True, slots=True)
class Panel:
    """A small plot of one strategy."""

    name: str
    plot: Markup


def trajectories(findings: Findings) -> list[Figure]:
    """Measures along the crawl, in the order of the measures."""
    curves = findings.results.curves
    names = (name for name in curves if name != TRADE_OFF and OVER not in name)
    along = [each for each in findings.in_order(names) if not each.tops]
    return _with_plot([_trajectory(findings, each, curves[each.name]) for each in along])


def coverages(findings: Findings) -> list[Figure]:
    """What a measure says of the best n pages of the pool, for growing n."""
    curves = findings.results.curves
    covering = [each for each in findings.in_order(curves) if each.tops]
    return _with_plot([_coverage(findings, each, curves[each.name]) for each in covering])


def sweeps(findings: Findings) -> list[Figure]:
    """Measures against a setting that was varied."""
    return _with_plot(
        [_sweep(findings, name, curves) for name, curves in findings.results.curves.items() if OVER in name]
    )


def trade_off(findings: Findings) -> list[Figure]:
    """Precision against recall."""
    curves = _with_points(findings.results.curves.get(TRADE_OFF, {}))
    title = "Precision against recall"
    plot = line_plot(curves, findings.strategies, Axes("recall", "precision"), title)
    return _with_plot([Figure(title, plot, [sentences.precision_at_recall(curves)])])


def distance_panels(findings: Findings) -> list[Panel]:
    """For each strategy, how many of its pages and targets lie how far from the seeds."""
    everything = findings.results.histograms.get("distance_all", {})
    relevant = findings.results.histograms.get("distance_relevant", {})
    names = [name for name in findings.strategies if sum(everything.get(name, ()))]
    size = (
        max((len(everything[name]) for name in names), default=0),
        max((max(everything[name]) for name in names), default=0),
    )
    styles = {name: style for style, name in enumerate(findings.strategies)}
    return [
        Panel(name, distance_plot(name, styles[name], everything[name], relevant.get(name, ()), size)) for name in names
    ]


def distance_words(findings: Findings) -> list[str]:
    """What the panels show."""
    histograms = findings.results.histograms
    text = sentences.distances(histograms.get("distance_all", {}), histograms.get("distance_relevant", {}))
    return [words for words in (text, sentences.verdict(findings, findings.measure("distance"))) if words]


def _trajectory(findings: Findings, measure: Measure, curves: Mapping[str, Curve]) -> Figure:
    curves = _with_points(curves)
    title = _capital(measure.title)
    axes = Axes("pages fetched", _named_axis(measure), measure.unit not in NEVER_FROM_ZERO)
    last = max((curve.x[-1] for curve in curves.values()), default=None)
    words = [sentences.verdict(findings, measure, last), sentences.lead_since(curves, measure.better)]
    return Figure(title, line_plot(curves, findings.strategies, axes, title), words)


def _coverage(findings: Findings, measure: Measure, curves: Mapping[str, Curve]) -> Figure:
    curves = _with_points(curves)
    title = _capital(measure.title)
    axes = Axes("best n pages of the pool", "share of them fetched", log=_is_long(curves))
    places = sentences.at_places(curves, _first_and_middle(curves), "top", measure.better)
    words = [sentences.verdict(findings, measure), f"Share of the {places}." if places else ""]
    return Figure(title, line_plot(curves, findings.strategies, axes, title), words)


def _sweep(findings: Findings, name: str, curves: Mapping[str, Curve]) -> Figure:
    curves = _with_points(curves)
    metric, _, setting = name.partition(OVER)
    measure, over = findings.measure(metric), setting.replace("_", " ")
    title = f"{_capital(measure.title)} by {over}"
    axes = Axes(over, _named_axis(measure), measure.unit not in NEVER_FROM_ZERO, _is_long(curves))
    places = sentences.at_places(curves, _ends(curves), over, measure.better)
    words = [f"{_capital(places)} (not tested)." if places else ""]
    return Figure(title, line_plot(curves, findings.strategies, axes, title), words)


def _named_axis(measure: Measure) -> str:
    return measure.title if measure.better is Better.NEITHER else f"{measure.title} ({measure.better} is better)"


def _ends(curves: Mapping[str, Curve]) -> list[float]:
    """Where the curves begin and end."""
    return sorted({x for curve in curves.values() for x in (curve.x[0], curve.x[-1])})


def _first_and_middle(curves: Mapping[str, Curve]) -> list[float]:
    """Two places before the end, at which some strategy has covered everything."""
    longest = max((curve.x for curve in curves.values()), key=len, default=[])
    return sorted({longest[0], longest[len(longest) // 2]}) if longest else []


def _is_long(curves: Mapping[str, Curve]) -> bool:
    ends = _ends(curves)
    return bool(ends) and 0 < ends[0] * LOG_FROM <= ends[-1]


def _with_points(curves: Mapping[str, Curve]) -> dict[str, Curve]:
    return {name: curve for name, curve in curves.items() if curve.x}


def _with_plot(figures: list[Figure]) -> list[Figure]:
    return [Figure(each.title, each.plot, [w for w in each.words if w]) for each in figures if each.plot]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


OPEN_TESTS = 120
"""So many tests are shown in one table; more are folded, measure by measure."""
UPRIGHT_HEADS = 6
"""With more strategies than this their names stand upright above narrow columns."""


def write_report(results: Results, file: Path) -> None:
    """Write what was found; the same results make the same bytes."""
    file.write_text(render(results), encoding="utf-8", newline="\n")


def render(results: Results) -> str:
    """The page as text. It allows its own style and script, by their hashes, and nothing else whatever."""
    environment = report_templates()
    findings = Findings(results)
    leading, tests = findings.leading(), tables.test_tables(findings)
    return environment.get_template("report.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        script_hash=content_hash(environment, "report.js"),
        results=results,
        order=findings.in_standing(),
        upright=len(findings.strategies) > UPRIGHT_HEADS,
        targets=_targets(results),
        headline=[words for words in _headline(findings) if words],
        leagues=[(group, table) for group in Group if (table := tables.league(findings, group))],
        trajectories=trajectories(findings),
        coverages=coverages(findings),
        trade_off=trade_off(findings),
        sweeps=sweeps(findings),
        distance_panels=distance_panels(findings),
        distance_words=distance_words(findings),
        leading=leading,
        heat_map=tables.heat_map(findings, leading) if leading and results.topics else None,
        wins=sentences.wins(results.topics, findings.strategies, leading) if leading else "",
        tests=tests,
        all_tests=tables.join_tables(tests) if len(results.tests) <= OPEN_TESTS else None,
        topics=[(topic, tables.topic_table(findings, topic)) for topic in results.topics],
        dependence=tables.dependence_table(findings),
        dependence_words=sentences.dependences(results.dependence, len(results.topics), findings.measure),
        chance=chance_correlation(len(results.topics)),
        failures=tables.failures(results.topics),
        unmeasured=tables.missing_values(findings),
        measures=findings.measures(),
    )


def _headline(findings: Findings) -> list[str]:
    """The comparison in a few sentences."""
    leading = findings.leading()
    if leading is None:
        return ["No measure that tells better from worse could be computed."]
    results = findings.results
    failures = sum(len(topic.failed) for topic in results.topics)
    return [
        sentences.verdict(findings, leading),
        sentences.wins(results.topics, findings.strategies, leading),
        f"{failures} of {len(results.topics) * len(findings.strategies)} pairs of strategy and topic failed."
        if failures
        else "",
    ]


def _targets(results: Results) -> str:
    """How many targets topics have: the least, the middle, the most."""
    counts = [topic.targets for topic in results.topics]
    if not counts:
        return "none"
    return f"{min(counts):,} to {max(counts):,} each, {median(counts):,.0f} in the median"


def report_templates(*packages: str) -> Environment:
    """The templates of these packages, and those that reports share."""
    environment = templates(*packages, "salticid.lab.report", "salticid.lab.plots")
    environment.filters |= {"text_of": tables.text_of, "number": number, "unbroken": unbroken}
    return environment

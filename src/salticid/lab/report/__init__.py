"""The report of a comparison: one HTML file that needs nothing else, good on screen and on paper."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from jinja2 import Environment

from salticid.lab.plots.numbers import number, unbroken
from salticid.lab.report import figures, sentences, tables
from salticid.lab.report.leaders import Findings
from salticid.lab.results import Results
from salticid.lab.traits import chance_correlation
from salticid.metrics.parts.measure import Group
from salticid.text.templates import content_hash, templates

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
        trajectories=figures.trajectories(findings),
        coverages=figures.coverages(findings),
        trade_off=figures.trade_off(findings),
        sweeps=figures.sweeps(findings),
        distance_panels=figures.distance_panels(findings),
        distance_words=figures.distance_words(findings),
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

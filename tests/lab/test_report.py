"""The report of a comparison: what it says, that it is one safe file, and that a browser agrees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser
from tests.support.browser import Window, looks

from salticid.lab.plots.plots import line_plot
from salticid.lab.plots.svg import Axes
from salticid.lab.report import sentences
from salticid.lab.report.page import render, write_report
from salticid.lab.report.tables import Findings
from salticid.lab.results import Curve, Results, Score, TopicResult
from salticid.lab.results import Test as Compared
from salticid.metrics import metrics
from salticid.metrics.parts.measure import Better, measure_of

MEASURES = {name: measure_of(metrics.find(name)) for name in metrics.names()}
HOSTILE = "<script>alert(1)</script>\"'&{{ 7 * 7 }}</style><svg/onload=alert(2)>"
THREE = ("best_first", "best_n_first:n=256", "breadth_first")
SIXTEEN = (*(f"best_n_first:n={2**n},admit=always" for n in range(14)), "opic", "pagerank")
ALONG = (
    "harvest",
    "target_recall",
    "smart_rank",
    "mean_similarity",
    "linkage_rank",
    "est_precision",
    "est_recall",
)
NULL = ("est_recency", "robustness")


def scale_of(measure: str) -> float:
    return {"rank": 900.0, "pages": 1000.0, "links": 5.0, "pages' worth": 200.0}.get(MEASURES[measure].unit, 1.0)


def adjusted(tests: Sequence[Compared]) -> list[Compared]:
    """Holm's correction, over one measure."""
    least, corrected = 0.0, {}
    for before, test in enumerate(sorted(tests, key=lambda test: test.p or 0.0)):
        least = max(least, min(1.0, (test.p or 0.0) * (len(tests) - before)))
        corrected[test.a, test.b] = least
    return [replace(test, p_adjusted=corrected[test.a, test.b]) for test in tests]


class Fake:
    """Results that look like those of a real comparison: the earlier a strategy is named, the better it is."""

    def __init__(self, strategies: Sequence[str], topics: Sequence[str], seed: int = 0) -> None:
        self.strategies, self.topics = list(strategies), list(topics)
        self.rng = np.random.default_rng(seed)
        self.skill = np.linspace(0.62, 0.25, len(strategies))
        self.ease = self.rng.uniform(0.5, 1.3, len(topics))

    def values(self, measure: str) -> Any:
        """One value a strategy and topic."""
        share = self.skill[:, None] * self.ease + self.rng.normal(0, 0.05, (len(self.strategies), len(self.topics)))
        share = np.clip(share, 0.01, 0.99)
        if MEASURES[measure].better is Better.LOWER:
            share = 1 - share
        return share * scale_of(measure)

    def tests(self, measure: str, values: Any) -> list[Compared]:
        if len(self.topics) < 2:
            return []
        made = []
        for a, b in combinations(range(len(self.strategies)), 2):
            apart = values[a] - values[b]
            error = apart.std(ddof=1) / np.sqrt(len(apart))
            p = float(np.exp(-0.6 * (apart.mean() / error) ** 2))
            mean, spread = float(apart.mean()), 1.96 * float(error)
            names = self.strategies[a], self.strategies[b]
            made.append(Compared(measure, *names, mean, p, p, None, mean - spread, mean + spread, len(apart)))
        return adjusted(made)

    def curve(self, end: float, falling: bool, x: Any) -> Curve:
        grown = (1 - np.exp(-3 * x / x[-1])) / (1 - np.exp(-3))
        mean = end * (2 - grown if falling else grown) + self.rng.normal(0, 0.004 * abs(end), len(x))
        return Curve(x.tolist(), np.abs(mean).tolist(), (0.08 * np.abs(mean)).tolist())

    def results(self) -> Results:
        every = {name: self.values(name) for name in MEASURES if name not in NULL}
        scores: dict[str, dict[str, Score]] = {}
        for at, strategy in enumerate(self.strategies):
            scores[strategy] = {name: self.score(values[at]) for name, values in every.items()}
            scores[strategy] |= {name: Score(None, None, 0) for name in NULL}
        x = np.rint(np.linspace(1, 1000, 100))
        curves = {
            name: {
                strategy: self.curve(float(every[name][at].mean()), MEASURES[name].better is Better.LOWER, x)
                for at, strategy in enumerate(self.strategies)
            }
            for name in ALONG
        }
        top = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500], float)
        for name in ("coverage_lexical", "coverage_linkage"):
            curves[name] = {
                strategy: Curve(top.tolist(), (skill * top ** (at / 60 - 0.1)).tolist(), [0.02] * len(top))
                for at, (strategy, skill) in enumerate(zip(self.strategies, self.skill, strict=True))
            }
        recall = np.linspace(0.05, 0.6, 12)
        curves["precision_recall"] = {
            strategy: Curve(recall.tolist(), (skill * (1 - recall)).tolist(), [0.02] * 12)
            for strategy, skill in zip(self.strategies, self.skill, strict=True)
        }
        curves["oracle_share_by_max_buffer"] = {
            strategy: Curve([16, 64, 256, 1024, 4096], (skill * np.array([0.6, 0.8, 1, 1, 1])).tolist(), [0.02] * 5)
            for strategy, skill in zip(self.strategies, self.skill, strict=True)
        }
        return Results(
            strategies=scores,
            tests=[test for name, values in every.items() for test in self.tests(name, values)],
            topics=[self.topic(number, every) for number in range(len(self.topics))],
            curves=curves,
            histograms=self.histograms(),
            dependence={
                trait: {
                    name: {each: float(self.rng.uniform(-0.6, 0.6)) for each in self.strategies}
                    for name in ("oracle_share", "target_recall", "harvest")
                }
                for trait in ("size", "heterogeneity", "distance")
            },
            about={
                "salticid": "0.1.0",
                "python": "3.11.7",
                "libraries": {"numpy": "2.4.6", "scipy": "1.17.1"},
                "world": {"digest": "b2:5f0c7a61d2", "pages": 5232, "from": "folder of HTML"},
                "strategies": {name: {"name": name.partition(":")[0], "admit": "compete"} for name in self.strategies},
                "judge": {"name": "cosine"},
                "max_pages": 1000,
                "max_buffer": 256,
                "arrivals": "one",
                "repeats": 1,
                "seed": 0,
                "topics": len(self.topics),
            },
            measures=MEASURES,
        )

    def score(self, values: Any) -> Score:
        several = len(values) > 1
        error = float(values.std(ddof=1) / np.sqrt(len(values))) if several else None
        return Score(float(values.mean()), error, len(values))

    def topic(self, number: int, every: dict[str, Any]) -> TopicResult:
        values: dict[str, dict[str, float | None]] = {
            strategy: {name: float(each[at, number]) for name, each in every.items()} | dict.fromkeys(NULL)
            for at, strategy in enumerate(self.strategies)
        }
        return TopicResult(self.topics[number], 20 + 7 * number, 0.5 + 0.01 * number, values, {})

    def histograms(self) -> dict[str, dict[str, list[int]]]:
        found: dict[str, dict[str, list[int]]] = {"distance_all": {}, "distance_relevant": {}}
        for at, name in enumerate(self.strategies):
            counts = [40, 900 - 20 * at, 4200 + 90 * at, 2100, 700 + 60 * at, 120, 9]
            found["distance_all"][name] = counts
            found["distance_relevant"][name] = [
                0,
                *(count // (2 + far) for far, count in enumerate(counts[1:])),
            ]
        return found


def fake(strategies: Sequence[str] = THREE, topics: int = 33) -> Results:
    return Fake(strategies, [f"subject.{chr(97 + n % 26)}.{n}" for n in range(topics)]).results()


@pytest.fixture(scope="module")
def usual() -> Results:
    return fake()


def elements(html: str) -> Iterator[Any]:
    return LexborHTMLParser(html).root.traverse()  # type: ignore[union-attr]


def pair(
    means: dict[str, float],
    tests: list[Compared],
    metric: str = "target_recall",
    se: float | None = 0.02,
    topics: int = 33,
) -> Findings:
    """Hand-made results: these means, and what the tests say."""
    strategies = {name: {metric: Score(mean, se, topics)} for name, mean in means.items()}
    of = [TopicResult(str(n), 10, None, {}, {}) for n in range(topics)]
    return Findings(Results(strategies, tests, of, {}, {}, {}, {}, MEASURES))


def between(a: str, b: str, diff: float, p: float | None, metric: str = "target_recall", n: int = 33) -> Compared:
    return Compared(metric, a, b, diff, p, p, p, diff - 0.01, diff + 0.01, n)


RECALL = MEASURES["target_recall"]


def test_the_better_of_two_is_named_with_both_numbers_and_how_sure_that_is() -> None:
    findings = pair({"hub_x": 0.31, "best_first": 0.43}, [between("hub_x", "best_first", -0.12, 0.0004)])
    assert sentences.verdict(findings, RECALL, 1000) == (
        "best_first finds most targets: 0.43 ± 0.02 of them after 1,000 pages; hub_x 0.31 ± 0.02; "
        "p < 0.001 (paired t over 33 topics, Holm)."
    )


def test_where_less_is_better_the_lowest_is_named() -> None:
    test = between("a", "b", -100, 0.01, "smart_rank")
    findings = pair({"b": 512.0, "a": 412.0}, [test], "smart_rank", se=11.6)
    assert sentences.verdict(findings, MEASURES["smart_rank"], 500) == (
        "a gets the pages that SMART ranks best: 412 ± 12 after 500 pages; b 512 ± 12; "
        "p = 0.010 (paired t over 33 topics, Holm)."
    )


def test_a_lead_that_may_be_chance_is_not_called_one() -> None:
    findings = pair({"a": 0.43, "b": 0.42}, [between("a", "b", 0.01, 0.314)])
    assert sentences.verdict(findings, RECALL, 1000) == (
        "Nobody's lead in targets found is significant: a 0.43 ± 0.02 of them after 1,000 pages; b 0.42 ± 0.02; "
        "p = 0.31 at the least (paired t over 33 topics, Holm)."
    )


def test_those_behind_and_those_not_told_apart_are_named_apart() -> None:
    tests = [
        between("a", "b", 0.01, 0.4),
        between("a", "c", 0.2, 0.002, n=30),
        between("b", "c", 0.19, 0.003),
    ]
    findings = pair({"c": 0.23, "b": 0.42, "a": 0.43}, tests)
    assert sentences.verdict(findings, RECALL) == (
        "a finds most targets: 0.43 ± 0.02 of them; ahead of c 0.23 ± 0.02 (p = 0.002); not told apart from "
        "b 0.42 ± 0.02 (p = 0.40); paired t over 30 to 33 topics, Holm."
    )


def test_all_behind_are_named_each_with_its_p() -> None:
    tests = [between("a", "b", 0.1, 0.04), between("c", "a", -0.2, 0.0001)]
    said = sentences.verdict(pair({"a": 0.4, "b": 0.3, "c": 0.2}, tests), RECALL)
    assert "; b 0.30 ± 0.02 (p = 0.040), c 0.20 ± 0.02 (p < 0.001); paired t over 33 topics, Holm." in said


def test_a_difference_that_points_the_other_way_on_common_topics_is_no_lead() -> None:
    findings = pair({"a": 0.43, "b": 0.40}, [between("a", "b", -0.05, 0.001)])
    assert sentences.verdict(findings, RECALL).startswith("Nobody's lead in targets found is significant")


def test_one_topic_allows_no_verdict() -> None:
    said = sentences.verdict(pair({"a": 0.43, "b": 0.31}, [], se=None, topics=1), RECALL, 100)
    assert said == (
        "Targets found: a 0.43 of them after 100 pages; b 0.31; one topic allows no test, so this may be chance."
    )


def test_a_single_strategy_is_compared_with_nothing() -> None:
    said = sentences.verdict(pair({"a": 0.43}, []), RECALL)
    assert said == "Targets found: a 0.43 ± 0.02 of them; there is nothing to compare it with."


def test_where_neither_way_is_better_nobody_is_praised() -> None:
    findings = pair({"a": 2.0, "b": 3.0}, [between("a", "b", -1.0, 0.001, "distance")], "distance")
    said = sentences.verdict(findings, MEASURES["distance"])
    assert said.startswith("Distance: b 3.00 ± 0.02; a 2.00 ± 0.02; neither more nor less is better.")
    assert said.endswith("1 of 1 difference holds (p < 0.05, Holm).")


def test_of_many_strategies_only_the_first_are_named() -> None:
    names = [f"s{n:02}" for n in range(16)]
    tests = [between("s00", name, 0.1, 0.001) for name in names[1:]]
    said = sentences.verdict(pair({name: 0.9 - n / 50 for n, name in enumerate(names)}, tests), RECALL)
    assert "s03" in said
    assert "s04" not in said
    assert "and 12 more" in said


def test_from_where_on_the_winner_leads() -> None:
    early, late = (
        Curve([1, 2, 3, 4], [0.2, 0.3, 0.3, 0.3], [0] * 4),
        Curve([1, 2, 3, 4], [0.1, 0.2, 0.4, 0.5], [0] * 4),
    )
    curves = {"early": early, "late": late}
    assert sentences.lead_since(curves, Better.HIGHER) == (
        "The mean of late is ahead from page 3 on; before that, early."
    )
    assert sentences.lead_since({"late": late, "none": Curve([], [], [])}, Better.HIGHER) == ""
    assert sentences.lead_since({"early": early, "low": Curve([1, 4], [0, 0], [0, 0])}, Better.HIGHER) == ""


def test_precision_is_compared_at_the_largest_recall_that_everybody_reaches() -> None:
    a = Curve([0.1, 0.3, 0.5], [0.6, 0.4, 0.2], [0.02, 0.02, 0.02])
    curves = {"a": a, "b": Curve([0.1, 0.3, 0.5], [0.5, 0.3, 0.0], [0.02, 0.02, 0.0])}
    assert sentences.precision_at_recall(curves) == (
        "Precision at a recall of 0.3, the most at which nobody is at zero: a 0.40 ± 0.02, b 0.30 ± 0.02 (not tested)."
    )


def test_wins_are_counted_topic_by_topic_and_ties_are_nobodys() -> None:
    values = [(0.5, 0.4), (0.2, 0.4), (0.3, 0.3), (None, None), (None, 0.1), (0.1, 0.3)]
    topics = [
        TopicResult(str(n), 9, None, {"a": {"target_recall": a}, "b": {"target_recall": b}}, {})
        for n, (a, b) in enumerate(values)
    ]
    assert sentences.wins(topics, ["a", "b"], RECALL) == (
        "Of 5 topics, the highest targets found: b on 3, a on 1; 1 is a tie."
    )


def test_only_dependences_beyond_chance_are_told() -> None:
    found = {"size": {"target_recall": {"a": -0.61, "b": 0.2}}, "distance": {"target_recall": {"a": 0.1}}}
    assert sentences.dependences(found, 33, MEASURES.__getitem__) == (
        "Targets found of a falls with size (rho = −0.61); "
        "targets found depends on distance no more than chance allows."
    )
    assert (
        sentences.dependences(found, 3, MEASURES.__getitem__) == "3 topics: too few to tell a dependence from chance."
    )


def test_distances_are_means_of_the_counts() -> None:
    assert sentences.distances({"a": [0, 2, 2], "b": []}, {"a": [0, 1]}) == (
        "Mean links from the seeds to all pages, and to the targets among them: a 1.5 and 1.0."
    )


def test_the_same_results_make_the_same_bytes_of_modest_size(usual: Results, tmp_path: Path) -> None:
    for name in ("one.html", "other.html"):
        write_report(usual, tmp_path / name)
    one, other = ((tmp_path / name).read_bytes() for name in ("one.html", "other.html"))
    assert one == other
    assert len(one) < 500_000


def test_results_come_back_from_their_file_with_the_same_report(usual: Results) -> None:
    assert render(msgspec.json.decode(msgspec.json.encode(usual), type=Results)) == render(usual)


def test_the_page_refers_to_nothing_outside_itself(usual: Results) -> None:
    html = render(usual)
    assert not re.search(r"(?i)https?:|//[a-z]|@import|url\(", html.replace("// A click", ""))
    for element in elements(html):
        for attribute in ("src", "href", "action", "data", "poster", "srcset"):
            target = element.attributes.get(attribute)
            assert target is None or target == "data:," or target.startswith("#"), (element.tag, target)


def test_every_line_of_the_contents_leads_somewhere(usual: Results) -> None:
    tree = LexborHTMLParser(render(usual))
    wanted = [link.attributes["href"] for link in tree.css("nav a")]
    assert len(wanted) == 14
    assert all(tree.css_first(f"section{target}") is not None for target in wanted)


def test_hostile_names_stay_text() -> None:
    results = Fake([HOSTILE, "best_first"], [HOSTILE, "x" * 3000, "\u202eltr"]).results()
    failed = replace(results.topics[0], failed={HOSTILE: HOSTILE})
    results = replace(
        results, topics=[failed, *results.topics[1:]], about=results.about | {HOSTILE: {HOSTILE: [HOSTILE]}}
    )
    results = replace(results, curves=results.curves | {HOSTILE: results.curves["harvest"]})
    html = render(results)
    tree = LexborHTMLParser(html)
    assert len(tree.css("script")) == 1
    assert len(tree.css("style")) == 1
    assert not [e for e in elements(html) if any(name.startswith("on") for name in e.attributes)]
    assert any(HOSTILE in cell.text() for cell in tree.css("tbody th"))
    assert HOSTILE in (tree.css_first("#failures code") or tree).text()
    assert "49" not in (tree.css_first("title") or tree).text()


def test_plots_are_well_formed_and_their_marks_lie_within(usual: Results) -> None:
    for strategies in (THREE, SIXTEEN):
        results = fake(strategies, 5)
        tree = LexborHTMLParser(render(results))
        plots = tree.css("svg.plot:not(.small)")
        assert len(plots) == len(results.curves)
        for plot in plots:
            root = ElementTree.fromstring(plot.html or "")
            labels = [
                text for text in root.iter("text") if text.get("class") is None and text.get("text-anchor") is None
            ]
            heights = sorted(float(text.get("y", "nan")) for text in labels)
            assert len(labels) == len(strategies)
            assert all(after - before >= 14.5 for before, after in pairwise(heights))
            assert heights[0] > 0
            assert heights[-1] < 340 - 40
            for line in root.iter("polyline"):
                points = [tuple(map(float, point.split(","))) for point in line.get("points", "").split()]
                assert len(points) <= 120
                assert all(62 <= x <= 760 and 12 <= y <= 340 - 46 for x, y in points)


def test_a_plot_takes_what_is_no_number_and_too_little() -> None:
    nan = float("nan")
    curves = {
        "gaps": Curve([1, 2, 3, 4], [0.1, nan, 0.3, 0.4], [0.0, 0.1, nan, 0.1]),
        "point": Curve([2], [0.2], []),
        "empty": Curve([], [], []),
    }
    root = ElementTree.fromstring(line_plot(curves, list(curves), Axes("x", "y"), "title"))
    assert len(list(root.iter("polyline"))) == 1
    assert len(list(root.iter("circle"))) == 1
    assert "nan" not in ElementTree.tostring(root, "unicode")
    assert line_plot({"empty": Curve([], [], [])}, ["empty"], Axes("x", "y"), "title") == ""
    flat = {"a": Curve([1, 2], [0.0, 0.0], [0.0, 0.0])}
    for axes in (Axes("x", "y"), Axes("x", "y", from_zero=False, log=True)):
        assert "polyline" in line_plot(flat, ["a"], axes, "title")


def test_a_curve_that_ends_early_is_not_prolonged_by_the_line_to_its_name() -> None:
    curves = {"short": Curve([1, 2], [0.1, 0.2], []), "long": Curve([1, 9], [0.3, 0.4], [])}
    root = ElementTree.fromstring(line_plot(curves, list(curves), Axes("x", "y"), "title"))
    leads = [kind for line in root.iter("line") if (kind := line.get("class", "")).startswith("lead")]
    assert leads == ["lead far s0", "lead s1"]


def test_a_setting_that_was_varied_has_its_own_axis(usual: Results) -> None:
    tree = LexborHTMLParser(render(usual))
    axes = [text.text() for text in tree.css("#sweeps svg text.axis")]
    assert axes == ["max buffer", "share of the oracle (higher is better)"]
    caption = tree.css_first("#sweeps figcaption")
    assert caption is not None
    assert caption.text().startswith("Max buffer 16: best_first 0.37")
    assert "max buffer 4,096: best_first 0.62" in caption.text()


def cells(html: str, section: str, row: str) -> list[str]:
    tree = LexborHTMLParser(html)
    found = [tr for tr in tree.css(f"#{section} tbody tr") if (th := tr.css_first("th")) and th.text().strip() == row]
    return [td.text() for td in found[0].css("td")]


def test_the_league_table_marks_the_best_and_the_differences_that_hold() -> None:
    tests = [between("a", "b", 0.1, 0.004), between("a", "c", 0.02, 0.2), between("b", "c", -0.08, 0.01)]
    html = render(pair({"b": 0.33, "a": 0.43, "c": 0.41}, tests).results)
    assert [cells(html, "league", name) for name in "abc"] == [
        ["0.430 ± 0.020"],
        ["0.330 ± 0.020**"],
        ["0.410 ± 0.020"],
    ]
    bold = LexborHTMLParser(html).css("#league b")
    assert [each.text() for each in bold] == ["0.430 ± 0.020"]


def test_where_all_are_equal_nobody_is_the_best() -> None:
    html = render(pair({"a": 0.4, "b": 0.4}, [between("a", "b", 0.0, 1.0)]).results)
    assert cells(html, "league", "b") == ["0.400 ± 0.020"]
    assert LexborHTMLParser(html).css("#league b") == []


def test_what_failed_and_what_could_not_be_measured_is_told(usual: Results) -> None:
    first = usual.topics[0]
    broken = replace(
        first,
        failed={"breadth_first": "ZeroDivisionError: by zero"},
        values=first.values | {"breadth_first": {}},
    )
    html = render(replace(usual, topics=[broken, *usual.topics[1:]]))
    assert cells(html, "failures", "breadth_first") == [first.name, "ZeroDivisionError: by zero"]
    assert "failed" in cells(html, "by-topic", first.name)
    assert cells(html, "unmeasured", "robustness robustness") == ["0 of 33", *MEASURES["robustness"].needs]
    assert "1 of 99 pairs of strategy and topic failed." in html
    assert "No crawl failed." in render(usual)


@pytest.mark.parametrize(
    "results",
    [
        Results({}, [], [], {}, {}, {}, {}),
        Results({"a": {}}, [], [], {}, {"distance_all": {"a": []}}, {"size": {}}, {"strategies": ["a"]}),
        Results(
            {"a": {"harvest": Score(None, None, 0)}, "b": {"unheard_of": Score(float("nan"), None, 1)}},
            [between("a", "b", 0.0, None, "harvest")],
            [TopicResult("t", 0, None, {}, {"a": "KeyError: 1", "b": "stopped"})],
            {"harvest": {"a": Curve([], [], [])}, "precision_recall": {}},
            {},
            {"size": {"harvest": {"a": float("nan")}}},
            {"world": None, "deep": {"a": [{"b": ()}]}},
        ),
        fake(("only",), 1),
        fake(THREE, 1),
    ],
)
def test_little_or_nothing_makes_a_report_too(results: Results) -> None:
    tree = LexborHTMLParser(render(results))
    assert tree.css_first("h1") is not None
    assert "nan" not in tree.body.text().split()  # type: ignore[union-attr]


def test_every_measure_of_the_command_is_described() -> None:
    names = """harvest target_recall recall_auc search_length oracle_share classifier_rocchio classifier_widrow_hoff
    classifier_eg smart_rank mean_similarity coverage_lexical coverage_linkage linkage_rank est_precision est_recall
    est_recency cohesiveness overall_cohesiveness distance novelty robustness judge_ap"""
    assert set(names.split()) <= set(MEASURES)
    assert all(measure.meaning.endswith(".") for measure in MEASURES.values())


WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SORT = "document.querySelector('#league thead button').click()"
FIRST_ROW = "document.querySelector('#league tbody th').textContent"


def test_a_browser_shows_it_without_complaint_and_without_asking_anybody(tmp_path: Path) -> None:
    results = Fake([HOSTILE, *THREE], [HOSTILE, *(f"topic {n}" for n in range(8))]).results()
    file = tmp_path / "report.html"
    write_report(results, file)
    windows = [Window(), Window(width=380, height=800, dark=True)]
    for seen in looks(file, windows, [WIDER, SORT, FIRST_ROW, "document.title"]):
        assert seen.complaints == []
        assert [url for url in seen.requests if url != "data:,"] == [file.resolve().as_uri()]
        assert seen.values[0] <= 0
        assert seen.values[2] == HOSTILE
        assert seen.values[3].startswith("Crawlers compared: <script>")


SCROLLING = "[...document.querySelectorAll('.wide')].filter(box => box.scrollWidth > box.clientWidth).length"
A4 = 718
"""The width of a sheet between its margins, in pixels of CSS."""


def test_the_tables_of_many_strategies_fit_a_screen_and_a_sheet_of_paper(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(Fake(SIXTEEN, [f"subject.Geography.America{n}" for n in range(33)]).results(), file)
    screen, paper = looks(file, [Window(width=1280), Window(width=A4, media="print")], [WIDER, SCROLLING])
    assert screen.values == [0, 0]
    assert paper.values[0] == 0


def test_dark_and_light_differ_and_without_script_the_tables_are_there(usual: Results, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(usual, file)
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    rows = "document.querySelectorAll('#league tbody tr').length"
    light, dark, plain = looks(file, [Window(), Window(dark=True), Window(script=False)], [paper, rows])
    assert (light.values[0], dark.values[0]) == ("rgb(255, 255, 255)", "rgb(21, 24, 28)")
    assert plain.values[1] == light.values[1] == 15
    assert plain.complaints == []

"""What class a link leads to: labelled links, splits that keep apart what must be apart, four scores, one command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from tests.support.generated_site import GeneratedSource
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.lab.links.classifiers import (
    ALL_WORDS,
    CALIBRATED,
    TRANSITION,
    best_exponent,
    fit_weights,
    page_scores,
    probabilities,
)
from salticid.lab.links.classifiers import Context as LinkContext
from salticid.lab.links.examples import (
    UNIVERSITIES,
    UNKNOWN,
    Addresses,
    LabelledLinks,
    Split,
    at_random,
    by_university,
    labelled_links,
)
from salticid.lab.links.trial import Trial, difference, link_table, mean_over_pages, run_trial
from salticid.learning.link_tables import load
from salticid.learning.link_traits import PageTraits
from salticid.model import Ints
from salticid.registry import read_strategy_file
from salticid.strategies import strategies
from salticid.strategies.context import Context
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build

SCORES = ["neighbourhood", "anchor", "transition", "transition, calibrated", "context"]
CLASSES = ["course", "department", "homepage", "other", "project"]
PEOPLE = ("ann", "bob", "eve")


def small_webkb(root: Path) -> Path:
    """Five departments alike: each lists its courses, people and projects, and all lead back to it."""
    for university in (*UNIVERSITIES, "misc"):
        site = f"http://www.cs.{university}.example"
        lists = [
            *(f"<li>Course <a href={site}/courses/cs{n}/>Introduction to programming {n}</a>" for n in (1, 2)),
            *(f"<li>Person <a href={site}/~{name}>Professor {name}</a>" for name in PEOPLE),
            f"<li>Project <a href={site}/projects/eyes/index.html>Vision laboratory</a>",
            f"<li><a href={site}/weather.html>Weather map</a>",
        ]
        back = f"<a href={site}/>Department of computer science</a> <a href={site}/weather.html>Map</a>"
        pages = {
            f"department/{university}/{site}/": f"<title>Department</title><h1>Computer science</h1>{''.join(lists)}",
            f"other/{university}/{site}/weather.html": f"<title>Weather</title>Rain and wind {back}",
            f"project/{university}/{site}/projects/eyes/": f"<title>Vision</title>Our laboratory {back}",
        }
        for n in (1, 2):
            pages[f"course/{university}/{site}/courses/cs{n}/"] = f"<title>Course</title>Homework lectures {back}"
        for name, kind in zip(PEOPLE, ("faculty", "staff", "student"), strict=True):
            pages[f"{kind}/{university}/{site}/~{name}/"] = f"<title>{name}</title>My hobbies {back}"
        for name, html in pages.items():
            kind, of, url = name.split("/", 2)
            file = root / "raw" / kind / of / url.replace("/", "^")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(html)
    across = root / "raw/other/texas" / "http:^^www.cs.texas.example^guests.html"
    across.write_text("<a href=http://www.cs.cornell.example/>Cornell</a> <a href=/~ann/>Ann</a>")
    return root


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("links")
    built = salticid("world", "build", folder / "world", "--webkb", small_webkb(folder))
    assert built.status == 0, built.err
    return folder / "world"


@pytest.fixture(scope="module")
def links(world: Path) -> LabelledLinks:
    return labelled_links(world)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated") / "world"
    build(folder, GeneratedSource(300))
    return folder


def asked(links: LabelledLinks, splits: list[Split]) -> Trial:
    return run_trial(splits, lambda what, done, of: None, LinkContext(links))


def homes(links: LabelledLinks, split: Split) -> tuple[set[str], set[str]]:
    """The universities of all that is learned from, and of all that is asked about."""

    def of(pages: Ints) -> set[str]:
        return {links.university[number] for number in pages.tolist()}

    train, test = split.train, split.test
    learned = of(split.pages) | of(links.source[train]) | of(links.target[train])
    return learned, of(links.source[test]) | of(links.target[test])


def test_a_labelled_link_leads_to_a_page_of_known_class_and_not_to_itself(links: LabelledLinks) -> None:
    assert links.classes == tuple(CLASSES)
    assert len(links) == 5 * (7 + 7 * 2 - 1) + 2
    assert np.all(links.source != links.target)
    assert np.all(links.label == links.page_class[links.target])
    assert np.all(links.label != UNKNOWN)


def test_a_folder_is_known_by_every_name_a_server_gives_it(world: Path) -> None:
    web = RecordedWeb(world)
    pages = Addresses(web)
    site = "http://www.cs.texas.example"
    plain, slash = (pages.page(web.urls.find(f"{site}/~ann{end}")) for end in ("", "/"))
    index = pages.page(web.urls.find(f"{site}/projects/eyes/index.html"))
    assert plain == slash >= 0
    assert web.urls[web.page(index).url] == f"{site}/projects/eyes/"
    assert pages.page(web.urls.intern("http://elsewhere.example/")) == -1


def test_nothing_of_the_university_left_out_is_learned_from_nor_a_link_across(links: LabelledLinks) -> None:
    splits = by_university(links)
    assert [split.name for split in splits] == list(UNIVERSITIES)
    for split in splits:
        learned, tested = homes(links, split)
        assert tested == {split.name}
        assert learned == {*UNIVERSITIES, "misc"} - {split.name}
        assert [inner.name for inner in split.inside] == [name for name in UNIVERSITIES if name != split.name]
        for inner in split.inside:
            learned, tested = homes(links, inner)
            assert tested == {inner.name}
            assert learned == {*UNIVERSITIES, "misc"} - {split.name, inner.name}
    tested_links = np.concatenate([split.test for split in splits])
    across = np.flatnonzero(np.array(links.university)[links.source] != np.array(links.university)[links.target])
    assert len(across) == 1
    assert not set(across.tolist()) & set(tested_links.tolist())


def test_what_is_said_about_a_university_does_not_depend_on_its_own_labels(links: LabelledLinks) -> None:
    rng = np.random.default_rng(1)
    for split in by_university(links):
        away = np.array(links.university) == split.name
        page_class = np.where(away, rng.integers(5, size=len(away)), links.page_class).astype(np.int32)
        garbled = replace(links, page_class=page_class, label=page_class[links.target])
        honest, lied_to = asked(links, [split]), asked(garbled, [split])
        assert honest.settings == lied_to.settings
        assert np.any(honest.truth != lied_to.truth)
        for name in SCORES:
            assert np.array_equal(honest.answers[name], lied_to.answers[name]), name


def test_a_split_by_chance_asks_about_the_papers_share_and_learns_from_the_rest(links: LabelledLinks) -> None:
    (split,), (again,), (other,) = at_random(links, 0), at_random(links, 0), at_random(links, 1)
    assert np.array_equal(split.test, again.test)
    assert not np.array_equal(split.test, other.test)
    assert sorted([*split.train, *split.test]) == list(range(len(links)))
    assert len(split.test) / len(links) == pytest.approx(10_829 / 46_435, abs=0.01)
    (inner,) = split.inside
    assert sorted([*inner.train, *inner.test]) == split.train.tolist()


def test_labels_dealt_out_by_chance_cannot_be_told(generated: Path) -> None:
    links = labelled_links(generated)
    rng = np.random.default_rng(0)
    dealt = replace(links, label=rng.permutation(links.label), page_class=rng.permutation(links.page_class))
    largest = np.bincount(links.label).max() / len(links)
    for name, score in link_table(asked(dealt, at_random(dealt, 0))).scores.items():
        assert score.accuracy < largest + 0.05, name
    assert link_table(asked(links, at_random(links, 0))).scores["context"].accuracy > largest + 0.2


def test_the_command_gives_accuracy_recall_and_confusion_and_the_same_bytes_again(world: Path) -> None:
    said = salticid("links", world, "--json")
    assert said.status == 0, said.err
    assert salticid("links", world, "--json").out == said.out
    told = json.loads(said.out)
    assert list(told) == ["links", "scores", "classes"]
    assert told["links"] == 102
    assert told["classes"] == CLASSES
    assert list(told["scores"]) == SCORES
    for score in told["scores"].values():
        confusion = np.array(score["confusion"])
        assert list(score) == ["accuracy", "recall", "confusion"]
        assert confusion.sum() == 4 * 20 + 1
        assert score["accuracy"] == pytest.approx(np.trace(confusion) / confusion.sum())
        assert score["recall"]["course"] == confusion[0, 0] / confusion[0].sum()
    assert told["scores"]["anchor"]["accuracy"] > 0.9 > told["scores"]["neighbourhood"]["accuracy"]


def test_people_see_tables_on_stdout_and_progress_elsewhere(world: Path) -> None:
    said = salticid("links", world, "--split", "random", "--seed", 3)
    assert said.status == 0, said.err
    assert all(score in said.out for score in SCORES)
    assert "homepage" in said.out
    assert "{" not in said.out


def test_a_saved_strategy_knows_all_labelled_links_and_crawls(world: Path, tmp_path: Path) -> None:
    file, topic = tmp_path / "projects.toml", tmp_path / "topic.toml"
    made = salticid("links", world, "--save", file, "--target", "project", "--json")
    assert made.status == 0, made.err
    tables = load(file.read_text())
    assert (tables.target, tables.classes) == ("project", CLASSES)
    assert sum(map(sum, tables.transitions)) == sum(tables.anchors.documents) == 102
    assert tables.anchors.words["professor"] == [0, 0, 15, 0, 0]
    topic.write_text('name = "t"\nkeywords = "vision"\nseeds = ["http://www.cs.cornell.example/"]\n', encoding="utf-8")
    crawl = salticid(
        "crawl", topic, "--web", world, "--strategy", file, "--set", "learn=false", "--max-pages", 2,
        "--out", tmp_path / "crawl", "--json",
    )  # fmt: skip
    assert crawl.status == 0, crawl.err
    visits = [json.loads(line) for line in salticid("visits", tmp_path / "crawl", "--json").out.splitlines()]
    assert "/projects/eyes/" in visits[1]["url"]


def test_context_is_saved_loaded_and_goes_after_its_class(world: Path, links: LabelledLinks, tmp_path: Path) -> None:
    file, topic = tmp_path / "projects.toml", tmp_path / "topic.toml"
    made = salticid("links", world, "--save", file, "--score", "context", "--target", "project", "--json")
    assert made.status == 0, made.err
    taught = strategies.make(*read_strategy_file(file)[:2])
    assert isinstance(taught, Context)
    assert taught.weights is not None
    chances: dict[bool, list[float]] = {True: [], False: []}
    rows = zip(links.source.tolist(), links.place.tolist(), links.label.tolist(), strict=True)
    for source, place, label in rows:
        page = PageTraits.of(links.web.page(source), links.web.words, links.web.urls)
        chances[links.classes[label] == "project"].append(taught.weights.chance(page.traits(place)))
    assert min(chances[True]) > max(chances[False])
    topic.write_text('name = "t"\nkeywords = "vision"\nseeds = ["http://www.cs.cornell.example/"]\n')
    out = tmp_path / "crawl"
    said = salticid("crawl", topic, "--web", world, "--strategy", file, "--max-pages", 2, "--out", out)
    assert said.status == 0, said.err
    visits = [json.loads(line) for line in salticid("visits", out, "--json").out.splitlines()]
    assert "/projects/eyes/" in visits[1]["url"]


def test_weights_that_do_not_fit_are_refused(world: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(
        'strategy = "context"\n[weights]\nclasses = ["on", "off"]\ntarget = "on"\n[weights.traits]\nx = [1.0]\n'
    )
    said = salticid("crawl", file, "--web", world, "--strategy", file)
    assert (said.status, "2 weights" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--split", "university"], "use --split random"),
        (["--split", "random", "--save", "x.toml"], "--target: arts, history, science, sport"),
        (["--split", "random", "--save", "x.toml", "--target", "art"], "did you mean 'arts'?"),
        (["--split", "random", "--save", "x.txt"], ".toml"),
        (["--target", "arts"], "--save FILE.toml"),
    ],
)
def test_mistakes_are_one_line_that_says_what_to_do(args: list[str], complaint: str, generated: Path) -> None:
    said = salticid("links", generated, *args)
    assert said.status == 2
    assert complaint in said.err
    assert said.err.count("\n") == 1


def test_a_world_without_labels_has_no_labelled_links(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(20))
    (tmp_path / "world" / "labels.tsv").unlink()
    with pytest.raises(UserError, match="has no labels"):
        labelled_links(tmp_path / "world")


def test_the_regression_finds_what_a_general_optimizer_finds() -> None:
    rng = np.random.default_rng(5)
    there = (rng.random((80, 6)) < 0.4) * 1.0
    labels = (there[:, 0] + 2 * (there[:, 1] > there[:, 2])).astype(np.int32) % 3
    wanted = np.eye(3)[labels]

    def loss(flat: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        scores = there @ flat.reshape(6, 3)
        return float(0.5 * flat @ flat - 2 * (scores * wanted - np.log(np.exp(scores).sum(1))[:, None] / 3).sum())

    weights = fit_weights(csr_matrix(there), labels, 3, trust=2.0)
    best = minimize(loss, np.zeros(18)).x.reshape(6, 3)
    assert np.allclose(weights, best, atol=2e-3)
    assert np.allclose(probabilities(csr_matrix(there), weights).sum(axis=1), 1.0)


def test_a_difference_made_on_one_page_is_less_sure_than_one_made_on_many() -> None:
    gained = np.array([1] * 30 + [0] * 70)
    many, one = np.arange(100, dtype=np.int32), np.array([0] * 30 + list(range(1, 71)), np.int32)
    p_many, p_one = mean_over_pages(gained, many).p, mean_over_pages(gained, one).p
    assert p_many is not None
    assert p_one is not None
    assert p_many < 0.001
    assert p_one > 0.15
    against = mean_over_pages(-gained, many).high
    assert against is not None
    assert against < 0


def test_the_error_over_pages_by_hand() -> None:
    # Pages of 2, 1 and 1 links gain 2, 1 and 0: mean 3/4; gains less 3/4 of the links are 1/2, 1/4, -3/4, by the mean
    # number of links 4/3 they are .375, .1875, -.5625; their standard error is sqrt(.4922 / 2 / 3) = .2864.
    test = mean_over_pages(np.array([1, 1, 1, 0]), np.array([5, 5, 6, 7]))
    assert test.low == pytest.approx(0.75 - 4.3027 * 0.28642, abs=1e-3)
    assert mean_over_pages(np.array([1, 0]), np.array([5, 5])) == (0.5, None, None, None)


def test_a_posterior_is_calibrated_inside_training_and_no_test_link_has_a_part_in_it(
    links: LabelledLinks,
) -> None:
    split = by_university(links)[0]
    chosen = best_exponent(links, split, ALL_WORDS)
    label, page_class = links.label.copy(), links.page_class.copy()
    home = np.array(links.university) == split.name
    label[split.test], page_class[home] = 0, 0
    assert best_exponent(replace(links, label=label, page_class=page_class), split, ALL_WORDS) == chosen
    _, half = page_scores(links, split, ALL_WORDS, 0.5)
    assert half.calibrated < half.plain
    plain, whole = page_scores(links, split, ALL_WORDS, 1.0)
    assert whole.calibrated == whole.plain
    assert np.allclose(plain[CALIBRATED], plain[TRANSITION])


def test_webkb_is_told_apart_as_measured(webkb_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("salticid.lab.links.classifiers.TRUSTS", (0.1,))  # the choice among them takes 4 s
    links = labelled_links(webkb_world)
    assert 17_000 < len(links) < 18_000
    trial = asked(links, by_university(links)[:1])
    scores = link_table(trial).scores
    assert len(trial.questions) > 1_900
    assert scores["context"].accuracy > 0.84
    assert scores["anchor"].accuracy > 0.72
    assert (difference(trial, "anchor", "neighbourhood").low or 0.0) > 0.25
    assert (difference(trial, "context", "transition").low or 0.0) > 0.05

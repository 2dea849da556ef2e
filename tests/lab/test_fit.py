"""`salticid fit`: weights from recordings, and a strategy file of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.lab.prior_fitting import FitPlan, LinkQuestion, Source, best_weights, fit_prior
from salticid.runs.named import strategy_of
from salticid.strategies.hunter.features import NAMES
from salticid.strategies.hunter.hunter import Hunter
from salticid.strategies.hunter.meaning import SEMANTIC
from salticid.strategies.hunter.weights import ALL_NAMES, default_prior, strategy_file
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated world, and two topics in the folder beside it."""
    folder = tmp_path_factory.mktemp("fit") / "world"
    build_generated(folder, WebEdition(1500, seed=3))
    for file in make_topics(folder, folder.parent / "topics", TopicPlan(task="neighbours")).files[2:]:
        file.unlink()
    return folder


def test_the_feature_that_tells_the_right_links_gets_the_weight() -> None:
    rng = np.random.default_rng(0)
    telling = NAMES.index("best near topic")
    questions = []
    for _ in range(40):
        features = rng.random((30, len(NAMES)))
        right = np.zeros(30)
        right[np.argsort(-features[:, telling])[:3]] = 1.0
        questions.append(LinkQuestion(0, features, right, lists=0.0))
    prior = best_weights(questions, "made up")
    strongest = max(NAMES, key=lambda name: abs(prior.texts[name] * prior.spread[name]))
    assert strongest == "best near topic"
    assert prior.texts[strongest] > 0


def test_a_topic_counts_once_however_many_questions_it_asks() -> None:
    def asked(topic: int, right: int) -> LinkQuestion:
        features = np.zeros((2, len(NAMES)))
        features[0, NAMES.index("links in")] = 1.0
        return LinkQuestion(topic, features, np.eye(2)[right], lists=0.0)

    alone = best_weights([asked(0, 0)] * 30, "made up").texts["links in"]
    contradicted = best_weights([asked(0, 0)] * 30 + [asked(1, 1)] * 3, "made up").texts["links in"]
    assert alone > 0.5
    assert contradicted == pytest.approx(0.0, abs=1e-3)


def test_with_a_base_its_weights_are_kept_and_new_features_get_theirs() -> None:
    rng, base = np.random.default_rng(0), default_prior()
    telling = ALL_NAMES.index("link means keywords")
    questions = []
    for _ in range(40):
        features = np.zeros((30, len(ALL_NAMES)))
        features[:, len(NAMES) :] = rng.normal(0.0, 0.1, (30, len(SEMANTIC)))
        right = np.zeros(30)
        right[np.argsort(-features[:, telling])[:3]] = 1.0
        questions.append(LinkQuestion(0, features, right, lists=0.3))
    prior = best_weights(questions, "made up", base)
    assert max(SEMANTIC, key=lambda name: abs(prior.texts[name])) == "link means keywords"
    assert prior.texts["link means keywords"] > 0.0
    assert not any(prior.menus[name] for name in SEMANTIC)
    assert prior.of_words().texts == pytest.approx(base.texts, rel=1e-4, abs=1e-4)
    assert prior.of_words().most == base.most


def test_what_was_fitted_is_a_strategy_file_and_always_the_same(world: Path, tmp_path: Path) -> None:
    files = sorted((world.parent / "topics").glob("*.toml"))
    plan = FitPlan(max_pages=30, rounds=1)
    told: list[tuple[str, int, int]] = []
    prior = fit_prior([Source(world, files)], plan, lambda *progress: told.append(progress))
    assert told[-1] == ("round 1", 4, 4), "each topic with its examples and without"
    assert fit_prior([Source(world, files)], plan, lambda *progress: None) == prior
    file = tmp_path / "mine.toml"
    file.write_text(strategy_file(prior))
    made = strategy_of(str(file), files=True)[1]
    assert isinstance(made, Hunter)
    assert made.prior == prior


def test_without_topics_or_targets_it_says_what_to_do(world: Path) -> None:
    with pytest.raises(UserError, match="salticid world topics"):
        fit_prior([Source(world, [])], FitPlan(), lambda *progress: None)
    with pytest.raises(UserError, match="are there targets"):
        best_weights([], "nothing")


def test_the_command_writes_the_file_and_tells_what_counts(world: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    topics = world.parent / "topics"
    ran = salticid("fit", world, "--topics", topics, "--max-pages", 40, "--rounds", 1, "--out", out)
    assert ran.status == 0, ran.err
    assert f"--strategy {out}" in ran.out
    assert isinstance(strategy_of(str(out), files=True)[1], Hunter)
    (tmp_path / "other.toml").write_text('strategy = "best_first"')
    other = salticid("fit", world, "--topics", topics, "--base", tmp_path / "other.toml", "--out", out)
    assert (other.status, "has no prior of the hunter" in other.err) == (2, True)
    refused = salticid("fit", world, "--topics", topics, "--out", tmp_path / "mine.txt")
    assert refused.status == 2
    assert "let it end in .toml" in refused.err


@pytest.mark.parametrize(("also", "complaint"), [("foo", "WORLD=DIR"), ("foo=bar", "no topic file in bar")])
def test_one_more_world_without_topics_is_refused_at_once(
    also: str, complaint: str, world: Path, tmp_path: Path
) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "a.toml").write_text('name = "a"\nkeywords = "a"\nseeds = ["http://a.example/"]\n')
    common = ("fit", world, "--out", tmp_path / "f.toml", "--topics")
    said = salticid(*common, tmp_path / "topics", "--also", also)
    assert (said.status, said.err.count("\n"), complaint in said.err) == (2, 1, True)
    said = salticid(*common, tmp_path)
    assert (said.status, "no topic file" in said.err) == (2, True)

"""A strategy file carries its judge: nobody has to type it, and whoever types another has that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.running import salticid

import salticid as front_door
from salticid.store.crawl_folder import CrawlFolder
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world, one topic of it, and a strategy file that names a judge."""
    folder = tmp_path_factory.mktemp("ground")
    build_generated(folder / "world", WebEdition(400, seed=1))
    first, *others = make_topics(folder / "world", folder / "topics", TopicPlan()).files
    for file in others:
        file.unlink()
    first.rename(folder / "topics" / "topic.toml")
    (folder / "mine.toml").write_text('strategy = "best_n_first"\njudge = "svm:c=2"\nn = 4\n')
    return folder


def judge_of(folder: Path) -> dict[str, object]:
    crawl = CrawlFolder(folder)
    try:
        judge: dict[str, object] = crawl.about()["judge"]
        return judge
    finally:
        crawl.close()


@pytest.mark.parametrize(
    ("typed", "judge"), [((), {"name": "svm", "c": 2.0, "retrain": 0}), (("--judge", "rocchio"), None)]
)
def test_a_crawl_has_the_judge_of_its_strategy_file(
    ground: Path, tmp_path: Path, typed: tuple[str, ...], judge: dict[str, object] | None
) -> None:
    said = salticid("crawl", ground / "topics" / "topic.toml", "--web", ground / "world", "--strategy",
                    ground / "mine.toml", "--max-pages", 20, "--out", tmp_path / "crawl", *typed)  # fmt: skip
    assert said.status == 0, said.err
    kept = judge_of(tmp_path / "crawl")
    assert kept == judge if judge else kept["name"] == typed[-1]


def test_so_has_a_hunt_from_python(ground: Path, tmp_path: Path) -> None:
    front_door.hunt(ground / "topics" / "topic.toml", ground / "world", str(ground / "mine.toml"), max_pages=5,
                    out=tmp_path / "hunt")  # fmt: skip
    assert judge_of(tmp_path / "hunt")["name"] == "svm"


def test_and_a_race(ground: Path, tmp_path: Path) -> None:
    race = ("compare", ground / "world", "--topics", ground / "topics", "--max-pages", 30, "--workers", 1,
            "--measures", "harvest,judge_ap", "--strategy", ground / "mine.toml", "--strategy",
            "best_n_first:n=4", "--out")  # fmt: skip
    for out, typed in (("own", ()), ("asked", ("--judge", "svm:c=2"))):
        said = salticid(*race, tmp_path / out, *typed)
        assert said.status == 0, said.err
    own, asked = (json.loads((tmp_path / out / "results.json").read_text()) for out in ("own", "asked"))
    mine, named = str(ground / "mine.toml"), "best_n_first:n=4"
    assert own["about"]["strategies"][mine]["judge"]["name"] == "svm"
    assert own["about"]["judge"]["name"] == "cosine"
    assert "judge" not in own["about"]["strategies"][named]
    assert own["strategies"][mine] != own["strategies"][named], "one by svm, the other by cosine"
    assert own["strategies"][mine] == asked["strategies"][mine] == asked["strategies"][named]
    again = front_door.compare(ground / "world", ground / "topics", [mine], max_pages=30, measures=["judge_ap"])
    assert again.means[mine]["judge_ap"] == own["strategies"][mine]["judge_ap"]["mean"]


@pytest.mark.parametrize(
    ("judge", "complaint"),
    [('"svn"', "did you mean 'svm'"), ("3", '3 is no judge; name one as in judge = "cosine"')],
)
def test_what_is_no_judge_is_a_sentence(ground: Path, tmp_path: Path, judge: str, complaint: str) -> None:
    (tmp_path / "bad.toml").write_text(f'strategy = "best_first"\njudge = {judge}\n')
    for words in (
        ("crawl", ground / "topics" / "topic.toml", "--web", ground / "world"),
        ("compare", ground / "world", "--topics", ground / "topics", "--out", tmp_path / "race"),
    ):
        said = salticid(*words, "--strategy", tmp_path / "bad.toml", cwd=tmp_path)
        assert (said.status, complaint in said.err) == (2, True), said.err

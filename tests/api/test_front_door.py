"""`import salticid`: what it costs, what it names, and a hunt from Python that is the command line's."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import pytest
from tests.support.generated_site import GeneratedSource
from tests.support.killing import Site, served
from tests.support.running import salticid as command

import salticid
from salticid.metrics.parts.judged import JudgedCrawl
from salticid.strategies.best_n_first import BestNFirst
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build

NAMES = (
    "Hunt",
    "Judge",
    "Race",
    "SalticidError",
    "Strategy",
    "Topic",
    "TopicFile",
    "UserError",
    "__version__",
    "compare",
    "hunt",
    "hunt_async",
    "judge_names",
    "load_topic",
    "measure_names",
    "open_world",
    "strategy_names",
)
MINE = """
from salticid.strategies.breadth_first import BreadthFirst

class Mine(BreadthFirst):
    def __init__(self, depth: int = 1) -> None:
        super().__init__()
        self.depth = depth
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("front") / "world"
    build(folder, GeneratedSource(300, seed=1))
    return folder


@pytest.fixture(scope="module")
def topic(world: Path) -> salticid.Topic:
    web = RecordedWeb(world)
    seeds = [web.urls[web.page(0).url]]
    return salticid.Topic(name="spiders", keywords="jumping spiders", seeds=seeds)  # type: ignore[arg-type]


@pytest.fixture
def topic_file(world: Path, topic: salticid.Topic, tmp_path: Path) -> Path:
    web = RecordedWeb(world)
    targets = [web.urls[web.page(number).url] for number in range(20, 40)]
    file = tmp_path / "spiders.toml"
    file.write_text(
        f'name = "spiders"\nkeywords = "jumping spiders"\nseeds = ["{topic.seeds[0]}"]\ntargets = {targets}\n'
    )
    return file


def test_the_names_are_these_and_each_can_be_had() -> None:
    assert salticid.__all__ == NAMES
    assert all(getattr(salticid, name) is not None for name in NAMES)
    assert set(NAMES) <= set(dir(salticid))
    with pytest.raises(AttributeError, match="no attribute 'hutn'"):
        salticid.hutn  # noqa: B018


def test_importing_it_imports_next_to_nothing() -> None:
    told = "import sys; before = set(sys.modules); import salticid; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"salticid", "salticid.version", "__future__"}


def test_a_hunt_of_a_recording_loads_no_laboratory_and_no_live_web(world: Path, topic_file: Path) -> None:
    told = (
        "import sys, salticid\n"
        f"salticid.hunt({str(topic_file)!r}, web={str(world)!r}, strategy='best_first', judge='cosine', max_pages=5)\n"
        "print(*sorted(name for name in sys.modules if name.partition('.')[0] == 'salticid'))"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "salticid.crawl" in loaded
    assert not {"salticid.lab", "salticid.cli", "salticid.webs.live.client"} & set(loaded)
    assert len(loaded) < 100


def test_a_hunt_is_the_one_of_the_command_line_and_writes_nothing(
    world: Path, topic_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    hunt = salticid.hunt(salticid.load_topic(topic_file), web=salticid.open_world(world), max_pages=40, seed=1)
    assert sorted(tmp_path.rglob("*")) == before
    order = (topic_file, "--web", world, "--max-pages", 40, "--seed", 1)
    assert command("crawl", *order, "--out", tmp_path / "typed").status == 0
    assert command("visits", tmp_path / "typed", "--digest").out.strip() == hunt.digest()
    kept = salticid.hunt(topic_file, web=world, max_pages=40, seed=1, out=tmp_path / "kept")
    assert (kept.digest(), kept.folder) == (hunt.digest(), tmp_path / "kept")
    more = salticid.hunt(topic_file, web=world, max_pages=50, seed=1, out=tmp_path / "kept")
    assert (more.pages, more.rows()[: len(hunt.rows())]) == (50, hunt.rows())


def test_what_came_of_it_can_be_read_and_shown(world: Path, topic: salticid.Topic) -> None:
    hunt = salticid.hunt(topic, web=world, strategy="best_first", judge="tfidf", max_pages=20)
    assert (hunt.pages, hunt.stopped) == (20, "budget")
    rows = hunt.rows()
    assert len(rows) == sum(hunt.outcomes().values())
    assert list(rows[0]) == [
        "step", "url", "final_url", "outcome", "status", "score", "title", "source", "agent", "revisit",
        "duplicate_of", "seconds", "at", "why", "current_score", "word", "known_in",
    ]  # fmt: skip
    assert hunt.best(3)[0].current_score == max(row["current_score"] for row in rows)
    assert repr(hunt) == "<Hunt for 'spiders' by best_first: 20 pages; the page budget is used up>"
    shown = hunt._repr_html_()
    assert "data:image/svg+xml" in shown
    assert all(escape(page.final_url) in shown for page in hunt.best())


def test_what_a_page_says_is_shown_as_text(world: Path) -> None:
    web = RecordedWeb(world)
    hostile = salticid.Topic("<script>alert(1)</script>", "spiders", (web.urls[web.page(0).url],))
    shown = salticid.hunt(hostile, web=web, max_pages=2)._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown


def test_strategies_are_given_in_every_way(world: Path, topic: salticid.Topic, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "two.toml").write_text('strategy = "best_n_first"\nn = 2\n')

    def digest(strategy: str | salticid.Strategy) -> tuple[str, str]:
        hunt = salticid.hunt(topic, web=world, strategy=strategy, judge="cosine", max_pages=30)
        return hunt.strategy, hunt.digest()

    by_name, by_file = digest("best_n_first:n=2"), digest(str(tmp_path / "two.toml"))
    assert by_name == by_file
    assert digest(BestNFirst(n=2)) == ("BestNFirst", by_name[1])
    own = digest(f"{tmp_path / 'mine.py'}:Mine:depth=3")
    assert own == ("Mine", digest("breadth_first")[1])
    for spec, complaint in (
        (f"{tmp_path / 'mine.py'}:Mien", "no strategy in .*Mien.; did you mean .Mine."),
        (f"{tmp_path / 'mine.py'}:Mine:width=1", "no setting of Mine 'width'"),
        (f"{tmp_path / 'yours.py'}:Mine", "there is no file"),
        ("best_frist", "did you mean 'best_first'"),
        ("oracle", "it cannot crawl"),
    ):
        with pytest.raises(salticid.UserError, match=complaint):
            digest(spec)


def test_the_command_line_takes_a_class_of_a_file(world: Path, topic_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    own = f"{tmp_path / 'mine.py'}:Mine:depth=2"
    done = command(
        "crawl",
        topic_file,
        "--web",
        world,
        "--strategy",
        own,
        "--max-pages",
        20,
        "--out",
        tmp_path / "own",
        "--json",
    )
    assert '"strategy":"Mine"' in done.out, done.err
    assert command("crawl", topic_file, "--web", world, "--strategy", own, "--max-pages", 25, "--out",
                   tmp_path / "own").status == 0  # fmt: skip


def test_it_works_inside_a_running_event_loop(world: Path, topic: salticid.Topic) -> None:
    async def main() -> tuple[str, str]:
        beside = salticid.hunt(topic, web=world, max_pages=20)
        within = await salticid.hunt_async(topic, web=world, max_pages=20)
        return beside.digest(), within.digest()

    assert set(asyncio.run(main())) == {salticid.hunt(topic, web=world, max_pages=20).digest()}


def test_the_live_web_is_asked_as_the_options_say(tmp_path: Path) -> None:
    site = Site(60)
    topic = salticid.Topic("live", "jumping spider", (site.url(0),))

    async def within(**asked: Any) -> list[salticid.Hunt]:
        return [salticid.hunt(topic, **asked), await salticid.hunt_async(topic, **asked)]

    with served(site) as port:
        near: dict[str, Any] = {"delay": 0, "allow_net": ["127.0.0.0/8"], "resolve": [f"*=127.0.0.1:{port}"]}
        hunts = [salticid.hunt(topic, max_pages=20, **near), *asyncio.run(within(max_pages=20, **near))]
    assert [(hunt.pages, hunt.stopped) for hunt in hunts] == [(20, "budget")] * 3
    assert {hunt.rows()[0]["url"] for hunt in hunts} == {site.url(0)}


def test_ctrl_c_ends_a_hunt_and_what_was_found_is_there(world: Path, topic: salticid.Topic) -> None:
    told = f"""
import os, signal, threading, salticid
from salticid.strategies.breadth_first import BreadthFirst

class Slow(BreadthFirst):
    def observe(self, visit, fresh):
        super().observe(visit, fresh)
        if visit.step == 20:
            os.kill(os.getpid(), signal.SIGINT)

hunt = salticid.hunt(salticid.Topic("t", "spiders", {topic.seeds[0]!r}), web={str(world)!r}, strategy=Slow())
print(hunt.stopped, len(hunt.rows()))
"""
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    stopped, rows = done.stdout.split()
    assert (stopped, 20 < int(rows) < 100) == ("interrupted", True)


def test_beside_an_event_loop_too(world: Path, topic: salticid.Topic) -> None:
    class Slow(BestNFirst):
        def observe(self, visit, fresh):  # type: ignore[no-untyped-def]
            super().observe(visit, fresh)
            if visit.step == 20:
                os.kill(os.getpid(), signal.SIGINT)

    async def main() -> salticid.Hunt:
        return salticid.hunt(topic, web=world, strategy=Slow(), judge="cosine")

    loop = asyncio.new_event_loop()
    try:
        hunt = loop.run_until_complete(main())
    finally:
        loop.close()
    assert (hunt.stopped, len(hunt.rows()) > 20) == ("interrupted", True)


class Mine(BestNFirst):
    """Best-N-First under another name."""


def pages_read(crawl: JudgedCrawl) -> float:
    """Pages fetched."""
    return len(crawl.pages)


def test_a_race_is_the_one_of_the_command_line_and_writes_nothing(
    world: Path, topic_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "topics"
    folder.mkdir()
    topic_file.rename(folder / topic_file.name)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    race = salticid.compare(world, folder, ["best_n_first:n=2", Mine(n=2)], max_pages=30)
    assert sorted(tmp_path.rglob("*")) == before
    done = command("compare", world, "--topics", folder, "--strategy", "best_n_first:n=2", "--max-pages", 30, "--out",
                   tmp_path / "race", "--json")  # fmt: skip
    typed = json.loads(done.out)["strategies"]["best_n_first:n=2"]
    assert race.means["best_n_first:n=2"] == {name: score["mean"] for name, score in typed.items()}
    assert race.means["Mine"]["harvest"] == race.means["best_n_first:n=2"]["harvest"]
    assert list(race.means["Mine"]) == [name for name in salticid.measure_names() if name in typed]


def test_a_race_can_be_read_and_shown(world: Path, topic: salticid.Topic, topic_file: Path, tmp_path: Path) -> None:
    topics: list[salticid.Topic | salticid.TopicFile] = [topic, salticid.load_topic(topic_file)]
    race = salticid.compare(
        salticid.open_world(world),
        topics,
        [Mine(n=1), Mine(n=4)],
        max_pages=20,
        measures=["harvest", pages_read],
    )
    one, four = race.means
    assert (one, four) == (
        "Mine:n=1,admit=compete,score=similarity",
        "Mine:n=4,admit=compete,score=similarity",
    )
    assert [found.values[one]["harvest"] is None for found in race.results.topics] == [True, False]
    assert race.means[four]["pages_read"] == 20.0
    assert race.report(tmp_path / "race.html").read_text().startswith("<!DOCTYPE html>")
    assert "<td>20.000</td>" in race._repr_html_()
    assert repr(race) == f"<Race of {one}, {four} over 2 topics>"
    table = race.to_pandas()
    assert list(table.columns) == ["strategy", "topic", "harvest", "pages_read"]
    assert len(table) == 4


def test_other_processes_race_too_but_not_what_they_cannot_import(
    world: Path, topic_file: Path, tmp_path: Path
) -> None:
    two = salticid.compare(world, [topic_file], [Mine(n=2)], max_pages=20, measures=["harvest"], workers=2)
    assert two.means == salticid.compare(world, [topic_file], [Mine(n=2)], max_pages=20, measures=["harvest"]).means
    here = type("Here", (Mine,), {"__module__": "__main__"})
    for strategies, measures, complaint in (
        ([here()], ["harvest"], "Here cannot be imported by other processes"),
        (["best_first"], [lambda crawl: 1.0], "without a name"),
        (["best_first", "best_first"], None, "best_first is given twice"),
        ("best_first", None, "strategies are a list"),
    ):
        with pytest.raises(salticid.UserError, match=complaint):
            salticid.compare(world, [topic_file], strategies, max_pages=5, measures=measures, workers=2)
    with pytest.raises(salticid.UserError, match="is given twice"):
        salticid.compare(world, [topic_file, topic_file], ["best_first"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"topics": []}, "no topics; give a folder"),
        ({"strategies": []}, "nothing to compare"),
        ({"max_pages": 0}, "max_pages is 0; give at least 1"),
        ({"workers": 0}, "workers is 0; give at least 1"),
        ({"max_bufer": 3}, "no option 'max_bufer'; did you mean 'max_buffer'"),
        ({"measures": "harvest"}, "measures are a list"),
    ],
)
def test_a_mistake_in_a_race_is_a_sentence_too(
    world: Path,
    topic_file: Path,
    options: dict[str, Any],
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(topic_file.parent)  # topic files that happen to lie here are nobody's topics
    order: dict[str, Any] = {"topics": [topic_file], "strategies": ["best_first"], **options}
    with pytest.raises(salticid.UserError, match=complaint):
        salticid.compare(world, **order)


def test_no_hunt_goes_into_a_world_and_options_are_those_of_the_command_line(
    world: Path, topic: salticid.Topic
) -> None:
    with pytest.raises(salticid.UserError, match="no crawl goes into"):
        salticid.hunt(topic, web=world, max_pages=2, out=world)
    hunt = salticid.hunt(topic, web=world, max_pages=20, max_time="2s", stop_when="harvest < 0.0001")
    assert (hunt.stopped, hunt.pages < 20) == ("time", True)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"dealy": 3}, "no option 'dealy'"),
        ({"web": "live", "dealy": 3}, "no option 'dealy'; did you mean 'delay'"),
        ({"web": "live", "dns": "nowhere"}, "is no IP address"),
        ({"web": "live", "patience": "soon"}, "no duration 'soon'"),
        ({"max_time": "soon"}, "no duration 'soon'"),
        ({"stop_when": "bored"}, "no condition 'bored'"),
        ({"strategy": object()}, "is no strategy; give a name"),
        ({"judge": "cosin"}, "did you mean 'cosine'"),
        ({"max_pages": 0}, "max_pages is 0; give at least 1"),
    ],
)
def test_a_mistake_is_a_sentence(
    world: Path, topic: salticid.Topic, options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(salticid.UserError, match=complaint):
        salticid.hunt(topic, **{"web": world, **options})  # type: ignore[arg-type]


def test_a_data_frame_needs_pandas(world: Path, topic: salticid.Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    hunt = salticid.hunt(topic, web=world, max_pages=2)
    with pytest.raises(salticid.UserError, match="pandas, which is not installed; pip install pandas"):
        hunt.to_pandas()

"""Names in folders, files and requests are data: they never run code, and the error says what to type instead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.support.changing_site import Site, crawl, serving
from tests.support.running import Said, salticid
from tests.support.tampering import tampering
from tests.support.ui_serving import serving as ui_serving
from tests.support.wishes import wish

import salticid as salticid_package
from salticid.errors import UserError
from salticid.judges import judges
from salticid.runs.named import judge_of, strategy_of
from salticid.strategies import strategies

CODE = """
from pathlib import Path
from salticid.judges.cosine import Cosine
from salticid.strategies.best_n_first import BestNFirst

Path(__file__).with_suffix(".ran").touch()

class Mine(BestNFirst):
    "The strategy of a user."

class Own(Cosine):
    "The judge of a user."

def measure(crawl):
    return 1.0
"""
WISH = wish("spider", ("http://a.example/",), ("you",), "best_first", "cosine", 9, "2026-01-01T00:00:00+00:00")
PLAN = 'world = "w"\ntopics = "t"\n'
LEAGUE = 'webs = [{name = "w", world = "w"}]\n'


@pytest.fixture
def evil(tmp_path: Path) -> Iterator[Path]:
    """A Python file that nobody named on a command line; it has not run when the test ends."""
    file = tmp_path / "evil.py"
    file.write_text(CODE)
    yield file
    assert not file.with_suffix(".ran").exists(), "the file was executed"


class Hunted:
    """A crawl made with a strategy and a judge of a user's file, and how to repeat its command."""

    def __init__(self, site: Site, port: int, home: Path) -> None:
        self.folder, self.code = home / "c", home / "mine.py"
        self.code.write_text(CODE)
        self.live = ("--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", "0")
        self.own = ("--strategy", f"{self.code}:Mine:n=4", "--judge", f"{self.code}:Own")
        self.order = crawl(site, port, self.folder, {}, *self.own)
        self.ran = self.code.with_suffix(".ran")
        self.ran.unlink()

    def copy(self, to: Path, **names: str) -> Path:
        """A copy of the folder, with other names in it."""
        copytree(self.folder, to)
        for kind, name in names.items():
            with tampering(to) as db:
                (text,) = db.execute("SELECT value FROM about WHERE name = ?", (kind,)).fetchone()
                value = json.dumps({**json.loads(text), "name": name})
                db.execute("UPDATE about SET value = ? WHERE name = ?", (value, kind))
        return to


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hunted]:
    with serving() as (site, port):
        yield Hunted(site, port, tmp_path_factory.mktemp("hunted"))


def refused(said: Said, *words: str) -> None:
    assert said.status == 2, (said.out, said.err)
    for word in words:
        assert word in " ".join(said.err.split()), said.err


@pytest.mark.parametrize("kind", ["strategy", "judge"])
def test_a_folder_that_names_a_file_runs_nothing(hunted: Hunted, evil: Path, tmp_path: Path, kind: str) -> None:
    known: dict[str, str] = {"strategy": "best_n_first", "judge": "cosine"}
    there = hunted.copy(tmp_path / "c", **{**known, kind: f"{evil}:Mine"})
    refused(salticid("watch", there, *hunted.live), f"--{kind} FILE.py:Mine", "neither built in nor installed")
    again = [str(there) if word == hunted.folder else word for word in hunted.order[: -len(hunted.own)]]
    refused(salticid(*again, "--strategy", "best_n_first:n=4"), f"--{kind} FILE.py:Mine")
    said = salticid("refresh", there, *hunted.live)
    assert said.status == 0, said.err


def test_a_user_who_names_the_file_again_resumes_and_watches(hunted: Hunted, tmp_path: Path) -> None:
    there = hunted.copy(tmp_path / "c")
    again = [str(there) if word == hunted.folder else word for word in hunted.order]
    refused(salticid(*again[: -len(hunted.own)]), "--strategy FILE.py:Mine")
    refused(salticid("watch", there, *hunted.live), "--strategy FILE.py:Mine")
    assert not hunted.ran.exists()
    refused(salticid("watch", there, *hunted.live, "--strategy", f"{hunted.code}:Mine"), "--judge FILE.py:Own")
    typed = ("--strategy", f"{hunted.code}:Mine", "--judge", f"{hunted.code}:Own")
    said = salticid("watch", there, *hunted.live, *typed, "--json")
    assert (said.status, json.loads(said.out or "{}").get("same")) == (0, 8), said.err
    said = salticid(*again, "--max-pages", 2000)
    assert said.status == 0, said.err


@pytest.mark.parametrize("kind", ["strategy", "judge"])
def test_a_strategy_file_runs_no_code(evil: Path, tmp_path: Path, kind: str) -> None:
    told = {"strategy": "best_first", "judge": "cosine", kind: f"{evil}:Mine"}
    file = tmp_path / "s.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in told.items()))
    topic = tmp_path / "topic.toml"
    topic.write_text('name = "t"\nkeywords = "spiders"\nseeds = ["http://site.example/"]\n')
    said = salticid("crawl", topic, "--strategy", file, "--out", tmp_path / "c")
    refused(said, f"--{kind} FILE.py:Class", "cannot run code")


@pytest.mark.parametrize(
    ("command", "plan", "next_step"),
    [
        ("compare", PLAN + 'strategies = ["EVIL:Mine"]', "--strategy FILE.py:Class"),
        ("compare", PLAN + 'strategies = ["best_first"]\njudge = "EVIL:Own"', "--judge FILE.py:Class"),
        (
            "compare",
            PLAN + 'strategies = ["best_first"]\nmeasures = ["EVIL:measure"]',
            "--measures FILE.py:FUN",
        ),
        ("compare", PLAN + 'strategies = ["best_first"]\n[given]\na = 1', "leave out given"),
        ("league", 'strategies = ["EVIL:Mine"]\n' + LEAGUE, "--strategy FILE.py:Class"),
        ("league", 'judge = "EVIL:Own"\n' + LEAGUE, "--judge FILE.py:Class"),
    ],
)
def test_nor_does_a_plan_of_the_lab(evil: Path, tmp_path: Path, command: str, plan: str, next_step: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(plan.replace("EVIL", str(evil)))
    refused(salticid(command, file, "--out", tmp_path / "out"), next_step)


def test_a_server_runs_no_code_at_its_start_and_for_no_request(evil: Path, tmp_path: Path) -> None:
    wishes: dict[str, Any] = {"strategy": {"strategy": f"{evil}:Mine"}, "judge": {"judge": f"{evil}:Own"}}
    for name, change in wishes.items():
        WISH.but(mood="run", **change).save(tmp_path / "crawls" / name)
    with ui_serving(tmp_path) as (_, client):
        for name in wishes:
            told = client.until(name, lambda summary: summary["state"] == "ended")
            assert f"--{name} FILE.py:Mine" in told["stopped_line"]
        order = {"query": "spider", "urls": ["http://a.example/"]}
        for file in (
            f"{evil}:Mine",
            f"{evil}",
            "os:system",
            f"{evil.with_name('missing.py')}:Mine",
            "/etc/passwd",
        ):
            for kind in ("strategy", "judge"):
                answer = client.ask("POST", "/api/crawls", {**order, kind: file})
                assert answer.status == 422
                assert f"no {kind}" in answer.error or "is not the name" in answer.error
        there, missing = (
            client.ask("POST", "/api/crawls", {**order, "strategy": f"{tmp_path}/{name}.py:Mine"}).error
            for name in ("evil", "lost")
        )
        assert there.replace("evil", "lost") == missing


@pytest.mark.parametrize("spec", ["EVIL:Mine", "EVIL:Mine:n=4", "EVIL", "settings.toml", "os:system"])
def test_files_are_opened_only_where_the_caller_says_so(evil: Path, tmp_path: Path, spec: str) -> None:
    (tmp_path / "settings.toml").write_text('strategy = "best_first"\n')
    spec = spec.replace("EVIL", str(evil)).replace("settings", str(tmp_path / "settings"))
    for read in (strategy_of, judge_of, strategies.find, judges.find):
        with pytest.raises(UserError):
            read(spec)


def test_rooms_that_read_data_call_nothing_that_runs_code() -> None:
    home = Path(salticid_package.__file__).parent
    rooms = ("agents", "ui", "store", "cluster", "drivers", "webs", "worlds", "evolve", "metrics")
    files = [file for room in rooms for file in (home / room).rglob("*.py")]
    assert len(files) > 100
    assert not [file for file in files if re.search(r"\bfind_code\b|\bfiles=True\b", file.read_text())]

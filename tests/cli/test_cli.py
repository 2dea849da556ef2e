"""The command line as a person and a script meet it: the real program, real files."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.running import Said, salticid, salticid_anew

from salticid.cli import program
from salticid.lab import demo as lab_demo
from salticid.topic import Limits


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a generated world and its topics, made by the commands themselves."""
    folder = tmp_path_factory.mktemp("lab")
    built = salticid("world", "build", folder / "world", "--synthetic", 600, "--seed", 2, "--json")
    assert built.status == 0, built.err
    made = salticid("world", "topics", folder / "world", "--out", folder / "topics", "--json")
    assert made.status == 0, made.err
    assert len(json.loads(made.out)["topics"]) >= 5
    return folder


def a_topic(lab: Path) -> Path:
    return sorted((lab / "topics").glob("*.toml"))[0]


def test_crawl_json_holds_what_scripts_rely_on(lab: Path, tmp_path: Path) -> None:
    said = salticid("crawl", a_topic(lab), "--web", lab / "world", "--max-pages", 40, "--out", tmp_path / "c", "--json")
    assert said.status == 0
    result = json.loads(said.out)
    assert set(result) == {
        "topic", "strategy", "web", "pages", "fetches", "on_topic", "hosts_on_topic", "outcomes", "kept_out", "stopped",
        "seconds", "out",
    }  # fmt: skip
    assert (result["pages"], result["stopped"], result["strategy"]) == (40, "budget", "hunter")
    assert result["outcomes"]["ok"] == 40
    assert sum(result["outcomes"].values()) == result["fetches"]
    assert result["seconds"] > 0
    assert 0 < result["on_topic"] < 40

    listed = [json.loads(line) for line in salticid("visits", tmp_path / "c", "--json").out.splitlines()]
    assert [visit["step"] for visit in listed] == list(range(len(listed)))
    assert {"url", "final_url", "outcome", "status", "score", "title", "source", "agent", "revisit", "duplicate_of",
            "seconds", "at", "why"} <= set(listed[0])  # fmt: skip
    assert sum(visit["outcome"] == "ok" for visit in listed) == 40
    assert listed[0]["source"] is None
    assert {visit["source"] for visit in listed} & {visit["final_url"] for visit in listed}


def test_crawl_tells_a_person_what_happened(lab: Path, tmp_path: Path) -> None:
    said = salticid("crawl", a_topic(lab), "--web", lab / "world", "--max-pages", 30, cwd=tmp_path)
    assert said.status == 0
    assert "Best pages" in said.out
    assert "Stopped: budget" in said.out
    folder = re.search(r"Kept in (\S+);", said.out)
    assert folder is not None
    assert (tmp_path / folder[1] / "crawl.db").is_file()


@pytest.mark.parametrize("arrivals", ["one", "window:7", "roulette:100/50"])
def test_the_same_crawl_twice_gives_the_same_digest(lab: Path, tmp_path: Path, arrivals: str) -> None:
    digests = []
    for name, run in (("a", salticid), ("b", salticid_anew)):
        args = ("--strategy", "best_n_first", "--set", "n=8", "--arrivals", arrivals, "--max-pages", "50")
        assert run("crawl", a_topic(lab), "--web", lab / "world", *args, "--out", tmp_path / name).status == 0
        digests.append(salticid("visits", tmp_path / name, "--digest").out)
    assert digests[0] == digests[1] != ""


def test_a_crawl_becomes_a_world_and_is_crawled_again_alike(lab: Path, tmp_path: Path) -> None:
    crawl = ("crawl", a_topic(lab), "--max-pages", "60", "--web")
    assert salticid(*crawl, lab / "world", "--out", tmp_path / "first").status == 0
    assert salticid("world", "build", tmp_path / "seen", "--crawl", tmp_path / "first").status == 0
    assert salticid(*crawl, tmp_path / "seen", "--out", tmp_path / "again").status == 0
    first, again = (salticid("visits", tmp_path / name, "--digest").out for name in ("first", "again"))
    assert first == again != ""


def test_world_info_counts(lab: Path) -> None:
    facts = json.loads(salticid("world", "info", lab / "world", "--json").out)
    assert facts["pages"] == 600
    assert sum(facts["labels"].values()) == 600
    assert facts["redirects"] > 0
    assert facts["links"] >= facts["links_recorded"] > facts["pages"]
    assert facts["bytes"] > 100_000


def test_scope_keeps_a_crawl_at_home(lab: Path, tmp_path: Path) -> None:
    args = (
        "crawl",
        a_topic(lab),
        "--web",
        lab / "world",
        "--max-pages",
        "50",
        "--out",
        tmp_path / "c",
        "--json",
    )
    result = json.loads(salticid(*args, "--max-depth", "1").out)
    assert result["outcomes"]["out of scope"] > 0
    assert result["fetches"] == sum(result["outcomes"].values()) - result["outcomes"]["out of scope"]


def test_strategies_are_listed_with_settings() -> None:
    listed = {fact["name"]: fact for fact in map(json.loads, salticid("strategies", "--json").out.splitlines())}
    assert {"breadth_first", "best_first", "best_n_first"} <= set(listed)
    assert {"name": "n", "default": 256, "allowed": "int, 1 to 4096"} in listed["best_n_first"]["settings"]
    assert all(fact["paper"] for fact in listed.values())
    assert ">>>" not in salticid("strategies", "best_first").out


def mistakes(lab: Path, tmp_path: Path) -> dict[str, tuple[tuple[str | Path, ...], str]]:
    """A command for each kind of mistake, and words its one line must hold."""
    topic, world = a_topic(lab), lab / "world"
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "no_words.toml").write_text('name = "x"\nkeywords = "the of and"\nseeds = ["http://a.example/"]')
    (tmp_path / "blank.toml").write_text('name = "x"\nkeywords = ""\nseeds = ["http://a.example/"]')
    (tmp_path / "odd.toml").write_text('name = "x"\nkeyword = "y"\nseeds = []')
    (tmp_path / "seed.toml").write_text('name = "x"\nkeywords = "y"\nseeds = ["ftp://a.example/"]')
    (tmp_path / "noise.toml").write_bytes(bytes(range(256)))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "crawl.db").write_bytes(b"not a database")
    crawl = ("crawl", topic, "--web", world, "--out", tmp_path / "out")
    return {
        "no such topic": (("crawl", tmp_path / "none.toml", "--web", world), "none.toml"),
        "empty topic": (("crawl", tmp_path / "empty.toml", "--web", world), "missing"),
        "blank keywords": (("crawl", tmp_path / "blank.toml", "--web", world), "keywords is empty"),
        "only stop words": (
            ("crawl", tmp_path / "no_words.toml", "--web", world, "--out", tmp_path / "out"),
            "stop word",
        ),
        "unknown key": (("crawl", tmp_path / "odd.toml", "--web", world), "did you mean 'keywords'"),
        "not a web address": (("crawl", tmp_path / "seed.toml", "--web", world), "ftp://a.example/"),
        "not TOML": (("crawl", tmp_path / "noise.toml", "--web", world), "no TOML file"),
        "no such world": (("crawl", topic, "--web", tmp_path / "nowhere"), "is no world"),
        "unknown strategy": ((*crawl, "--strategy", "best_frist"), "did you mean 'best_first'?"),
        "unknown judge": ((*crawl, "--judge", "cosin"), "did you mean 'cosine'?"),
        "unknown setting": (
            (*crawl, "--strategy", "best_first", "--set", "admitt=always"),
            "did you mean 'admit'?",
        ),
        "setting out of range": ((*crawl, "--strategy", "best_n_first", "--set", "n=0"), "n=0"),
        "no KEY=VALUE": ((*crawl, "--set", "n"), "KEY=VALUE"),
        "odd arrivals": ((*crawl, "--arrivals", "roulette:50/100"), "roulette:100/50"),
        "odd buffer": ((*crawl, "--max-buffer", "many"), "none"),
        "odd duration": ((*crawl, "--max-time", "soon"), "10m"),
        "odd condition": ((*crawl, "--stop-when", "bored"), "harvest < 0.05"),
        "no pages": ((*crawl, "--max-pages", "0"), "--max-pages"),
        "unknown option": ((*crawl, "--max-page", "3"), "--max-pages"),
        "unknown command": (("crowl",), "crowl"),
        "folder in use": (("crawl", topic, "--web", world, "--out", tmp_path / "full"), "--out"),
        "no crawl there": (("visits", tmp_path), "no crawl"),
        "no source": (("world", "build", tmp_path / "w"), "exactly one source"),
        "two sources": (
            ("world", "build", tmp_path / "w", "--synthetic", "5", "--webkb", tmp_path),
            "exactly one",
        ),
        "no base URL": (("world", "build", tmp_path / "w", "--html", tmp_path), "--base-url"),
        "no such folder": (
            ("world", "build", tmp_path / "w", "--html", tmp_path / "x", "--base-url", "http://a.example/"),
            str(tmp_path / "x"),
        ),
        "no such WARC": (("world", "build", tmp_path / "w", "--warc", tmp_path / "x.warc"), "x.warc"),
        "no such labels": (
            ("world", "build", tmp_path / "w", "--synthetic", "5", "--labels", tmp_path / "x.tsv"),
            "x.tsv",
        ),
        "world exists": (("world", "build", world, "--synthetic", "5"), "exists already"),
    }


KINDS = [
    "no such topic", "empty topic", "blank keywords", "only stop words", "unknown key", "not a web address",
    "not TOML", "no such world", "unknown strategy", "unknown judge", "unknown setting", "setting out of range",
    "no KEY=VALUE", "odd arrivals", "odd buffer", "odd duration", "odd condition", "no pages", "unknown option",
    "unknown command", "folder in use", "no crawl there", "no source", "two sources", "no base URL",
    "no such folder", "no such WARC", "no such labels", "world exists",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_gets_one_line_and_status_2(lab: Path, tmp_path: Path, kind: str) -> None:
    args, words = mistakes(lab, tmp_path)[kind]
    before = sorted(tmp_path.rglob("*"))
    said = salticid(*args, cwd=tmp_path)
    assert said.status == 2, said
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    assert words in said.err
    assert sorted(tmp_path.rglob("*")) == before, "a mistake leaves nothing behind"


def test_every_kind_of_mistake_is_tried(lab: Path, tmp_path: Path) -> None:
    assert sorted(mistakes(lab, tmp_path)) == sorted(KINDS)


def test_ctrl_c_stops_cleanly_and_what_was_done_is_kept(lab: Path, tmp_path: Path) -> None:
    said = _interrupted_crawl(lab, tmp_path / "c")
    assert said.status == 130, said
    result = json.loads(said.out)
    assert result["stopped"] == "interrupted"
    kept = salticid("visits", tmp_path / "c", "--json").out.splitlines()
    assert len(kept) == sum(result["outcomes"].values())


def _interrupted_crawl(lab: Path, out: Path) -> Said:
    """Crawl, and send SIGINT as soon as the log is there; a strategy that dawdles makes sure of the moment."""
    slow = (
        "import time, sys\n"
        "from salticid.strategies.best_first import BestFirst\n"
        "choose = BestFirst.choose\n"
        "BestFirst.choose = lambda self, n, busy: time.sleep(0.05) or choose(self, n, busy)\n"
        "from salticid.cli import main\n"
        "main()\n"
    )
    args = ["crawl", a_topic(lab), "--web", lab / "world", "--strategy", "best_first", "--max-pages", "500"]
    args += ["--out", out, "--json"]
    command = [sys.executable, "-c", slow, *map(str, args)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (out / "crawl.db-wal").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        printed, complained = process.communicate(timeout=60)
    return Said(process.returncode, printed, complained)


def test_crawled_text_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    title = "spiders \x1b]0;owned\x07 [red]x[/red] \u202egnp.exe"
    (tmp_path / "pages" / "a.html").write_text(f"<title>{title}</title><p>spiders spiders", encoding="utf-8")
    (tmp_path / "t.toml").write_text('name = "[bold]t"\nkeywords = "spiders"\nseeds = ["http://a.example/a.html"]')
    pages = ("--html", tmp_path / "pages", "--base-url", "http://a.example/")
    assert salticid("world", "build", tmp_path / "w", *pages).status == 0
    crawl = ("crawl", tmp_path / "t.toml", "--web", tmp_path / "w", "--out", tmp_path / "c")
    for said in (salticid(*crawl), salticid("visits", tmp_path / "c")):
        assert said.status == 0
        assert "[red]x[/red]" in said.out
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out)


@pytest.mark.parametrize(
    "command",
    ["", "crawl", "visits", "strategies", "demo", "world", "world build", "world info", "world topics"],
)
def test_help_has_an_example(command: str) -> None:
    said = salticid(*command.split(), "--help")
    assert said.status == 0
    assert "Usage" in said.out
    if command not in ("", "world"):
        assert f"Example: salticid {command}" in " ".join(said.out.split())


def test_demo_shows_the_hunt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = salticid("demo", "--out", tmp_path / "demo")
    assert said.status == 0, said.err
    shares = {name: int(share) for name, share in re.findall(r"(\w+) [▁-█]+\s+(\d+)%", said.out)}
    assert shares["hunter"] > shares["best_first"] > 2 * shares["breadth_first"]
    assert "stopped: budget" in said.out
    page = (tmp_path / "demo" / "demo.html").read_text()
    project = Path(__file__).parents[2]
    legend = re.search(r"!\[(.*)\]\(docs/images/demo\.svg\)", (project / "README.md").read_text())
    assert legend
    assert {int(share) for share in re.findall(r"(\d+) %", legend[1])} == set(shares.values())
    assert (project / "docs" / "images" / "demo.svg").read_text() in page, "README shows what the demo draws"
    assert page.count("<polyline") == 3
    assert not re.search(r'(?:src|href)="(?!http://[a-z0-9-]+\.(?:example|test)/)', page), "the page loads nothing"
    monkeypatch.setattr(lab_demo, "PAGES", 3000)
    monkeypatch.setattr(lab_demo, "LIMITS", Limits(max_pages=20, max_buffer=1000))
    program(["demo"])(["demo", "--out", str(tmp_path / "demo")], standalone_mode=False)
    assert (tmp_path / "demo" / "demo.html").read_text() != page, "a second demo replaces the first"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    refused = salticid("demo", "--out", tmp_path / "mine")
    assert (refused.status, (tmp_path / "mine" / "thesis.txt").exists()) == (2, True)


def test_a_command_imports_its_own_file_only() -> None:
    look = (
        "import sys; from salticid.cli import COMMANDS, program\n"
        "files = lambda: {file for file in (each.partition(':')[0] for each in COMMANDS.values())\n"
        "                 if f'salticid.cli.{file}' in sys.modules}\n"
        "program(['--version']); assert not files() and 'numpy' not in sys.modules\n"
        "for name in COMMANDS: program(name.split())\n"
        "assert 'numpy' not in sys.modules, 'so that help comes at once'\n"
        "for file in files(): del sys.modules[f'salticid.cli.{file}']\n"
        "program(['world', 'info', 'w']); assert files() == {'world'}, files()\n"
        "program(['--help']); program(['nonsense']); program([])\n"
        "assert files() == {'world'}, 'to list commands none is imported'\n"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [("world", "--help"), ("visits", "/nowhere"), ("compare",)])
def test_the_program_that_tests_fork_says_what_the_program_says(words: tuple[str, ...]) -> None:
    assert salticid(*words) == salticid_anew(*words)

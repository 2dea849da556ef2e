"""Networks that fail for a while: a crawl waits, says so, goes on by itself, and loses nobody."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.support.dns_server import Refusal, name_server
from tests.support.outages import (
    HOSTS,
    HURRIED,
    LOST,
    NAMELESS,
    PATIENCE,
    Program,
    everything,
    serving,
    wait_until,
)
from tests.support.running import ANEW


@pytest.mark.parametrize("refusal", [Refusal.FAILURE, Refusal.SILENCE])
@pytest.mark.parametrize("begins_well", [False, True], ids=["from the start", "midway"])
def test_names_that_nobody_knows_for_a_while_are_no_names_that_nobody_has(
    refusal: Refusal, begins_well: bool, tmp_path: Path
) -> None:
    def at_first(name: str) -> list[str] | Refusal:
        return ["127.0.0.1"] if begins_well and not site.asked else refusal

    with serving() as site, name_server(at_first) as names:
        seed = ("--seed-url", site.seed, "--timeout", "1", *names.options)
        with Program(tmp_path / "crawl", *seed) as program:
            program.until_it_says(NAMELESS if begins_well else LOST)
            names.directory = lambda name: ["127.0.0.1"]
            assert everything(program.result())
        assert "Somebody answers again" in program.said
        assert not begins_well or LOST not in program.said


def test_a_name_that_nobody_has_is_told_so_at_once(tmp_path: Path) -> None:
    def some(name: str) -> list[str] | Refusal:
        return ["127.0.0.1"] if name in ("seed.example", *HOSTS[:4]) else Refusal.NO_SUCH_NAME

    with serving() as site, name_server(some) as names:
        with Program(tmp_path / "crawl", "--seed-url", site.seed, *names.options) as program:
            told = program.result()
        assert told["outcomes"] == {"ok": 13, "unreachable": len(HOSTS) - 4 + len(HOSTS) - 4}
        assert LOST not in program.said
        names.directory = lambda name: ["127.0.0.1"]
        with Program(tmp_path / "crawl", "--seed-url", site.seed, *names.options) as program:
            again = program.result()
        assert again["outcomes"]["ok"] == 1 + 3 * len(HOSTS)
        assert max(count for url, count in site.asked.items() if not url.endswith("robots.txt")) == 1


IMPOSSIBLE = (
    "a..invalid",
    ".a.example",
    f"{'a' * 64}.example",
    ".".join(["a" * 60] * 5),
    "a$b.example",
    "b.onion",
)
FAILING = tuple(f"www.f{n}.example" for n in range(10))


def _chain(host: str, path: str) -> list[str]:
    """30 pages, each with a link to the next; one of them links to all names that cannot be looked up."""
    number = int(path[1:] or 0)
    bad = [f"http://{name}/" for name in (*IMPOSSIBLE, *FAILING)] + ["http://127.0.0.1:0/"]
    return [*(bad if number == 2 else []), *([f"/{number + 1}"] if number < 29 else [])]


def test_names_that_cannot_be_looked_up_stop_nobody(tmp_path: Path) -> None:
    """While hosts answer, impossible names and names that a name server fails to find are given up.

    The first run is killed while such names wait; the next one fetches the rest.
    """
    with serving(seconds=0.05) as site, name_server(lambda name: Refusal.FAILURE) as names:
        site.links = _chain  # type: ignore[method-assign]
        seed = f"http://127.0.0.1:{site.port}/"
        command = ("--seed-url", seed, "--max-pages", "1000", *names.options)
        with Program(tmp_path / "crawl", *command) as program:
            wait_until(lambda: "127.0.0.1/10" in site.asked)
            program.kill()
        assert "127.0.0.1/29" not in site.asked
        with Program(tmp_path / "crawl", *command, by=HURRIED) as program:
            told = program.result()
    assert LOST not in program.said
    assert NAMELESS not in program.said
    assert (told["stopped"], told["outcomes"]["ok"]) == ("frontier empty", 30)
    assert not {name for name in names.asked if name in IMPOSSIBLE}


def test_names_are_given_up_when_only_hosts_answer_for_too_long(tmp_path: Path) -> None:
    """A name server fails after the first page. Its host is still fetched, and the next run finds the other names."""

    def at_first(name: str) -> list[str] | Refusal:
        return Refusal.FAILURE if any(url.endswith("example/") for url in site.asked) else ["127.0.0.1"]

    with serving() as site, name_server(at_first) as names:
        hosts = [f"http://{each}:{site.port}/" for each in HOSTS[:3]]
        site.links = lambda host, path: [*hosts, "/a", "/b"] if path == "/" else []  # type: ignore[method-assign]
        command = ("--seed-url", site.seed, "--patience", "1s", *names.options)
        with Program(tmp_path / "crawl", *command, by=HURRIED) as program:
            told = program.result()
        assert (told["stopped"], told["outcomes"]["ok"]) == ("frontier empty", 3)
        assert NAMELESS in program.said
        assert "the names are given up" in program.said
        assert LOST not in program.said
        names.directory = lambda name: ["127.0.0.1"]
        with Program(tmp_path / "crawl", *command, by=HURRIED) as program:
            assert program.result()["outcomes"]["ok"] == 3 * 4


def test_who_waits_too_long_stops_and_the_same_command_goes_on(tmp_path: Path) -> None:
    def nobody(name: str) -> Refusal:
        return Refusal.FAILURE

    with serving() as site, name_server(nobody) as names:
        command = ("--seed-url", site.seed, "--patience", "3s", *names.options)
        with Program(tmp_path / "crawl", *command) as program:
            told = program.result()
        assert (told["stopped"], told["outcomes"]) == ("waiting", {})
        assert "Go on when the network is back" in program.said
        assert "answers again" not in program.said
        names.directory = lambda name: ["127.0.0.1"]
        with Program(tmp_path / "crawl", *command) as program:
            assert everything(program.result())


def test_servers_that_are_gone_for_a_while_are_waited_for(tmp_path: Path) -> None:
    with (
        name_server(lambda name: ["127.0.0.1"]) as names,
        serving() as site,
        Program(tmp_path / "crawl", "--seed-url", site.seed, *names.options) as program,
    ):
        wait_until(lambda: any(url.startswith("www") for url in site.asked))
        site.shutdown()
        site.server_close()
        program.until_it_says(LOST)
        with serving(site.port):
            assert everything(program.result())


def test_too_few_descriptors_make_a_crawl_slower_and_lose_nobody(tmp_path: Path) -> None:
    if shutil.which("prlimit") is None:
        pytest.skip("program absent: prlimit")
    with serving(seconds=0.3) as site, name_server(lambda name: ["127.0.0.1"]) as names:
        few = ("prlimit", "--nofile=34:34", *ANEW)
        with Program(tmp_path / "crawl", "--seed-url", site.seed, *names.options, by=few) as program:
            assert everything(program.result())
    assert site.most_at_once < len(HOSTS)


def test_a_machine_without_a_network_waits_for_one(tmp_path: Path) -> None:
    """In a network of its own, whose only wire is not plugged in until the program says that it waits."""
    alone = ["unshare", "--net"]
    if shutil.which("unshare") is None:
        pytest.skip("program absent: unshare")
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        pytest.skip("right absent: to make a network of its own")
    command = [*alone, sys.executable, "-m", "tests.support.unplugged", str(tmp_path / "crawl")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert everything(json.loads(done.stdout))

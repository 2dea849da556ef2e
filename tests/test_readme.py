"""README, walked from top to bottom in an empty folder: every command line runs there, in its order."""

from __future__ import annotations

import json
import random
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.killing import Program, live
from tests.running import PATIENCE, salticid
from tests.serving import served_world

from salticid.worlds.build import build
from salticid.worlds.html_folder import HtmlFolder

WORDS = [
    a + b
    for a in ("ba", "do", "ku", "mi", "ra", "so", "te")
    for b in ("lan", "mor", "nit", "pel", "ruk", "sim")
]
ROOT = Path(__file__).resolve().parent.parent
HOME = "http://example.org/"
SMALLER = {
    "evolve": ["--population", "4", "--generations", "1", "--runs", "1", "--workers", "1"],
    "compare": ["--workers", "1"],
}
"""What makes a search and a race short."""
PAGES = "80"
"""Pages of a crawl here, where README has more."""


def blocks(text: str) -> list[str]:
    """The indented blocks of a document, without their margin."""
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", text, re.MULTILINE)
    return [textwrap.dedent(block) for block in found]


def commands(text: str) -> list[str]:
    """The lines of a block that a shell would run, whole, without comments."""
    lines = text.replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*", "", line) for line in lines if re.match(r"(?:salticid|make|pip|uv) ", line)]


BLOCKS = blocks((ROOT / "README.md").read_text().replace("https://example.org/", HOME))
LINES = [line for block in BLOCKS for line in commands(block)]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds nothing but pages: a front page, pages on many animals, and on each of them others."""
    folder = tmp_path_factory.mktemp("readme")
    pages = folder / "pages"
    pages.mkdir()
    animals = [f"animal{n}" for n in range(40)]
    write(pages / "animals.html", "Animals", "All the animals of the world, one by one.", animals)
    for n, animal in enumerate(animals):
        kin = [f"{animal}-{k}" for k in range(6)]
        write(pages / f"{animal}.html", f"Animal {n}", "Where it lives and what it eats.", [*kin, "animals"])
        for k, name in enumerate(kin):
            title, next_one = (
                ("Jumping spiders", f"animal{(n + 4) % 40}-{k}") if n % 4 == 0 else ("Cattle", animal)
            )
            said = "salticidae dance courtship jumping" if n % 4 == 0 else "herds graze plains cattle"
            rng = random.Random(f"{n} {k}")
            words = rng.sample(WORDS, 40)  # no two pages are alike, and no sentence stands on all of them
            text = " ".join(
                f"{word} {' '.join(rng.sample(said.split(), 4))}." if at % 8 == 0 else word
                for at, word in enumerate(words)
            )
            write(pages / f"{name}.html", f"{title} {n} {k}", text, [next_one])
    return folder


def write(file: Path, title: str, text: str, links: list[str]) -> None:
    anchors = " ".join(f'<a href="{name}.html">{name}</a>' for name in links)
    file.write_text(f"<title>{title}</title><h1>{title}</h1><p>{text}</p><p>{anchors}</p>")


@pytest.fixture(scope="module")
def port(here: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where these pages are served."""
    world = tmp_path_factory.mktemp("served") / "world"
    build(world, HtmlFolder(here / "pages", HOME))
    with served_world(world) as port:
        yield port


def test_every_line_of_the_readme_runs_in_its_order(here: Path, port: int) -> None:
    for block in BLOCKS:
        if block.startswith("name = "):
            (here / "spiders.toml").write_text(block)
        elif block.startswith("import salticid"):
            run_python(block, here, port)
        else:
            for line in commands(block):
                if line.startswith("salticid "):
                    run(line, here, port)
    assert len((here / "spiders.jsonl").read_text().splitlines()) > 10
    assert "courtship" in (here / "spiders.jsonl").read_text()
    assert (here / "race" / "report.html").exists()
    assert 'judge = "' in (here / "evolved.toml").read_text()


def run(line: str, here: Path, port: int) -> None:
    """Run a line as it stands, but for how long its crawls are, and where the live web is."""
    words = shlex.split(line)[1:]
    if words == ["demo"]:
        return  # test_cli.py sees it through; it takes as long as all others together
    if words == ["serve"]:
        serve(here)
        return
    if "--max-pages" in words:
        place = words.index("--max-pages") + 1
        words[place] = min(words[place], PAGES, key=int)
    words += SMALLER.get(words[0], [])
    if words[0] in ("crawl", "refresh") and "--web" not in words:
        words += map(str, live(port))
    said = salticid(*words, cwd=here)
    assert (said.status, "Traceback" in said.err) == (0, False), f"{line}\n{said.err}"


def serve(here: Path) -> None:
    with Program("serve", "--port", 0, "--data", here / "salticid-data", "--json") as program:
        assert program.until(lambda: "\n" in program.out, "a line with its address"), program.err
        assert json.loads(program.out)["address"].startswith("http://127.0.0.1:")
        program.send(signal.SIGTERM)
        assert program.ends() == 0


def run_python(block: str, here: Path, port: int) -> None:
    options = f"delay=0.0, allow_net=['127.0.0.0/8'], resolve=['*=127.0.0.1:{port}']"
    code = block.replace("max_pages=300", f"max_pages={PAGES}, {options}")
    assert code != block
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(len(hunt.to_pandas()))"],
        cwd=here,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= int(PAGES)


def test_there_is_something_to_walk() -> None:
    words = {line.split()[1] for line in LINES if line.startswith("salticid ")}
    assert words >= {"demo", "crawl", "search", "export", "refresh", "serve", "compare", "evolve", "world"}


def test_what_is_installed_can_be_installed() -> None:
    """The extras exist, and both ways to install name the same."""
    installs = [line for line in LINES if line.startswith(("pip ", "uv "))]
    assert [re.sub(r"'\.\[(\w+)\]'", r"\1", line) for line in installs] == [
        "pip install all",
        "uv tool install all",
    ]

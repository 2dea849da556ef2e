"""Documents walked from top to bottom in a folder: files are written, command lines and Python run, in their order."""

from __future__ import annotations

import json
import random
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.support.killing import Program, live
from tests.support.running import PATIENCE, salticid

ROOT = Path(__file__).resolve().parents[2]
HOME = "http://example.org/"
PAGES = "80"
"""Pages of a crawl here, where a document has more."""
MOST = {"--max-pages": PAGES, "--synthetic": "1500", "--crawl-length": "60", "--metrics-port": "0"}
"""Options that have larger numbers in documents."""
SMALLER = {
    "evolve": ["--population", "4", "--generations", "1", "--runs", "1", "--workers", "1"],
    "compare": ["--workers", "1"],
}
"""What makes a search and a race short."""
SAME_WITHOUT = ("--ray", "--shards", "--every")
"""What makes no difference, as test_cluster.py sees, or goes on for ever, as test_watch_kills.py sees."""
LIVE = ("crawl", "refresh", "watch")
"""Commands that ask the live web."""
_BLOCK = re.compile(r"(?:^    .*\n(?:\n+(?=    ))?)+", re.MULTILINE)
_FILE = re.compile(r"`([\w.-]+\.\w+)`:\s*$")
_WORDS = [a + b for a in ("ba", "do", "ku", "mi", "ra", "so", "te") for b in ("lan", "mor", "nit", "pel", "ruk", "sim")]


class Block(NamedTuple):
    """An indented block of a document, without its margin, and the file it is for if the line before names one."""

    text: str
    file: str | None

    @property
    def commands(self) -> list[str]:
        """The lines that a shell would run, whole, without comments."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [re.sub(r"\s+#.*", "", line) for line in lines if re.match(r"(?:salticid|make|pip|uv) ", line)]

    @property
    def is_python(self) -> bool:
        """Whether it is a piece of a program."""
        if self.file or self.commands or self.text.startswith(">>>"):
            return False
        try:
            compile(self.text, "block", "exec")
        except SyntaxError:
            return False
        return True


def blocks(document: Path) -> list[Block]:
    """The blocks of a document; the live web is the one that tests serve."""
    text = document.read_text().replace("https://example.org/", HOME)
    found = []
    for match in _BLOCK.finditer(text):
        before = _FILE.search(text[: match.start()])
        found.append(Block(textwrap.dedent(match[0]), before[1] if before else None))
    return found


@dataclass
class Walk:
    """A walk through documents, in a folder, with a web of pages at a port."""

    here: Path
    port: int
    python: list[str] = field(default_factory=list)

    def through(self, document: Path) -> None:
        """Do all that a document says; every block must be something to be done."""
        for block in blocks(document):
            if block.file:
                (self.here / block.file).write_text(block.text)
            elif block.commands:
                for line in block.commands:
                    if line.startswith("salticid "):
                        self.run(line)
            else:
                assert block.is_python, f"what is this in {document.name}?\n{block.text}"
                self.run_python(block.text)

    def run(self, line: str) -> None:
        """Run a line as it stands, but for how long its crawls are, and where the live web is."""
        words = shlex.split(re.split(" [|>] ", line)[0])[1:]
        if words == ["demo"]:
            return  # test_cli.py sees it through; it takes as long as all others together
        if "serve" in words[:2] or "--http" in words:
            self.serve(*words)
            return
        for option, most in MOST.items():
            if option in words:
                place = words.index(option) + 1
                words[place] = min(words[place], most, key=int)
        for option in SAME_WITHOUT:
            if option in words:
                at = words.index(option)
                del words[at : at + 2]
        words += SMALLER.get(words[0], [])
        if words[0] in LIVE and "--web" not in words:
            words += map(str, live(self.port))
        said = salticid(*words, cwd=self.here)
        assert (said.status, "Traceback" in said.err) == (0, False), f"{line}\n{said.err}"

    def serve(self, *words: str) -> None:
        """Start a server, at a port that is free, and end it."""
        option = "--http" if "--http" in words else "--port"
        if option in words:
            at = words.index(option)
            words = (*words[:at], *words[at + 2 :])
        with Program(*words, option, 0, "--json", cwd=self.here) as program:
            assert program.until(lambda: "\n" in program.out, "a line with its address"), program.err
            assert json.loads(program.out)["address"].startswith("http://127.0.0.1:")
            program.send(signal.SIGTERM)
            assert program.ends() == 0

    def run_python(self, code: str) -> str:
        """Run a piece of a program after the pieces before it; what it printed."""
        options = f"delay=0.0, allow_net=['127.0.0.0/8'], resolve=['*=127.0.0.1:{self.port}']"
        self.python.append(code.replace("max_pages=300", f"max_pages={PAGES}, {options}"))
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(self.python)],
            cwd=self.here,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def write_pages(folder: Path) -> None:
    """A front page, pages on many animals, and on each of them others."""
    folder.mkdir()
    animals = [f"animal{n}" for n in range(40)]
    _write(folder / "animals.html", "Animals", "All the animals of the world, one by one.", animals)
    for n, animal in enumerate(animals):
        kin = [f"{animal}-{k}" for k in range(6)]
        _write(folder / f"{animal}.html", f"Animal {n}", "Where it lives and what it eats.", [*kin, "animals"])
        for k, name in enumerate(kin):
            title, next_one = ("Jumping spiders", f"animal{(n + 4) % 40}-{k}") if n % 4 == 0 else ("Cattle", animal)
            said = "salticidae dance courtship jumping" if n % 4 == 0 else "herds graze plains cattle"
            rng = random.Random(f"{n} {k}")
            words = rng.sample(_WORDS, 40)  # no two pages are alike, and no sentence stands on all of them
            text = " ".join(
                f"{word} {' '.join(rng.sample(said.split(), 4))}." if at % 8 == 0 else word
                for at, word in enumerate(words)
            )
            _write(folder / f"{name}.html", f"{title} {n} {k}", text, [next_one])


def _write(file: Path, title: str, text: str, links: list[str]) -> None:
    anchors = " ".join(f'<a href="{name}.html">{name}</a>' for name in links)
    file.write_text(f"<title>{title}</title><h1>{title}</h1><p>{text}</p><p>{anchors}</p>")

"""A plain installation, without extras, in an environment of its own: what works there, and what the rest says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.support.running import PATIENCE
from tools.licences import installed

from salticid.cli import COMMANDS
from salticid.errors import EXTRAS

NEEDS_LAB = {
    "compare": ["compare", "world", "--topics", "topics", "--strategy", "best_first", "--out", "race"],
    "evolve": ["evolve", "world", "--topic", "topics/t.toml", "--out", "evolved.toml"],
    "fit": ["fit", "world", "--topics", "topics", "--out", "fitted.toml"],
    "links": ["links", "world"],
    "reproduce": ["reproduce", "1", "--out", "one"],
}
CORE = [
    ["world", "build", "world", "--synthetic", "300"],
    ["world", "info", "world"],
    ["world", "topics", "world", "--out", "made"],
    ["crawl", "TOPIC", "--web", "world", "--max-pages", "20", "--out", "crawl"],
    ["visits", "crawl"],
    ["search", "crawl", "music"],
    ["export", "crawl", "--to", "jsonl", "--out", "pages.jsonl"],
    ["strategies"],
    ["--version"],
]


class Installation:
    """The program as a wheel brings it, with the packages that it always needs and no others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "topics").mkdir()
        (folder / "topics" / "t.toml").write_text('name = "t"\nkeywords = "t"\nseeds = ["http://a.example/"]\n')
        bin_folder = folder / "venv" / "bin"
        self._program, self._python = bin_folder / "salticid", bin_folder / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
        for name, part in installed("salticid", frozenset()).items():
            if name != "salticid":
                _lend(part.package, site)
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(list(map(str, build)), cwd=ROOT, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        uv = [
            sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-index", "--no-deps",
        ]  # fmt: skip
        subprocess.run([*uv, "--python", str(self._python), str(wheel)], check=True)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self._run(self._program, *words)

    def run_python(self, code: str) -> subprocess.CompletedProcess[str]:
        return self._run(self._python, "-c", code)

    def _run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        here = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            command,
            cwd=self.folder,
            env=here,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def _lend(package: Distribution, site: Path) -> None:
    """Show an environment a package that is installed in ours."""
    for top in {file.parts[0] for file in package.files or [] if ".." not in file.parts}:
        source = Path(str(package.locate_file(top)))
        if top != "__pycache__" and source.exists() and not (site / top).exists():
            (site / top).symlink_to(source)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def worked(plain: Installation) -> Installation:
    """The same after a crawl."""
    for words in CORE:
        topic = next(map(str, (plain.folder / "made").glob("*.toml")), "")
        said = plain.run(*(topic if word == "TOPIC" else word for word in words))
        assert said.returncode == 0, f"{words}: {said.stderr}"
    return plain


def test_a_wheel_brings_its_library_where_there_is_a_compiler(plain: Installation) -> None:
    said = plain.run_python("from salticid.native import lib; print(lib is not None)")
    assert said.stdout.strip() == str(shutil.which("cc") is not None or find_spec("ziglang") is not None)


def test_every_command_has_its_help(plain: Installation) -> None:
    said = plain.run_python(
        "from salticid.cli import COMMANDS, program\n"
        "for name in ('', *COMMANDS):\n"
        "    words = [*name.split(), '--help']\n"
        "    program(words)(words, prog_name='salticid', standalone_mode=False)\n"
    )
    assert (said.returncode, said.stderr) == (0, "")
    for command in ("", *COMMANDS):
        assert f"Usage: salticid {command}".rstrip() in said.stdout


@pytest.mark.parametrize("words", [*NEEDS_LAB.values(), ["serve", "--port", "0"], ["mcp"]], ids=lambda words: words[0])
def test_what_needs_an_extra_names_it_in_a_line(plain: Installation, words: list[str]) -> None:
    extra = {"serve": "ui", "mcp": "mcp"}.get(words[0], "lab")
    said = plain.run(*words)
    assert (said.returncode, said.stdout) == (2, ""), said.stderr
    (line,) = said.stderr.splitlines()
    assert line.startswith(f"salticid: salticid {words[0]} needs ")
    assert line.endswith(f", which is not installed; pip install 'salticid[{extra}]'")


def test_the_others_do_their_work(worked: Installation) -> None:
    assert len((worked.folder / "pages.jsonl").read_text().splitlines()) > 10


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["export", "crawl", "--to", "parquet", "--out", "pages.parquet"], "parquet needs pyarrow"),
        (["crawl", "topics/t.toml", "--ray", "local"], "--ray needs ray"),
    ],
    ids=["parquet", "ray"],
)
def test_so_do_options_that_need_one(worked: Installation, words: list[str], told: str) -> None:
    said = worked.run(*words)
    (line,) = said.stderr.splitlines()
    assert (said.returncode, said.stdout) == (2, "")
    assert line.startswith(f"salticid: {told}, which is not installed; pip install 'salticid[")


def test_so_does_python(plain: Installation) -> None:
    said = plain.run_python("import salticid; print(salticid.strategy_names()[0]); salticid.compare")
    assert said.stdout == "adaptive_n\n"
    last = said.stderr.splitlines()[-1]
    assert re.fullmatch(r"salticid\.errors\.UserError: salticid\.compare needs \w+, .* 'salticid\[lab\]'", last)


def test_the_demo_needs_no_extra(plain: Installation) -> None:
    assert plain.run_python("import salticid.cli.crawl, salticid.cli.terminal, salticid.lab.demo").returncode == 0


def test_every_extra_is_one_that_can_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert EXTRAS.keys() < project["optional-dependencies"].keys()


def test_the_metadata_name_nobody_and_no_address_that_is_made_up(plain: Installation) -> None:
    (metadata,) = plain.folder.glob("venv/lib/python*/site-packages/salticid-*.dist-info/METADATA")
    head = metadata.read_text().partition("\n\n")[0]
    assert "\nAuthor: The Salticid developers\n" in head
    assert not any(line.startswith(("Author-email:", "Home-page:", "Project-URL:")) for line in head.splitlines())
    assert "@" not in head

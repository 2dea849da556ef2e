"""A plain installation, without extras, in an environment of its own: what works there, and what the rest says."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.running import PATIENCE
from tools.licences import installed

from salticid.cli import COMMANDS
from salticid.extras import EXTRAS

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
    ["world", "topics", "world", "--out", "topics", "--min-pages", "5"],
    ["crawl", "topic.toml", "--web", "world", "--max-pages", "20", "--out", "crawl"],
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
        bin_folder = folder / "venv" / "bin"
        self._program, python = bin_folder / "salticid", bin_folder / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
        for name, part in installed("salticid", frozenset()).items():
            if name != "salticid":
                _lend(part.package, site)
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(list(map(str, build)), cwd=ROOT, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        uv = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "--quiet",
            "--offline",
            "--no-index",
            "--no-deps",
        ]
        subprocess.run([*uv, "--python", str(python), str(wheel)], check=True)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        here = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            [self._program, *words],
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


def test_every_command_has_its_help(plain: Installation) -> None:
    for command in ("", *COMMANDS):
        said = plain.run(*command.split(), "--help")
        assert (said.returncode, said.stderr) == (0, ""), command
        assert f"Usage: salticid {command}".rstrip() in said.stdout


@pytest.mark.parametrize("words", [*NEEDS_LAB.values(), ["serve", "--port", "0"]], ids=lambda words: words[0])
def test_what_needs_an_extra_names_it_in_a_line(plain: Installation, words: list[str]) -> None:
    extra = "lab" if words[0] in NEEDS_LAB else "ui"
    (plain.folder / "topics").mkdir(exist_ok=True)
    (plain.folder / "topics" / "t.toml").write_text(
        'name = "t"\nkeywords = "t"\nseeds = ["http://a.example/"]\n'
    )
    said = plain.run(*words)
    assert (said.returncode, said.stdout) == (2, ""), said.stderr
    (line,) = said.stderr.splitlines()
    assert line.startswith(f"salticid: salticid {words[0]} needs ")
    assert line.endswith(f", which is not installed; pip install 'salticid[{extra}]'")


def test_the_others_do_their_work(plain: Installation) -> None:
    (plain.folder / "topic.toml").write_text(
        'name = "music"\nkeywords = "music"\n'
        'seeds = ["http://lantern-notes.example/read?id=10067&view=full"]\n'
    )
    for words in CORE:
        said = plain.run(*words)
        assert said.returncode == 0, f"{words}: {said.stderr}"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["export", "crawl", "--to", "parquet", "--out", "pages.parquet"], "parquet needs pyarrow"),
        (["crawl", "topic.toml", "--ray", "local"], "--ray needs ray"),
    ],
    ids=["parquet", "ray"],
)
def test_so_do_options_that_need_one(plain: Installation, words: list[str], told: str) -> None:
    said = plain.run(*words)
    (line,) = said.stderr.splitlines()
    assert (said.returncode, said.stdout) == (2, "")
    assert line.startswith(f"salticid: {told}, which is not installed; pip install 'salticid[")


def test_every_extra_is_one_that_can_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert EXTRAS.keys() < project["optional-dependencies"].keys()


def test_the_metadata_name_nobody_and_no_address_that_is_made_up(plain: Installation) -> None:
    (metadata,) = plain.folder.glob("venv/lib/python*/site-packages/salticid-*.dist-info/METADATA")
    head = metadata.read_text().partition("\n\n")[0]
    assert "\nAuthor: The Salticid developers\n" in head
    assert not any(
        line.startswith(("Author-email:", "Home-page:", "Project-URL:")) for line in head.splitlines()
    )
    assert "@" not in head

"""The documentation as a site: whole, with a search of its own, and no broken link."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.support.walking import ROOT
from tools.docs_site import build

import salticid


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("site")
    return build(at / "stage", at / "sites")


def test_every_page_is_there_and_found(site: Path) -> None:
    pages = {path.relative_to(ROOT).with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not (site / page).exists()} == set()
    listed = set(re.findall(r'"([\w/.-]+\.md)"', (ROOT / "zensical.toml").read_text()))
    assert {page for page in pages if str(page.with_suffix(".md")) not in listed} == set(), "who would find it?"
    found = json.loads((site / "search.json").read_text())
    assert "near-duplicates" in json.dumps(found)
    assert (site / "index.html").read_text().count("Jumping spiders spin no web") >= 1


def test_the_reference_tells_all_that_has_a_name(site: Path) -> None:
    told = (site / "docs" / "reference.html").read_text()
    for name in salticid.__all__:
        assert name.startswith("_") or f"salticid.{name}" in told
    assert "Hunt for the pages of a topic, on the live web or in a recorded world." in told


def test_it_asks_nobody_else(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|link|img)\b[^>]*\b(?:src|href)="?(https?:[^" >]+)', page.read_text())
        assert loaded == [], page


def test_it_can_be_dark_and_has_its_version(site: Path) -> None:
    text = (site / "index.html").read_text()
    assert "slate" in text
    assert f"Salticid {salticid.__version__}" in text
    assert json.loads((site.parent / "versions.json").read_text())[0]["version"] == salticid.__version__


def test_a_broken_link_ends_the_build(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "src").mkdir()
    settings = tomllib.loads((ROOT / "zensical.toml").read_text())
    assert settings["project"]["docs_dir"] == "pages"
    (root / "zensical.toml").write_text('[project]\nsite_name = "x"\ndocs_dir = "pages"\nsite_dir = "site"\n')
    (root / "README.md").write_text("# x\n\n[a page](docs/nothing.md)\n")
    with pytest.raises(subprocess.CalledProcessError):
        build(tmp_path / "stage", tmp_path / "sites", root)
    assert "does not exist" in capfd.readouterr().err
    shutil.rmtree(tmp_path / "stage")

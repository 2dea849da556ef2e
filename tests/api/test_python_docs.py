"""The page that teaches Python and the notebook beside it, run line by line."""

from __future__ import annotations

import doctest
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from tests.conftest import ROOT

from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

DOCS = ROOT / "docs"


def test_every_line_of_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_generated(tmp_path / "world", WebEdition(1500))
    make_topics(tmp_path / "world", tmp_path / "topics", TopicPlan())
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(DOCS / "python.md"), module_relative=False)
    assert (failed, tried > 25) == (0, True)


@pytest.mark.keeps_open  # the channels of a kernel that has ended are closed by the collector
def test_the_notebook_runs_and_shows_what_came_of_it(tmp_path: Path) -> None:
    notebook = nbformat.read(DOCS / "hunt-and-race.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in it"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    pages = [output["data"]["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert any("data:image/svg+xml" in page and "Astronomy" in page for page in pages), "the hunt"
    assert any("oracle_share" in page and "Mine" in page for page in pages), "the race"
    assert any(output.get("data", {}).get("text/plain") == "True" for output in shown), "awaited, it is the same hunt"
    assert (tmp_path / "race.html").is_file()

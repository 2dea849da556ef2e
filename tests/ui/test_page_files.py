"""The files of the page: small, whole, of our own making, and nothing that could run what was crawled."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from tests.support.page_stub import PAGE

FILES = sorted(path for path in PAGE.iterdir() if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTML|"
    r"\beval\b|new Function|srcdoc|setAttribute\(\"(?:style|on)"
)


def test_the_whole_page_is_small() -> None:
    packed = sum(len(gzip.compress(path.read_bytes())) for path in FILES)
    assert packed < 200_000, f"{packed} bytes"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_makes_elements_and_text_only(script: Path) -> None:
    assert MARKUP.findall(script.read_text()) == []


def test_every_script_is_used_and_every_import_is_there() -> None:
    used = {"main.js", "theme.js"}
    for script in SCRIPTS:
        imported = re.findall(r"^import (?:\{([^}]*)\} from )?\"\./([^\"]+)\";", script.read_text(), re.MULTILINE)
        for names, file in imported:
            used.add(file)
            exported = (PAGE / file).read_text()
            body = script.read_text().replace(names, "", 1)
            for name in filter(None, (part.strip() for part in names.split(","))):
                original, _, local = name.partition(" as ")
                assert re.search(rf"export (?:async )?(?:function|class|const) {original}\b", exported), name
                assert re.search(rf"\b{local or original}\b", body), f"{script.name} has no use for {name}"
    assert used == {script.name for script in SCRIPTS}


def test_the_page_itself_holds_no_script_no_style_and_nothing_from_elsewhere() -> None:
    index = (PAGE / "index.html").read_text()
    assert re.findall(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", index) == []
    for path in FILES:
        told = path.read_text().replace("http://www.w3.org/2000/svg", "")
        if path.suffix in (".html", ".css", ".svg"):
            assert "http" not in told.replace('"http', ""), path.name
    loaded = re.findall(r'(?:src|href)="(/[^"]*)"', index)
    assert loaded
    assert all((PAGE / path.removeprefix("/page/")).is_file() for path in loaded)


def test_every_class_that_is_styled_is_used() -> None:
    styles = "".join(path.read_text() for path in FILES if path.suffix == ".css")
    scripts = "".join(path.read_text() for path in FILES if path.suffix in (".js", ".html"))
    classes = set(re.findall(r"\.([a-z][a-z0-9-]+)(?=[\s:,.\[>{)])", re.sub(r"\{[^{}]*\}", "{}", styles)))
    unused = {name for name in classes if not re.search(rf"\b{name}\b", scripts)}
    assert unused - {"c0", "c1"} == set()

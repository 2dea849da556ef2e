"""Every command line of the documentation runs, in a folder with a crawl, a world and topics of the names they use."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.serving import served_world
from tests.support.walking import HOME, ROOT, Walk, blocks, write_pages

DOCS = ROOT / "docs"
LEFT_OUT = {
    "salticid reproduce": "takes minutes, and some of it collections; test_reproduce.py runs it smaller",
    "salticid league": "needs the collections; test_league.py runs it smaller",
    "salticid policies": "takes minutes; test_policies.py runs it smaller",
    "salticid links": "needs WebKB; test_links_command.py runs it",
    "salticid fit schools": "needs the collections; test_fit.py runs it smaller",
    "salticid world get webkb": "fetches it; test_world_get.py has a server in its place",
    "salticid model get minilm": "fetches it; test_encoders.py installs one from a folder",
    "salticid world build webkb": "needs WebKB; test_webkb_source.py builds it",
    "salticid world build schools": "needs schools-wikipedia; conftest.py builds it",
    "salticid world build scidocs": "needs scidocs; test_warc_source.py builds from such files",
    "--search searxng": "needs a search engine; test_sources.py has one",
    "10.0.0.1": "needs a cluster; the tutorial has one of this machine",
}
"""Lines that no test can run as they stand, and where the same is run."""
LINES = {
    page: lines
    for page in sorted(DOCS.rglob("*.md"))
    if page.parent.name != "tutorials"
    and (lines := [line for block in blocks(page) for line in block.commands if line.startswith("salticid ")])
}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Where the pages are served, and the folder that every document begins in."""
    stage = tmp_path_factory.mktemp("stage")
    write_pages(stage / "pages")
    labels = {
        path.stem: "spiders" if int(path.stem[6:].split("-")[0]) % 4 == 0 else "cattle"
        for path in (stage / "pages").glob("*-*.html")
    }
    (stage / "labels.tsv").write_text(
        "".join(f"{HOME}{name}.html\t{label}\n" for name, label in sorted(labels.items()))
    )
    (stage / "bookmarks.html").write_text(f'<DL><DT><A HREF="{HOME}animals.html">jumping spiders</A></DL>')
    topic = f'name = "spiders"\nkeywords = "jumping spiders salticidae"\nseeds = ["{HOME}animals.html"]\n'
    for name in ("spiders.toml", "topic.toml"):
        (stage / name).write_text(topic)
    walk = Walk(stage, 0)
    walk.run(f"salticid world build world --html pages --base-url {HOME} --labels labels.tsv")
    with served_world(stage / "world") as port:
        walk.port = port
        for name in ("spiders", "spiders-2"):
            walk.run(f"salticid crawl spiders.toml --max-pages 30 --out crawls/{name}")
        shutil.copytree(stage / "crawls" / "spiders", stage / "crawls" / "spiders-hunter")
        walk.run("salticid world topics world --out topics")
        shutil.copytree(stage / "topics", stage / "others")
        yield port, stage


@pytest.mark.parametrize("page", LINES, ids=lambda page: str(page.relative_to(DOCS)))
def test_every_line_of_a_page_runs(page: Path, port: tuple[int, Path], tmp_path: Path) -> None:
    here = shutil.copytree(port[1], tmp_path / "here")
    walk = Walk(here, port[0])
    for line in LINES[page]:
        if not any(part in line for part in LEFT_OUT):
            _make_room(here, line)
            walk.run(line)


def test_the_live_hunt_of_the_page_on_python_runs(port: tuple[int, Path], tmp_path: Path) -> None:
    (hunt,) = (block.text for block in blocks(DOCS / "python.md") if block.is_python)
    here = shutil.copytree(port[1], tmp_path / "here")
    live = f"delay=0.0, allow_net=['127.0.0.0/8'], resolve=['*=127.0.0.1:{port[0]}']"
    smaller = hunt.replace("max_pages=500", "max_pages=10").replace("delay=2.0", live)
    assert smaller.count("0.0") > hunt.count("0.0")
    begin = 'import salticid\ntopic = salticid.load_topic("spiders.toml")\n'
    said = Walk(here, port[0]).run_python(f"{begin}print({smaller.strip()})")
    assert "10 pages" in said


def test_what_is_left_out_is_there() -> None:
    everything = "\n".join(line for lines in LINES.values() for line in lines)
    assert [part for part in LEFT_OUT if part not in everything] == []


def _make_room(here: Path, line: str) -> None:
    """A document may make again what the folder has already."""
    words = line.split()
    made = [words[at + 1] for at, word in enumerate(words) if word == "--out"]
    if words[1:3] == ["world", "build"]:
        made.append(words[3])
    if words[1] != "crawl":
        for name in made:
            shutil.rmtree(here / name, ignore_errors=True)

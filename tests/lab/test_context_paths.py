"""The context path of a link: read from HTML, kept beside a world, and what scores make of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.running import salticid

from salticid.lab.links.examples import UNIVERSITIES, labelled_links, with_paths
from salticid.worlds.context_paths import LONGEST_STEP, ContextPath, context_paths

PAGE = "http://a.example/x/"


def paths(html: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The paths of a page's links, their URLs without the folder of the page."""
    found = context_paths(html.encode(), PAGE)
    return [(path.url.removeprefix(PAGE), path.headings, path.items) for path in found]


def test_a_heading_holds_until_the_next_of_its_level_or_higher() -> None:
    html = """<h1>Spiders</h1><a href=1>a</a><h3>Eyes</h3><a href=2>b</a><h2>Legs</h2><a href=3>c</a>
              <h1>Mites</h1><a href=4>d</a><h2>In <a href=5>soil</a></h2><a href=6>e</a>"""
    assert paths(html) == [
        ("1", ("Spiders",), ()),
        ("2", ("Spiders", "Eyes"), ()),
        ("3", ("Spiders", "Legs"), ()),
        ("4", ("Mites",), ()),
        ("5", ("Mites",), ()),
        ("6", ("Mites", "In soil"), ()),
    ]


def test_items_are_those_around_the_link_and_a_definition_is_below_its_term() -> None:
    html = """<ul><li>Staff of <a href=0>the house</a>, old
              <ol><li>first <a href=1>Ann</a> at the door<li><a href=2>Bob</a></ol>
              <li>Others</ul>
              <dl><dt>Courses<dd>on <a href=3>webs</a><dt>Projects<dd><a href=4>silk</a></dl>"""
    assert paths(html) == [
        ("0", (), ("Staff of , old",)),
        ("1", (), ("Staff of the house , old", "first at the door")),
        ("2", (), ("Staff of the house , old",)),
        ("3", (), ("Courses", "on")),
        ("4", (), ("Projects",)),
    ]


def test_addresses_are_whole_and_long_items_are_cut() -> None:
    many = " ".join(["word"] * 100)
    no_links = "<script>no words</script><a href='#top'>b</a> <a href=mailto:x>c</a>"
    html = f"<base href=/y/><li>{many} <a href=1>a</a>{no_links}"
    (path,) = context_paths(html.encode(), PAGE)
    assert path == ContextPath("http://a.example/y/1", (), (" ".join(["word"] * LONGEST_STEP),))


def outlined_webkb(root: Path) -> Path:
    """Departments whose links have no anchors: only the headings above tell what they lead to."""
    for university in (*UNIVERSITIES, "misc"):
        site = f"http://www.cs.{university}.example"
        courses, people = ([f"{site}/{kind}{n}" for n in range(4)] for kind in "ab")
        parts = [
            f"<h2>{head}</h2>{''.join(f'<p><a href={url}></a>' for url in urls)}"
            for head, urls in (("Lectures this term", courses), ("Who is who", people))
        ]
        pages = {f"department^{site}/": f"<title>Department</title>{''.join(parts)}"}
        for kind, urls in (("course", courses), ("faculty", people)):
            pages |= {f"{kind}^{url}": "<title>page</title>words" for url in urls}
        for name, html in pages.items():
            kind, _, url = name.partition("^")
            file = root / "raw" / kind / university / url.replace("/", "^")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(html)
    return root


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paths")
    tree = outlined_webkb(folder)
    built = salticid("world", "build", folder / "world", "--webkb", tree, "--context-paths", "--json")
    assert built.status == 0, built.err
    plain = salticid("world", "build", folder / "plain", "--webkb", tree, "--json")
    assert json.loads(plain.out)["digest"] == json.loads(built.out)["digest"]
    return folder / "world"


def test_each_labelled_link_has_the_words_above_it(world: Path) -> None:
    links = labelled_links(world)
    pathed = with_paths(links, world)
    assert pathed.paths is not None
    for link, label in enumerate(links.label.tolist()):
        words = links.web.words.spell(pathed.paths.words(link).tolist())
        course = links.classes[label] == "course"
        assert words == ["department", *(["lectures", "this", "term"] if course else ["who", "is", "who"])]
        assert "below 1 headings" in list(pathed.paths.traits(link))


def test_where_anchors_are_empty_the_path_tells_what_links_lead_to(world: Path) -> None:
    said = salticid("links", world, "--context-paths", "--json")
    assert said.status == 0, said.err
    scores = json.loads(said.out)["scores"]
    names = ["anchor", "transition", "context"]
    kinds = ["neighbourhood", *names, "transition, calibrated"]
    assert set(scores) == {*kinds, *(f"{name} with path" for name in kinds[1:])}
    assert scores["anchor"]["accuracy"] == 0.5
    assert scores["anchor with path"]["accuracy"] == 1.0
    tables = salticid("links", world, "--context-paths").out
    assert "anchor with path less anchor" in " ".join(tables.split())


def test_paths_that_nobody_kept_are_asked_for_in_one_line(world: Path) -> None:
    said = salticid("links", world.with_name("plain"), "--context-paths")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "--context-paths" in said.err
    none = salticid("world", "build", world.with_name("g"), "--synthetic", 60, "--context-paths")
    assert (none.status, "HTML" in none.err) == (2, True)

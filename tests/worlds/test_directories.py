"""Web directories: leaves read from RDF dumps and HTML pages, topics made of them, and what an editor would write."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.lab.reproduce import explore_exploit, reproduction, testbed
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import labels_of
from salticid.worlds.directories import Entry, Leaf, read_leaves, write_dump
from salticid.worlds.generating.building import DIRECTORY, MOST_LISTED, WebEdition, build_generated, description, listed
from salticid.worlds.generating.plan import Permanence, WebPlan
from salticid.worlds.topics import SAID, Editor

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">
"""


def dump(pages: dict[str, list[tuple[str, str, str]]]) -> str:
    """A dump as the Open Directory wrote them: by topic its pages with title and description."""
    parts = [HEAD]
    for topic, entries in pages.items():
        links = "".join(f'<link r:resource="{url}"></link>' for url, *_ in entries)
        parts.append(f'<Topic r:id="{topic}"><catid>1</catid>{links}</Topic>')
        for url, title, text in entries:
            parts.append(
                f'<ExternalPage about="{url}"><d:Title>{title}</d:Title><d:Description>{text}</d:Description>'
                f"<topic>{topic}</topic></ExternalPage>"
            )
    return "".join([*parts, "</RDF>"])


def entries(name: str, count: int) -> list[tuple[str, str, str]]:
    return [(f"http://{name}.example/{n}", f"{name} {n}", f"All about {name} &amp; more") for n in range(count)]


@pytest.mark.parametrize("packed", [False, True])
def test_leaves_of_a_dump_have_what_editors_wrote_in_their_order(tmp_path: Path, packed: bool) -> None:
    """Arts has a category below it and is no leaf; Arts/Few lists too few pages."""
    text = dump(
        {
            "Top/Arts": entries("arts", 6),
            "Top/Arts/Pottery": entries("pottery", 5),
            "Top/Arts/Few": entries("few", 4),
        }
    ).encode()
    file = tmp_path / ("content.rdf.u8.gz" if packed else "content.rdf.u8")
    file.write_bytes(gzip.compress(text) if packed else text)
    (leaf,) = read_leaves(file)
    assert leaf.path == "Arts/Pottery"
    assert [entry.url for entry in leaf.entries] == [f"http://pottery.example/{n}" for n in range(5)]
    assert leaf.entries[0].text == "pottery 0 All about pottery & more"


def test_leaves_of_html_pages(tmp_path: Path) -> None:
    items = "".join(f"<li><a href=http://a.example/{n}>Club {n}</a> - photos and facts {n}</li>" for n in range(5))
    (tmp_path / "1.html").write_text(f"<title>x</title><h1>Recreation &gt; Ballooning</h1><ul>{items}</ul><li>no link")
    (leaf,) = read_leaves(tmp_path)
    assert leaf.path == "Recreation/Ballooning"
    assert leaf.entries[3].title == "Club 3"
    assert leaf.entries[3].description == "photos and facts 3"
    assert read_leaves(tmp_path / "1.html") == [leaf]


@pytest.mark.parametrize("text", ["no xml at all", HEAD + "<ExternalPage about='http://a.example/'>"])
def test_what_is_no_directory_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.rdf").write_text(text)
    with pytest.raises(UserError, match=r"broken\.rdf is no RDF dump"):
        read_leaves(tmp_path / "broken.rdf")
    with pytest.raises(UserError, match="there is no directory"):
        read_leaves(tmp_path / "nowhere")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("directories") / "world"
    build_generated(folder, WebEdition(600, seed=4))
    return folder


def test_topics_of_leaves_have_the_editors_text_as_their_description(world: Path, tmp_path: Path) -> None:
    label, urls = max(labels_of(world).items(), key=lambda item: len(item[1]))
    listed = [(url.replace("&", "&amp;"), f"Title {n}", "An editor's words") for n, url in enumerate(urls)]
    elsewhere = [("http://elsewhere.example/", "Gone", "Not recorded")]
    (tmp_path / "d.rdf").write_text(dump({"Top/Field/Some_Leaf": [*listed, *elsewhere]}))
    said = salticid("world", "topics", world, "--out", tmp_path / "t", "--directory", tmp_path / "d.rdf")
    assert said.status == 0, said.err
    assert "from the leaves of the directory" in said.out
    ((topic, truth),) = [load_topic(file) for file in (tmp_path / "t").iterdir()]
    assert (topic.name, topic.keywords) == ("Field.Some_Leaf", "Field Some Leaf")
    assert sorted([*topic.examples, *truth.targets]) == sorted(urls), label
    lines = truth.description.splitlines()
    assert len(lines) == 10
    assert all(line.endswith("An editor's words") for line in lines)
    both = salticid(
        "world", "topics", world, "--out", tmp_path / "x", "--directory", tmp_path / "d.rdf", "--search", "a"
    )
    assert (both.status, "--search" in both.err) == (2, True)


def test_an_editor_says_what_tells_a_subject_from_others(world: Path, tmp_path: Path) -> None:
    """Of the words on a page those that most pages of its subject have and few others: the leaf's name above all."""
    web = RecordedWeb(world)
    label, urls = max(labels_of(world).items(), key=lambda item: len(item[1]))
    lines = Editor(web).descriptions(urls, urls[:10])
    assert len(lines) == 10
    pages = [web.page_at(web.urls.find(url)) for url in urls[:10]]
    for line, page in zip(lines, pages, strict=True):
        assert page is not None
        assert line.startswith(page.title)
        assert len(line.split()) <= len(page.title.split()) + SAID
    leaf = label.rpartition(".")[2]
    assert sum(leaf in line for line in lines) > 5
    said = salticid("world", "topics", world, "--out", tmp_path / "t", "--description", "editor", "--query", "text")
    assert said.status == 0, said.err
    topic, truth = load_topic(tmp_path / "t" / f"{label}.toml")
    assert topic.keywords == truth.description
    assert all(line.strip() for line in truth.description.splitlines())


def test_a_dump_that_is_written_is_read_back_whatever_its_words(tmp_path: Path) -> None:
    entries = tuple(Entry(f"http://a.example/?m=1&n={n}", f"<{n}> & 'co'", 'so "called"') for n in range(5))
    write_dump(tmp_path / "d.rdf", [Leaf("Arts/R&B", entries)])
    assert read_leaves(tmp_path / "d.rdf") == [Leaf("Arts/R&B", entries)]


def test_an_editor_of_a_generated_web_says_what_a_page_speaks_of_most() -> None:
    """Worked by hand: kiln three times, clay and glaze twice, clay earlier; five at most, and no word off the topic."""
    text = [
        "clay",
        "and",
        "glaze",
        "in",
        "a",
        "kiln",
        "and",
        "a",
        "kiln",
        "for",
        "glaze",
        "or",
        "clay",
        "a",
        "kiln",
        "with",
        "slip",
        "wheel",
        "bowl",
        "vase",
    ]
    words = {"kiln", "clay", "glaze", "slip", "wheel", "bowl", "vase", "never"}
    assert description(text, words) == "Kiln, clay, glaze, slip, wheel."
    assert description(text, {"rope"}) == ""


def test_a_generated_web_has_a_directory_with_a_leaf_for_each_topic(world: Path) -> None:
    web, labels = RecordedWeb(world), labels_of(world)
    leaves = read_leaves(world / DIRECTORY)
    assert [leaf.path.replace("/", ".") for leaf in leaves] == sorted(labels)
    for leaf in leaves:
        on_topic = labels[leaf.path.replace("/", ".")]
        assert len(leaf.entries) == min(MOST_LISTED, len(on_topic))
        for entry in leaf.entries:
            assert entry.url in on_topic
            page = web.page_at(web.urls.find(entry.url))
            assert page is not None
            assert page.title.lower() == entry.title.lower()
            said = entry.description.lower().rstrip(".").split(", ") if entry.description else []
            assert set(said) <= set(web.words.spell(page.tokens.tolist()))
    entries = [entry for leaf in leaves for entry in leaf.entries]
    assert sum(bool(entry.description) for entry in entries) > 0.9 * len(entries)


def test_editors_list_what_lasts_before_what_passes() -> None:
    plan = WebPlan.of(3_000, 4)
    places = listed(plan)
    passing = (plan.standing_of == Permanence.PASSING).tolist()
    for topic in range(len(plan.tree.leaves)):
        its = [place for place in places.tolist() if plan.topic_of[place] == topic]
        assert len(its) == len(set(its)) == MOST_LISTED
        assert [passing[place] for place in its] == sorted(passing[place] for place in its)
    assert plan.hosts.tongue[plan.host_of[places]].max() == 0


def test_reproductions_on_a_generated_web_describe_topics_in_its_editors_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproduction, "LEAST_PAGES", 600)
    ground = reproduction.generated_ground(tmp_path, 600, lambda what, done, of: None)
    leaves = {leaf.path.replace("/", "."): leaf for leaf in read_leaves(ground.world / DIRECTORY)}
    for plan in (testbed.PLAN, *explore_exploit.PLANS.values()):
        files = sorted(ground.topics(tmp_path, plan).iterdir())
        assert files
        for topic, truth in map(load_topic, files):
            leaf = leaves[topic.name]
            assert set(truth.description.splitlines()) <= {entry.text for entry in leaf.entries}
            assert set(truth.targets) <= {entry.url for entry in leaf.entries}
            assert (topic.keywords == truth.description) == (plan.query == "text")

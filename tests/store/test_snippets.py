"""The pieces of text beside results show what pages say themselves, and not what their site says on each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.support.http_stub import Answer, http_stub
from tests.support.running import salticid
from tests.support.ui_serving import serving

from salticid.store.search import snippet

SLOGAN = "Jumping spiders are the friends of every garden in town."
FOOTER = "Every jumping spider here was drawn by hand."
TREES = ("oak", "ash", "elm", "fir", "yew", "bay", "fig", "box")
HOME = "http://garden.example/"


def own(tree: str) -> str:
    words = [f"{tree}{letter}" for letter in "abcdefghij"]
    return f"{' '.join(words[:5])} jumping spider {' '.join(words[5:])}."


def html(tree: str) -> str:
    links = "".join(f"<p>The {tree} is past the <a href=/{other}>{other}</a> of this row." for other in TREES)
    more = " ".join(f"{tree}{one}{two}" for one in "klmnop" for two in "abcdefghij")
    return f"<title>The {tree}</title><h1>{SLOGAN}</h1><p>{own(tree)}</p><p>{more}</p>{links}<p>{FOOTER}"


@contextmanager
def garden() -> Iterator[int]:
    """The port of a server of pages that all begin and end with the same sentences."""

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        tree = request.path.removeprefix("/")
        return Answer(html(tree)) if tree in TREES else Answer(status=404)

    with http_stub(answer) as port:
        yield port


def test_what_a_site_says_on_each_page_is_no_snippet_unless_the_words_stand_nowhere_else(
    tmp_path: Path,
) -> None:
    options = ("--allow-net", "127.0.0.0/8", "--delay", 0)
    with garden() as port, serving(tmp_path, "--resolve", f"*=127.0.0.1:{port}", *options) as (_, client):
        order = {"query": "jumping spiders", "urls": [HOME + TREES[0]], "max_pages": len(TREES)}
        name = client.post("/api/crawls", order)["id"]
        client.until(name, lambda summary: summary["state"] == "ended")
        steps = range(len(TREES))
        visits = [client.get(f"/api/crawls/{name}/visits/{step}") for step in steps]
        pieces = client.get(f"/api/crawls/{name}/snippets?steps={','.join(map(str, steps))}")["snippets"]
        found = client.get("/api/search?q=jumping+spiders")["found"]
    assert {visit["url"] for visit in visits} == {HOME + tree for tree in TREES}
    for visit in visits:
        shown = visit["snippet"]
        assert text(shown).startswith(f"…{own(tree_of(visit))}")
        assert [word for word, is_hit in shown if is_hit] == ["jumping", "spider"]
        assert pieces[str(visit["step"])] == shown
    assert {hit["url"]: hit["snippet"] for hit in found} == {visit["url"]: visit["snippet"] for visit in visits}
    friends = salticid("search", tmp_path / "crawls" / name, "friends", "--json").out.splitlines()
    assert len(friends) == len(TREES)
    assert all(json.loads(line)["snippet"].startswith(SLOGAN) for line in friends)


@pytest.mark.parametrize(
    ("said", "kinds", "shown"),
    [
        ("Virtual hosts Languages: de | en | fr This page tells what virtual hosts are.", [1, 1, 0, -1, -1, -1],
         "…This page tells what virtual hosts are."),
        ("Hosts ¶ virtual | hosts | menu ¶ These are the virtual hosts of one server. Bye.", [],
         "…These are the virtual hosts of one server. Bye."),
        ("Virtual Hosts Prev Up Part III. Here virtual hosts are set up.", [], "…Here virtual hosts are set up."),
        ("Virtual hosts: de | en", [], "Virtual hosts: de | en"),
        ("蜘蛛网在花园里。Virtual hosts are on one machine here。", [], "…Virtual hosts are on one machine here。"),
    ],
)  # fmt: skip
def test_a_sentence_is_shown_before_menus_and_headings(said: str, kinds: list[int], shown: str) -> None:
    filled = [*kinds, *[0] * (40 - len(kinds))] if kinds else []
    assert snippet(said, frozenset({"virtual", "hosts"}), list, filled).text == shown


def text(pieces: list[Any]) -> str:
    return "".join(piece for piece, _ in pieces)


def tree_of(visit: dict[str, Any]) -> str:
    url: str = visit["url"]
    return url.removeprefix(HOME)

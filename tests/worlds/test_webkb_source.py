"""The WebKB tree and the generated web as sources of worlds."""

import os
from collections import Counter
from pathlib import Path

import pytest
from tests.support.generated_site import GeneratedSource, GeneratedWeb
from tests.support.sources import answers, title, unread, world

from salticid.errors import UserError
from salticid.model import Outcome
from salticid.parse.answer import timestamp
from salticid.urls import canonical, host
from salticid.worlds.answers import Answer
from salticid.worlds.sources import WebKB


def webkb_tree(root: Path) -> Path:
    head = "Date: Friday, 10-Jan-97 10:00:00 GMT\nServer: NCSA/1.4\n{}Content-type: text/html\n\n"
    dated = head.format("Last-modified: Thursday, 09-Jan-97 10:00:00 GMT\n")
    files = {
        "course/cornell/http:^^a.example^cs1^": dated.encode() + b"<title>Caf\xe9</title><a href=/2>2</a>",
        "course/misc/http:^^a.example^bare.html": b"<html><title>Bare</title>\n\nDate: none",
        "course/misc/http:^^a.example^moved": b"WWW Alert:  Redirection response\n"
        + head.format("Location: http://a.example/cs1/\n").encode()
        + b"<title>301</title>",
        "faculty/cornell/http:^^a.example^cs1^": head.format("").encode() + b"<title>Other copy</title>",
        "faculty/cornell/http:^^a.example^new%20?a=b": b"HTTP/1.0 404 Gone\r\nServer: x\r\n\r\n<p>",
        "student/texas/http:^^a.example^old.txt": b"Content-type: text/plain\n\n<p>",
        "student/http:^^a.example^shallow": b"<p>",
        "student/texas/README": b"",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    (root / "student/texas/http:^^a.example^dangling").symlink_to("nothing")
    os.mkfifo(root / "student/texas/http:^^a.example^pipe")
    return root


@pytest.mark.parametrize("inside", ["", "raw", "webkb"])
def test_webkb_files_become_answers(inside: str, tmp_path: Path) -> None:
    webkb_tree(tmp_path / inside)
    source = WebKB(tmp_path)
    found = [(a.url.removeprefix("http://a.example/"), a.status, a.labels) for a in answers(source)]
    assert found == [
        ("cs1/", 200, ("course.cornell",)),
        ("bare.html", 200, ("course.misc",)),
        ("moved", 302, ("course.misc",)),
        ("cs1/", 200, ("faculty.cornell",)),
        ("new%20?a=b", 404, ("faculty.cornell",)),
        ("old.txt", 200, ("student.texas",)),
    ]
    assert unread(source) == [
        ("no URL for a name", "student/http:^^a.example^shallow"),
        ("no URL for a name", "student/texas/README"),
        ("unreadable", "student/texas/http:^^a.example^dangling"),
        ("unreadable", "student/texas/http:^^a.example^pipe"),
    ]
    assert source.size == source.done == 10
    first, bare, *_, plain = answers(source)
    assert first.modified == timestamp("Thu, 09 Jan 1997 10:00:00 GMT")
    assert bare.html == b"<html><title>Bare</title>\n\nDate: none"
    assert plain.html is None


def test_webkb_becomes_a_world(tmp_path: Path) -> None:
    fetch = world(WebKB(webkb_tree(tmp_path / "tree")), tmp_path / "world")
    page = fetch("http://a.example/cs1/")
    assert (page.outcome, title(page)) == (Outcome.OK, "Café")
    assert title(fetch("http://a.example/moved")) == "Café"
    assert fetch("http://a.example/new%20?a=b").outcome == Outcome.DEAD
    assert fetch("http://a.example/old.txt").outcome == Outcome.NOT_HTML
    assert fetch("http://a.example/2").outcome == Outcome.NOT_RECORDED


def test_a_tree_without_classes_is_no_webkb(tmp_path: Path) -> None:
    (tmp_path / "raw" / "courses").mkdir(parents=True)
    with pytest.raises(UserError, match=r"is no WebKB tree: it has no folder course, .*; name the folder"):
        WebKB(tmp_path)
    with pytest.raises(UserError, match="there is no such folder"):
        WebKB(tmp_path / "none")


def test_webkb(webkb_dir: Path) -> None:
    items = list(WebKB(webkb_dir))
    found = [item for item in items if isinstance(item, Answer)]
    assert len(found) == len(items) == 8281
    assert len({answer.url for answer in found}) == 8274
    assert len({answer.url.split("/")[2] for answer in found}) == 631
    urls = {url for answer in found if (url := canonical(answer.url))}
    # Ports and capitals make one host of several, and what was on ftp: and file: is no page of a crawl.
    assert (len(urls), len({host(url) for url in urls})) == (8213, 589)
    assert Counter(answer.status for answer in found) == {200: 8202, 302: 79}
    assert sum(answer.html is None for answer in found) == 22
    assert sum(answer.modified is not None for answer in found) > 6900
    assert len({label for answer in found for label in answer.labels}) == 35


def test_generated_web_becomes_a_world(tmp_path: Path) -> None:
    web = GeneratedWeb(60, seed=3)
    source = GeneratedSource(60, seed=3)
    given_answers = answers(source)
    assert [(a.url, a.html, a.labels) for a in given_answers[:60]] == [(p.url, p.html, (p.label,)) for p in web]
    assert [(a.url, a.status, a.location) for a in given_answers[60:]] == [(a, 301, b) for a, b in web.redirects]
    assert source.done == source.size == 60 + len(web.redirects) > 60
    fetch = world(source, tmp_path / "world")
    home = fetch(given_answers[0].url)
    assert (home.outcome, title(home)) == (Outcome.OK, "Shipwrecks Notes")
    old, new = web.redirects[0]
    assert title(fetch(old)) == title(fetch(new)) is not None
    assert fetch("http://gone-1.example/lost/1").outcome == Outcome.NOT_RECORDED


@pytest.mark.parametrize(("pages", "seed"), [(0, 0), (-3, 0), (5, -1)])
def test_no_web_is_generated_from_nothing(pages: int, seed: int) -> None:
    with pytest.raises(UserError, match=r"; (ask for|give)"):
        GeneratedSource(pages, seed)

"""Folders of HTML as a source of worlds."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import answers, title, unread, world

from salticid.errors import UserError
from salticid.model import Outcome
from salticid.urls import canonical
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer
from salticid.worlds.sources import HtmlFolder, as_links_write
from salticid.worlds.writer import MAX_HTML


def test_folder_becomes_a_world(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    (pages / "a b").mkdir(parents=True)
    links = '<a href="a%20b/50%25C3.HTM">x</a> <a href="a b/Z%C3%BC(1),2.html">y</a> <a href="../up.htm">z</a>'
    (pages / "Home.xhtml").write_text(f"<title>Home</title>{links}")
    (pages / "a b" / "50%C3.HTM").write_text("<title>Percent</title>")
    (pages / "a b" / "Zü(1),2.html").write_text("<title>Umlaut</title>")
    source = HtmlFolder(pages, "http://a.example/deep")
    assert [answer.url for answer in answers(source)] == [
        "http://a.example/deep/Home.xhtml",
        "http://a.example/deep/a%20b/50%25C3.HTM",
        "http://a.example/deep/a%20b/Z%C3%BC(1),2.html",
    ]
    assert (source.size, source.done, unread(source)) == (3, 3, [])
    fetch = world(source, tmp_path / "world")
    home = fetch("http://a.example/deep/Home.xhtml")
    assert (home.outcome, title(home)) == (Outcome.OK, "Home")
    web = RecordedWeb(tmp_path / "world")
    assert home.page is not None
    targets = [web.fetch(url) for url in home.page.links.url.tolist()]
    assert [(target.outcome, title(target)) for target in targets] == [
        (Outcome.OK, "Percent"),
        (Outcome.OK, "Umlaut"),
        (Outcome.NOT_RECORDED, None),
    ]


def test_a_folder_with_odd_things_in_it(tmp_path: Path) -> None:
    outside, pages = tmp_path / "outside", tmp_path / "pages"
    outside.mkdir()
    (outside / "secret.html").write_text("<p>secret")
    (pages / "x.html").mkdir(parents=True)
    (pages / "x.html" / "in.html").write_text("<p>a folder may be called so")
    (pages / "long.html").write_bytes(b"a" * (MAX_HTML + 1))
    (pages / "good.html").write_text("plain words are a page")
    (pages / "empty.html").touch()
    (pages / "utf16.html").write_bytes("<p>wide".encode("utf-16"))
    (pages / "latin.html").write_bytes(b"<p>caf\xe9")
    (pages / "image.html").write_bytes(b"GIF89a\0\0<p>")
    (pages / "noise.html").write_bytes(b"\xff\xe9 no tag")
    (pages / "style.css").write_text("p {}")
    (pages / "dangling.html").symlink_to("nothing.html")
    (pages / "circle.html").symlink_to("circle.html")
    (pages / "secret.html").symlink_to(outside / "secret.html")
    (pages / "alias.html").symlink_to("good.html")
    (pages / "loop").symlink_to(".")
    (pages / "out").symlink_to(outside)
    os.mkfifo(pages / "pipe.html")
    (pages / os.fsdecode(b"caf\xe9.html")).write_text("<p>name in Latin-1")
    (pages / os.fsdecode(b"caf\xe9.png")).touch()
    source = HtmlFolder(pages, "http://a.example/")
    names = [answer.url.removeprefix("http://a.example/") for answer in answers(source)]
    assert names == ["alias.html", "caf%E9.html", "empty.html", "good.html", "latin.html", "long.html", "utf16.html",
                     "x.html/in.html"]  # fmt: skip
    assert unread(source) == [
        ("not HTML", "caf\\xe9.png"),
        ("unreadable", "circle.html"),
        ("unreadable", "dangling.html"),
        ("not HTML", "image.html"),
        ("linked folder", "loop"),
        ("not HTML", "noise.html"),
        ("linked folder", "out"),
        ("not HTML", "pipe.html"),
        ("leads outside the folder", "secret.html"),
        ("not HTML", "style.css"),
    ]
    assert source.size == source.done == len(names) + 10
    assert max(len(answer.html or b"") for answer in answers(source)) == MAX_HTML


def test_a_folder_that_cannot_be_listed_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.html").write_text("<p>")
    listed = Path.iterdir

    def refuse(folder: Path) -> Iterable[Path]:
        if folder.name == "closed":  # as for anybody but root behind chmod 000
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    source = HtmlFolder(tmp_path, "http://a.example/")
    assert len(answers(source)) == 1
    assert unread(source) == [("unreadable", "closed")]


@pytest.mark.parametrize("url", ["ftp://a.example/", "a.example", "", "http://", "file:///tmp"])
def test_a_base_url_is_http(url: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>")
    with pytest.raises(UserError, match="is no http or https URL; give one"):
        HtmlFolder(tmp_path, url)


def test_a_base_url_has_no_query(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>")
    with pytest.raises(UserError, match="query or a fragment"):
        HtmlFolder(tmp_path, "http://a.example/?a=1")


def test_a_folder_holds_pages(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read the folder .*none: No such file"):
        HtmlFolder(tmp_path / "none", "http://a.example/")
    (tmp_path / "a.txt").write_text("<p>")
    (tmp_path / "b.html").write_bytes(b"\0\0")
    with pytest.raises(UserError, match="holds no readable page"):
        HtmlFolder(tmp_path, "http://a.example/")
    with pytest.raises(UserError, match=r"a\.txt: Not a directory"):
        HtmlFolder(tmp_path / "a.txt", "http://a.example/")


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), max_size=20))
def test_a_careful_link_leads_to_the_file(name: str) -> None:
    """Careful is who escapes what a link cannot hold, "%" first of all."""
    must = {char: f"%{ord(char):02X}" for char in "%?#\\\t\r\n"}
    href = "".join(must.get(char, char) for char in name)
    link = canonical(f"./{href}x.html", "http://a.example/")
    assert link is not None
    assert canonical("http://a.example/" + as_links_write(Path(f"{name}x.html"))) == link


def test_schools_wikipedia(schools_dir: Path) -> None:
    source = HtmlFolder(schools_dir, "http://schools-wikipedia.org")
    items = list(source)
    assert Counter(type(item) for item in items) == {Answer: 5232}
    urls = {canonical(item.url) for item in items if isinstance(item, Answer)}
    assert len(urls) == 5232
    assert "http://schools-wikipedia.org/wp/b/Bristol.htm" in urls

"""Whom a server is told to write to: whoever was named, and nobody else."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.http_stub import Answer, http_stub
from tests.support.killing import live
from tests.support.running import Said, salticid

from salticid.version import __version__

NAME = f"Salticid/{__version__}"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a person who has said nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config" / "salticid" / "settings.toml"
    file.parent.mkdir(parents=True)
    return file


def crawl(tmp_path: Path, *options: str | int) -> tuple[Said, set[str]]:
    """A crawl of one page, and who its server was told it is."""
    topic = tmp_path / "topic.toml"
    topic.write_text('name = "spiders"\nkeywords = "spiders"\nseeds = ["http://a.example/"]\n')
    told: set[str] = set()

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        told.add(request.headers["User-Agent"])
        return Answer("<p>spiders</p>", 404 if request.path == "/robots.txt" else 200)

    with http_stub(answer) as port:
        return salticid("crawl", topic, *live(port), "--out", tmp_path / "crawl", *options), told


def test_nobody_is_named_who_was_not_and_a_large_crawl_says_how_to(settings: Path, tmp_path: Path) -> None:
    said, told = crawl(tmp_path, "--max-pages", 1001)
    assert told == {NAME}
    assert f'write contact = "you@example.org" to {settings}' in said.err


def test_a_contact_is_set_once(settings: Path, tmp_path: Path) -> None:
    settings.write_text('contact = "spiders@a.example"\n')
    said, told = crawl(tmp_path, "--max-pages", 1001)
    assert told == {f"{NAME} (+spiders@a.example)"}
    assert "contact" not in said.err


def test_an_option_says_something_else(settings: Path, tmp_path: Path) -> None:
    settings.write_text('contact = "spiders@a.example"\n')
    assert crawl(tmp_path, "--user-agent", "Weaver/7")[1] == {"Weaver/7"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('contact = "a\\r\\nCookie: b"', "is no contact; give an address without spaces"),
        ('contcat = "a@b.example"', "`contcat`"),
        ("contact = ", "it may say contact = "),
    ],
)
def test_what_is_no_contact_is_a_sentence(settings: Path, tmp_path: Path, text: str, complaint: str) -> None:
    settings.write_text(text)
    said, told = crawl(tmp_path)
    assert (said.status, told, complaint in said.err) == (2, set(), True), said.err

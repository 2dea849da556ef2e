"""Access a person has: sent to the hosts they named and nowhere else, and neither kept nor said."""

from __future__ import annotations

import gzip
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.changing_site import reach
from tests.support.http_stub import Answer, http_stub
from tests.support.running import Said, salticid

from salticid.errors import UserError
from salticid.runs.live_settings import LiveSettings, without_value
from salticid.webs.live.access import Access

TOKEN, SESSION, RENEWED, EXPIRED = "t0ken-of-a", "s3ssion-of-b", "r3newed-by-a", "3xpired-of-b"
SECRETS = (TOKEN, SESSION, RENEWED, EXPIRED)
WORDS = "jumping spiders look at you with eight eyes, two of them large"
COOKIES = "\n".join(
    [
        "# Netscape HTTP Cookie File",
        f"#HttpOnly_.b.example\tTRUE\t/\tFALSE\t0\tsession\t{SESSION}",
        f"b.example\tFALSE\t/\tFALSE\t100\told\t{EXPIRED}",
        "b.example\tFALSE\t/deep\tFALSE\t0\tdeep\tyes",
        "b.example\tFALSE\t/\tTRUE\t0\tsafe\tonly-over-https",
        "",
    ]
)
HOME = [
    "http://a.example/members", "http://a.example/leaves", "http://a.example/moves", "http://a.example:8080/",
    "http://other.a.example/", "http://b.example/", "http://b.example/deep/er", "http://below.b.example/",
    "http://c.example/back",
]  # fmt: skip


@dataclass
class Site:
    """Hosts that tell what they were sent: `a.example` shows its members' pages to those with the token."""

    sent: list[tuple[str, str, Message]] = field(default_factory=list)

    def answer(self, host: str, path: str, fields: Message) -> tuple[int, dict[str, str], str]:
        self.sent.append((host, path, fields))
        moves = {
            "a.example/leaves": "http://c.example/landed",
            "a.example/moves": "/members-too",
            "c.example/back": "http://a.example/again",
        }
        if path == "/robots.txt":
            return 404, {}, ""
        if (to := moves.get(host + path)) is not None:
            return 302, {"Location": to}, ""
        if path.startswith("/members") and fields["Authorization"] != f"Bearer {TOKEN}":
            return 403, {}, "no"
        links = "".join(f"<p><a href='{url}'>{url}</a>" for url in HOME) if host + path == "a.example/" else ""
        renewed = {"Set-Cookie": f"renewed={RENEWED}"} if fields["Authorization"] else {}
        return 200, renewed, f"<title>{host}{path}</title><p>{WORDS} {path}{links}"

    def got(self, name: str) -> dict[str, str]:
        """Who was sent a field, by host and path, robots.txt files included."""
        return {host + path: fields[name] for host, path, fields in self.sent if fields[name] is not None}


def serving(site: Site) -> AbstractContextManager[int]:
    """The port at which every host of a site answers."""

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        status, fields, text = site.answer(request.headers["Host"], request.path, request.headers)
        return Answer(text, status, fields=fields)

    return http_stub(answer)


def crawl(tmp_path: Path, port: int, pages: int, *options: str | Path) -> Said:
    where = ("--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", 0)
    what = ("--query", "jumping spiders", "--seed-url", "http://a.example/", "--out", tmp_path / "c")
    return salticid("crawl", *what, "--strategy", "breadth_first", "--max-pages", pages, *where, *options)


def secrets_in(folder: Path) -> list[tuple[str, str]]:
    """The files in which a secret stands, packed or not."""
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = file.read_bytes()
        plain = data + (gzip.decompress(data) if file.suffix == ".gz" else b"")
        found += [(file.name, secret) for secret in SECRETS if secret.encode() in plain]
    return found


def test_it_goes_to_the_named_hosts_alone_and_is_neither_kept_nor_said(tmp_path: Path) -> None:
    site, jar = Site(), tmp_path / "jar" / "cookies.txt"
    jar.parent.mkdir()
    jar.write_text(COOKIES)
    token = f"a.example: Authorization: Bearer {TOKEN}"
    with serving(site) as port:
        first = crawl(tmp_path, port, 2, "--header", token, "--cookies", jar)
        assert "--header 'a.example: Authorization: ***'" in first.out, "what goes on with it is told"
        said = crawl(tmp_path, port, 30, "--header", token, "--cookies", jar)
        assert said.status == 0, said.err
        assert {host for host, *_ in site.sent} == {
            "a.example", "a.example:8080", "other.a.example", "b.example", "below.b.example", "c.example",
        }  # fmt: skip
        bearers = site.got("Authorization")
        assert set(bearers.values()) == {f"Bearer {TOKEN}"}
        assert set(bearers) - {"a.example/robots.txt"} == {
            "a.example/", "a.example/members", "a.example/leaves", "a.example/moves", "a.example/members-too",
            "a.example/again",
        }  # fmt: skip
        cookies = {where: text for where, text in site.got("Cookie").items() if not where.endswith("robots.txt")}
        assert cookies == {
            "b.example/": f"session={SESSION}",
            "b.example/deep/er": f"deep=yes; session={SESSION}",
            "below.b.example/": f"session={SESSION}",
        }
        listed = salticid("visits", tmp_path / "c").out
        assert "http://a.example/members-too" in listed
        assert secrets_in(tmp_path / "c") == []
        assert not [secret for secret in SECRETS if secret in first.out + said.out + said.err + listed]

        refused = salticid("refresh", tmp_path / "c", *reach(tmp_path / "c"))
        assert (refused.status, "for a.example, b.example, which are not kept" in refused.err) == (2, True)
        site.sent.clear()
        again = salticid("refresh", tmp_path / "c", *reach(tmp_path / "c"), "--header", token, "--cookies", jar)
        assert again.status == 0, again.err
        assert "a.example/members" in site.got("Authorization")
        assert secrets_in(tmp_path / "c") == []


def test_without_it_nothing_is_sent(tmp_path: Path) -> None:
    site = Site()
    with serving(site) as port:
        assert crawl(tmp_path, port, 3).status == 0
    assert (site.got("Authorization"), site.got("Cookie")) == ({}, {})


def test_a_host_is_one_host_at_one_port_and_its_scheme_if_named() -> None:
    access = Access(["a.example: X: 1", "https://b.example: X: 2", "c.example:8080: X: 3"], [], now=0)
    sent = {
        url: access.fields(url).get("X")
        for url in (
            "http://a.example/", "https://a.example/x", "http://a.example:8080/", "http://x.a.example/",
            "http://a.example.evil.example/", "http://b.example/", "https://b.example/", "http://c.example/",
            "http://c.example:8080/",
        )
    }  # fmt: skip
    assert {url: value for url, value in sent.items() if value} == {
        "http://a.example/": "1",
        "https://a.example/x": "1",
        "https://b.example/": "2",
        "http://c.example:8080/": "3",
    }
    secure = Access([], ["a.example\tFALSE\t/\tTRUE\t0\tid\t7"], now=0)
    assert (secure.fields("http://a.example/"), secure.fields("https://a.example/")) == (
        {},
        {"Cookie": "id=7"},
    )
    both = Access(["a.example: cookie: x=1"], ["a.example\tFALSE\t/\tFALSE\t0\tid\t7"], now=0)
    assert both.fields("http://a.example/") == {"Cookie": "id=7; x=1"}


@pytest.mark.parametrize(
    ("headers", "cookies", "words"),
    [
        (["Authorization: secret"], [], "is no field"),
        (["a.example: X: sec\r\nret"], [], "is no field"),
        (["a.example: Host: secret"], [], "cannot set Host"),
        (["a.example: Proxy-Authorization: secret"], [], "cannot set Proxy-Authorization"),
        ([], ["a.example\tsecret"], "line 1 of the --cookies file is no cookie"),
        (
            [],
            ["# ok", ".co.uk\tTRUE\t/\tFALSE\t0\tid\tsecret"],
            "line 2 of the --cookies file is for no host",
        ),
        ([], ["a.example\tFALSE\t/\tFALSE\t0\tid\tsecret;x"], "holds signs that no cookie has"),
    ],
)
def test_mistakes_are_told_without_what_is_secret(headers: list[str], cookies: list[str], words: str) -> None:
    with pytest.raises(UserError, match=words) as told:
        LiveSettings(header=tuple(headers), cookies=tuple(cookies)).check()
    assert "secret" not in str(told.value)


def test_settings_are_shown_and_logged_without_it() -> None:
    settings = LiveSettings(header=("a.example: X: secret",), cookies=("b.example\tFALSE\t/\tFALSE\t0\tid\tsecret",))
    assert "secret" not in repr(settings) + str(settings.for_log())
    assert settings.for_log()["access"] == ["a.example", "b.example"]
    assert without_value("https://a.example:8443: X: secret: more") == "https://a.example:8443: X: ***"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    said = salticid("crawl", "--query", "x", "--seed-url", "http://a.example/", "--cookies", tmp_path / "no.txt")
    assert (said.status, "name a file of cookies with --cookies" in said.err) == (2, True)

"""Every start point's fate, and every failure, is told with its cause and with what to do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.support.dns_server import NameServer, Refusal, name_server
from tests.support.http_stub import Answer, http_stub
from tests.support.running import Said, salticid

from salticid.errors import UserError
from salticid.runs.brief import KnownPages, settle
from salticid.runs.explanations import fates_of_start_points
from salticid.runs.start_pages import Sources, find_start
from salticid.store.crawl_folder import CrawlFolder
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic


def site(request: BaseHTTPRequestHandler) -> Answer:
    """Three pages about spiders, and some that are none."""
    match request.path:
        case "/robots.txt":
            return Answer("User-agent: *\nDisallow: /secret", kind="text/plain")
        case "/1" | "/2" | "/3":
            number = int(request.path[1:])
            links = f"<a href=/{number + 1}>spiders</a>" if number < 3 else ""
            return Answer(f"<title>Spider {number}</title><p>{'jumping spiders ' * number}{links}")
        case "/file":
            return Answer("PK", kind="application/zip")
        case "/broken":
            return Answer("", 500)
    return Answer("<p>gone", 404)


def names(name: str) -> list[str] | Refusal:
    return ["10.0.0.5"] if name == "intranet.example" else Refusal.NO_SUCH_NAME


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with http_stub(site) as port:
        yield port


@pytest.fixture(scope="module")
def dns() -> Iterator[NameServer]:
    with name_server(names) as server:
        yield server


class Hunt:
    """A hunt for spiders from some start points."""

    def __init__(self, folder: Path, dns: NameServer, *starts: str) -> None:
        self.folder = folder
        seeds = [word for start in starts for word in ("--seed-url", start)]
        where = ("--dns", f"127.0.0.1:{dns.port}", "--delay", "0", "--out", str(folder))
        self._order = ["crawl", "--query", "jumping spiders", *seeds, *where]

    def __call__(self, *options: str) -> Said:
        return salticid(*self._order, *options)

    def failures(self) -> list[dict[str, Any]]:
        said = salticid("visits", self.folder, "--failed", "--json")
        return [json.loads(line) for line in said.out.splitlines()]


def test_a_start_point_says_what_became_of_it_and_what_to_do(tmp_path: Path, port: int, dns: NameServer) -> None:
    here = f"127.0.0.1:{port}/1"
    hunt = Hunt(tmp_path / "c", dns, here, "nonsense", "192.168.1.1", "http://intranet.example/", "two words")
    said = hunt("--json")
    result = json.loads(said.out)
    assert (said.status, result["pages"], result["on_topic"], result["stopped"]) == (
        1,
        0,
        0,
        "frontier empty",
    )
    assert "'two words' is no address; write it as in https://example.org/" in said.err
    assert said.err.splitlines()[-5:] == [
        "Nothing was read:",
        f"  {here}: 127.0.0.1 is a loopback address; allow it with --allow-net 127.0.0.1/32",
        "  nonsense: there is no host of that name; look whether it is spelt right",
        "  192.168.1.1: 192.168.1.1 is a private address; allow it with --allow-net 192.168.1.1/32",
        "  http://intranet.example/: intranet.example is at 10.0.0.5, a private address; allow it with "
        "--allow-net 10.0.0.5/32",
    ]
    said = hunt("--allow-net", "127.0.0.1/32")
    assert said.status == 0, said.err
    assert "3 of 4 start points could not be read:\n  nonsense: there is no host of that name" in said.err
    with closing(CrawlFolder(tmp_path / "c")) as crawl:
        fates = fates_of_start_points(crawl)
        assert [fate.state for fate in fates] == ["read", "failed", "failed", "failed"]
        assert fates[0].final_url == f"http://{here}", "where nobody speaks https, http is spoken"
        assert crawl.outcomes()["ok"] == 3, "a refused address is tried again when it may be reached"
    causes = {failure["url"]: failure["cause"] for failure in hunt.failures()}
    assert causes == {
        "https://nonsense/": "there is no host of that name",
        "https://192.168.1.1/": "192.168.1.1 is a private address",
        "http://intranet.example/": "intranet.example is at 10.0.0.5, a private address",
    }
    steps = len(salticid("visits", tmp_path / "c", "--json").out.splitlines())
    assert hunt("--allow-net", "127.0.0.1/32").status == 0
    again = [json.loads(line) for line in salticid("visits", tmp_path / "c", "--json").out.splitlines()]
    assert {visit["outcome"] for visit in again[steps:]} == {"unreachable"}, "nothing more may be reached"


def test_failures_are_listed_by_host_with_their_cause(tmp_path: Path, port: int, dns: NameServer) -> None:
    paths = ("1", "gone", "nowhere", "secret", "file", "broken")
    hunt = Hunt(tmp_path / "c", dns, *(f"http://127.0.0.1:{port}/{path}" for path in paths), "http://no.example/")
    said = hunt("--allow-net", "127.0.0.1/32")
    assert said.status == 0
    listed = salticid("visits", tmp_path / "c", "--failed").out
    at = f"127.0.0.1:{port}"
    assert sorted(listed.splitlines()) == sorted(
        [
            f"{at}: it answered 404 (Not Found) (2 links, as http://{at}/gone)",
            f"{at}: it answered 500 (Internal Server Error) (as http://{at}/broken)",
            f"{at}: it is no page of HTML (as http://{at}/file)",
            f"{at}: its robots.txt forbids it (as http://{at}/secret)",
            "no.example: there is no host of that name (as http://no.example/)",
        ]
    )
    assert listed.startswith(f"{at}: it answered 404"), "most first"
    assert all(failure["cause"] for failure in hunt.failures())


def test_a_recording_says_it_too(tmp_path: Path, port: int) -> None:
    html = tmp_path / "html"
    html.mkdir()
    (html / "a.html").write_text("<title>a</title><p>spiders")
    assert salticid("world", "build", tmp_path / "w", "--html", html, "--base-url", "http://a.example/").status == 0
    order = ("crawl", "--query", "spiders", "--web", tmp_path / "w", "--seed-url")
    said = salticid(*order, "a.example/b.html", "--out", tmp_path / "c")
    assert (said.status, said.err.splitlines()[-1]) == (
        1,
        "  a.example/b.html: the recording does not hold it; start from a page of the recording",
    )
    assert salticid(*order, "a.example/a.html", "--out", tmp_path / "d").status == 0


@pytest.mark.parametrize("text", ["mailto:ann@example.org", "javascript:alert(1)", "a b", "", "http://", "C:\\a"])
def test_what_is_no_address_is_no_start(text: str) -> None:
    with pytest.raises(UserError, match=r"there is nowhere to start: .* is no address"):
        asyncio.run(find_start("spiders", Sources((text,))))


def test_an_address_without_a_scheme_is_one_of_https_unless_only_http_is_known() -> None:
    urls = Urls()
    urls.intern("http://b.example/")
    tables = type("Tables", (), {"urls": urls, "words": Texts()})()
    topic = Topic("t", "spiders", ("a.example", "b.example", "http://c.example"))
    brief = settle(topic, KnownPages(), tables, Limits(), 0)
    assert urls.spell(brief.seeds.url.tolist()) == [
        "https://a.example/",
        "http://b.example/",
        "http://c.example/",
    ]

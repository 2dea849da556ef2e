"""Names are looked up where the person says: what a name server answers is what the crawl goes by."""

from __future__ import annotations

import asyncio
import json
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.dns_server import Directory, Refusal, name_server
from tests.support.http_stub import Answer, http_stub
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.webs.live.guard import AddressGuard, AddressRefused, Resolver
from salticid.webs.live.guard import name_server as server_of
from salticid.webs.live.names import Names, NoNameServer, NoSuchName

HERE = "127.0.0.0/8", "::1/128"


def look_up(directory: Directory, *hosts: str) -> list[list[str] | str]:
    """The addresses of each host as a crawl is told them, or what was raised."""

    async def main(port: int) -> list[list[str] | str]:
        names = Names(Resolver(), AddressGuard(HERE), time.monotonic, server=f"127.0.0.1:{port}")
        try:
            return [await one(names, host) for host in hosts]
        finally:
            await names.close()

    async def one(names: Names, host: str) -> list[str] | str:
        try:
            return sorted(each["host"] for each in await names.resolve(host, 80))
        except OSError as error:
            return type(error).__name__

    with name_server(directory) as server:
        return asyncio.run(main(server.port))


def test_a_name_server_is_asked_and_believed() -> None:
    table = {"a.example": ["127.0.0.7"], "b.example": ["127.0.0.8", "::1"], "c.example": ["10.0.0.1"]}

    def directory(name: str) -> list[str] | Refusal:
        return table.get(name, Refusal.NO_SUCH_NAME)

    found = look_up(directory, "a.example", "b.example", "c.example", "d.example")
    assert found == [["127.0.0.7"], ["127.0.0.8", "::1"], AddressRefused.__name__, NoSuchName.__name__]


def test_a_name_server_that_fails_says_nothing_about_a_name() -> None:
    assert look_up(lambda name: Refusal.FAILURE, "a.example") == [NoNameServer.__name__]


@pytest.mark.parametrize("text", ["ns.example", "127.0.0.1:0", "127.0.0.1:70000", "[::1", ""])
def test_what_is_no_name_server_is_said_so(text: str) -> None:
    with pytest.raises(UserError, match=r"--dns .*; give ADDRESS\[:PORT\]"):
        server_of(text)


def one_page(request: BaseHTTPRequestHandler) -> Answer:
    """A site of one page about spiders, without rules for robots."""
    if request.path == "/robots.txt":
        return Answer(status=404)
    return Answer("<title>Spiders</title><p>Spiders jump.")


def test_the_program_asks_the_name_server_it_is_told_of(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    with http_stub(one_page, "127.0.0.2") as port, name_server(lambda name: ["127.0.0.2"]) as server:
        topic.write_text(f'name = "s"\nkeywords = "spiders"\nseeds = ["http://spiders.example:{port}/"]\n')
        said = salticid("crawl", topic, *server.options, "--out", tmp_path / "c", "--json")
    assert (said.status, json.loads(said.out)["pages"]) == (0, 1), said.err
    assert set(server.asked) == {"spiders.example"}

"""Farms of names over real sockets: many names on one address, honest hosts on others, and a name server for all."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.dns_server import name_server
from tests.support.endless import KEYWORDS, Sheet, html
from tests.support.hostile import Asked, page, serving
from tests.support.running import salticid

Places = Callable[[str], str]
"""The address of a name, one of 127.0.0.0/8."""
Pages = Callable[[str, str], Sheet]
"""What is at a path of a host, links without the port."""


@dataclass(frozen=True)
class Farmed:
    """A crawl that has ended, and what was asked of whom."""

    said: dict[str, Any]
    requests: list[Asked]

    @property
    def pages(self) -> list[str]:
        """The names asked for pages, one for each request."""
        asked = (each for each in self.requests if each.path != "/robots.txt")
        return [each.host.partition(":")[0] for each in asked]

    def asked(self, of: Callable[[str], bool]) -> Counter[str]:
        """How many pages each of some names was asked for."""
        return Counter(name for name in self.pages if of(name))


def crawl(folder: Path, pages: Pages, places: Places, addresses: list[str], seeds: list[str], *runs: str) -> Farmed:
    """The real program, let loose on these pages at these addresses: as many runs as there are lines of options."""
    with socket.create_server((addresses[0], 0)) as spare:
        port = spare.getsockname()[1]

    def answer(asked: Asked) -> bytes:
        if asked.path == "/robots.txt":
            return page(b"", status=404)
        try:
            text, links = pages(asked.host.partition(":")[0], asked.path)
        except ValueError:
            return page(b"", status=404)
        return page(html(text, [_with_port(link, port) for link in links]))

    async def run() -> Farmed:
        async with serving(answer, address=addresses, port=port) as server:
            with name_server(lambda name: [places(name)]) as names:
                topic = folder / "topic.toml"
                starts = [_with_port(seed, port) for seed in seeds]
                topic.write_text(f'name = "farm"\nkeywords = "{KEYWORDS}"\nlanguage = "en"\nseeds = {starts}\n')
                out = ("--out", folder / "out", "--no-warc", "--json")
                for options in runs:
                    said = await asyncio.to_thread(salticid, "crawl", topic, *names.options, *out, *options.split())
                    assert said.status == 0, said.err
            return Farmed(json.loads(said.out), server.requests)

    return asyncio.run(run())


def _with_port(url: str, port: int) -> str:
    """The same at a port, if it names a host."""
    scheme, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}:{port}{slash}{path}" if slashes else url

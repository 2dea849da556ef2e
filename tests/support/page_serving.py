"""`salticid serve` and a small web for it to hunt in, for as long as a test needs them."""

from __future__ import annotations

import json
import signal
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.killing import Program
from tests.support.serving import served_world

from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

PAGES = 1500


@dataclass(frozen=True)
class SmallWeb:
    """A generated web on a port of this machine, and where a hunt in it may begin."""

    port: int
    query: str
    seeds: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        """What `salticid serve` has to be told to find it."""
        return ["--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{self.port}"]


@contextmanager
def small_web(folder: Path) -> Iterator[SmallWeb]:
    """Generate a small web and serve it."""
    world, topics = folder / "world", folder / "topics"
    build_generated(world, WebEdition(PAGES, 3))
    make_topics(world, topics, TopicPlan(task="neighbours"))
    topic = tomllib.loads((topics / "arts.painting.toml").read_text())
    with served_world(world) as port:
        yield SmallWeb(port, topic["keywords"], tuple(topic["seeds"]))


class Server:
    """A running `salticid serve`; killed, it may be started again on the same port and data."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data, self._options, self.port = data, options, 0
        self.start()

    def start(self) -> None:
        """Start it; `address` opens the page."""
        where = ("--port", self.port, "--data", self.data)
        self._program = Program("serve", "--json", *where, *self._options)
        assert self._program.until(lambda: "\n" in self._program.out, "its address"), self._program.err
        told = json.loads(self._program.out)
        self.address, self.port = told["address"], told["port"]

    def kill(self) -> None:
        """End it as a power cut would."""
        with self._program:
            self._program.kill()

    def stop(self) -> None:
        """End it as Ctrl-C would."""
        with self._program:
            self._program.send(signal.SIGTERM)
            self._program.ends()

    @property
    def page(self) -> str:
        """Where the page is, for a window that has its key."""
        return f"http://127.0.0.1:{self.port}/"


@contextmanager
def page_server(data: Path, *options: str) -> Iterator[Server]:
    """A server with its crawls in `data`."""
    server = Server(data, *options)
    try:
        yield server
    finally:
        server.stop()

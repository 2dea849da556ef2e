"""Every command of an installed program, tried: its help, and its work as far as that is short."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.environments import Environment

PLAIN = {
    "world build": "world build world --synthetic 300",
    "world info": "world info world",
    "world topics": "world topics world --out topics",
    "crawl": "crawl TOPIC --web world --max-pages 20 --out crawl",
    "visits": "visits crawl",
    "search": "search crawl music",
    "export": "export crawl --to sqlite --out pages.sqlite",
    "strategies": "strategies",
    "skill": "skill",
    "world get": "world get",
    "demo": "demo --out demo",
}
"""What an installation without extras does, in an order in which each finds what it needs."""
LIVE = {
    "crawl": "crawl TOPIC --delay 0 --max-pages 3 --allow-net 127.0.0.0/8 --resolve *=127.0.0.1:PORT --out live",
    "refresh": "refresh live --delay 0 --allow-net 127.0.0.0/8 --resolve *=127.0.0.1:PORT",
    "watch": "watch live --max-fetches 5 --delay 0 --allow-net 127.0.0.0/8 --resolve *=127.0.0.1:PORT",
    "merge": "merge crawl live --out both",
}
"""What is done while the world is served."""
WITH_EXTRAS = {
    "compare": "compare world --topics topics --strategy best_first --max-pages 10 --workers 1 --out race",
    "league": "league world --strategy best_first --max-pages 10 --topics-per-web 1 --workers 1 --out league",
    "links": "links world --split random",
    "fit": "fit world --topics topics --max-pages 20 --rounds 1 --workers 1 --out fitted.toml",
    "evolve": "evolve world --topic TOPIC --population 4 --generations 1 --crawl-length 50 --runs 1 --workers 1 "
    "--out evolved.toml",
}
TRIED = {*PLAIN, *LIVE, *WITH_EXTRAS, "world serve", "serve"}
_COMMANDS = "from salticid.cli import COMMANDS; import json; print(json.dumps(list(COMMANDS)))"
_PATIENCE = 120.0


def try_plain(environment: Environment, folder: Path) -> str:
    """Try what needs no extra, and the help of all; what was done, as a line."""
    folder.mkdir()
    commands: list[str] = json.loads(environment.run("python", "-c", _COMMANDS).stdout)
    for command in commands:
        environment.run("salticid", *command.split(), "--help")
    _work(environment, folder, PLAIN.values())
    with _served(environment, folder, "world serve world --port 0 --json") as port:
        _work(environment, folder, LIVE.values(), str(port))
    others = [command for command in commands if command not in TRIED]
    return f"{len(commands)} commands have their help, and all did their work but {', '.join(others)}"


def try_extras(environment: Environment, folder: Path) -> None:
    """Try what needs extras."""
    folder.mkdir()
    _work(environment, folder, [PLAIN["world build"], PLAIN["world topics"], *WITH_EXTRAS.values()])
    with _served(environment, folder, "serve --port 0 --json --data data"):
        pass


def _work(environment: Environment, folder: Path, lines: Iterable[str], port: str = "") -> None:
    for line in lines:
        topic = next(map(str, sorted((folder / "topics").glob("*.toml"))), "")
        words = line.replace("TOPIC", topic).replace("PORT", port).split()
        environment.run("salticid", *words, cwd=folder)


@contextmanager
def _served(environment: Environment, folder: Path, line: str) -> Iterator[int]:
    """A server that has answered once, and is asked to end."""
    server = environment.start("salticid", *line.split(), cwd=folder)
    try:
        assert server.stdout is not None
        port: int = json.loads(server.stdout.readline())["port"]
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        asking.request("GET", "/")
        asking.getresponse().read()
        asking.close()
        yield port
    finally:
        server.terminate()
        server.communicate(timeout=_PATIENCE)

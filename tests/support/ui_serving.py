"""`salticid serve` run for real, and a small client that knows its token."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.killing import PATIENCE, Program


@dataclass(frozen=True)
class Answered:
    """An answer, its fields in lower case."""

    status: int
    fields: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        said: str = self.json["error"]
        return said


class Client:
    """Talks to a server as the page does."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        fields: dict[str, str] | None = None,
        known: bool = True,
    ) -> Answered:
        """One request; `known`: with the token. A field that is given replaces what would be sent."""
        sent = {"Host": f"127.0.0.1:{self.port}"}
        if known:
            sent |= {"Authorization": f"Bearer {self.token}", "X-Salticid-Token": self.token}
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
        if data:
            sent["Content-Type"] = "application/json"
        sent |= fields or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Content-Length": str(len(data)), **sent}.items():
                connection.putheader(name, value)
            connection.endheaders(data)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, told, answer.read())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.ask("POST", path, body)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def until(self, name: str, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The summary of a crawl as soon as something is true of it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            summary: dict[str, Any] = self.get(f"/api/crawls/{name}")
            if true(summary):
                return summary
            assert time.monotonic() < deadline, summary
            time.sleep(0.05)

    @contextmanager
    def stream(self, name: str, since: int = 0) -> Iterator[Iterator[tuple[str, int | None, Any]]]:
        """The events of a crawl: name, id, what about it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Authorization": f"Bearer {self.token}", "Last-Event-ID": str(since)}
        connection.request("GET", f"/api/crawls/{name}/stream", headers=fields)
        answer = connection.getresponse()
        assert answer.status == 200
        try:
            yield _events(answer)
        finally:
            answer.close()
            connection.close()


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, int | None, Any]]:
    told: dict[str, str] = {}
    while line := answer.readline():
        text = line.decode().rstrip("\r\n")
        if text and not text.startswith(":"):
            name, _, value = text.partition(": ")
            told[name] = value
        elif told:
            yield told["event"], int(told["id"]) if "id" in told else None, json.loads(told["data"])
            told = {}


@contextmanager
def serving(data: Path, *options: str | int | Path) -> Iterator[tuple[Program, Client]]:
    """The program and a client of it; it is stopped as Ctrl-C does, if nobody has ended it before."""
    with Program("serve", "--port", 0, "--data", data, "--json", *options) as program:
        program.until(lambda: "\n" in program.out, "an address")
        assert program.out, program.err
        told = json.loads(program.out)
        yield program, Client(told["port"], told["token"])
        if program.running:
            program.process.terminate()
            assert program.ends() == 0, program.err

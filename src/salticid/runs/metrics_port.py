"""The numbers of a running crawl, at a port of this machine."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import closing, suppress

from salticid.model import Visit
from salticid.runs.gauges import Counts, Gauges
from salticid.runs.local_port import ADDRESS, is_ours, listener
from salticid.runs.onlooker import Onlooker
from salticid.runs.openmetrics import MEDIA_TYPE, CrawlFigures, openmetrics
from salticid.runs.run import Run
from salticid.store.crawl_folder import CrawlFolder

PATH = "/metrics"
_LONGEST_HEAD = 16 << 10
_PATIENCE = 10.0
"""Seconds in which a request has to come and its answer to be taken."""


class MetricsPort(Onlooker):
    """Counts the visits of a crawl, and answers those who ask, from when it is ready until it ends."""

    def __init__(self, port: int) -> None:
        """The port is taken at once; UserError if it cannot be had."""
        self._socket = listener(port, "--metrics-port")
        self.port: int = self._socket.getsockname()[1]
        self._outcomes: Counter[str] = Counter()
        self._received = 0

    @property
    def address(self) -> str:
        """Where the numbers are."""
        return f"http://{ADDRESS}:{self.port}{PATH}"

    def ready(self, run: Run) -> None:
        for visit in CrawlFolder(run.log.folder, run.log.database).rows(-1):
            if not visit.revisit:
                self._outcomes[visit.outcome] += 1
                self._received += visit.size
        self._serving = asyncio.create_task(self._serve(run))

    def visit(self, visit: Visit) -> None:
        if not visit.revisit:
            self._outcomes[visit.outcome.value] += 1
            self._received += visit.size

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()

    async def _serve(self, run: Run) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with closing(writer), suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                async with asyncio.timeout(_PATIENCE):
                    writer.write(self._answer(await reader.readuntil(b"\r\n\r\n"), run))
                    await writer.drain()

        async with await asyncio.start_server(answer, sock=self._socket, limit=_LONGEST_HEAD) as server:
            await server.serve_forever()

    def _answer(self, request: bytes, run: Run) -> bytes:
        first, *lines = request.decode("latin-1").split("\r\n")
        hosts = [
            value.strip()
            for name, _, value in (line.partition(":") for line in lines)
            if name.lower() == "host"
        ]
        if len(hosts) != 1 or not is_ours(hosts[0], self.port):
            return _response("421 Misdirected Request", f"this is {ADDRESS}:{self.port}; ask for that\n")
        if first.split(" ")[:2] != ["GET", PATH]:
            return _response("404 Not Found", f"there is nothing here but GET {PATH}\n")
        return _response("200 OK", openmetrics([self._figures(run)]), MEDIA_TYPE)

    def _figures(self, run: Run) -> CrawlFigures:
        crawl = run.crawl
        counts = Counts(crawl.pages, self._outcomes, self._received, crawl.harvest)
        return CrawlFigures(run.log.folder.name, True, counts, Gauges.of(run))


def _response(status: str, text: str, kind: str = "text/plain; charset=utf-8") -> bytes:
    body = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body

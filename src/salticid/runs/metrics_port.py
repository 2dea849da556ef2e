"""The numbers of a running crawl, served as OpenMetrics."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

from salticid.model import Visit
from salticid.runs.gauges import Counts, Gauges
from salticid.runs.local_port import Binding, bearer, own_token, same_token
from salticid.runs.onlooker import Onlooker
from salticid.runs.openmetrics import MEDIA_TYPE, CrawlFigures, openmetrics
from salticid.runs.run import Run
from salticid.store.crawl_folder import CrawlFolder

PATH = "/metrics"
_LONGEST_HEAD = 16 << 10
_PATIENCE = 10.0
"""Seconds in which a request has to come and its answer to be taken."""


class MetricsServer:
    """Answers GET /metrics. With an address that the user named, a request needs the token."""

    def __init__(self, port: int, binding: Binding) -> None:
        """The port is taken at once; UserError if it cannot be had."""
        self.token = own_token() if binding.is_named else None
        self._binding = binding
        self._socket = binding.listener(port, "--metrics-port")
        self.port: int = self._socket.getsockname()[1]

    @property
    def notice(self) -> str:
        """Where the numbers are, for the person who started the crawl."""
        token = "" if self.token is None else f" with the token {self.token}"
        return f"Its numbers are at http://{self._binding.place(self.port)}{PATH}{token}."

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()

    async def serve(self, figures: Callable[[], CrawlFigures]) -> None:
        """Answer until cancelled."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with closing(writer), suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                async with asyncio.timeout(_PATIENCE):
                    writer.write(self._answer(await reader.readuntil(b"\r\n\r\n"), figures))
                    await writer.drain()

        async with await asyncio.start_server(answer, sock=self._socket, limit=_LONGEST_HEAD) as server:
            await server.serve_forever()

    @contextmanager
    def in_thread(self, figures: Callable[[], CrawlFigures]) -> Iterator[None]:
        """Answer from a thread of its own, for a crawl whose event loop is elsewhere."""
        loop = asyncio.new_event_loop()
        task = loop.create_task(self.serve(figures))

        def run() -> None:
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(task.cancel)
            thread.join()
            loop.close()

    def _answer(self, request: bytes, figures: Callable[[], CrawlFigures]) -> bytes:
        first, *lines = request.decode("latin-1").split("\r\n")
        fields = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        hosts, tokens = (
            [value for name, value in fields if name == kind] for kind in ("host", "authorization")
        )
        if len(hosts) != 1 or not self._binding.answers(hosts[0], self.port):
            place = self._binding.place(self.port)
            return _response("421 Misdirected Request", f"this is {place}; ask for that\n")
        if self.token is not None and not (len(tokens) == 1 and same_token(bearer(tokens[0]), self.token)):
            return _response("401 Unauthorized", "this needs the field Authorization: Bearer TOKEN\n")
        if first.split(" ")[:2] != ["GET", PATH]:
            return _response("404 Not Found", f"there is nothing here but GET {PATH}\n")
        return _response("200 OK", openmetrics([figures()]), MEDIA_TYPE)


class MetricsPort(Onlooker):
    """Counts the visits of a crawl, and answers those who ask, from when it is ready until it ends."""

    def __init__(self, server: MetricsServer) -> None:
        self._server = server
        self._outcomes: Counter[str] = Counter()
        self._received = 0

    def ready(self, run: Run) -> None:
        for visit in CrawlFolder(run.log.folder, run.log.database).rows(-1):
            if not visit.revisit:
                self._outcomes[visit.outcome] += 1
                self._received += visit.size
        self._serving = asyncio.create_task(self._server.serve(lambda: self._figures(run)))

    def visit(self, visit: Visit) -> None:
        if not visit.revisit:
            self._outcomes[visit.outcome.value] += 1
            self._received += visit.size

    def _figures(self, run: Run) -> CrawlFigures:
        crawl = run.crawl
        counts = Counts(crawl.pages, self._outcomes, self._received, crawl.harvest)
        return CrawlFigures(run.log.folder.name, True, counts, Gauges.of(run))


def _response(status: str, text: str, kind: str = "text/plain; charset=utf-8") -> bytes:
    body = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body

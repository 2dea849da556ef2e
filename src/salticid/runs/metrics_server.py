"""Ports that a program opens on this machine and who may ask them; the numbers of a running crawl as OpenMetrics."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hmac import compare_digest
from ipaddress import ip_address

import msgspec

from salticid.errors import UserError
from salticid.model import Visit
from salticid.runs.lifecycle import Run
from salticid.runs.onlooker import Onlooker
from salticid.store import CrawlFolder

ADDRESS = "127.0.0.1"
TOKEN_VARIABLE = "SALTICID_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST_TOKEN = 20


@dataclass(frozen=True)
class Binding:
    """An address to listen on. One that the user named (`is_named`) may be reached from other machines.

    A request must name the server by a host name of ours, so that no name of a stranger can be made to point here.
    A published port of a container may differ from ours: with --bind, the names count and the port does not.
    """

    address: str = ADDRESS
    host_names: tuple[str, ...] = ()
    is_named: bool = False

    @classmethod
    def of(cls, bind: str | None, host_names: Sequence[str] | None) -> Binding:
        """The binding of the options --bind and --host-name; UserError for what is not an address or a name."""
        if bind is None:
            if host_names:
                raise UserError(f"--host-name {host_names[0]} needs --bind ADDRESS, e.g. --bind 0.0.0.0")
            return cls()
        try:
            address = str(ip_address(bind))
        except ValueError:
            raise UserError(f"--bind {bind!r} is not an IP address; use e.g. 0.0.0.0, 10.0.0.5 or ::") from None
        for name in host_names or ():
            if not name or any(mark in name for mark in " /@?#,"):
                raise UserError(f"--host-name {name!r} is not a host name; use e.g. crawler.example.org")
        return cls(address, tuple(name.lower().strip("[]") for name in host_names or ()), is_named=True)

    def listener(self, port: int, option: str) -> socket.socket:
        """A socket at a port; UserError, which names the option, if it cannot be had."""
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.address, port))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRNOTAVAIL:
                raise UserError(
                    f"this machine does not have the address {self.address}; use --bind 0.0.0.0 for all it has"
                ) from None
            cause = "in use" if error.errno == errno.EADDRINUSE else f"not to be had ({error.strerror})"
            raise UserError(f"port {port} is {cause}; give another as {option}, or 0 for any free one") from None
        listener.setblocking(False)
        return listener

    def place(self, port: int) -> str:
        """Host and port as a URL has them."""
        name = self.host_names[0] if self.host_names else ADDRESS if self._is_any else self.address
        return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"

    def answers(self, host: str, port: int) -> bool:
        """Whether a request with this Host field is meant for us."""
        name, colon, at = host.rpartition(":")
        if not colon or at.endswith("]"):
            name, at = host, ""
        name = name.lower().removeprefix("[").removesuffix("]")
        if not self.is_named:
            return at == str(port) and name in (ADDRESS, "localhost")
        own = (ADDRESS, "::1", "localhost") if self._is_any or ip_address(self.address).is_loopback else ()
        return name in self.host_names or name in own or (name == self.address and not self._is_any)

    @property
    def _is_any(self) -> bool:
        return ip_address(self.address).is_unspecified


LOOPBACK = Binding()
"""Reached from this machine only."""


def own_token() -> str:
    """The token of the environment, so that it outlives the program; else a new one."""
    return token_of_environment() or secrets.token_urlsafe(24)


def token_of_environment() -> str | None:
    """The token that SALTICID_TOKEN gives; UserError if it is too short to be safe."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise UserError(f"{TOKEN_VARIABLE} is not a safe token; use {SHORTEST_TOKEN} ASCII characters or more")
    return token or None


def same_token(text: str, right: str) -> bool:
    """Whether a text is the token; takes as long whatever the text is."""
    return compare_digest(text.encode("utf-8", "surrogateescape"), right.encode())


def bearer(authorization: str) -> str:
    """The token in a field Authorization; empty if there is none."""
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


# The numbers of a crawl that those who run it watch.


class Counts(msgspec.Struct, frozen=True):
    """What was counted since the crawl began, over all its runs; and the harvest of its last pages."""

    pages: int
    outcomes: Mapping[str, int]
    received: int | None
    """None where nobody counts the bytes: on a cluster."""
    harvest: float


class ClusterGauges(msgspec.Struct, frozen=True):
    """How a crawl on a cluster stands, as its shards reported last."""

    frontier: int
    hosts_active: int


class Gauges(msgspec.Struct, frozen=True):
    """How things stand in a run just now; of the parsers, how often one had to be replaced since it began."""

    frontier: int
    fetching: int
    hosts_active: int
    hosts_waiting: int
    parser_restarts: int
    unwritten_visits: int
    log_lag: float

    @classmethod
    def of(cls, run: Run) -> Gauges:
        """Those of a run whose onlooker was told that it is ready."""
        urls = run.crawl.brief.urls
        return cls(
            frontier=run.crawl.strategy.waiting(0)[0],
            fetching=sum(url >= 0 for url in run.doing),
            hosts_active=run.active_hosts,
            hosts_waiting=len({urls.host(url) for url, _ in run.resting()}),
            parser_restarts=run.parser_restarts,
            unwritten_visits=run.log.unwritten,
            log_lag=run.log.lag,
        )


MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass(frozen=True, slots=True)
class CrawlFigures:
    """What is told of one crawl; `gauges` are those of its run, if it has one that can be asked."""

    name: str
    running: bool
    counts: Counts
    gauges: Gauges | ClusterGauges | None


@dataclass(frozen=True, slots=True)
class _Family:
    kind: str
    line: str
    unit: str = ""


FAMILIES = {
    "salticid_running": _Family("gauge", "Whether the crawl has a process that works on it."),
    "salticid_pages": _Family("counter", "Good pages read."),
    "salticid_fetches": _Family("counter", "Links chosen, by what became of them."),
    "salticid_received_bytes": _Family("counter", "Bytes of answers, as they were sent.", "bytes"),
    "salticid_harvest_ratio": _Family("gauge", "Share of the last 100 pages that the judge calls positive.", "ratio"),
    "salticid_frontier_links": _Family("gauge", "Links that wait to be chosen."),
    "salticid_fetching": _Family("gauge", "Links that are being fetched."),
    "salticid_hosts_active": _Family("gauge", "Hosts that have something under way."),
    "salticid_hosts_waiting": _Family("gauge", "Hosts that want to be left alone for now."),
    "salticid_parser_restarts": _Family("counter", "Processes that died of a page, of this run."),
    "salticid_log_unwritten_visits": _Family("gauge", "Visits that a kill would lose now."),
    "salticid_log_lag_seconds": _Family("gauge", "How old the oldest of them may be.", "seconds"),
}
"""Every name there is."""


def openmetrics(crawls: Iterable[CrawlFigures]) -> str:
    """The text about some crawls; what is not known of one is left out."""
    samples: dict[str, list[str]] = {name: [] for name in FAMILIES}
    for crawl in crawls:
        for name, labels, value in _samples(crawl):
            written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
            total = "_total" if FAMILIES[name].kind == "counter" else ""
            samples[name].append(f"{name}{total}{{{written}}} {value}")
    lines = [line for name, family in FAMILIES.items() for line in (*_head(name, family), *samples[name])]
    return "\n".join([*lines, "# EOF\n"])


def _head(name: str, family: _Family) -> Iterator[str]:
    yield f"# TYPE {name} {family.kind}"
    if family.unit:
        yield f"# UNIT {name} {family.unit}"
    yield f"# HELP {name} {family.line}"


def _samples(crawl: CrawlFigures) -> Iterator[tuple[str, Mapping[str, str], float]]:
    labels = {"crawl": crawl.name}
    counts, gauges = crawl.counts, crawl.gauges
    yield "salticid_running", labels, int(crawl.running)
    yield "salticid_pages", labels, counts.pages
    for outcome, count in sorted(counts.outcomes.items()):
        yield "salticid_fetches", {**labels, "outcome": outcome}, count
    if counts.received is not None:
        yield "salticid_received_bytes", labels, counts.received
    yield "salticid_harvest_ratio", labels, counts.harvest
    if gauges is None:
        return
    yield "salticid_frontier_links", labels, gauges.frontier
    yield "salticid_hosts_active", labels, gauges.hosts_active
    if isinstance(gauges, Gauges):
        yield "salticid_fetching", labels, gauges.fetching
        yield "salticid_hosts_waiting", labels, gauges.hosts_waiting
        yield "salticid_parser_restarts", labels, gauges.parser_restarts
        yield "salticid_log_unwritten_visits", labels, gauges.unwritten_visits
        yield "salticid_log_lag_seconds", labels, round(gauges.log_lag, 3)


def _escaped(text: str) -> str:
    r"""A text as the value of a label.

    >>> print(_escaped('a "b"\n'))
    a \"b\"\n
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# The numbers of a running crawl, served as OpenMetrics.

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
        hosts, tokens = ([value for name, value in fields if name == kind] for kind in ("host", "authorization"))
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

"""A site that counts what it is asked for, the real program crawling it, and what must be true of its folder.

Nothing here is pretended: sockets are sockets, and a program that is killed is killed by the system.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, Self

from tests.support.running import start
from warcio.archiveiterator import ArchiveIterator

from salticid.crawl import Crawl
from salticid.encoders import KeptMeanings
from salticid.judges.cosine import Cosine
from salticid.model import Choice, Outcome, Response
from salticid.parse.html import Parser
from salticid.protocols import Encoder, Judge, Strategy
from salticid.runs.brief import KnownPages, settle
from salticid.runs.past import Past, RelivedClock, RelivedJudge, RelivedLog, relive
from salticid.runs.snapshot import leave_snapshot, resume_from_snapshot
from salticid.store.archive import warc
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import BATCH_VISITS, CrawlLog
from salticid.store.schema import DATABASE_FILE
from salticid.store.stored_visit import StoredVisit
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic

PATIENCE = 120.0
"""Seconds after which a program that has not done what a test waits for never will."""
_WORDS = [
    "spider",
    "silk",
    "orb",
    "weaver",
    "jump",
    "leg",
    "web",
    "eye",
    "venom",
    "prey",
    "nest",
    "spin",
    "moss",
    "fern",
    "river",
    "stone",
    "cloud",
    "glass",
]
_POLL = 0.02


@dataclass(frozen=True)
class Asked:
    """A request as the server took it; `at` is in seconds by the wall."""

    url: str
    at: float


@dataclass
class Site:
    """Pages that link to each other so that all are reached from the first, on several hosts.

    `seconds` is how long each takes, on a host in `slow` longer. `robots` are files by host; the others have
    none. `first` are answers, in full, that a URL gives before it gives its page. While it is `away` nobody listens.
    """

    pages: int
    hosts: int = 10
    seconds: float = 0.0
    slow: dict[str, float] = field(default_factory=dict)
    robots: dict[str, str] = field(default_factory=dict)
    first: dict[str, list[bytes]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    away: threading.Event = field(default_factory=threading.Event)
    _tokens: dict[int, list[str]] = field(default_factory=dict, repr=False)

    def host(self, number: int) -> str:
        return f"h{number % self.hosts}.example"

    def url(self, number: int) -> str:
        return f"http://{self.host(number)}/{number}"

    def title(self, number: int) -> str:
        return f"Page {number}"

    def words(self, number: int) -> str:
        rng = random.Random(number)
        own = ("".join(rng.choices("aeilmnrst", k=7)) for _ in range(30))
        return " ".join(f"{rng.choice(_WORDS)} {word}" for word in own)

    def links(self, number: int) -> list[int]:
        """Three children of a tree, and one page anywhere."""
        below = [child for child in range(3 * number + 1, 3 * number + 4) if child < self.pages]
        return [*below, random.Random(-number - 1).randrange(self.pages)]

    def text(self, number: int) -> str:
        anchors = " ".join(f"to {child}" for child in self.links(number))
        return f"Head {number} {self.words(number)} {anchors}"

    def html(self, number: int) -> str:
        anchors = " ".join(f'<a href="{self.url(child)}">to {child}</a>' for child in self.links(number))
        body = f"<h1>Head {number}</h1><p>{self.words(number)}</p><p>{anchors}</p>"
        return f"<!doctype html><title>{self.title(number)}</title>{body}"

    def tokens(self, number: int) -> list[str]:
        """The words of a page, as they are counted."""
        if number not in self._tokens:
            words = Texts()
            page = Parser(Urls(), words).parse(self.html(number).encode(), self.url(number))
            self._tokens[number] = words.spell(page.tokens.tolist())
        return self._tokens[number]

    def all_urls(self) -> dict[str, int]:
        """The number of each page's URL."""
        return {self.url(number): number for number in range(self.pages)}

    def times_asked(self) -> Counter[str]:
        return Counter(asked.url for asked in self.asked)

    def answer(self, host: str, path: str) -> bytes:
        url = f"http://{host}{path}"
        self.asked.append(Asked(url, time.time()))
        if self.first.get(url):
            return self.first[url].pop(0)
        if path == "/robots.txt":
            said = self.robots.get(host)
            return http(404) if said is None else http(200, said.encode(), "text/plain")
        number = int(path[1:]) if path[1:].isdecimal() else -1
        return http(200, self.html(number).encode()) if 0 <= number < self.pages else http(404)

    def write_topic(self, file: Path, **more: Any) -> Path:
        """A topic that starts at the first page."""
        told = {
            "name": "killed",
            "keywords": "jumping spider",
            "language": "en",
            "seeds": [self.url(0)],
            **more,
        }
        file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in told.items()))
        return file


def http(status: int, body: bytes = b"", kind: str = "text/html", **fields: str) -> bytes:
    """An answer; `_` in the name of a field stands for `-`."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def served(site: Site) -> Iterator[int]:
    """The port of a server of the site, in a thread of its own."""
    ports: SimpleQueue[int] = SimpleQueue()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        talking: set[asyncio.Task[None]] = set()

        async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            talking.add(task)
            with suppress(asyncio.CancelledError):
                await _converse(site, reader, writer)
            talking.discard(task)

        port = 0
        while not stop.is_set():
            async with await asyncio.start_server(converse, "127.0.0.1", port) as server:
                port = server.sockets[0].getsockname()[1]
                ports.put(port)
                await _either(stop.is_set, site.away.is_set)
                server.close()
                ending = list(talking)
                for task in ending:
                    task.cancel()
                await asyncio.gather(*ending, return_exceptions=True)
            await _either(stop.is_set, lambda: not site.away.is_set())

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    try:
        yield ports.get()
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def _either(*holds: Callable[[], bool]) -> None:
    while not any(each() for each in holds):
        await asyncio.sleep(0.02)


async def _converse(site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one connection's requests until it ends, as killed programs' do in the middle."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
            answer = site.answer(fields["host"], head[0].split(" ")[1])
            await asyncio.sleep(site.slow.get(fields["host"], site.seconds))
            writer.write(answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


class Program:
    """`salticid` running in a process group of its own, its words kept in files."""

    def __init__(self, *args: str | int | Path, by: Sequence[str] = (), cwd: Path | None = None) -> None:
        """`by` is another command, that the arguments are added to; `cwd` the folder where it runs."""
        with ExitStack() as files:
            self._out = files.enter_context(tempfile.TemporaryFile("w+"))
            self._err = files.enter_context(tempfile.TemporaryFile("w+"))
            self._files = files.pop_all()
        command, out, err = [*by, *map(str, args)], self._out.fileno(), self._err.fileno()
        self.process = (
            subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True, cwd=cwd)
            if by
            else start(*args, out=out, err=err, cwd=cwd)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.running:
            self.kill()
        self._files.close()

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    @property
    def out(self) -> str:
        return _read(self._out)

    @property
    def err(self) -> str:
        return _read(self._err)

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it as the system does when memory runs out: it alone, without a word."""
        self.process.kill()
        self.process.wait()

    def ends(self, within: float = PATIENCE) -> int:
        """Its exit status."""
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {within} s; it said: {self.err[-2000:]}") from None

    def until(self, true: Callable[[], bool], what: str, within: float = PATIENCE) -> bool:
        """Wait until something is true; False if the program ended before."""
        deadline = time.monotonic() + within
        while not true():
            if not self.running:
                return true()
            assert time.monotonic() < deadline, f"{what} did not happen; it said: {self.err[-2000:]}"
            time.sleep(_POLL)
        return True

    def until_said(self, words: str, within: float = PATIENCE) -> bool:
        return self.until(lambda: words in self.err, f"{words!r} on stderr", within)


def _read(file: IO[str]) -> str:
    """All of a file that another process is writing, without moving where it writes."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode()


def live(port: int, concurrency: int = 8) -> tuple[str | int, ...]:
    """The options with which a local server is the whole web."""
    where = ("--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8")
    return (*where, "--delay", 0, "--per-address", 99, "--concurrency", concurrency)


def visits_in(folder: Path) -> int:
    """How many visits are committed in a folder that may not even be there."""
    if not (folder / DATABASE_FILE).exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{folder / DATABASE_FILE}?mode=ro", uri=True)) as db:
            count: int = db.execute("SELECT count(*) FROM visit").fetchone()[0]
            return count
    except sqlite3.OperationalError:  # its tables are not made yet
        return 0


def stored_urls(folder: Path) -> set[str]:
    """The URLs of all committed visits."""
    if not visits_in(folder):
        return set()
    with closing(CrawlFolder(folder)) as crawled:
        return {visit.url for visit in crawled.visits()}


@dataclass
class Killed:
    """What a crawl went through."""

    kills: int = 0
    early: int = 0
    """Kills before the program had fetched anything."""
    amid_outages: int = 0
    """Kills while the site was away."""
    lost: list[int] = field(default_factory=list)
    """By kill, pages that were asked for and not kept."""
    asked_again: int = 0
    """Pages that were kept and asked for again all the same: there should be none."""
    said: dict[str, Any] = field(default_factory=dict)
    """What the last run, which was let be, printed."""

    def most_lost(self, concurrency: int) -> int:
        """What one kill may cost: those in the waiting room, and a batch."""
        return 2 * concurrency - 1 + BATCH_VISITS


def crawl_through_kills(
    site: Site,
    order: Sequence[str | int | Path],
    folder: Path,
    kills: int,
    rng: random.Random,
    outages: bool = False,
) -> Killed:
    """Order a crawl again and again, kill it at odd moments, in outages too, and let it end at last."""
    told, pages = Killed(), site.all_urls()
    kept: set[str] = set()
    while told.kills < kills:
        asked_before = site.times_asked()
        with Program(*order) as program:
            _at_an_odd_moment(program, folder, rng, len(site.asked), site)
            if outages and rng.random() < 0.5:
                _be_away(site, rng)
            if not program.running:
                assert program.process.returncode == 0, program.err
                break
            program.kill()
        told.amid_outages += site.away.is_set()
        site.away.clear()
        told.kills += 1
        told.early += len(site.asked) == sum(asked_before.values())
        asked = site.times_asked()
        told.asked_again += sum(asked[url] > asked_before[url] for url in kept if url in pages)
        kept = stored_urls(folder)
        told.lost.append(sum(url in pages and url not in kept for url in asked))
    asked_before = site.times_asked()
    with Program(*order, "--json") as program:
        assert program.ends() == 0, program.err
        told.said = json.loads(program.out)
    told.asked_again += sum(site.times_asked()[url] > asked_before[url] for url in kept if url in pages)
    return told


def _be_away(site: Site, rng: random.Random) -> None:
    """Let the site be gone for a while, perhaps beyond the kill that comes next."""
    site.away.set()
    time.sleep(rng.uniform(0, 3))
    if rng.random() < 0.5:
        site.away.clear()
        time.sleep(rng.uniform(0, 2))


def _at_an_odd_moment(program: Program, folder: Path, rng: random.Random, asked: int, site: Site) -> None:
    """Wait for the moment of the next kill."""
    kind = rng.choice(["starting", "playing", "asking", "growing", "growing", "growing"])
    if kind == "starting":
        time.sleep(rng.uniform(0, 1.5))
    elif kind == "playing" and visits_in(folder):
        program.until_said("Going on")
        time.sleep(rng.uniform(0, 0.1))
    elif kind == "asking":
        more = rng.randrange(1, 30)
        program.until(lambda: len(site.asked) >= asked + more, f"{more} requests")
    else:
        before, more = visits_in(folder), rng.randrange(1, 100)
        program.until(lambda: visits_in(folder) >= before + more, f"{more} more visits")
        time.sleep(rng.uniform(0, 0.3))


@dataclass
class Survey:
    """What a folder holds of a site: faults are URLs, and there should be none."""

    stored: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    """Pages whose title, text, links or words are not what was served."""
    unreadable: list[str] = field(default_factory=list)
    """Pages whose raw exchange is not where their visit says."""


def survey(site: Site, folder: Path) -> Survey:
    """Hold every page of a folder against what was served."""
    pages, found = site.all_urls(), Survey()
    with closing(CrawlFolder(folder)) as crawled:
        visits = list(crawled.visits())
        assert [visit.step for visit in visits] == list(range(len(visits))), "steps are contiguous"
        good = [visit for visit in visits if visit.outcome == "ok"]
        times = Counter(visit.url for visit in good)
        found.stored = len(times)
        found.lost = [url for url in pages if not times[url]]
        found.twice = [url for url in times if times[url] > 1]
        found.torn = [visit.url for visit in good if _torn(site, crawled, visit, pages[visit.url])]
        found.unreadable = [
            visit.url for visit in good if not _exchanged(site, folder, visit.records, pages[visit.url])
        ]
    return found


def check_whole(site: Site, folder: Path) -> None:
    """Every page of the site is there exactly once, whole, and so are its raw exchanges."""
    assert survey(site, folder) == Survey(site.pages)
    check_calls(folder)
    check_archive(folder)


def _torn(site: Site, crawled: CrawlFolder, visit: StoredVisit, number: int) -> bool:
    page = crawled.page(visit.step)
    if page is None:
        return True
    links = [crawled.url(url) for url in page.links.url.tolist()]
    words = [crawled.words[word] for word in page.tokens.tolist()]
    return (visit.title, page.text, links, words) != (
        site.title(number),
        site.text(number),
        [site.url(child) for child in site.links(number)],
        site.tokens(number),
    )


def _exchanged(site: Site, folder: Path, records: list[int], number: int) -> bool:
    """Whether a visit's one place in the archive holds the request for its page, and the page."""
    exchanges = [warc.read(folder, place) for place in records]
    if len(exchanges) != 1 or exchanges[0] is None:
        return False
    request, response = exchanges[0]
    return (
        request.startswith(f"GET /{number} HTTP/1.1\r\n".encode())
        and f"host: {site.host(number)}" in request.decode().lower()
        and response.endswith(site.html(number).encode())
    )


def check_calls(folder: Path) -> None:
    """The calls of the log are numbered without a gap, and every page and choice belongs to somebody."""
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as db:

        def count(query: str) -> int:
            number: int = db.execute(f"SELECT count(*) FROM {query}").fetchone()[0]
            return number

        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = ("question", "visit", "message")
        seqs = sorted(seq for table in tables for (seq,) in db.execute(f"SELECT seq FROM {table}"))
        assert seqs == list(range(1, len(seqs) + 1))
        paged = "(outcome = 'ok' AND NOT revisit) != (page.url IS NOT NULL)"
        assert not count(f"visit LEFT JOIN page USING (step) WHERE {paged}"), "an ok visit has a page"
        assert not count("page WHERE step NOT IN (SELECT step FROM visit)")
        assert not count("choice WHERE seq NOT IN (SELECT seq FROM question)")
        assert count("visit") == count("(SELECT DISTINCT choice FROM visit)")
        assert not count("visit WHERE choice NOT IN (SELECT id FROM choice)")


def check_archive(folder: Path) -> int:
    """Outsiders read all of the archive and find every digest right; how many records it has."""
    records = 0
    for file in sorted((folder / warc.FOLDER).glob("*.warc.gz")):
        with file.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                record.content_stream().read()
                records += 1
    return records


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


STOPS = (signal.SIGINT, signal.SIGTERM)


class Offline:
    """A live crawl of a site without the sockets: the log, tables and archive of one, its answers made here.

    Some are in flight at any time, and return in an odd order.
    """

    def __init__(
        self,
        site: Site,
        folder: Path,
        strategy: Strategy,
        archive: bool = True,
        judge: Judge | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._site, self._numbers = site, site.all_urls()
        self.urls, self.words = Urls(), Texts()
        self._parser = Parser(self.urls, self.words)
        self._archive = warc.Archive(folder) if archive else None
        self.log = CrawlLog(folder, self.urls, self.words, own_tables=True, archive=self._archive)
        self._topic = Topic("killed", "jumping spider", (site.url(0),), language="en")
        self._strategy, self._judge, self._ticks = strategy, judge or Cosine(), 0
        self._meanings = None if encoder is None else KeptMeanings(encoder, self.log)
        self.flying: list[Choice] = []
        self.missing: str | None = None
        """What the archive has to say about its losses."""
        self.played = 0
        """Visits played again: those that no snapshot held."""
        self.said: list[str] = []
        """Warnings about the snapshot."""

    def open(self) -> bool:
        """Take the folder and be ready to run; whether a crawl was there, which was played again."""
        facts = self.log.open()
        there = facts is not None
        assert facts is None or facts["n"] == 1, "a crawl that began knows all about itself"
        limits = Limits(max_pages=2 * self._site.pages)
        if there:
            self.missing = self.log.go_on()
            past = Past(self.log)
            brief = settle(self._topic, KnownPages(), self, limits, 0, meanings=self._meanings)
            clock, log = RelivedClock(past, self._clock), RelivedLog(past, self.log)
            judge = RelivedJudge(past, self._judge, lambda: past.tell(crawl, self._judge))
            self.crawl = crawl = Crawl(brief, self._strategy, judge, log, clock, self.log.page)
            in_flight: list[Choice] = []
            resumed = resume_from_snapshot(self.crawl, self._judge, self.log, warn=self.said.append)
            if resumed is not None:
                in_flight = resumed.in_flight
                past.begin_after(resumed.mark)
            step = self.crawl.step
            self.flying = asyncio.run(relive(self.crawl, self._judge, past, lambda step: None, in_flight))
            self.played = self.crawl.step - step
        else:
            brief = settle(self._topic, KnownPages(), self, limits, 0, meanings=self._meanings)
            self.crawl = Crawl(brief, self._strategy, self._judge, self.log, self._clock, self.log.page)
            self.log.begin({"n": 1})
            self.log.add_known_pages({})
        self.log.session(0.0, {})
        return there

    def run(self, visits: int | None = None) -> None:
        """Make so many visits more, or all that are left."""
        until = None if visits is None else self.crawl.step + visits
        while until is None or self.crawl.step < until:
            self.flying += self.crawl.choices(7 - len(self.flying))
            if not self.flying:
                break
            choice = self.flying.pop(self.crawl.step * 5 % len(self.flying))
            self.crawl.deliver(choice, self._answer(choice.link.url))

    def leave_snapshot(self) -> bool:
        self.log.commit()
        return leave_snapshot(self.crawl, self._judge, self.log, warn=self.said.append)

    def _answer(self, url: int) -> Response:
        at = self.urls[url]
        number = self._numbers[at]
        html = self._site.html(number).encode()
        records: tuple[int, ...] = ()
        if self._archive is not None:
            asked = f"GET /{number} HTTP/1.1\r\nHost: {self._site.host(number)}\r\n\r\n".encode()
            records = (self._archive.add(at, asked, http(200, html), "127.0.0.1", False),)
        return Response(url, url, Outcome.OK, 200, self._parser.parse(html, at), size=len(html), records=records)

    def _clock(self) -> float:
        self._ticks += 1
        return float(self._ticks)

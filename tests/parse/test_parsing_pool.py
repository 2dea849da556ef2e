"""Parsing in worker processes: the same pages as here, and a hostile one costs its worker, no more."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from salticid.errors import SalticidError
from salticid.model import Page
from salticid.parse import process_pool
from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls
from salticid.webs.live import parser_pool, parser_process
from salticid.webs.live.parser_pool import ParserPool

GOOD = b"<title>Eyes</title><link rel=canonical href=/c><h1>Big eyes</h1>See <a rel=nofollow href=b>spiders</a>."
NESTED = b"<div>" * 60_000
"""Seconds of work for lexbor, whichever machine this is."""
BLOWN_UP = b"".join(b"<p><b id=%d>" % n for n in range(20_000))
"""Every open <b> is opened again in every <p>: gigabytes of elements."""
DISGUISED = b"".join(b"<p><b id=%d><!--</b>-->" % n for n in range(4_000))
"""The same for those who only count what is open: more memory than a page may cost."""
URL = "http://a.example/d/page"


def run(doing: Callable[[ParserPool], Coroutine[Any, Any, None]], workers: int = 1, limit: float = 5.0) -> None:
    """Run it with a pool of its own, and see that the pool leaves nothing behind."""

    async def whole() -> None:
        async with asyncio.timeout(60), ParserPool(Urls(), Texts(), workers, limit) as pool:
            await doing(pool)

    before = descriptors()
    asyncio.run(whole())
    assert children() == []
    assert descriptors() == before


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the folder itself must be closed again


def children(of: int | None = None) -> list[int]:
    """Child processes, zombies too; not those that Python and the tests keep for processes of their own."""
    there = [pid for pid, parent in parents() if parent == (of or os.getpid())]
    kept = (b"resource_tracker", b"tests.support.program_server")
    return [pid for pid in there if not any(name in _command(pid) for name in kept)]


def parser() -> int:
    """The process that parses: the child of our child, which may have to come yet."""
    while True:
        for pid in children(children()[0]):
            return pid


def waits(pid: int) -> bool:
    """Whether a process sleeps: a parser does when it waits for a page."""
    return _state(pid)[0] == "S"


def worked(pid: int) -> float:
    """The seconds of processor time that a process has had."""
    return sum(map(int, _state(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def _state(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # gone meanwhile
        return b""


def parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield int(folder.name), int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue


def plain(page: Page) -> tuple[object, ...]:
    """All of a page, ids and types of arrays included."""
    links = page.links
    columns = (page.tokens, page.area_start, page.area, links.url, links.start, links.end, links.nofollow)
    about = (page.url, page.title, page.text, page.canonical, page.refresh, page.noindex, page.nofollow)
    return (*((column.dtype, column.tolist()) for column in columns), *about)


def check_good(page: Page | None, pool: ParserPool) -> None:
    assert page is not None
    assert pool.words.spell(page.tokens.tolist()) == ["eyes", "big", "eyes", "see", "spiders"]
    assert pool.urls.spell([page.url, page.canonical]) == [URL, "http://a.example/c"]
    assert pool.urls.spell(page.links.url.tolist()) == ["http://a.example/d/b"]


def test_same_ids_as_here(schools_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_pool, "MAX_PAGES", 40)  # so that workers are replaced on the way
    files = sorted(schools_dir.glob("wp/*/*.htm"))[::80]
    tasks: list[tuple[bytes, str, str | None]]
    tasks = [(file.read_bytes(), f"http://a.example/{n}", None) for n, file in enumerate(files)]
    oddities = [
        b"",
        b"\xff\xfe<\0p\0>\0x\0",
        "<p>蜘蛛网 caf\u00e9".encode(),
        b"<meta http-equiv=refresh content='0;x'>",
    ]
    charsets = [None, "iso-8859-5", "nonsense", "蜘蛛"]
    tasks += [(html, URL, charset) for html in oddities for charset in charsets]
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    here = [plain(parser.parse(*task)) for task in tasks]

    async def there(pool: ParserPool) -> None:
        pages = [await pool.parse(*task) for task in tasks]
        assert [plain(page) for page in pages if page] == here
        for table, other in (urls, pool.urls), (words, pool.words):
            assert table.spell(range(len(table))) == other.spell(range(len(other)))
        assert await pool.parse(b"", URL, "no text: \udcff")

    run(there)


def test_hostile_answers_are_refused() -> None:
    """What a parser process says after a page has taken it over: the pool kills it for each of these errors."""
    ids = {value: np.array([value], np.int32).tobytes() for value in (0, 5, -5_000_000)}
    nothing, no = b"", b"\0"

    def answer(url: Any = 0, tokens: bytes = nothing, link: bytes = nothing, urls: int = 0) -> bytes:
        flags = no if link else nothing
        columns = (tokens, ids[0], no, link, link and ids[0], link and ids[0], flags)
        parsed = ("", columns, b"", url, -1, -1, False, False, (), urls, 0, b"http://a.example/", b"")
        return msgspec.msgpack.encode(parsed)

    hostile = [
        answer(url=5), answer(url=2**40), answer(url=-5), answer(url="x"), answer(tokens=ids[5]),
        answer(tokens=ids[-5_000_000]), answer(tokens=b"abc"), answer(link=ids[5]), answer(link=ids[-5_000_000]),
        b"", b"\xc1", answer()[:-1], msgspec.msgpack.encode([1] * 100_000),
    ]  # fmt: skip
    for each in hostile:
        with pytest.raises((ValueError, LookupError, TypeError, OverflowError)):
            ParserPool(Urls(), Texts())._translator()(each)
    assert ParserPool(Urls(), Texts())._translator()(answer()).url == 0


def test_workers_that_hold_many_texts_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_pool, "MAX_TEXTS", 30)

    async def doing(pool: ParserPool) -> None:
        parsers = set()
        for n in range(3):
            words = [chr(97 + n) + chr(97 + k) for k in range(25)]
            for _ in range(2):
                page = await pool.parse(" ".join(words).encode(), f"{URL}{n}", None)
                parsers.add(parser())
                assert page is not None
                assert pool.words.spell(page.tokens.tolist()) == words
        assert len(parsers) > 1

    run(doing)


def test_slow_page() -> None:
    async def doing(pool: ParserPool) -> None:
        slow = asyncio.create_task(pool.parse(NESTED, URL, None))
        others = [asyncio.create_task(pool.parse(GOOD, URL, None)) for _ in range(40)]
        for other in others:
            check_good(await other, pool)
        assert await slow is None
        check_good(await pool.parse(GOOD, URL, None), pool)

    run(doing, workers=2, limit=0.3)


def test_stopped_worker() -> None:
    """One that gets no processor time at all is given up after a while of real time."""

    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        os.kill(parser(), signal.SIGSTOP)
        assert await pool.parse(GOOD, URL, None) is None
        check_good(await pool.parse(GOOD, URL, None), pool)

    run(doing, limit=0.2)


def test_page_that_needs_too_much_memory(capfd: pytest.CaptureFixture[str]) -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        little = 400 << 20
        resource.prlimit(parser(), resource.RLIMIT_AS, (little, little))
        assert await pool.parse(BLOWN_UP, URL, None) is None
        check_good(await pool.parse(GOOD, URL, None), pool)

    run(doing)
    assert capfd.readouterr().err == ""


def test_worker_killed_from_outside() -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        os.kill(parser(), signal.SIGKILL)  # while it is idle: nothing is lost
        await asyncio.sleep(0.1)
        check_good(await pool.parse(GOOD, URL, None), pool)
        killed, before = parser(), worked(parser())
        lost = asyncio.create_task(pool.parse(NESTED, URL, None))
        while worked(killed) < before + 0.2:  # it may have to put away the last page before it begins
            await asyncio.sleep(0.01)
        os.kill(killed, signal.SIGSEGV)
        assert await lost is None
        check_good(await pool.parse(GOOD, URL, None), pool)

    run(doing, limit=60)


@pytest.mark.parametrize("answers", [False, True])
def test_who_is_killed_amid_a_message_costs_no_other_page(answers: bool) -> None:
    """A page, and its answer, are larger than the socket takes at once; nobody reads or writes for a while."""
    long = b"<p>" + b"a b " * 60_000

    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        pages = [asyncio.create_task(pool.parse(html, URL, None)) for html in (long, GOOD, GOOD)]
        await asyncio.sleep(0)
        way = pool._all[0]._way
        assert way is not None
        assert way.get_write_buffer_size()
        while answers and way.get_write_buffer_size():
            await asyncio.sleep(0)
        time.sleep(1.0)
        killed = parser()
        while not waits(killed):
            time.sleep(0.01)
        os.kill(killed, signal.SIGKILL)
        first, *others = await asyncio.gather(*pages)
        assert (first is None) == answers
        for page in others:
            check_good(page, pool)

    run(doing, limit=60)


def test_a_worker_that_is_killed_between_two_pages_loses_none() -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        os.kill(children()[0], signal.SIGKILL)
        check_good(await pool.parse(GOOD, URL, None), pool)

    run(doing, limit=60)


def test_a_worker_has_room_for_a_page_however_long_its_tables_texts_are() -> None:
    """Links of 250 letters: 1,300 pages leave more behind than one page may take."""
    filler = "x" * 200

    async def doing(pool: ParserPool) -> None:
        for n in range(1300):
            links = "".join(f"<a href=/{filler}{n:06}{at:06}>x</a>" for at in range(100))
            assert await pool.parse(links.encode(), URL, None) is not None, n

    run(doing)


def test_descriptors_and_memory_of_a_worker() -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        before = descriptors()
        for _ in range(20):
            killed = parser()
            while not waits(killed):  # it has not put away the last page yet
                await asyncio.sleep(0.01)
            os.kill(killed, signal.SIGKILL)
            while parser() == killed:  # its successor is not there yet
                await asyncio.sleep(0.01)
            check_good(await pool.parse(GOOD, URL, None), pool)
        check_good(await pool.parse(GOOD, URL, None), pool)
        while descriptors() != before:
            await asyncio.sleep(0.01)
        limits = Path(f"/proc/{parser()}/limits").read_text()
        assert f"{parser_process.MAX_MEMORY}" in next(line for line in limits.splitlines() if "address space" in line)

    run(doing)


def test_cancelled() -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        busy = asyncio.create_task(pool.parse(NESTED, URL, None))
        waiting = [asyncio.create_task(pool.parse(GOOD, URL, None)) for _ in range(3)]
        await asyncio.sleep(0.05)
        waiting[0].cancel()
        busy.cancel()
        await asyncio.sleep(0)
        waiting[1].cancel()  # the worker has just been handed over to it
        check_good(await waiting[2], pool)
        assert [task.cancelled() for task in (busy, *waiting)] == [True, True, True, False]

    run(doing, limit=1)


def test_closing_while_busy() -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        tasks.extend(asyncio.create_task(pool.parse(NESTED, URL, None)) for _ in range(3))
        await asyncio.sleep(0.05)

    tasks: list[asyncio.Task[Page | None]] = []
    run(doing, workers=2, limit=60)
    assert all(task.done() for task in tasks)


def test_many_at_once() -> None:
    async def doing(pool: ParserPool) -> None:
        pages = await asyncio.gather(
            *(pool.parse(b"<p>%s <a href=/%d>x</a>" % (b"a" * n, n), f"{URL}{n}", None) for n in range(1, 60))
        )
        for n, page in enumerate(pages, 1):
            assert page is not None
            assert pool.words.spell(page.tokens.tolist()) == ["a" * n, "x"]
            assert pool.urls.spell([page.url, int(page.links.url[0])]) == [
                f"{URL}{n}",
                f"http://a.example/{n}",
            ]

    run(doing, workers=3)


def test_short_pages_come_before_long_ones_but_not_for_ever() -> None:
    async def doing(pool: ParserPool) -> None:
        order: list[str] = []

        async def parse(name: str, size: int) -> None:
            assert await pool.parse(b"<p>" + b"spider " * (size // 7), f"{URL}{name}", None)
            order.append(name)

        at_work = [asyncio.create_task(parse("at work", 300_000))]
        await asyncio.sleep(0)
        long = asyncio.create_task(parse("long", 40 * process_pool.OVERTAKEN))
        await asyncio.sleep(0)
        short = [asyncio.create_task(parse(f"short {n}", 10)) for n in range(60)]
        await asyncio.gather(*at_work, long, *short)
        assert order[0] == "at work"
        assert 38 <= order.index("long") <= 42
        assert [name for name in order if name.startswith("short")] == [f"short {n}" for n in range(60)]

    run(doing)


def test_pages_sent_ahead_are_not_lost_with_the_one_before_them() -> None:
    async def doing(pool: ParserPool) -> None:
        check_good(await pool.parse(GOOD, URL, None), pool)
        for _ in range(5):
            bad = asyncio.create_task(pool.parse(DISGUISED, URL, None))
            ahead = [asyncio.create_task(pool.parse(GOOD, URL, None)) for _ in range(3)]
            assert await bad is None
            for page in ahead:
                check_good(await page, pool)

    run(doing)


def test_big_pages() -> None:
    async def doing(pool: ParserPool) -> None:
        words = [np.base_repr(n, 26).translate({48 + d: 113 + d for d in range(10)}).lower() for n in range(30_000)]
        html = " ".join(words).encode() * 10
        page = await pool.parse(html, URL, None)
        assert page is not None
        assert len(page.tokens) > 290_000
        assert pool.words.spell(page.tokens[:30_000].tolist())[:-1] == words[:-1]

    run(doing)


def test_no_worker_will_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async def doing(pool: ParserPool) -> None:
        for _ in range(2):
            with pytest.raises(SalticidError, match="/bin/false"):
                await pool.parse(GOOD, URL, None)

    monkeypatch.setattr(sys, "executable", "/bin/false")
    run(doing)


CRAWL = """
import asyncio
from salticid.tables import Texts, Urls
from salticid.webs.live.parser_pool import ParserPool

async def main():
    async with ParserPool(Urls(), Texts(), 2, limit=0.5) as pool:
        await asyncio.gather(*(pool.parse(b"x" * 300000, "http://a.example/", None) for _ in range(2)))
        print("ready", flush=True)
        await pool.parse(b"<div>" * 60000, "http://a.example/", None)
        await asyncio.sleep(60)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
"""


@pytest.mark.parametrize("fatal", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_the_crawl(fatal: signal.Signals) -> None:
    env = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    command, pipe = [sys.executable, "-c", CRAWL], subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, start_new_session=True) as crawl:
        assert crawl.stdout and crawl.stderr  # noqa: PT018 - for the type checker
        assert crawl.stdout.readline() == b"ready\n"
        workers = children(crawl.pid)
        assert len(workers) == 2
        for pid in workers:
            os.kill(pid, signal.SIGINT)
        os.killpg(crawl.pid, fatal)  # as Ctrl-C does
        assert crawl.stderr.read() == b""  # which ends when the last worker has closed it
    end = time.monotonic() + 60
    while alive := {pid for pid, _ in parents()} & set(workers):
        assert time.monotonic() < end, alive
        time.sleep(0.02)

"""Feed random input to the readers of untrusted data; `make fuzz` runs it.

python -m tools.fuzz [TARGET SECONDS]

Without arguments every target runs in a process of its own for FUZZ_SECONDS (default 60); FUZZ_ONLY=html runs one.
Atheris guides the search by coverage where it is installed. Elsewhere a seeded loop mutates the same seeds.
A finding is written to tests/fuzz_findings/TARGET, and `tests/parse/test_fuzz_findings.py` reads it from then on.
"""

from __future__ import annotations

import gc
import importlib.util
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from salticid.errors import SalticidError

if TYPE_CHECKING:
    from salticid.snapshots import Known

FINDINGS = Path("tests/fuzz_findings")
HANGS = 20
"""Seconds after which one input is a hang."""
_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj "
    b"4 0 obj<</Length 40>>stream\nBT /F 12 Tf 72 700 Td (jumping spiders) Tj ET\nendstream endobj "
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj trailer<</Root 1 0 R>>"
)
_HTML = (
    b"<title>Eyes</title><base href=/x/><meta name=robots content=nofollow><h1>Spiders</h1><a href=a>one <img alt=b>"
    b"</a><a href=../b rel=nofollow>two</a><iframe src=c></iframe><svg><a href=d></svg><table><td>silk</table>"
)
_ROBOTS = b"User-agent: *\nDisallow: /a*b$\nAllow: /%41\nCrawl-delay: 1e1\nSitemap: http://a.example/s.xml\n"
_SITEMAP = (
    b"<urlset><url><loc>http://a.example/?a=1&amp;b=2</loc></url><loc><![CDATA[http://a.example/]]></loc></urlset>"
)
_FEED = (
    b"<?xml version='1.0' encoding='utf-8'?><rss><channel><title>Eyes</title><item><title>A</title><link>/a</link>"
    b"<pubDate>Sun, 06 Nov 1994 08:49:37 GMT</pubDate><description>&lt;b&gt;x</description></item></channel></rss>"
)


class Target(NamedTuple):
    """A reader of untrusted bytes; any exception but a SalticidError is a finding."""

    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


def read_html(data: bytes) -> None:
    """Parse a page with the compiled reader."""
    from salticid.parse.html import Parser
    from salticid.parse.precheck import prescan
    from salticid.tables.texts import Texts, Urls

    if prescan(data) is None:
        page = Parser(Urls(), Texts()).parse(data, "http://a.example/b/c", None)
        use_page(page)


def use_page(page: object) -> None:
    """Run compiled loops over the arrays of a page."""
    from salticid.model import Page
    from salticid.store.near_duplicates import Sketch
    from salticid.tables.texts import UrlStates
    from salticid.text.own_words import link_lists

    assert isinstance(page, Page)
    assert len(page.in_headings) == len(link_lists(page)) == len(page.tokens)
    Sketch.of(page)
    if not len(page.links) or int(page.links.url.max()) < 1 << 20:
        UrlStates(0).learn_fresh(page.links)


def read_robots(data: bytes) -> None:
    """Parse robots.txt and ask it about a path."""
    from salticid.webs.live.robots import RobotsFile

    rules = RobotsFile.parse(data)
    rules.allows("http://a.example/aab", "Salticid")
    rules.crawl_delay("Salticid")


def read_sitemap(data: bytes) -> None:
    """Read the addresses of a sitemap."""
    from salticid.webs.live.sitemaps import read_sitemap as read

    read(data)


def read_feed(data: bytes) -> None:
    """Make a document of a feed."""
    from salticid.parse.feeds import feed_document

    feed_document(data)


def read_pdf(data: bytes) -> None:
    """Read a PDF in this process."""
    from salticid.parse.pdf_process import read_pdf as read

    read(data)


def read_row(data: bytes) -> None:
    """Unpack the page of a row of crawl.db; `data` is its stream, behind the compression and the checksum."""
    import zstandard

    from salticid.store.packing import unpack_page

    stream = zstandard.compress(data)
    use_page(unpack_page([0, "", -1, -1, 0, 0, None, None, stream, zstandard.compress(b"text")]))


def read_world(data: bytes) -> None:
    """Open a world in which some numbers are replaced: nine bytes say which array, where and by what."""
    from salticid.errors import UserError
    from salticid.webs.recorded import RecordedWeb

    with tempfile.TemporaryDirectory() as folder:
        arrays = dict(small_world())
        names = sorted(name for name in arrays if name.endswith(".bin"))
        for at in range(0, len(data) - 8, 9):
            name = names[data[at] % len(names)]
            array = bytearray(arrays[name])
            place = int.from_bytes(data[at + 1 : at + 5], "little") % (len(array) + 1)
            array[place : place + 4] = data[at + 5 : at + 9]
            arrays[name] = bytes(array)
        for name, content in arrays.items():
            (Path(folder) / name).write_bytes(content)
        try:
            web = RecordedWeb(Path(folder))
        except UserError:
            return
        for url in range(len(web.urls)):
            response = web.fetch(url)
            if response.page is not None:
                use_page(response.page)


@cache
def small_world() -> tuple[tuple[str, bytes], ...]:
    """The files of a small world without checksums, which would hide all that is behind them."""
    from salticid.worlds.answers import Answer
    from salticid.worlds.writer import WorldWriter

    with tempfile.TemporaryDirectory() as folder:
        writer = WorldWriter(out := Path(folder) / "world")
        for name in "abc":
            writer.add(Answer(f"http://a.example/{name}", html=_HTML))
        writer.close("fuzz")
        manifest = msgspec.json.decode((out / "world.json").read_bytes()) | {"checksums": {}}
        (out / "world.json").write_bytes(msgspec.json.encode(manifest))
        return tuple((file.name, file.read_bytes()) for file in sorted(out.iterdir()) if file.is_file())


def read_snapshot(data: bytes) -> None:
    """Fill a judge from the content of a snapshot, behind the check that this machine signed it."""
    from salticid.runs.snapshot import _ODD
    from salticid.snapshots import Reading

    try:
        Reading(io.BytesIO(data), len(data)).fill(_judge_and_words())
    except (*_ODD, MemoryError):
        return


def _judge_and_words() -> Known:
    """A judge that has started, as a snapshot knows it."""
    from salticid.judges.profile import Profile
    from salticid.registry import settings_of
    from salticid.runs.brief import prepare
    from salticid.snapshots import Known
    from salticid.testing.small import spider_web
    from salticid.topic import Limits

    web, judge = spider_web(), Profile()
    brief = prepare(web.topic, web, Limits(), seed=0)
    judge.start(brief)
    roots = {"judge": judge, "own_words": brief.own_words}
    return Known(roots, {"limits": brief.limits, "seeds": brief.seeds}, frozenset(settings_of(judge)))


def _row_seeds() -> list[bytes]:
    counts, numbers = np.array([4, 1, 2], "<i4"), np.array([1, 2, 3, 1, 0, 5, 6, 0, 2, 1, 3], "<i4")
    return [counts.tobytes() + numbers.tobytes() + b"\0\0\1", bytes(12)]


def _snapshot_seeds() -> list[bytes]:
    from salticid.snapshots import Writing

    Writing(_judge_and_words()).write(file := io.BytesIO())
    return [file.getvalue()]


TARGETS = {
    "html": Target(read_html, lambda: [_HTML, b"", b"<a href=x>\xff\0\x01"]),
    "robots": Target(read_robots, lambda: [_ROBOTS, b"\xef\xbb\xbf" + _ROBOTS]),
    "sitemap": Target(read_sitemap, lambda: [_SITEMAP]),
    "feed": Target(read_feed, lambda: [_FEED]),
    "pdf": Target(read_pdf, lambda: [_PDF]),
    "row": Target(read_row, _row_seeds),
    "world": Target(read_world, lambda: [b"", bytes(9), b"\x05\0\0\0\0\xff\xff\xff\x7f"]),
    "snapshot": Target(read_snapshot, _snapshot_seeds),
}


def check(name: str, data: bytes) -> None:
    """Feed one input to a target; an error that a user would be shown is fine."""
    try:
        TARGETS[name].read(data)
    except SalticidError:
        return


def fuzz(name: str, seconds: float) -> None:
    """Search for inputs that break a target; raises at the first."""
    seeds = TARGETS[name].seeds()
    for seed in seeds:
        check(name, seed)
    try:
        import atheris
    except ImportError:
        _mutate(name, seeds, seconds)
        return
    folder = FINDINGS / name
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
        flags = [f"-max_total_time={seconds:.0f}", f"-timeout={HANGS}", "-rss_limit_mb=2048", "-max_len=4096"]
        atheris.Setup(
            ["fuzz", *flags, "-print_final_stats=1", f"-artifact_prefix={folder}/", corpus],
            lambda data: check(name, data),
        )
        # Not instrument_all(), which takes a minute: it instruments every library as well.
        for each in gc.get_objects():
            if isinstance(each, FunctionType) and str(each.__module__).startswith("salticid"):
                atheris.instrument_func(each)
        atheris.Fuzz()


def _mutate(name: str, seeds: list[bytes], seconds: float) -> None:
    sys.stderr.write("atheris is not installed: a plain loop mutates the seeds\n")
    dice, ends, folder = random.Random(1), time.monotonic() + seconds, FINDINGS / name
    while time.monotonic() < ends:
        data = bytearray(dice.choice(seeds))
        for _ in range(dice.randrange(1, 9)):
            at = dice.randrange(len(data) + 1)
            data[at : at + dice.randrange(5)] = dice.choice((b"", dice.randbytes(4), b"\xff\xff\xff\x7f", bytes(4)))
        folder.mkdir(parents=True, exist_ok=True)
        finding = folder / blake2b(data, digest_size=10).hexdigest()
        finding.write_bytes(data)  # before it is read, for a crash leaves no time
        check(name, bytes(data))
        finding.unlink()


def main() -> int:
    """Run all targets, or one."""
    if len(sys.argv) == 3:
        fuzz(sys.argv[1], float(sys.argv[2]))
        return 0
    seconds, only, failed = float(os.environ.get("FUZZ_SECONDS", "60")), os.environ.get("FUZZ_ONLY"), []
    if only and only not in TARGETS:
        sys.stderr.write(f"unknown target '{only}'; use FUZZ_ONLY={', '.join(TARGETS)}\n")
        return 2
    for name in [only] if only else TARGETS:
        command = [sys.executable, "-m", "tools.fuzz", name, str(seconds)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds * 2 + 60,
                check=False,
            )
            is_bad, said = done.returncode != 0, done.stderr
        except subprocess.TimeoutExpired:
            is_bad, said = True, "a hang"
        sys.stdout.write(f"{name}: {'a finding, see ' + str(FINDINGS / name) if is_bad else 'nothing found'}\n")
        if is_bad:
            failed.append(name)
            sys.stdout.write(said[-4000:] + "\n")
        elif (folder := FINDINGS / name).is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    if FINDINGS.is_dir() and not any(FINDINGS.iterdir()):
        FINDINGS.rmdir()
    if importlib.util.find_spec("atheris") is None:
        sys.stdout.write("without atheris, so not guided by coverage\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

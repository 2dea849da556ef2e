"""What a page can cost the browser that renders it, and what is left of it afterwards."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.browser import chromium
from tests.support.hostile import A, Server, all_at_once, on_the_web, page
from tests.support.http_stub import Answer, http_stub
from tests.support.killing import PATIENCE, Program

from salticid.model import Response
from salticid.webs.live.browser import guardian
from salticid.webs.live.browser.guardian import make_folder, remove_folder
from salticid.webs.live.browser.messages import Part, Wish
from salticid.webs.live.browser.pool import Ask, BrowserLimits, BrowserPool
from salticid.webs.live.browser.process import MOST_WISHES
from salticid.webs.live.browser.rendering import IN_VAIN
from salticid.webs.live.web import LiveWeb

LIMITS = BrowserLimits(processor_seconds=4.0, memory=500 << 20, browsers=1)
HTML = {"content-type": "text/html"}
GOOD = b"<div id=root></div><script>document.getElementById('root').textContent = 'rendered'</script>"
HANGS = b"<div id=root></div><script>for (;;) {}</script>"
BOMB = b"<div id=root></div><script>const all = []; for (;;) all.push(new Uint8Array(1 << 26).fill(1))</script>"
FLOOD = b"""<div id=root></div><script>
for (let number = 0; number < 300; number++) fetch("/" + number).catch(() => {});
document.cookie = "a=b"; localStorage.setItem("a", "b");
document.getElementById("root").textContent = "flooded";
</script>"""
SHELL = b"<div id=root>Loading, please wait</div><script src=/app.js></script>"
MEMORY = b"""<div id=root></div><script>
document.getElementById("root").textContent = "remembers: " + document.cookie + localStorage.getItem("a");
</script>"""


async def refuse(wish: Wish) -> Part:
    return Part(wish.number)


def test_a_page_that_takes_too_much_costs_its_browser_and_the_next_one_gets_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And nothing is left of any: no process, no folder, no socket."""
    monkeypatch.setenv("SALTICID_PROXY", "http://me:s3cret@127.0.0.1:3128")
    wishes: list[Wish] = []
    folders: set[Path] = set()

    async def note(wish: Wish) -> Part:
        wishes.append(wish)
        return await refuse(wish)

    async def run() -> tuple[list[bytes | None], list[set[int]], int]:
        async with BrowserPool(chromium(), "Salticid", LIMITS) as browsers:
            twice = await asyncio.gather(*(browsers.render(A, GOOD, HTML, note) for _ in range(2)))
            assert [None in twice, len(browsers.idle)] == [False, 1], "one browser, one page at a time"
            demand_confinement(guardian.tree(browsers.idle[0].pid))
            pages, processes = [], []
            for html in (GOOD, HANGS, BOMB, FLOOD, MEMORY):
                rendered = await browsers.render(A, html, HTML, note)
                processes.append({pid for each in browsers.idle for pid in guardian.tree(each.pid)})
                folders.update(folders_of(processes[-1]))
                pages.append(rendered)
            return pages, processes, browsers.peak

    (good, hangs, bomb, flood, memory), processes, peak = asyncio.run(run())
    assert good is not None
    assert b">rendered<" in good
    assert (hangs, bomb) == (None, None)
    assert flood is not None
    assert b">flooded<" in flood
    assert len(wishes) == MOST_WISHES
    assert memory is not None
    assert b">remembers: null<" in memory, "not even of a page of the same host"
    assert len(processes[0]) > 3
    assert (processes[1], processes[2]) == (set(), set())
    assert guardian.still_there({pid for each in processes for pid in each}) == []
    assert [len(folders), *(path for path in folders if path.exists())] == [2]
    assert peak < 3 * LIMITS.memory


def demand_confinement(pids: Iterable[int]) -> None:
    """No process of a browser is root's or knows our secrets, and what runs scripts is in a sandbox."""
    told: list[str] = []
    for pid in pids:
        with suppress(FileNotFoundError):  # it has ended meanwhile
            told.append(Path(f"/proc/{pid}/status").read_text())
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            assert b"s3cret" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert all(int(re.findall(r"Uid:\s+(\d+)", status)[0]) for status in told)
    assert any("Seccomp:\t2" in status for status in told)


def folders_of(pids: Iterable[int]) -> set[Path]:
    """Where these processes are at home."""
    homes: set[Path] = set()
    for pid in pids:
        with suppress(FileNotFoundError, PermissionError):
            homes.add(Path(f"/proc/{pid}/cwd").readlink())
    return {home for home in homes if home.name.startswith("salticid-browser-")}


def test_a_page_that_waits_for_ever_is_taken_as_it_is_at_its_deadline() -> None:
    async def never(wish: Wish) -> Part:
        await asyncio.Event().wait()
        raise AssertionError

    async def run() -> bytes | None:
        html = GOOD + b"<script>fetch('/never')</script>"
        async with BrowserPool(chromium(), "Salticid", replace(LIMITS, seconds=1.0)) as browsers:
            return await browsers.render(A, html, HTML, never)

    rendered = asyncio.run(run())
    assert rendered is not None
    assert b">rendered<" in rendered


def test_a_program_that_is_killed_leaves_no_browser_behind(tmp_path: Path) -> None:
    """Not even one that is too busy to notice by itself."""
    chromium()
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        asked.append(request.path)
        return Answer((HANGS + b"<script src=/never.js></script>").decode())

    with http_stub(answer) as port:
        here = ("--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{port}", "--out", tmp_path / "crawl")
        with Program("crawl", "--query", "spiders", "--seed-url", A, *here) as program:

            def below() -> list[int]:
                return guardian.tree(program.process.pid)[1:]

            assert program.until(lambda: "/" in asked and len(below()) > 10, "a browser")
            processes = below()
            (folder,) = folders_of(processes)
            program.kill()
        wait_for_the_end(processes)
    assert not folder.exists()


def wait_for_the_end(processes: Iterable[int]) -> None:
    deadline = time.monotonic() + PATIENCE
    while left := guardian.still_there(processes):
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.02)


@pytest.mark.parametrize("all_die", [False, True], ids=["its guardian alone", "all of it"])
def test_a_browser_that_is_killed_is_cleaned_up_and_replaced(all_die: bool) -> None:
    async def run() -> tuple[list[int], set[Path]]:
        async with BrowserPool(chromium(), "Salticid", LIMITS) as browsers:
            assert await browsers.render(A, GOOD, HTML, refuse) is not None
            processes = guardian.tree(browsers.idle[0].pid)
            folders = folders_of(processes)
            guardian.kill(processes if all_die else processes[:1])
            assert await browsers.render(A, GOOD, HTML, refuse) is None
            assert await browsers.render(A, GOOD, HTML, refuse) is not None
            return processes, folders

    processes, folders = asyncio.run(run())
    wait_for_the_end(processes)
    make_and_remove_folder()
    assert [len(folders), *(path for path in folders if path.exists())] == [1]


def make_and_remove_folder() -> None:
    """As the next browser does."""
    folder, lock = make_folder()
    remove_folder(folder)
    os.close(lock)


def test_the_next_browser_removes_the_folder_of_one_that_was_killed_with_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    in_use, lock = make_folder()
    (tmp_path / "salticid-browser-link").symlink_to(in_use)
    code = (
        "import os, signal; from salticid.webs.live.browser.guardian import make_folder; print(*make_folder());"
        "open(os.path.join(os.listdir('.')[0], 'file'), 'w').close(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    home = tmp_path / "killed"
    home.mkdir()
    environment = {**os.environ, "TMPDIR": str(home)}
    assert subprocess.run([sys.executable, "-c", code], cwd=home, env=environment).returncode == -9
    (left,) = home.iterdir()
    left.rename(tmp_path / left.name)
    new, another = make_folder()
    assert {path.name for path in tmp_path.iterdir()} == {
        *(Path(each).name for each in (in_use, new)),
        "salticid-browser-link",
        "killed",
    }
    os.close(lock)
    os.close(another)


def test_a_browser_that_does_not_start_is_told_once_and_pages_stay_what_they_were(tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    told: list[str] = []

    async def use(there: LiveWeb, server: Server) -> list[str]:
        assert there.rendering is not None
        there.rendering.browsers = BrowserPool(str(broken), "Salticid")
        responses = await all_at_once(there, "http://b.example/", "http://c.example/")
        responses.append(await there.fetch(there.urls.intern(A)))
        return [response.outcome.value for response in responses]

    assert on_the_web(lambda asked: page(GOOD + b"<script src=x></script>"), use, warn=told.append) == ["ok"] * 3
    (sentence,) = told
    assert f"{broken} would not start" in sentence


class MadeUp(BrowserPool):
    """No browser: the same document, or none, for every page."""

    def __init__(self, document: bytes | None) -> None:
        super().__init__("", "")
        self.document, self.count = document, 0

    async def render(self, url: str, html: bytes, fields: dict[str, str], ask: Ask) -> bytes | None:
        self.count += 1
        return self.document


def rendered_by(browsers: MadeUp, answer: bytes, pages: int = 1) -> list[Response]:
    """The responses to so many URLs that are answered alike."""

    async def use(there: LiveWeb, server: Server) -> list[Response]:
        assert there.rendering is not None
        there.rendering.browsers = browsers
        return [await there.fetch(there.urls.intern(f"{A}{number}")) for number in range(pages)]

    return on_the_web(lambda asked: answer, use)


@pytest.mark.parametrize(
    "document", [None, b"", b"<p>no more", b"<div>" * 9000], ids=["none", "empty", "no more", "deep"]
)
def test_a_site_that_is_rendered_in_vain_is_soon_left_as_it_is(document: bytes | None) -> None:
    browsers = MadeUp(document)
    responses = rendered_by(browsers, page(SHELL), pages=6)
    assert [response.page and response.page.text for response in responses] == ["Loading, please wait"] * 6
    assert browsers.count == IN_VAIN


def test_who_is_rendered_with_success_is_rendered_on() -> None:
    browsers = MadeUp(b"<p>Jumping spiders see with eight eyes, of which two are large")
    responses = rendered_by(browsers, page(SHELL), pages=6)
    assert browsers.count == 6
    assert {response.page and response.page.text for response in responses} == {
        "Jumping spiders see with eight eyes, of which two are large"
    }


@pytest.mark.parametrize(
    ("answer", "document"),
    [
        (page(b"<meta name=robots content=noindex>" + SHELL), b""),
        (page(SHELL, "X-Robots-Tag: noindex"), b""),
        (page(SHELL), b"<meta name=robots content=noindex>"),
    ],
    ids=["shell", "field", "rendered"],
)
def test_noindex_holds_whoever_says_it(answer: bytes, document: bytes) -> None:
    (response,) = rendered_by(MadeUp(document + b"<p>Jumping spiders see with eight eyes"), answer)
    assert response.page is not None
    assert (response.page.noindex, response.page.nofollow) == (True, False)


def test_a_long_document_is_cut_as_a_long_page_is() -> None:
    (response,) = rendered_by(MadeUp(b"<p>eyes " + b"silk " * 400_000), page(SHELL))
    assert response.page is not None
    assert len(response.page.text) <= 1 << 20

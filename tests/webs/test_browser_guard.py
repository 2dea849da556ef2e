"""No page reaches a private address through the browser that renders it, whatever it tries."""

from __future__ import annotations

import asyncio
import errno
import gzip
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp.abc import ResolveResult
from playwright.async_api import Error, Route, async_playwright
from tests.support.browser import chromium
from tests.support.hostile import (
    A,
    Answer,
    Asked,
    Server,
    hurry,
    moved,
    on_the_web,
    page,
    robots,
    serving,
    settings,
    slowly,
)
from tests.support.reaching_page import PRIVATE, Listener, listening, reaching_page

from salticid.runs.live import live_web
from salticid.webs.live import names
from salticid.webs.live.access import Access
from salticid.webs.live.browser.messages import Part, Wish
from salticid.webs.live.browser.pool import BrowserPool
from salticid.webs.live.browser.process import ARGUMENTS
from salticid.webs.live.browser.rendering import TIMES_ALL, KeptScripts, PageParts
from salticid.webs.live.names import Names
from salticid.webs.live.web import Bounds, LiveWeb

INNER = "inner.example"
"""A name that leads to the private address."""
WAYS = 34
"""Ways that the script of the page tries; what its tags try comes on top."""


def answering(listener: Listener) -> Callable[[Asked], Answer]:
    """The server of the page, which sends on whoever asks for that."""
    pages: dict[str, Answer] = {
        "/": page(reaching_page(listener.port, INNER)),
        "/slow": slowly(page(b"{}", kind="application/json"), 1.0),
        "/worker.js": page(b"", kind="text/javascript"),
    }

    def answer(asked: Asked) -> Answer:
        parts = urlsplit(asked.path)
        if parts.path == "/moved":
            (to,) = parse_qs(parts.query).get("to", [f"{PRIVATE}:{listener.port}"])
            return moved(f"http://{to}/moved")
        return pages.get(parts.path, page(b"", status=404))

    return answer


def test_a_rendered_page_reaches_no_private_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """By all that we tell the browser, on a machine that cannot take its network away."""
    program = chromium()
    hurry(monkeypatch)

    async def run() -> tuple[str, Listener, list[str]]:
        async with listening() as listener, serving(answering(listener)) as server:
            rules = (f"{INNER}={PRIVATE}", f"*=127.0.0.1:{server.port}")
            local = settings(server, allow_net=("127.0.0.1/32",), resolve=rules)
            async with (
                live_web(local, time.monotonic) as there,
                BrowserPool(program, "Salticid", without_network=False) as browsers,
            ):
                assert there.rendering is not None
                there.rendering.browsers = browsers
                response = await there.fetch(there.urls.intern(A))
                assert response.page is not None
            return response.page.text, listener, server.pages

    text, listener, asked = asyncio.run(run())
    assert f"All of them were tried, {WAYS} in number" in text
    assert (listener.calls, listener.datagrams) == (0, 0)
    assert f"a.example/moved?to={PRIVATE}:{listener.port}" in asked


def reached(arguments: Callable[[Server, Listener], Sequence[str]], intercepted: bool) -> Listener:
    """What a private address sees of the page in a browser of these arguments, which may ask whomever it likes.

    Where it could not ask for the page itself, that and what it waits for are `intercepted`, and nothing else is.
    """

    async def run() -> Listener:
        async with (
            listening() as listener,
            serving(answering(listener)) as server,
            async_playwright() as tool,
        ):

            async def hand_over(route: Route) -> None:
                if route.request.url == A:
                    await route.fulfill(body=reaching_page(listener.port, INNER), content_type="text/html")
                elif route.request.url == f"{A}slow":
                    await asyncio.sleep(1.5)
                    await route.fulfill(body="{}", content_type="application/json")
                else:
                    await route.continue_()

            browser = await tool.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox", *arguments(server, listener)]
            )
            tab = await browser.new_page()
            if intercepted:
                await tab.route("**/*", hand_over)
            asked = asyncio.Event()
            tab.on("requestfailed", lambda request: asked.set() if "away" in request.url else None)
            with suppress(Error):  # the last that it tries is to go away itself
                await tab.goto(A)
            await asked.wait()
            await browser.close()
            return listener

    return asyncio.run(run())


def test_any_other_browser_would_have_reached_it() -> None:
    def arguments(server: Server, listener: Listener) -> list[str]:
        places = f"MAP a.example 127.0.0.1:{server.port}, MAP {INNER} {PRIVATE}:{listener.port}"
        return [f"--host-resolver-rules={places}"]

    listener = reached(arguments, intercepted=False)
    assert listener.calls > 20
    assert listener.datagrams > 0


def test_nor_does_what_escapes_interception() -> None:
    listener = reached(lambda *_: ARGUMENTS, intercepted=True)
    assert (listener.calls, listener.datagrams) == (0, 0)


def confined(code: str) -> str:
    """What a process says that is confined like a browser."""
    begin = "import os, socket; from salticid.webs.live.browser.guardian import confine; confine()"
    program = f"{begin}; {code}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_browser_gives_up_the_network_where_it_can_and_the_rights_of_root_always() -> None:
    assert confined("print(os.geteuid() and os.getegid() and os.getgroups() in ([], [os.getegid()]))") == "True"
    with socket.create_server((PRIVATE, 0)) as listener:
        tried = confined(f"print(socket.socket().connect_ex(('{PRIVATE}', {listener.getsockname()[1]})))")
    if not _has_namespaces():
        pytest.skip("right absent: a network namespace of its own; run as root, or allow user namespaces")
    assert int(tried) in (errno.ENETUNREACH, errno.EHOSTUNREACH)


def _has_namespaces() -> bool:
    command = ["unshare", "--net", "true"] if os.geteuid() == 0 else ["unshare", "--user", "--net", "true"]
    return shutil.which("unshare") is not None and not subprocess.run(command, capture_output=True).returncode


def parts_of(there: LiveWeb, at: str, access: Access | None = None) -> PageParts:
    return PageParts(there, there.urls.intern(at), at, 10_000, access, KeptScripts())


async def statuses(parts: PageParts, *urls: str) -> list[int]:
    return [(await parts.ask(Wish(number, url, False))).status for number, url in enumerate(urls)]


def test_a_name_that_changes_its_mind_brings_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setattr(names, "ANSWER_LIFETIME", -1.0)

    async def run() -> tuple[list[int], list[int], int]:
        async with listening() as listener, serving(lambda asked: page(b"{}")) as server:
            place = ("127.0.0.1", server.port)

            async def look_up(self: Names, host: str, port: int) -> list[ResolveResult]:
                return [names._result(host, *place, socket.AF_INET)]

            monkeypatch.setattr(Names, "_look_up", look_up)
            local = settings(server, allow_net=("127.0.0.1/32",), resolve=())
            async with live_web(local, time.monotonic) as there:
                parts = parts_of(there, A)
                before = await statuses(parts, f"{A}data")
                place = PRIVATE, listener.port
                return before, await statuses(parts, f"{A}data", "http://b.example/"), listener.calls

    assert asyncio.run(run()) == ([200], [0, 0], 0)


def test_a_private_address_that_a_crawl_may_reach_tells_nothing_to_pages_from_elsewhere() -> None:
    async def run() -> tuple[list[int], list[int], list[str]]:
        async with (
            serving({"/data": page(b"{}")}, address=PRIVATE) as inner,
            serving({"/data": page(b"{}"), "/moved": moved(f"http://{INNER}/data")}) as outer,
        ):
            rules = (f"{INNER}={PRIVATE}:{inner.port}", f"*=127.0.0.1:{outer.port}")
            async with live_web(settings(outer, resolve=rules), time.monotonic) as there:
                url = f"http://{INNER}/data"
                outside = await statuses(parts_of(there, A), f"{A}data", url, f"{A}moved")
                return outside, await statuses(parts_of(there, f"http://{INNER}/"), url), inner.pages

    assert asyncio.run(run()) == ([200, 0, 0], [200], [f"{INNER}/data"])


def test_what_a_person_has_access_to_is_told_to_pages_of_that_host_alone() -> None:
    access = Access(["b.example: X-Key: 7"], [], now=0)

    async def use(there: LiveWeb, server: Server) -> tuple[list[int], list[int], list[str]]:
        urls = ("http://b.example/data", "http://c.example/moved")
        outside = await statuses(parts_of(there, A, access), *urls)
        return outside, await statuses(parts_of(there, "http://b.example/", access), urls[0]), server.pages

    site = {"/data": page(b"{}"), "/moved": moved("http://b.example/data")}
    assert on_the_web(site, use) == ([0, 0], [200], ["c.example/moved", "b.example/data"])


def test_parts_keep_to_robots_scope_methods_and_size() -> None:
    """They are asked for as pages are; one that is too long is none, for half a script does nothing."""
    bomb = page(gzip.compress(b" " * 50_000), "Content-Encoding: gzip", kind="text/javascript")
    site = {
        "/robots.txt": robots("Disallow: /no"),
        "/no": page(b"{}"),
        "/data": page(b"{}", "Set-Cookie: a=b", "Access-Control-Allow-Origin: *"),
        "/long": page(b" " * 20_000),
        "/bomb": bomb,
        "/loop": moved("/loop"),
    }

    async def use(there: LiveWeb, server: Server) -> tuple[list[int], list[str], Part]:
        there.bind(Bounds(may_follow=lambda url: "out" not in url))
        parts = parts_of(there, A)
        urls = [f"{A}{name}" for name in ("data", "no", "long", "bomb", "loop", "out", "missing")]
        told = await statuses(parts, *urls, "file:///etc/passwd", "http://[/")
        return told, server.pages, await parts.ask(Wish(9, urls[0], False))

    told, asked, part = on_the_web(site, use)
    assert told == [200, 0, 0, 0, 0, 0, 404, 0, 0]
    assert "a.example/no" not in asked
    assert "a.example/out" not in asked
    assert part.fields == {"content-type": "text/html", "access-control-allow-origin": "*"}


def test_all_parts_of_a_page_together_are_bounded() -> None:
    async def use(there: LiveWeb, server: Server) -> list[int]:
        return await statuses(parts_of(there, A), *(f"{A}{number}" for number in range(20)))

    told = on_the_web(lambda asked: page(b" " * 9_000), use)
    assert told == [200] * (TIMES_ALL * 10_000 // 9_000) + [0] * (20 - TIMES_ALL * 10_000 // 9_000)


def test_scripts_are_asked_for_once_a_host_as_long_as_there_is_room() -> None:
    async def use(there: LiveWeb, server: Server) -> list[str]:
        kept = KeptScripts(most=8_000)
        for host, name in (
            ("a", "x"),
            ("a", "x"),
            ("b", "x"),
            ("a", "y"),
            ("a", "z"),
            ("a", "x"),
            ("a", "no"),
        ):
            parts = PageParts(there, 0, f"http://{host}.example/", 10_000, None, kept)
            for _ in range(2):
                await parts.ask(Wish(1, f"http://cdn.example/{name}", True))
        return server.pages

    def answer(asked: Asked) -> Answer:
        fields = ("Cache-Control: no-store",) if asked.path == "/no" else ()
        return page(b" " * 2_000, *fields, kind="text/javascript")

    names = [url.removeprefix("cdn.example/") for url in on_the_web(answer, use)]
    assert names == ["x", "x", "y", "z", "no", "no"]

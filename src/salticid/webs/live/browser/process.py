"""The process of a browser: shells in, documents out. What a page asks for is asked of the crawl, and of nobody else.

Chromium gets no way to the network. Every request of a page is caught before it is made; whatever is not caught, a
connection that is opened ahead, a WebSocket, a call by WebRTC, has names that cannot be looked up and a proxy that does
not exist, in a network without devices where the system has such.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import suppress
from typing import Any

import msgspec
from playwright.async_api import Browser, BrowserContext, Error, Page, Route, WebSocketRoute, async_playwright

from salticid.webs.live.browser.guardian import guard
from salticid.webs.live.browser.messages import (
    FromBrowser,
    Part,
    Ready,
    Rendered,
    Shell,
    ToBrowser,
    Wish,
    frame,
    next_frame,
)

MOST_WISHES = 64
"""Requests of one page that are passed on."""
LOOK_EVERY = 0.3
"""Seconds between two looks at a page: one that waits for nothing and has not changed is done."""
MOST_LOOKS = 12
"""Looks at a page that waits for nothing and changes all the same."""
CLOSING = 5.0
"""Seconds that a page has to go away."""

ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # as it was called before
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-crash-reporter",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
)
_NO_PEERS = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "SharedWorker"]) delete self[name];
"""
_OF_THE_WEB = ("http:", "https:")
_NOTHING_NEW = Part(0, 204)
"""To whoever wants to go elsewhere: stay where you are."""
_PASSED_ON = ("script", "fetch", "xhr")
"""Kinds of requests that can bring text. Pictures, styles, fonts and frames bring none."""


class _Crawl:
    """The crawl that this process works for, seen from here."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.shells: asyncio.Queue[Shell] = asyncio.Queue()
        self._wishes: dict[int, asyncio.Future[Part]] = {}

    def say(self, message: FromBrowser) -> None:
        self._writer.write(frame(message))

    async def listen(self) -> None:
        """Hear what the crawl says, until it is gone; the guardian notices that too, and ends this process."""
        while (message := await next_frame(self._reader)) is not None:
            match msgspec.msgpack.decode(message, type=ToBrowser):
                case Shell() as shell:
                    self.shells.put_nowait(shell)
                case Part() as part if wish := self._wishes.pop(part.number, None):
                    wish.set_result(part)

    async def ask(self, number: int, url: str, is_script: bool) -> Part:
        wish: asyncio.Future[Part] = asyncio.get_running_loop().create_future()
        self._wishes[number] = wish
        self.say(Wish(number, url, is_script))
        return await wish

    def forget(self) -> None:
        """Nobody waits for parts any more."""
        for wish in self._wishes.values():
            wish.cancel()
        self._wishes.clear()


class _OpenPage:
    """A page in the browser, and what it asks for."""

    def __init__(self, crawl: _Crawl, shell: Shell) -> None:
        self._crawl, self._shell = crawl, shell
        self._page: Page | None = None
        self._is_given = False
        self._wishes = 0
        self.waiting = 0

    async def show(self, context: BrowserContext) -> str | None:
        """The document once it has come to rest, or as it is when its time is up."""
        loop = asyncio.get_running_loop()
        deadline, html, looks = loop.time() + self._shell.seconds, None, 0
        await context.add_init_script(_NO_PEERS)
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", _hang_up)
        self._page = page = await context.new_page()
        with suppress(Error):
            await page.goto(self._shell.url, wait_until="domcontentloaded", timeout=1000 * self._shell.seconds)
        while True:
            before = None if self.waiting else html
            with suppress(Error):  # it is on its way elsewhere, where it will not come to
                html = await page.content() if page.url.startswith(_OF_THE_WEB) else html
            is_done = html is not None and html == before
            looks += not self.waiting
            if is_done or looks >= MOST_LOOKS or loop.time() >= deadline:
                return html
            await asyncio.sleep(LOOK_EVERY)

    async def _answer(self, route: Route) -> None:
        self.waiting += 1
        try:
            part = await self._part(route)
            if part is None or not part.status:
                await route.abort()
            else:
                await route.fulfill(status=part.status, headers=part.fields, body=part.body)
        except Error:
            pass  # the page is gone
        finally:
            self.waiting -= 1

    async def _part(self, route: Route) -> Part | None:
        request = route.request
        if request.is_navigation_request():
            if self._is_given or self._page is None or request.frame != self._page.main_frame:
                return _NOTHING_NEW
            self._is_given = True
            return Part(0, 200, self._shell.fields, self._shell.html)
        if request.method != "GET" or request.resource_type not in _PASSED_ON or self._wishes >= MOST_WISHES:
            return None
        self._wishes += 1
        return await self._crawl.ask(self._wishes, request.url, request.resource_type == "script")


async def _hang_up(call: WebSocketRoute) -> None:
    await call.close()


async def _close(context: BrowserContext) -> bool:
    """Whether a page and all that it stored are gone."""
    try:
        async with asyncio.timeout(CLOSING):
            await context.close()
    except (Error, TimeoutError):
        return False
    return True


async def _render(browser: Browser, agent: str, crawl: _Crawl, shell: Shell) -> Rendered:
    context = await browser.new_context(user_agent=agent, service_workers="block", accept_downloads=False)
    html: str | None = None
    try:
        html = await _OpenPage(crawl, shell).show(context)
    except Error:
        pass  # it crashed
    finally:
        crawl.forget()
        is_clean = await _close(context)
    return Rendered(None if html is None else html.encode("utf-8", "replace"), is_clean)


async def _serve(program: str, agent: str) -> None:
    connection = socket.socket(fileno=sys.stdin.fileno())
    crawl = _Crawl(*await asyncio.open_unix_connection(sock=connection))
    listening = asyncio.create_task(crawl.listen())
    options: dict[str, Any] = dict.fromkeys(("handle_sigint", "handle_sigterm", "handle_sighup"), False)
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=program, args=ARGUMENTS, chromium_sandbox=True, **options
            )
        except Error as error:
            crawl.say(Ready(why_not=error.message))
        else:
            crawl.say(Ready(browser.version))
            while True:
                crawl.say(await _render(browser, agent, crawl, await crawl.shells.get()))
        await listening


def work(program: str, agent: str, without_network: bool = True) -> None:
    """Render the shells that come in at the standard input, a socket, in the browser `program`."""
    guard(lambda: asyncio.run(_serve(program, agent)), without_network)

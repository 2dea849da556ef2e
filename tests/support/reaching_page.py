"""A page that tries every way a browser knows to reach an address where it has no business."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

PRIVATE = "127.0.0.2"
"""An address that no crawl of the tests is allowed."""


class Listener:
    """Whoever listens at a private address: how often somebody came, by TCP and by UDP."""

    def __init__(self) -> None:
        self.port = self.calls = self.datagrams = 0

    def meet(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        writer.close()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._listener.datagrams += 1


@asynccontextmanager
async def listening() -> AsyncIterator[Listener]:
    """A listener at the private address, by TCP and by UDP at one port."""
    listener = Listener()
    server = await asyncio.start_server(listener.meet, PRIVATE, 0)
    listener.port = server.sockets[0].getsockname()[1]
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Datagrams(listener), local_addr=(PRIVATE, listener.port), family=socket.AF_INET
    )
    try:
        yield listener
    finally:
        transport.close()
        server.close()
        await server.wait_closed()


def reaching_page(port: int, *hosts: str) -> bytes:
    """A page whose script tries all ways to the port at the private address, and at hosts that may lead there.

    It is a shell until it has tried them all, and then says how many; `/slow` keeps its readers waiting until then.
    """
    places = ", ".join(f'"{place}:{port}"' for place in (PRIVATE, *hosts))
    inner = f"http://{PRIVATE}:{port}"
    tags = (
        f'<link rel=preconnect href="{inner}"><link rel=dns-prefetch href="{inner}">'
        f'<link rel=prefetch href="{inner}/prefetch"><link rel=stylesheet href="{inner}/style">'
        f'<link rel=modulepreload href="{inner}/module"><link rel=manifest href="{inner}/manifest">'
        f'<link rel=icon href="{inner}/icon">'
        f'<script type=speculationrules>{{"prefetch": [{{"urls": ["{inner}/ahead"]}}]}}</script>'
        f'<img src="{inner}/img"><video src="{inner}/video"></video><iframe src="{inner}/frame"></iframe>'
        f'<object data="{inner}/object"></object><embed src="{inner}/embed"><script src="{inner}/script"></script>'
        f'<script src="/moved"></script><iframe src="/moved"></iframe>'
        f'<form id=form action="{inner}/form" target=inside><input name=a></form><iframe name=inside></iframe>'
        f'<a id=link href="#" ping="{inner}/ping">x</a>'
        f'<svg><image href="{inner}/svg"/></svg><div id=root></div>'
    )
    return (tags + _SCRIPT.replace("PLACES", places)).encode()


_SCRIPT = """
<script>
const places = [PLACES];
const quietly = (what) => { try { const done = what(); if (done && done.catch) done.catch(() => {}); } catch {} };
let tried = 0;
const attempt = (what) => { tried += 1; quietly(what); };
const inWorker = (code) => new Worker(URL.createObjectURL(new Blob([code], {type: "text/javascript"})));
for (const place of places) {
  const url = "http://" + place + "/";
  attempt(() => fetch(url));
  attempt(() => fetch(url, {mode: "no-cors", keepalive: true}));
  attempt(() => fetch(url, {method: "POST", mode: "no-cors", body: "x"}));
  attempt(() => fetch("/moved?to=" + place));
  attempt(() => { const asked = new XMLHttpRequest(); asked.open("GET", url); asked.send(); });
  attempt(() => navigator.sendBeacon(url, "x"));
  attempt(() => new EventSource(url));
  attempt(() => new WebSocket("ws://" + place + "/"));
  attempt(() => inWorker(`fetch("${url}"); new WebSocket("ws://${place}/"); importScripts("${url}")`));
  attempt(() => new SharedWorker(url));
  attempt(() => import(url + "module.js"));
  attempt(() => new WebTransport("https://" + place + "/"));
  attempt(() => open(url));
  attempt(() => navigator.serviceWorker.register("/worker.js"));
  attempt(() => {
    const peer = new RTCPeerConnection({iceServers: [
      {urls: "stun:" + place}, {urls: "turn:" + place + "?transport=tcp", username: "a", credential: "b"},
      {urls: "turn:" + place + "?transport=udp", username: "a", credential: "b"}]});
    peer.createDataChannel("x");
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  });
  attempt(() => {
    const frame = document.createElement("iframe");
    frame.srcdoc = `<script>new WebSocket("ws://${place}/"); new RTCPeerConnection({iceServers: ` +
      `[{urls: "stun:${place}"}]}).createDataChannel("x"); fetch("${url}")<` + "/script>";
    document.body.append(frame);
  });
}
attempt(() => document.getElementById("form").submit());
attempt(() => document.getElementById("link").click());
const say = () => {
  document.getElementById("root").innerHTML = "<p>All of them were tried, " + tried + " in number: " +
    "now this page says more than it did before, and waits to be read by whoever renders it.</p>";
  attempt(() => { location = "http://" + places[0] + "/away"; });
};
fetch("/slow").then(say, say);
</script>
"""

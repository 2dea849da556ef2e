"""A server that speaks the page's API with made-up crawls: for tests that need a stream of their own making."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import salticid
from salticid.ui.requests import format_menu

PAGE = Path(salticid.__file__).parent / "ui" / "page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_WORDS = ["silk", "orb", "web", "weaver", "protein", "venom", "eyes", "garden", "museum", "species", "thread"]
_SITES = ["arachno.example", "silk-lab.example", "museum.example", "news.example", "garden.example"]


class MadeUpCrawl:
    """A crawl of as many visits as a test wants, all of them known beforehand; `told` are out by now."""

    def __init__(self, number: int, visits: int, told: int, *, spiders: bool = True, seed: int = 0) -> None:
        self.id, self.told, self.state, self.spiders = f"crawl-{number}", told, "running", spiders
        rng = random.Random(seed)
        self.visits = [self._visit(step, rng) for step in range(visits)]
        self.likings: dict[int, int] = {}
        self.moved: dict[str, Any] | None = None
        self.playing: dict[str, int] | None = None
        self.feedback_line = ""
        self.lesson: list[list[float]] = []
        self.later: list[tuple[str, dict[str, Any]]] = []
        self.connections = 0
        self.failures: dict[str, Any] = {"starts": [], "hosts": [], "left_off": 0}
        self.outlook: dict[str, Any] = {
            "remaining": {"mean": 38.2, "low": 12.0, "high": 95.0},
            "harvest": {"mean": 0.08, "low": 0.02, "high": 0.17},
        }

    def _visit(self, step: int, rng: random.Random) -> dict[str, Any]:
        site = rng.choice(_SITES)
        url = f"https://{site}/{rng.choice(_WORDS)}/{step}"
        score = round(min(0.98, rng.betavariate(1.6, 4)), 4)
        title = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(3, 8))).capitalize()
        agent = step % 10 if self.spiders else None
        return {
            "step": step, "url": url, "final": url, "title": title, "site": site, "score": score,
            "outcome": "dead" if rng.random() < 0.04 else "ok", "positive": score > 0.3, "agent": agent,
            "source": step - 10 if step >= 10 else -1, "depth": step // 10, "at": step * 0.4,
            "modified": "2026-03-01T10:00:00+00:00" if step % 3 == 0 else None, "liking": 0,
            "revisit": False, "twin": None,
        }  # fmt: skip

    def summary(self) -> dict[str, Any]:
        """How it stands."""
        told = [visit for visit in self.visits[: self.told] if visit["outcome"] == "ok"]
        ended = self.state == "ended"
        return {
            "id": self.id, "query": "orb weaver silk proteins", "state": self.state,
            "strategy": "myspiders" if self.spiders else "best_first", "stopped": "interrupted" if ended else None,
            "stopped_line": "You stopped the crawl." if ended else None, "pages": len(told),
            "max_pages": len(self.visits), "fetches": self.told, "positive": sum(v["positive"] for v in told),
            "harvest": sum(v["positive"] for v in told[-100:]) / max(1, len(told[-100:])), "line": 0.3,
            "hosts": len(_SITES), "hosts_on_topic": 1, "began": "2026-11-15T09:00:00+00:00", "seconds": self.told * 0.4,
            "agents": self.spiders, "can_continue": True, "playing": self.playing,
            "feedback_line": self.feedback_line, "world": None,
        }  # fmt: skip

    def births(self) -> list[dict[str, Any]]:
        """The population's events so far: ten at the start, then a birth and now and then a death."""
        if not self.spiders:
            return []
        born = [
            {
                "seq": n,
                "at": 0.0,
                "name": "born",
                "agent": n,
                "parent": n,
                "keywords": "orb weaver silk",
                "energy": 1.0,
            }
            for n in range(10)
        ]
        energy = [
            {
                "seq": 10 + step,
                "at": step * 0.4,
                "name": "agent",
                "agent": step % 10,
                "energy": 1 + (step % 37) / 40,
            }
            for step in range(min(self.told, 2000))
        ]
        later = [
            {"seq": 5000 + n, "at": 10.0 + 6 * n, "name": "born", "agent": 10 + n, "parent": n % 10,
             "keywords": "orb weaver silk thread", "energy": 1.0}
            for n in range(self.told // 40)
        ]  # fmt: skip
        dead = [
            {"seq": 9000 + n, "at": 20.0 + 9 * n, "name": "died", "agent": 10 + n, "cause": "no energy"}
            for n in range(self.told // 90)
        ]
        return born + energy + sorted(later + dead, key=lambda event: (event["at"], event["seq"]))


class Stub:
    """The server's answers."""

    def __init__(self, crawls: list[MadeUpCrawl]) -> None:
        self.crawls = {crawl.id: crawl for crawl in crawls}
        self.closing = False

    def app(self) -> Starlette:
        """All of the API that the page calls."""
        one = "/api/crawls/{id}"
        return Starlette(
            routes=[
                Route("/", self.front),
                Mount("/page", StaticFiles(directory=PAGE)),
                Route("/api/session", self.session),
                Route("/api/crawls", self.listed),
                Route("/api/reports", self.reports),
                Route(one, self.one, methods=["GET"]),
                Route(one, self.remove, methods=["DELETE"]),
                Route(f"{one}/stream", self.stream),
                Route(f"{one}/curve", self.curve),
                Route(f"{one}/failures", self.failures),
                Route(f"{one}/outlook", self.outlook),
                Route(f"{one}/snippets", self.snippets),
                Route(f"{one}/visits/{{step:int}}", self.visit),
                Route(f"{one}/feedback", self.feedback, methods=["POST"]),
                Route(f"{one}/{{order}}", self.ordered, methods=["POST"]),
            ]
        )

    async def front(self, _: Request) -> Response:
        return FileResponse(PAGE / "index.html", headers={"Content-Security-Policy": POLICY})

    async def session(self, _: Request) -> Response:
        best = {"name": "best_first", "line": "A link is as promising as the page it was found on."}
        walking = {"name": "myspiders", "line": "Agents walk and learn; who finds good pages breeds."}
        strategies = [
            {**best, "walks": False, "default": True, "worth": {"near": 46.2, "far": 36.3}},
            {**walking, "walks": True, "default": False, "worth": None},
        ]
        return JSONResponse(
            {"token": "t", "version": "0", "strategies": strategies, "engines": [], "default_pages": 500,
             "sources": {"crawls": len(self.crawls)}, "api": 1, "formats": format_menu()}
        )  # fmt: skip

    async def listed(self, _: Request) -> Response:
        return JSONResponse({"crawls": [crawl.summary() for crawl in self.crawls.values()]})

    async def one(self, request: Request) -> Response:
        return JSONResponse(self._crawl(request).summary())

    async def reports(self, _: Request) -> Response:
        trial = {"id": "trial", "title": "Trials of spring", "made": "2026-04-01T10:00:00+00:00"}
        return JSONResponse({"reports": [trial]})

    async def remove(self, request: Request) -> Response:
        del self.crawls[request.path_params["id"]]
        return JSONResponse({"ok": True})

    async def failures(self, request: Request) -> Response:
        return JSONResponse(self._crawl(request).failures)

    async def outlook(self, request: Request) -> Response:
        return JSONResponse(self._crawl(request).outlook)

    async def curve(self, request: Request) -> Response:
        crawl, found, points = self._crawl(request), 0, []
        for pages, visit in enumerate(crawl.visits[: crawl.told], 1):
            found += visit["positive"]
            points.append([pages, found])
        return JSONResponse({"points": points[:: max(1, len(points) // 400)]})

    async def snippets(self, request: Request) -> Response:
        steps = request.query_params["steps"].split(",")
        text = [
            ["The ", False],
            ["silk", True],
            [" of an ", False],
            ["orb weaver", True],
            [" is spun of proteins. " * 5, False],
        ]
        return JSONResponse({"snippets": dict.fromkeys(steps, text), "why": {}})

    async def visit(self, request: Request) -> Response:
        visit = self._crawl(request).visits[request.path_params["step"]]
        told = {
            "reasons": [
                {"line": "the words of the link", "share": 0.55},
                {"line": "the page it is on", "share": 0.3},
                {"line": "its address", "share": -0.15},
            ],
            "words": [["silk", 12], ["weaver", 1], ["proteins", 0]],
            "likeness": 0.31549,
            "snippet": [["The ", False], ["silk", True], [" of an orb ", False], ["weaver", True]],
            "fetched": "2026-11-15T09:01:00+00:00",
            "archived": True,
        }
        return JSONResponse({**visit, **told, "links": 12, "duplicate_of": None})

    async def feedback(self, request: Request) -> Response:
        crawl, said = self._crawl(request), await request.json()
        crawl.likings[said["step"]] = said["liking"]
        crawl.visits[said["step"]]["liking"] = said["liking"]
        up = [{"url": f"https://silk-lab.example/up/{n}", "before": 40 + n, "after": n + 1} for n in range(3)]
        down = [{"url": "https://news.example/down", "before": 2, "after": None}]
        crawl.later.append(("scores", {"scores": crawl.lesson}))
        about = {"url": crawl.visits[said["step"]]["final"], "liking": said["liking"]}
        crawl.moved = {**about, "rose": 31, "fell": 12, "up": up, "down": down, "seconds": 0.01}
        return JSONResponse({"ok": True})

    async def ordered(self, request: Request) -> Response:
        crawl = self._crawl(request)
        crawl.state = {"pause": "paused", "stop": "ended", "continue": "running"}[request.path_params["order"]]
        return JSONResponse(crawl.summary())

    async def stream(self, request: Request) -> Response:
        crawl = self._crawl(request)
        crawl.connections += 1
        since = int(request.query_params.get("since", -1))
        return StreamingResponse(self._events(crawl, since + 1), media_type="text/event-stream")

    async def _events(self, crawl: MadeUpCrawl, step: int) -> AsyncIterator[str]:
        """All that was told, then what is told from now on; a connection number that is cut ends it."""
        connection, said = crawl.connections, ""
        while not self.closing and connection == crawl.connections:
            while step < crawl.told:
                upto = min(step + 200, crawl.told)
                yield _event("visits", {"visits": crawl.visits[step:upto]}, upto - 1)
                step = upto
            yield _event("agents", {"events": crawl.births()})
            if (summary := json.dumps(crawl.summary())) != said:
                said = summary
                yield f"event: state\ndata: {summary}\n\n"
            yield _event("now", self._now(crawl))
            if crawl.told > 60:
                yield _event("advice", crawl.outlook)
            while crawl.later:
                yield _event(*crawl.later.pop(0))
            if crawl.moved:
                moved, crawl.moved = crawl.moved, None
                yield _event("moved", moved)
            await asyncio.sleep(0.05)

    def _now(self, crawl: MadeUpCrawl) -> dict[str, Any]:
        ahead = crawl.visits[-4:]
        fetching = [{"url": v["url"], "site": v["site"], "doing": "fetching", "seconds": 0.6} for v in ahead]
        best = [
            {
                "url": v["url"],
                "score": v["score"],
                "reasons": [{"line": "the words of the link", "share": 1.0}],
            }
            for v in ahead
        ]
        return {
            "fetching": fetching,
            "waiting": {"size": 1234, "best": best},
            "parked": [{"site": "slow.example", "until": 90}],
        }

    def _crawl(self, request: Request) -> MadeUpCrawl:
        found = self.crawls.get(request.path_params["id"])
        if found is None:
            raise HTTPException(404)
        return found


def _event(name: str, body: dict[str, Any], number: int | None = None) -> str:
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {json.dumps(body)}\n\n"


@contextmanager
def stub_server(*crawls: MadeUpCrawl) -> Iterator[str]:
    """The address of a server with these crawls, in a thread of this process."""
    stub = Stub(list(crawls))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()  # whoever comes before the thread is at work waits
    server = uvicorn.Server(uvicorn.Config(stub.app(), log_level="error", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        stub.closing = server.should_exit = True
        thread.join(10)
        listening.close()

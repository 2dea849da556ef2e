"""What the page may ask of the server. `openapi.py` says the same for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from sse_starlette import EventSourceResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from salticid.errors import UserError
from salticid.runs import MEDIA_TYPE, LiveSettings, openmetrics
from salticid.service import (
    DEFAULT_PAGES,
    FIELDS,
    LONGEST_NUMBER,
    MOST_SNIPPETS,
    SAVED,
    Crawls,
    Engines,
    GoOn,
    KeepWatching,
    NewCrawl,
    NewEngine,
    Nothing,
    Opinion,
    ServerCrawl,
    copy_of,
    new_wish,
    outlook_of,
    page_snippets,
    search_all,
    strategy_menu,
    text_of,
    thinned,
    trouble_with,
    visit,
    visit_in_full,
    world_names,
)
from salticid.store import CrawlFolder
from salticid.store.news import Since
from salticid.ui import requests, views
from salticid.ui.requests import chunk_words_of, criteria_of, export_file, file_name, format_menu, format_of, openapi
from salticid.ui.views import Reports, fields, news_of_round, stream, what_failed
from salticid.version import __version__
from salticid.webs.live import Engine, ask, check

SLOWEST_READER = 30.0
"""Seconds that an event of a stream may wait to be taken."""
_TRIAL = "spider"
"""What a new search engine is asked."""


@dataclass(frozen=True, slots=True)
class Api:
    """Answers requests about the crawls of a server."""

    crawls: Crawls
    engines: Engines
    reports: Reports
    live: LiveSettings
    token: str
    closing_down: Callable[[], bool]

    def routes(self) -> list[Route]:
        """Which path and method is answered by what."""
        one = "/api/crawls/{id}"
        return [
            Route("/api/session", self.session),
            Route("/api/openapi.json", self.openapi),
            Route("/api/crawls", self.all_crawls, methods=["GET"]),
            Route("/api/crawls", self.begin, methods=["POST"]),
            Route(one, self.crawl, methods=["GET"]),
            Route(one, self.remove, methods=["DELETE"]),
            Route(f"{one}/pause", self.pause, methods=["POST"]),
            Route(f"{one}/continue", self.go_on, methods=["POST"]),
            Route(f"{one}/stop", self.stop, methods=["POST"]),
            Route(f"{one}/watch", self.watch, methods=["POST"]),
            Route(f"{one}/news", self.news),
            Route(f"{one}/feedback", self.feedback, methods=["POST"]),
            Route(f"{one}/stream", self.stream),
            Route(f"{one}/visits", self.visits),
            Route(f"{one}/visits/{{step}}", self.visit),
            Route(f"{one}/visits/{{step}}/text", self.text),
            Route(f"{one}/visits/{{step}}/copy", self.copy),
            Route(f"{one}/snippets", self.snippets),
            Route(f"{one}/curve", self.curve),
            Route(f"{one}/failures", self.failures),
            Route(f"{one}/outlook", self.outlook),
            Route(f"{one}/export", self.export),
            Route("/api/engines", self.add_engine, methods=["POST"]),
            Route("/api/engines/{name}", self.remove_engine, methods=["DELETE"]),
            Route("/api/search", self.search),
            Route("/api/reports", self.all_reports),
            Route("/reports/{id}", self.report),
            Route("/metrics", self.metrics),
        ]

    async def session(self, request: Request) -> Response:
        return _json(
            {
                "api": 1,
                "version": __version__,
                "token": self.token,
                "default_pages": DEFAULT_PAGES,
                "strategies": strategy_menu(),
                "formats": format_menu(),
                "engines": self._engine_menu(),
                "sources": {"crawls": len(self.crawls)},
                "worlds": world_names(self.crawls.folder.parent),
            }
        )

    async def openapi(self, request: Request) -> Response:
        return _json(openapi())

    async def all_crawls(self, request: Request) -> Response:
        with suppress(OSError):
            self.crawls.look_for_others()
        return _json({"crawls": [crawl.summary() for crawl in self.crawls]})

    async def begin(self, request: Request) -> Response:
        form = await requests.read(request, NewCrawl)
        self.crawls.check_room()
        folders = [crawl.folder for crawl in self.crawls]
        wish, start = await new_wish(form, self.crawls.folder.parent, self.engines, folders, self.live.user_agent)
        crawl = await self.crawls.begin(wish)
        seeds = [{"url": seed.url, "from": seed.origin} for seed in start.seeds]
        summary = msgspec.structs.asdict(crawl.summary())
        return _json({**summary, "seeds": seeds, "warnings": start.warnings}, 201)

    async def crawl(self, request: Request) -> Response:
        return _json(self._crawl(request).summary())

    async def remove(self, request: Request) -> Response:
        crawl = self._crawl(request)
        await requests.read(request, Nothing)
        await self.crawls.remove(crawl)
        return _json({"ok": True})

    async def pause(self, request: Request) -> Response:
        crawl = self._crawl(request)
        await requests.read(request, Nothing)
        await crawl.pause()
        return _json(crawl.summary())

    async def go_on(self, request: Request) -> Response:
        crawl = self._crawl(request)
        form = await requests.read(request, GoOn)
        if not crawl.running:
            self.crawls.check_room()
        await crawl.go_on(form)
        return _json(crawl.summary())

    async def stop(self, request: Request) -> Response:
        crawl = self._crawl(request)
        await requests.read(request, Nothing)
        await crawl.stop()
        return _json(crawl.summary())

    async def watch(self, request: Request) -> Response:
        crawl = self._crawl(request)
        form = await requests.read(request, KeepWatching)
        if form.now and not crawl.running:
            self.crawls.check_room()
        await crawl.watch(form)
        return _json(crawl.summary())

    async def news(self, request: Request) -> Response:
        crawl, number = self._crawl(request), request.query_params.get("round", "")
        if number and not _is_number(number):
            raise HTTPException(400, "round is the number of a round, as in round=1")
        return _json(await _read(crawl, lambda log: news_of_round(log, int(number) if number else None)))

    async def feedback(self, request: Request) -> Response:
        crawl = self._crawl(request)
        opinion = await requests.read(request, Opinion)
        with closing(_log(crawl)) as log:
            about = visit(log, opinion.step)
        if about is None or about.outcome != "ok":
            raise HTTPException(404, f"visit {opinion.step} found no page; speak about one that did")
        await crawl.feedback(about.final, opinion.liking)
        return _json({"ok": True})

    async def stream(self, request: Request) -> Response:
        crawl = self._crawl(request)
        since = request.headers.get("last-event-id") or request.query_params.get("since") or "0"
        if not _is_number(since):
            raise HTTPException(400, "since is the id of an event, a number")
        return EventSourceResponse(
            stream(crawl, int(since), self.closing_down), ping=15, send_timeout=SLOWEST_READER, sep="\n"
        )

    async def visits(self, request: Request) -> Response:
        crawl, asked = self._crawl(request), request.query_params
        wishes, kind, first = (
            views.wanted(asked),
            views.kind_of(asked),
            views.first_row(asked),
        )
        if kind is None:
            return _json(await _read(crawl, lambda log: views.table(log, crawl.languages, wishes, first)))
        body = await _read(crawl, lambda log: views.download(log, crawl.languages, wishes, kind))
        saved = {"Content-Disposition": f'attachment; filename="{crawl.id}-visits.{kind}"'}
        return Response(body, headers=saved, media_type=views.KINDS[kind])

    async def visit(self, request: Request) -> Response:
        crawl, text = self._crawl(request), request.path_params["step"]
        answer = None
        if _is_number(text):
            answer = await _read(crawl, lambda log: visit_in_full(log, int(text), crawl.wish.query))
        if answer is None:
            raise HTTPException(404, f"there is no visit {text[:20]!r} yet")
        return _json(answer)

    async def text(self, request: Request) -> Response:
        return await self._kept(request, text_of, "text/plain")

    async def copy(self, request: Request) -> Response:
        return await self._kept(request, copy_of, "text/html")

    async def _kept(
        self, request: Request, reading: Callable[[CrawlFolder, int], str | bytes | None], kind: str
    ) -> Response:
        """What is kept of a page, for the browser to open by itself, or to save where it is a PDF."""
        crawl, step = self._crawl(request), request.path_params["step"]
        told = await _read(crawl, lambda log: reading(log, int(step))) if _is_number(step) else None
        if told is None:
            raise HTTPException(404, f"of visit {step[:20]!r} nothing of the kind was kept")
        if isinstance(told, bytes):
            return Response(told, headers=SAVED, media_type="application/pdf")
        body = told.encode("utf-8", "replace")
        return Response(body, headers=FIELDS, media_type=kind)

    async def snippets(self, request: Request) -> Response:
        crawl = self._crawl(request)
        texts = request.query_params.get("steps", "").split(",")
        if len(texts) > MOST_SNIPPETS or not all(map(_is_number, texts)):
            raise HTTPException(400, f"steps are up to {MOST_SNIPPETS} numbers, as in steps=1,2,3")
        steps = [int(text) for text in texts]
        return _json(await _read(crawl, lambda log: page_snippets(log, steps, crawl.wish.query)))

    async def curve(self, request: Request) -> Response:
        crawl = self._crawl(request)
        _log(crawl).close()  # one that cannot be read says so
        return _json({"points": thinned(crawl.curve())})

    async def failures(self, request: Request) -> Response:
        return _json(await _read(self._crawl(request), what_failed))

    async def outlook(self, request: Request) -> Response:
        return _json(await _read(self._crawl(request), outlook_of))

    async def export(self, request: Request) -> Response:
        crawl = self._crawl(request)
        form, criteria = format_of(request.query_params), criteria_of(request.query_params)
        chunk_words, since = chunk_words_of(request.query_params, form), request.query_params.get("since", "")
        if since and not _is_number(since):
            raise HTTPException(400, "since is the number of a round, as in since=1")

        def export(log: CrawlFolder) -> Path:
            moment = Since.of_round(log, int(since)) if since else None
            return export_file(log, form, replace(criteria, since=moment), chunk_words)

        file = await _read(crawl, export)
        return FileResponse(
            file,
            filename=file_name(crawl.id, form),
            media_type="application/octet-stream",
            background=BackgroundTask(file.unlink, missing_ok=True),
        )

    async def add_engine(self, request: Request) -> Response:
        """An engine is kept once it has answered a question."""
        form = await requests.read(request, NewEngine)
        engine = check(Engine(form.name, form.kind, form.address, form.key))
        await ask(engine, _TRIAL, self.live.user_agent)
        self.engines.add(engine)
        return _json({"engines": self._engine_menu()}, 201)

    async def remove_engine(self, request: Request) -> Response:
        await requests.read(request, Nothing)
        self.engines.remove(request.path_params["name"])
        return _json({"engines": self._engine_menu()})

    def _engine_menu(self) -> list[dict[str, Any]]:
        """The engines to choose from; keys and addresses are nobody's business."""
        return [
            {"name": name, "kind": engine.kind, "fixed": self.engines.is_fixed(name)}
            for name, engine in self.engines.items()
        ]

    async def search(self, request: Request) -> Response:
        words = request.query_params.get("q", "")[:1000]
        folders = [crawl.folder for crawl in self.crawls]
        return _json({"found": await run_in_threadpool(search_all, folders, words)})

    async def all_reports(self, request: Request) -> Response:
        return _json({"reports": await run_in_threadpool(self.reports.all)})

    async def report(self, request: Request) -> Response:
        html = await run_in_threadpool(self.reports.find, request.path_params["id"])
        if html is None:
            raise HTTPException(404, "there is no such report; see GET /api/reports")
        return Response(html, headers=fields(html), media_type="text/html")

    async def metrics(self, request: Request) -> Response:
        figures = await asyncio.gather(*(crawl.figures() for crawl in self.crawls))
        return Response(openmetrics(figures), media_type=MEDIA_TYPE)

    def _crawl(self, request: Request) -> ServerCrawl:
        crawl = self.crawls.find(request.path_params["id"])
        if crawl is None:
            raise HTTPException(404, "there is no such crawl; see GET /api/crawls")
        return crawl


def _is_number(text: str) -> bool:
    """Whether a text is a number that the log may know: digits, and not too many."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _log(crawl: ServerCrawl) -> CrawlFolder:
    """The log of a crawl, opened for reading."""
    try:
        return CrawlFolder(crawl.folder)
    except UserError as error:
        if not crawl.running and (trouble := trouble_with(crawl.folder, error)) is not None:
            raise HTTPException(500, f"{trouble}; remove it, or mend its folder") from None
        raise HTTPException(409, "the crawl has found nothing yet; try again in a moment") from None


async def _read(crawl: ServerCrawl, reading: Callable[[CrawlFolder], Any]) -> Any:
    """Read something of a log, out of the way of others."""

    def read_log() -> Any:
        with closing(_log(crawl)) as log:
            return reading(log)

    return await run_in_threadpool(read_log)

"""The log as the page reads it: nothing lost, nothing out of order, from wherever one catches up."""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.killing import Offline, Site
from tests.support.tampering import tampering
from tests.support.wishes import wish as made_wish

from salticid.model import Feedback
from salticid.protocols import Strategy
from salticid.runs.live_settings import LiveSettings
from salticid.service.details import visit_in_full
from salticid.service.server_crawl import ServerCrawl
from salticid.service.tally import BATCH, News, Reader
from salticid.store import log as writing
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies.best_first import BestFirst
from salticid.strategies.myspiders import Myspiders
from salticid.ui.views import stream


@contextmanager
def crawled(folder: Path, strategy: Strategy, pages: int = 120, liked: int = 0) -> Iterator[Offline]:
    """A crawl of a small site, closed at the end; a person likes its fourth page after so many visits."""
    site = Site(pages)
    crawl = Offline(site, folder, strategy, archive=False)
    with closing(crawl.log):
        crawl.open()
        crawl.run(liked or None)
        if liked:
            crawl.log.commit()
            (_, url), (step, _) = fourth_and_fifth(crawl.log.database.connection)
            crawl.crawl.hear([Feedback(url, 1)])
            crawl.crawl.revise([(step, 0.75)], [])
            crawl.run(3 * liked)
        yield crawl


def fourth_and_fifth(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Step and URL of two pages."""
    return db.execute("SELECT step, url FROM page ORDER BY step LIMIT 2 OFFSET 3").fetchall()


def pieces(folder: Path, since: int = 0) -> list[News]:
    with closing(CrawlFolder(folder)) as log:
        reader, found = Reader(log, since), []
        while (news := reader.news()) is not None:
            found.append(news)
        return found


def grow(folder: Path, times: int) -> None:
    """Write the visits of a log down again and again, as if it had gone on."""
    pages = "url, title, canonical, refresh, noindex, nofollow, body_sum, sum, stream, text"
    with tampering(folder) as db:
        visits, seq = db.execute("SELECT count(*), max(seq) FROM visit").fetchone()
        for n in range(1, times):
            db.execute(
                f"INSERT INTO visit SELECT step + {n * visits}, seq + {n * seq}, choice, final, outcome, status, "
                "score, positive, depth, seconds, at, size, modified, etag, revisit, records, duplicate_of, sum "
                f"FROM visit WHERE step < {visits}"
            )
            db.execute(f"INSERT INTO page SELECT step + {n * visits}, {pages} FROM page WHERE step < {visits}")


def test_all_visits_come_in_order_and_in_pieces(tmp_path: Path) -> None:
    with crawled(tmp_path, BestFirst(), 450):
        pass
    found = pieces(tmp_path)
    steps = [visit.step for news in found for visit in news.visits]
    assert steps == list(range(len(steps)))
    assert len(steps) >= 450
    assert max(len(news.visits) for news in found) == BATCH
    assert [news.upto for news in found] == sorted({news.upto for news in found})


def test_whoever_catches_up_from_any_number_loses_nothing(tmp_path: Path) -> None:
    with crawled(tmp_path, Myspiders(), 150, liked=60):
        pass

    def all_of(found: list[News]) -> tuple[list[int], list[Any], dict[int, float], dict[int, int]]:
        scores: dict[int, float] = {}
        likings: dict[int, int] = {}
        for news in found:
            scores |= news.scores
            likings |= news.likings
        visits = [visit.step for news in found for visit in news.visits]
        return visits, [event for news in found for event in news.agents], scores, likings

    visits, agents, scores, likings = all_of(pieces(tmp_path))
    with closing(CrawlFolder(tmp_path)) as log:
        (liked, _), (revised, _) = fourth_and_fifth(log.database.connection)
    assert likings == {liked: 1}
    assert scores[revised] == 0.75
    assert {event["name"] for event in agents} >= {"born", "agent"}
    last = pieces(tmp_path)[-1].upto
    for since in range(0, last + 2, 41):
        later = all_of(pieces(tmp_path, since))
        assert later[0] == visits[len(visits) - len(later[0]) :]
        assert later[1] == [event for event in agents if event["seq"] > since]
        with closing(CrawlFolder(tmp_path)) as log:
            left = log.database.connection.execute("SELECT count(*) FROM visit WHERE seq > ?", (since,)).fetchone()[0]
        assert len(later[0]) == left
    assert pieces(tmp_path, last) == []


def test_a_log_is_read_while_it_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH_SECONDS", math.inf)
    crawl = Offline(Site(120), tmp_path, BestFirst(), archive=False)
    with closing(crawl.log):
        crawl.open()
        crawl.run(20)
        crawl.log.commit()
        with closing(CrawlFolder(tmp_path)) as log:
            reader = Reader(log, 0)
            seen = [visit.step for news in iter(reader.news, None) for visit in news.visits]
            crawl.run()
            assert reader.news() is None, "what is not committed is not there"
            crawl.log.commit()
            seen += [visit.step for news in iter(reader.news, None) for visit in news.visits]
    assert seen == list(range(crawl.crawl.step))


def test_a_visit_is_shown_as_it_is_seen_by_now(tmp_path: Path) -> None:
    with crawled(tmp_path, BestFirst(), liked=60):
        pass
    with closing(CrawlFolder(tmp_path)) as log:
        steps = [step for step, _ in fourth_and_fifth(log.database.connection)]
        liked, revised = (visit_in_full(log, step, "jumping spider") for step in steps)
        assert liked is not None
        assert revised is not None
        assert (liked["liking"], revised["liking"]) == (1, 0)
        assert revised["score"] == 0.75
        assert liked["links"] >= 1
        hits = [text.lower() for text, hit in liked["snippet"] if hit]
        assert hits
        assert set(hits) <= {"jump", "spider"}, "words count by their stems"
        assert visit_in_full(log, 10**6, "x") is None


def test_ten_thousand_visits_are_read_in_a_moment_and_streamed_whole(tmp_path: Path) -> None:
    folder = tmp_path / "spiders"
    with crawled(folder, BestFirst(), 200):
        pass
    grow(folder, 50)
    wish = made_wish("spider", (), (), "best_first", "rocchio", 10, "2026-01-01", "stop")
    kept = ServerCrawl(folder, wish, LiveSettings())

    async def read_all() -> list[tuple[str | None, int]]:
        found: list[tuple[str | None, int]] = []
        async for event in stream(kept, 0, lambda: bool(found) and found[-1][0] == "state"):
            found.append((event.event, len(str(event.data))))
        return found

    began = time.process_time()
    found = asyncio.run(read_all())
    spent = time.process_time() - began
    kept.close()
    visits = [size for name, size in found if name == "visits"]
    assert len(visits) >= 50
    assert found[-1][0] == "state"
    assert spent < 3


@pytest.mark.parametrize("since", [0, 17])
def test_a_crawl_without_a_log_has_no_news_yet(tmp_path: Path, since: int) -> None:
    wish = made_wish("spider", (), (), "best_first", "rocchio", 10, "2026-01-01", "stop")
    kept = ServerCrawl(tmp_path, wish, LiveSettings())

    async def first() -> str | None:
        async for event in stream(kept, since, lambda: False):
            return event.event
        return None

    assert asyncio.run(first()) == "state"
    assert kept.summary().stopped == "interrupted"

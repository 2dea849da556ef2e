"""Crawls run by the page's server: begun, watched, paused, talked to, stopped, continued, and cut off."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from tests.support.generated_site import GeneratedSource
from tests.support.killing import PATIENCE, Site, alive, check_calls, children_of, served
from tests.support.ui_serving import Client, serving

import salticid
from salticid.store.crawl_folder import CrawlFolder
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build


def options(port: int) -> tuple[str | int, ...]:
    return ("--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", 0)


def begin(client: Client, site: Site, max_pages: int, **more: Any) -> str:
    order = {"query": "jumping spider", "strategy": "best_first", "max_pages": max_pages}
    order |= {"urls": [site.url(0)], **more}
    name: str = client.post("/api/crawls", order)["id"]
    return name


def pages_asked(site: Site) -> int:
    return sum(not asked.url.endswith("/robots.txt") for asked in site.asked)


def running(summary: dict[str, Any]) -> bool:
    return bool(summary["state"] == "running" and summary["pages"])


def ended(summary: dict[str, Any]) -> bool:
    return bool(summary["state"] == "ended")


def test_a_crawl_is_begun_streamed_to_its_end_and_looked_into(tmp_path: Path) -> None:
    site = Site(60)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        order = {"query": "jumping spider", "strategy": "best_first", "max_pages": 40, "language": ["en"]}
        refused = client.ask("POST", "/api/crawls", {**order, "urls": [site.url(0)], "language": ["xq"]})
        assert (refused.status, "xq" in refused.error) == (422, True)
        answer = client.post("/api/crawls", {**order, "urls": [site.url(0), "mailto:a@b"]})
        assert (
            json.loads((tmp_path / "crawls" / answer["id"] / "wish.json").read_text())["spec"]["topic"]["language"]
            == "en"
        )
        assert answer["seeds"] == [{"url": site.url(0), "from": "you"}]
        assert len(answer["warnings"]) == 1
        name, kinds = answer["id"], set()
        visits: list[dict[str, Any]] = []
        with client.stream(name) as events:
            for kind, _, body in events:
                kinds.add(kind)
                visits += body["visits"] if kind == "visits" else []
                if kind == "state" and body["state"] == "ended":
                    break
        assert {"visits", "state"} <= kinds
        assert [visit["step"] for visit in visits] == list(range(len(visits)))
        good = [visit for visit in visits if visit["outcome"] == "ok"]
        assert len(good) == body["pages"] == body["max_pages"] == 40
        assert (body["stopped"], body["can_continue"], body["hosts"]) == ("budget", True, 10)
        first = client.get(f"/api/crawls/{name}/visits/0")
        assert (first["url"], first["title"], first["source"]) == (site.url(0), "Page 0", -1)
        assert any(hit for _, hit in first["snippet"])
        assert set(client.get(f"/api/crawls/{name}/snippets?steps=0,3,99999")["snippets"]) == {"0", "3"}
        assert client.get(f"/api/crawls/{name}/curve")["points"][-1][0] == 40
        assert client.get("/api/search?q=spider")["found"][0]["crawl"] == name
        exported = client.ask("GET", f"/api/crawls/{name}/export?format=jsonl")
        assert exported.body.count(b"\n") == 40
        assert exported.fields["content-disposition"] == f'attachment; filename="{name}.jsonl"'
        assert [crawl["id"] for crawl in client.get("/api/crawls")["crawls"]] == [name]


def test_agents_are_told_of(tmp_path: Path) -> None:
    site = Site(80)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        name = begin(client, site, 40, strategy="myspiders")
        assert client.until(name, ended)["agents"]
        with client.stream(name) as events:
            kind, told = next((kind, body) for kind, _, body in events if kind == "agents")
        born = [event for event in told["events"] if event["name"] == "born"]
        assert kind == "agents"
        assert born
        assert all(event["keywords"] and event["energy"] > 0 for event in born)
        numbers = {event["agent"] for event in told["events"]}
        with client.stream(name) as events:
            visits = next(body["visits"] for kind, _, body in events if kind == "visits")
        assert {visit["agent"] for visit in visits} <= numbers


def test_the_page_hunts_in_a_recorded_world_too(tmp_path: Path) -> None:
    build(tmp_path / "worlds" / "small", GeneratedSource(200, seed=3))
    web = RecordedWeb(tmp_path / "worlds" / "small")
    seed = web.urls[web.page(0).url]
    with serving(tmp_path) as (_, client):
        assert client.get("/api/session")["worlds"] == ["small"]
        order = {"query": "jumping spider", "urls": [seed], "max_pages": 30}
        refused = client.ask("POST", "/api/crawls", {**order, "world": "large"})
        assert (refused.status, refused.error) == (422, "no world 'large'; there is: small")
        name = client.post("/api/crawls", {**order, "world": "small"})["id"]
        summary = client.until(name, ended)
        assert (summary["world"], summary["pages"], summary["stopped"]) == ("small", 30, "budget")
        (start,) = client.get(f"/api/crawls/{name}/failures")["starts"]
        assert (start["url"], start["state"]) == (seed, "read")
        client.post(f"/api/crawls/{name}/continue", {"max_pages": 60})
        assert client.until(name, lambda summary: summary["pages"] == 60 and ended(summary))["stopped"] == "budget"
    alone = salticid.hunt(
        salticid.Topic("jumping spider", "jumping spider", (seed,)), web, judge="profile", max_pages=60
    )
    with closing(CrawlFolder(tmp_path / "crawls" / name)) as crawl:
        assert [visit.url for visit in crawl.visits()] == [row["url"] for row in alone.rows()]


def test_a_paused_crawl_sends_nothing_and_its_clock_stands_still(tmp_path: Path) -> None:
    site = Site(3000, seconds=0.02)
    with served(site) as port, serving(tmp_path, *options(port)[:-1], 1) as (_, client):
        began = time.monotonic()
        name = begin(client, site, 2000)
        client.until(name, running)
        client.post(f"/api/crawls/{name}/pause")
        client.until(name, lambda summary: summary["state"] == "paused")
        ran = time.monotonic() - began
        before = client.until(name, lambda summary: summary["fetches"] == pages_asked(site))
        asked, rested = len(site.asked), time.monotonic() + ran + 2
        with client.stream(name) as events:
            looks = (
                [(one["url"], one["seconds"]) for one in body["fetching"]] for kind, _, body in events if kind == "now"
            )
            first = next(looks)
            while time.monotonic() < rested:
                assert next(looks) == first, "what is held back grows no older"
        assert first
        assert len(site.asked) == asked
        assert client.get(f"/api/crawls/{name}") == before
        goes_on = time.monotonic()
        client.post(f"/api/crawls/{name}/continue")
        after = client.until(name, lambda summary: summary["pages"] > before["pages"])
        assert after["seconds"] - before["seconds"] < ran + time.monotonic() - goes_on, "without the rest"
        client.post(f"/api/crawls/{name}/stop")
        over = client.until(name, ended)
        assert (over["stopped"], over["stopped_line"]) == ("interrupted", "You stopped it.")
        check_calls(tmp_path / "crawls" / name)


def test_what_a_person_says_is_heard_moves_links_and_is_not_forgotten(tmp_path: Path) -> None:
    site = Site(3000, seconds=0.02)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        name = begin(client, site, 2000)
        client.until(name, lambda summary: summary["pages"] > 20)
        with client.stream(name) as events:
            told = next(body["visits"] for kind, _, body in events if kind == "visits")
            liked = next(visit for visit in told if visit["outcome"] == "ok" and visit["step"])
            assert client.post(f"/api/crawls/{name}/feedback", {"step": liked["step"], "liking": 1}) == {"ok": True}
            heard: dict[str, Any] = {}
            while not {"moved", "scores", "feedback"} <= set(heard):
                kind, _, body = next(events)
                heard[kind] = body
        assert [liked["step"], 1] in heard["feedback"]["feedback"]
        assert heard["scores"]["scores"]
        assert heard["moved"]["up"]
        client.post(f"/api/crawls/{name}/stop")
        before = client.until(name, ended)
        now = client.get(f"/api/crawls/{name}/visits/{liked['step']}")
        assert now["liking"] == 1
        assert now["score"] > liked["score"]
        found = {hit["step"]: hit["score"] for hit in client.get("/api/search?q=page")["found"]}
        for step, score in found.items():
            assert score == client.get(f"/api/crawls/{name}/visits/{step}")["score"], "as it is judged by now"
        client.post(f"/api/crawls/{name}/feedback", {"step": liked["step"], "liking": 0})
        path = f"/api/crawls/{name}/visits/{liked['step']}"
        deadline = time.monotonic() + PATIENCE
        while client.get(path)["liking"] != 0:
            assert time.monotonic() < deadline, "an ended crawl is woken to hear"
            time.sleep(0.1)
        assert client.until(name, ended)["pages"] == before["pages"]
        assert client.until(name, ended)["stopped"] == "interrupted"


def test_what_is_taken_away_is_the_list_as_it_is_shown_or_all_that_is_liked_or_everything(
    tmp_path: Path,
) -> None:
    site = Site(100)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        name = begin(client, site, 40, judge="cosine")
        client.until(name, ended)
        with closing(CrawlFolder(tmp_path / "crawls" / name)) as crawl:
            ranked = sorted(crawl.visits(), key=lambda visit: (-visit.score, visit.step))
        said = {ranked[0].step: -1, ranked[2].step: 1, ranked[-1].step: 1}
        with client.stream(name) as events:
            for step, liking in said.items():
                client.post(f"/api/crawls/{name}/feedback", {"step": step, "liking": liking})
            heard: dict[int, int] = {}
            while heard != said:
                kind, _, body = next(events)
                heard |= dict(body["feedback"]) if kind == "feedback" else {}
        with closing(CrawlFolder(tmp_path / "crawls" / name)) as crawl:
            visits = sorted(crawl.visits(), key=lambda visit: (-visit.current_score, visit.step))

        def taken(query: str) -> list[str]:
            file = client.ask("GET", f"/api/crawls/{name}/export?format=ris&{query}").body.decode()
            return re.findall(r"^UR  - (\S+)", file, re.MULTILINE)

        line = visits[20].current_score
        on_list = [v for v in visits if v.word != "rejected" and (v.word or v.current_score >= line)]
        assert taken(f"which=list&line={line}") == [visit.final_url for visit in on_list]
        assert 10 < len(on_list) < 30
        reaching = [v for v in visits if v.word != "rejected" and v.current_score >= line]
        assert taken(f"which=list&least={line}") == [visit.final_url for visit in reaching]
        assert taken("which=liked") == [visit.final_url for visit in visits if visit.word == "liked"]
        assert taken("which=everything") == taken("") == [visit.final_url for visit in visits]
        references = client.ask("GET", f"/api/crawls/{name}/export?format=bibtex&which=liked")
        assert references.body.decode().count("Page ") == 2
        assert f'filename="{name}.bib"' in references.fields["content-disposition"]
        packed = client.ask("GET", f"/api/crawls/{name}/export?format=markdown&which=liked")
        assert f'filename="{name}.markdown.zip"' in packed.fields["content-disposition"]
        with ZipFile(io.BytesIO(packed.body)) as files:
            assert len(files.namelist()) == 1 + 2
            assert files.read("index.md").startswith(b"---\ntitle: ")
        whole, pieces = (
            client.ask("GET", f"/api/crawls/{name}/export?format=jsonl&which=liked{cut}").body.splitlines()
            for cut in ("", "&chunks=20")
        )
        assert len(pieces) > len(whole) == 2
        assert all(len(json.loads(piece)["text"].split()) <= 20 for piece in pieces)
        wrong_chunks = ("chunks=0", "chunks=x", "chunks=19", f"chunks={'9' * 30}")
        for wrong in (
            "which=best", "which=list&line=2", "which=list&line=nan", "which=list&least=x", *wrong_chunks
        ):  # fmt: skip
            refused = client.ask("GET", f"/api/crawls/{name}/export?format=csv&{wrong}")
            assert (refused.status, bool(refused.error)) == (422, True), wrong


def test_a_crawl_that_could_read_nothing_says_why_and_goes_on_when_the_server_allows_more(
    tmp_path: Path,
) -> None:
    site = Site(40, hosts=1)
    with served(site) as port:
        at = f"127.0.0.1:{port}/0"
        resolve = ("--resolve", f"*=127.0.0.1:{port}", "--delay", 0)
        with serving(tmp_path, *resolve) as (_, client):
            order = {"query": "jumping spider", "urls": [at], "strategy": "best_first"}
            name = client.post("/api/crawls", order)["id"]
            over = client.until(name, ended)
            assert (over["pages"], over["stopped"], over["can_continue"]) == (0, "frontier empty", False)
            assert over["stopped_line"] == "It read nothing: none of its start points could be read."
            (start,) = client.get(f"/api/crawls/{name}/failures")["starts"]
            assert (start["url"], start["state"]) == (at, "failed")
            assert start["cause"] == "127.0.0.1 is a loopback address"
            assert start["advice"].endswith("starting salticid serve with --allow-net 127.0.0.1/32")
        with serving(tmp_path, *resolve, "--allow-net", "127.0.0.1/32") as (_, client):
            assert client.get(f"/api/crawls/{name}")["can_continue"]
            client.post(f"/api/crawls/{name}/continue", {"more": 5})
            over = client.until(name, ended)
            assert (over["pages"], over["stopped"]) == (5, "budget")
            told = client.get(f"/api/crawls/{name}/failures")
            assert ([start["state"] for start in told["starts"]], told["hosts"]) == (["read"], [])
            assert client.get(f"/api/crawls/{name}/outlook") == {"remaining": None, "harvest": None}


def test_a_used_up_crawl_goes_on_only_with_a_larger_budget(tmp_path: Path) -> None:
    site = Site(100)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        name = begin(client, site, 20)
        client.until(name, ended)
        refused = client.ask("POST", f"/api/crawls/{name}/continue")
        assert (refused.status, "larger max_pages" in refused.error) == (422, True)
        client.post(f"/api/crawls/{name}/continue", {"max_pages": 50})
        over = client.until(name, lambda summary: ended(summary) and summary["pages"] > 20)
        assert (over["pages"], over["stopped"]) == (50, "budget")


def test_a_crawl_goes_on_with_so_many_more_pages_than_it_has_read_wherever_it_stopped(tmp_path: Path) -> None:
    site = Site(900, seconds=0.05)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        name = begin(client, site, 800)
        client.until(name, running)
        client.post(f"/api/crawls/{name}/stop")
        stopped = client.until(name, ended)
        assert 0 < stopped["pages"] < 700, "it was stopped long before its budget was used up"
        for more in (70, 10):
            went_on = client.post(f"/api/crawls/{name}/continue", {"more": more})
            assert went_on["max_pages"] == stopped["pages"] + more
            over = client.until(name, ended)
            assert (over["pages"], over["stopped"]) == (stopped["pages"] + more, "budget")
            stopped = over
        ahead = client.get(f"/api/crawls/{name}/outlook")["harvest"]
        assert 0 <= ahead["low"] <= ahead["mean"] <= ahead["high"] <= 1, "it can be told after the end, too"
        both = client.ask("POST", f"/api/crawls/{name}/continue", {"more": 10, "max_pages": 300})
        assert (both.status, "not both" in both.error) == (422, True)
    check_calls(tmp_path / "crawls" / name)


def test_crawls_go_on_after_the_server_was_stopped_or_killed_or_their_process_was(tmp_path: Path) -> None:
    site = Site(900, seconds=0.02)
    with served(site) as port:
        with serving(tmp_path, *options(port)) as (program, client):
            one, two = begin(client, site, 800), begin(client, site, 800)
            client.until(one, running)
            client.until(two, running)
            client.post(f"/api/crawls/{two}/pause")
            client.until(two, lambda summary: summary["state"] == "paused")
            program.process.terminate()
            assert program.ends() == 0
            assert "1 crawl was stopped; it goes on when the server runs again." in program.err
        with serving(tmp_path, *options(port)) as (program, client):
            there = client.until(one, running)["pages"]
            assert client.get(f"/api/crawls/{two}")["state"] == "paused"
            children = children_of(program.process.pid)
            assert len(children) == 1
            os.kill(children[0], signal.SIGKILL)
            cut = client.until(one, ended)
            assert (cut["stopped"], cut["can_continue"]) == ("cut off", True)
            assert "continue it" in cut["stopped_line"]
            client.post(f"/api/crawls/{one}/continue")
            client.until(one, lambda summary: running(summary) and summary["pages"] > there)
            children = children_of(program.process.pid)
            program.kill()
        with serving(tmp_path, *options(port)) as (_, client):
            assert client.get(f"/api/crawls/{one}")["state"] in ("starting", "running"), "it waits for its turn"
            deadline = time.monotonic() + PATIENCE
            while any(map(alive, children)):
                assert time.monotonic() < deadline, "a crawl without a server stops by itself"
                time.sleep(0.05)
            client.post(f"/api/crawls/{two}/continue")
            assert client.until(one, ended)["pages"] == 800
            assert client.until(two, ended)["pages"] == 800
    for name in (one, two):
        folder = tmp_path / "crawls" / name
        check_calls(folder)
        with closing(sqlite3.connect(folder / "crawl.db")) as db:
            twice = "SELECT url FROM page GROUP BY url HAVING count(*) > 1"
            assert db.execute(twice).fetchall() == []


def test_many_words_at_once_to_a_crawl_that_has_ended_are_all_heard(tmp_path: Path) -> None:
    site = Site(60)
    with served(site) as port, serving(tmp_path, *options(port)) as (program, client):
        name = begin(client, site, 30)
        before = client.until(name, ended)
        steps = range(0, 12, 2)

        def like(step: int) -> int:
            return client.ask("POST", f"/api/crawls/{name}/feedback", {"step": step, "liking": 1}).status

        with client.stream(name) as events, ThreadPoolExecutor(len(steps)) as people:
            answers = list(people.map(like, steps))
            assert len(children_of(program.process.pid)) <= 1, "one process wakes for all of them"
            good = {step for step, status in zip(steps, answers, strict=True) if status == 200}
            assert good
            heard: dict[int, int] = {}
            while set(heard) < good:
                kind, _, body = next(events)
                heard |= dict(body["feedback"]) if kind == "feedback" else {}
        assert set(heard.values()) == {1}
        after = client.until(name, lambda summary: ended(summary) and not children_of(program.process.pid))
        assert (after["stopped"], after["pages"]) == (before["stopped"], before["pages"])


def test_a_crawl_that_has_ended_can_be_removed_and_nothing_else(tmp_path: Path) -> None:
    site = Site(900, seconds=0.02)
    with served(site) as port, serving(tmp_path, *options(port)) as (_, client):
        one, two = begin(client, site, 20), begin(client, site, 800)
        client.until(one, ended)
        client.until(two, running)
        refused = client.ask("DELETE", f"/api/crawls/{two}")
        assert (refused.status, "stop it first" in refused.error) == (422, True)
        assert client.ask("DELETE", f"/api/crawls/{one}", known=False).status == 401
        with client.stream(one) as events:
            assert next(events)
            assert client.ask("DELETE", f"/api/crawls/{one}").json == {"ok": True}
            assert list(events)[-1][0] in ("state", "visits"), "the stream of what is gone ends"
        assert sorted(path.name for path in (tmp_path / "crawls").iterdir()) == [two]
        for method, path in (("DELETE", one), ("GET", one), ("GET", f"{one}/stream"), ("DELETE", "..")):
            assert client.ask(method, f"/api/crawls/{path}").status == 404
        assert [crawl["id"] for crawl in client.get("/api/crawls")["crawls"]] == [two]
        assert {hit["crawl"] for hit in client.get("/api/search?q=page")["found"]} <= {two}
        assert begin(client, site, 20) not in (one, two), "a window on the old one must not meet another"

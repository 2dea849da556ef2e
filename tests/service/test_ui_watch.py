"""Rounds of watching by the page's server: they begin by themselves, and outlive the server that began them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.generated_site import GeneratedSource
from tests.support.killing import Site, served
from tests.support.ui_serving import serving

from salticid.worlds.building import build


def options(port: int) -> tuple[str | int, ...]:
    return ("--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", 0)


def ended(summary: dict[str, Any]) -> bool:
    return bool(summary["state"] == "ended")


def watched(summary: dict[str, Any]) -> bool:
    return ended(summary) and summary["round"] is not None


def test_a_round_begins_by_itself_and_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    site = Site(30, seconds=0.02)
    with served(site) as port:
        with serving(tmp_path, *options(port)) as (_, client):
            order = {"query": "jumping spider", "strategy": "best_first", "max_pages": 30}
            name = client.post("/api/crawls", {**order, "urls": [site.url(0)]})["id"]
            summary = client.until(name, ended)
            assert (summary["can_watch"], summary["round"], summary["every"]) == (True, None, None)
            assert client.get(f"/api/crawls/{name}/news") == {"rounds": [], "news": None}
            wanted = client.post(f"/api/crawls/{name}/watch", {"every": "week", "now": False})
            assert wanted["every"] == "week"
        site.seconds = 0.3
        with serving(tmp_path, *options(port)) as (program, client):
            summary = client.until(name, lambda told: bool(told["looking"] and told["looking"]["pages"]))
            assert (summary["watching"], summary["round"]) == (True, 1)
            for asked in ("pause", "continue", "watch"):
                answer = client.ask("POST", f"/api/crawls/{name}/{asked}", {})
                assert answer.status == 422, answer.body
            program.kill()
        site.seconds = 0.0
        with serving(tmp_path, *options(port)) as (_, client):
            summary = client.until(name, watched)
            assert (summary["round"], summary["watching"]) == (1, False), "it is not due again"
            told = client.get(f"/api/crawls/{name}/news")
            assert [each["stopped"] for each in told["rounds"]] == ["done"]
            assert told["news"]["counts"] == {
                "new": 0, "changed": 0, "gone": 0, "back": 0, "same": 30, "still_gone": 0, "unknown": 0,
            }  # fmt: skip
            assert client.ask("GET", f"/api/crawls/{name}/news?round=2").status == 422
            assert client.ask("GET", f"/api/crawls/{name}/news?round=x").status == 400
    assert (tmp_path / "crawls" / name / "rounds" / "001" / "feed.xml").is_file()


def test_a_hunt_in_a_recorded_world_is_not_watched(tmp_path: Path) -> None:
    build(tmp_path / "worlds" / "small", GeneratedSource(pages=30))
    with serving(tmp_path) as (_, client):
        order = {"query": "pottery", "strategy": "best_first", "max_pages": 5, "world": "small"}
        name = client.post("/api/crawls", {**order, "urls": ["http://nowhere.example/"]})["id"]
        assert client.until(name, ended)["can_watch"] is False
        answer = client.ask("POST", f"/api/crawls/{name}/watch", {})
        assert (answer.status, "nothing changes" in answer.error) == (422, True)

"""A crawl that is watched: rounds over a site whose pages change by rules, over real sockets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import msgspec
import pytest
from tests.runs.test_given_past import as_if_made_before
from tests.support.changing_site import LONG_AGO, SITE, Site, crawl, page, reach, refreshed, serving
from tests.support.killing import Program
from tests.support.running import salticid, salticid_anew
from tests.support.tampering import tampering

from salticid.runs.live_settings import LiveSettings
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.new_files import new_file
from salticid.store.folder_lock import lock
from salticid.store.news.changes import rounds
from salticid.store.schema import DATABASE_FILE, MEMORY

_TWO_YEARS_AHEAD = """
import sys, time
now = time.time
time.time = lambda: now() + 2 * 365 * 86_400.0
sys.argv[0] = "salticid"
from salticid.cli import main
main()
"""
KINDS = ("new", "changed", "gone", "same")


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Site, int]]:
    with serving() as made:
        yield made


@pytest.fixture(scope="module")
def first_hunt(server: tuple[Site, int], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A crawl of eight pages, and these."""
    folder = tmp_path_factory.mktemp("first") / "c"
    made, port = server
    crawl(as_new(made), port, folder)
    return folder, dict(made.pages)


@pytest.fixture
def site(server: tuple[Site, int]) -> tuple[Site, int]:
    return as_new(server[0]), server[1]


def as_new(made: Site) -> Site:
    """The site, empty, as if nobody had ever asked for anything."""
    for name, value in vars(Site()).items():
        setattr(made, name, value)
    return made


@pytest.fixture
def hunted(site: tuple[Site, int], first_hunt: tuple[Path, dict[str, str]], tmp_path: Path) -> tuple[Site, Path]:
    """The site when it had been crawled into a folder."""
    copytree(first_hunt[0], tmp_path / "c")
    site[0].pages |= first_hunt[1]
    site[0].dated["/dated"] = LONG_AGO
    return site[0], tmp_path / "c"


def watched(site: Site, folder: Path, *options: str | int) -> dict[str, Any]:
    """What a round says, the site being asked."""
    site.asked.clear()
    said = salticid("watch", folder, *reach(folder), "--json", *options)
    assert said.status == 0, said.err
    result: dict[str, Any] = json.loads(said.out)
    return result


def counts(result: dict[str, Any]) -> tuple[int, ...]:
    return tuple(result[kind] for kind in KINDS)


def set_settings(folder: Path, **values: object) -> None:
    """Let the last run of a crawl have been made with other settings."""
    with tampering(folder) as db:
        number, text = db.execute("SELECT id, settings FROM session ORDER BY id DESC").fetchone()
        settings = json.dumps({**json.loads(text), **values})
        db.execute("UPDATE session SET settings = ? WHERE id = ?", (settings, number))


def asked(site: Site) -> list[str]:
    return [path for path, _ in site.asked]


def digest(folder: Path, number: int) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / "rounds" / f"{number:03}" / "digest.json").read_text())
    return told


def urls(told: dict[str, Any], kind: str) -> set[str]:
    return {about["url"].removeprefix(SITE) for about in told[kind]}


def test_a_round_tells_what_is_new_changed_and_gone(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    web.pages["/tagged2"] = page("a changed tag", "/fresh")
    web.pages["/fresh"] = page("a fresh page", "/deeper")
    web.pages["/deeper"] = page("a page behind it")
    web.pages["/plain2"] = "<title>Bread</title><p>flour, water, salt and yeast"
    del web.pages["/leaving"]
    result = watched(web, folder)
    assert counts(result) == (2, 2, 1, 5)
    assert {name: result[name] for name in ("round", "fetches", "stopped", "out")} == {
        "round": 1, "fetches": 10, "stopped": "done", "out": str(folder),
    }  # fmt: skip
    told = digest(folder, 1)
    assert urls(told, "new") == {"/fresh", "/deeper"}
    assert urls(told, "changed") == {"/tagged2", "/plain2"}
    assert urls(told, "gone") == {"/leaving"}
    assert {file.name for file in (folder / "rounds" / "001").iterdir()} > {
        "digest.html", "digest.json", "feed.xml",
    }  # fmt: skip
    fields = dict(web.asked)
    assert "if-none-match" in fields["/tagged"]
    assert "if-modified-since" in fields["/dated"]
    visits = [json.loads(line) for line in salticid("visits", folder, "--json").out.splitlines()]
    about = {visit["url"].removeprefix(SITE): visit for visit in visits}
    assert about["/fresh"]["source"] == f"{SITE}/tagged2", "who linked to it is told"
    assert about["/plain2"]["current_score"] < about["/plain2"]["score"], "it is judged as it is now"
    again = watched(web, folder)
    assert (again["round"], *counts(again)) == (2, 0, 0, 0, 9), "what was told is not told again"


SOFT = {
    "/counter": ("<p>Seen 1,204 times.", "<p>Seen 1,377 times."),
    "/date": ("<p>Updated Friday, 5 June 2026, 10:15 am.", "<p>Updated Monday, 6 July 2026, 9:01 pm."),
    "/comments": ("<p>5 comments, 2 hours ago.", "<p>1 comment, an hour ago."),
    "/order": ("<p>They jump.<p>They dance.", "<p>They dance.<p>They jump."),
    "/links": ("", "<p><a href=/fresh>One more link</a>"),
}


def test_dates_counters_and_links_alone_are_no_change(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    web.pages["/fresh"] = page("a fresh page")
    text = "<title>Soft</title><p>jumping spiders {}"
    crawl(web, port, tmp_path / "c", {path: text.format(before) for path, (before, _) in SOFT.items()})
    web.pages |= {path: text.format(after) for path, (_, after) in SOFT.items()}
    result = watched(web, tmp_path / "c")
    assert counts(result) == (1, 0, 0, 13), "new links are hunted all the same"
    web.pages |= {path: f"{web.pages[path]} They build no webs." for path in SOFT}
    result = watched(web, tmp_path / "c")
    assert urls(digest(tmp_path / "c", 2), "changed") == SOFT.keys()


def test_what_the_whole_site_says_now_is_no_news_of_its_pages(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    crawl(web, port, tmp_path / "c", {f"/more{n}": page(f"more about {'x' * (n + 3)}") for n in range(6)})
    web.dated.clear()
    for path in list(web.pages):
        web.pages[path] += "<footer>The society wishes you a merry summer</footer>"
    web.pages["/plain"] += " and velvet ants"
    assert counts(watched(web, tmp_path / "c")) == (0, 1, 0, 13)
    assert urls(digest(tmp_path / "c", 1), "changed") == {"/plain"}


def test_a_page_that_moved_is_neither_gone_nor_new(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    web.pages["/elsewhere"] = web.pages.pop("/plain")
    web.moved["/plain"] = "/elsewhere"
    web.pages["/plain2"] = page("something new at last", "/elsewhere")
    assert counts(watched(web, folder)) == (0, 1, 0, 7)
    assert asked(web).count("/elsewhere") == 1
    web.pages["/elsewhere"] = page("a new text at the new place")
    del web.moved["/plain"]
    result = watched(web, folder)
    assert counts(result) == (0, 1, 0, 7)
    assert "/plain" not in asked(web), "it is asked for where it is"
    web.moved["/elsewhere"] = "/"
    assert counts(watched(web, folder)) == (0, 0, 1, 7), "what leads to another page is gone"


def test_a_page_that_was_gone_comes_back(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    web.status |= {"/leaving": 410, "/flaky": 500}
    result = watched(web, folder)
    assert (*counts(result), result["unknown"]) == (0, 0, 1, 6, 1), "a server in trouble changes nothing"
    del web.status["/flaky"]
    assert counts(watched(web, folder)) == (0, 0, 0, 7), "it is gone once"
    del web.status["/leaving"]
    assert counts(watched(web, folder))[1:3] == (0, 0)
    assert urls(digest(folder, 3), "back") == {"/leaving"}


def test_the_fetches_of_a_round_are_bounded(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    web.dated.clear()
    for path in list(web.pages):
        web.pages[path] += f" and a new sentence about {path[1:]} <a href=/fresh{path[1:]}>more</a>"
        web.pages[f"/fresh{path[1:]}"] = page(f"fresh things of {path[1:]}")
    result = watched(web, folder, "--max-fetches", 5)
    assert (result["fetches"], result["stopped"]) == (5, "fetches")
    assert len([path for path in asked(web) if path != "/robots.txt"]) == 5
    assert result["changed"] + result["same"] > 0
    result = watched(web, folder, "--max-fetches", 100)
    assert (result["stopped"], len(asked(web))) == ("done", result["fetches"])
    with closing(CrawlFolder(folder)) as crawled:
        pages = {visit.final_url.removeprefix(SITE) for visit in crawled.visits()}
        assert pages == web.pages.keys(), "what one round leaves, the next finds"
        assert [stored.fetches for stored in rounds(crawled.database)] == [5, 100]


RSS = "<rss><channel><title>News</title>{}</channel></rss>"
ITEM = "<item><link>{0}</link><title>jumping spiders of {0}</title></item>"
FEED_LINK = "<link rel=alternate type=application/rss+xml href=/feed.xml>"


def test_feeds_and_sitemaps_that_brought_finds_are_read_first(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    maps = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
    web.kinds |= {"/feed.xml": "application/rss+xml", "/sitemap.xml": "application/xml"}
    web.pages |= {
        "/feed.xml": RSS.format(ITEM.format("/fed")),
        "/sitemap.xml": maps.format(f"<url><loc>{SITE}/mapped</loc></url>"),
        "/fed": page("food"),
        "/mapped": page("maps"),
    }
    crawl(web, port, tmp_path / "c", {"/feeding": f"{FEED_LINK}{page('feeding')}"}, "--feeds", "--sitemaps")
    web.pages["/feed.xml"] = RSS.format(ITEM.format("/fed") + ITEM.format("/fed2"))
    web.pages["/sitemap.xml"] = maps.format(f"<url><loc>{SITE}/mapped2</loc></url>")
    web.pages |= {"/fed2": page("more food"), "/mapped2": page("more maps")}
    result = watched(web, tmp_path / "c")
    assert urls(digest(tmp_path / "c", 1), "new") == {"/fed2", "/mapped2"}
    assert {*asked(web)[:2]} == {"/feed.xml", "/sitemap.xml"}
    assert result["fetches"] == len(asked(web))


def test_a_folder_that_was_refreshed_is_watched(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    web.pages["/plain"] = page("a second version")
    assert refreshed(folder)["changed"] == 1
    assert counts(watched(web, folder)) == (0, 0, 0, 8)


def test_a_folder_of_an_earlier_version_is_watched(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    as_if_made_before(folder, "hunter")
    web.pages["/plain"] = page("a second version", "/fresh")
    web.pages["/fresh"] = page("a fresh page")
    assert counts(watched(web, folder)) == (1, 1, 0, 7)
    assert counts(watched(web, folder)) == (0, 0, 0, 9)


def test_the_crawl_itself_can_go_on_after_rounds(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    order = crawl(web, port, tmp_path / "c", {}, "--max-pages", "9")
    web.pages["/plain"] = page("a second version", "/fresh", "/fresh2", "/fresh3")
    web.pages |= {f"/fresh{n}": page(f"fresh things {n}") for n in ("", "2", "3")}
    assert watched(web, tmp_path / "c")["new"] == 3
    said = salticid(*order)
    assert (said.status, json.loads(said.out)["stopped"]) == (0, "budget"), said.err


def test_what_cannot_be_watched_is_refused(tmp_path: Path) -> None:
    assert salticid("world", "build", tmp_path / "w", "--synthetic", "30").status == 0
    (tmp_path / "t.toml").write_text('name = "t"\nkeywords = "pottery"\nseeds = ["http://nowhere.example/"]\n')
    assert salticid("crawl", tmp_path / "t.toml", "--web", tmp_path / "w", "--out", tmp_path / "c").status == 1, (
        "it read nothing"
    )
    said = salticid("watch", tmp_path / "c")
    assert (said.status, "recorded world" in said.err, said.out) == (2, True, "")
    said = salticid("watch", tmp_path / "none")
    assert (said.status, "holds no crawl" in said.err) == (2, True)
    said = salticid("watch", tmp_path / "c", "--every", "soon")
    assert (said.status, "duration" in said.err) == (2, True)


def test_a_folder_does_not_decide_what_this_machine_reaches(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    allow, net, resolve, rule = reach(folder)
    web.asked.clear()
    copytree(folder, folder.parent / "d")
    said = salticid("watch", folder, "--json", resolve, rule)
    assert (said.status, json.loads(said.out)["unknown"]) == (3, 8), said.err
    assert "None of 8 known pages could be fetched" in said.err
    for each in (said, salticid("refresh", folder.parent / "d", resolve, rule)):
        assert f"This crawl was made with {allow} {net};" in each.err
    assert web.asked == []
    kept = LiveSettings(proxy="http://a.example:1", allow_net=("::1",), workers=999, concurrency=9999, delay=3.0)
    used = kept.of_a_folder()
    assert (used.proxy, used.allow_net, used.concurrency, used.delay) == (None, (), 64, 3.0)
    assert used.workers <= (os.cpu_count() or 1)


def test_options_that_a_folder_recorded_are_named_each_time(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    set_settings(folder, allow_net=["::1"], resolve=["*=127.0.0.1:9"], dns="127.0.0.1:9", access=["a.example"])
    said = salticid("refresh", folder)
    assert (said.status, "fields or cookies for a.example" in said.err) == (2, True), said.err
    reminder = "This crawl was made with --allow-net ::1{} --dns 127.0.0.1:9; a folder cannot set that."
    assert reminder.format(" --resolve '*=127.0.0.1:9'") in said.err
    set_settings(folder, access=[])
    for command in ("watch", "watch", "refresh"):  # a run without an option does not make it unnecessary
        said = salticid(command, folder, "--resolve", "*=127.0.0.1:9")
        assert reminder.format("") in said.err, said.err
    set_settings(folder, proxy="http://127.0.0.1:9")
    for command in ("watch", "refresh"):
        said = salticid(command, folder)
        assert (said.status, "through the proxy http://127.0.0.1:9, which is not taken" in said.err) == (
            2,
            True,
        )
    assert web.asked == []


_SETTINGS: list[tuple[str, object]] = [
    ("concurrency", -5), ("concurrency", 0), ("concurrency", 2**62), ("access", 5), ("access", [5]), ("allow_net", 5),
    ("allow_net", [5]), ("delay", -1.0), ("timeout", "x"), ("max_disk", -1), ("user_agent", 5), ("render", []),
]  # fmt: skip


def test_settings_out_of_bounds_are_damage(hunted: tuple[Site, Path], first_hunt: tuple[Path, dict[str, str]]) -> None:
    web, folder = hunted
    same_crawl: tuple[str | Path, ...] = (
        "crawl",
        first_hunt[0].parent / "topic.toml",
        "--out",
        folder,
        "--delay",
        "0",
        *reach(folder),
    )
    commands: list[tuple[str | Path, ...]] = [("watch", folder), ("refresh", folder), same_crawl]
    with closing(CrawlFolder(folder)) as crawled:
        right = crawled.settings() or {}
    for name, value in _SETTINGS:
        set_settings(folder, **{**right, name: value})
        for command in commands:
            said = salticid(*command, "--quiet")
            assert (said.status, said.err.count("\n")) == (2, 1), (name, value, said.err)
            assert f"the settings that {folder} holds are damaged: Expected" in said.err
            assert f"`$.{name}" in said.err or name == "access"
    said = salticid_anew("watch", folder)
    assert (said.status, said.err.count("\n")) == (2, 1), said.err
    assert web.asked == []


def test_a_round_under_a_wrong_clock_does_not_end_watching(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    ahead = (sys.executable, "-c", _TWO_YEARS_AHEAD)
    with Program("watch", folder, "--json", *reach(folder), by=ahead) as program:
        assert program.ends() == 0, program.err
    web.asked.clear()
    said = salticid("watch", folder, "--json", "--max-fetches", "20", *reach(folder))
    assert said.status == 0, said.err
    assert "The clock jumped: this crawl was last written at" in said.err
    assert counts(json.loads(said.out)) == (0, 0, 0, 8)


@pytest.mark.parametrize("signature", [b"", bytes(16)], ids=["unsigned", "forged"])
@pytest.mark.parametrize("command", ["watch", "refresh"])
def test_a_folder_cannot_allow_what_a_host_forbids(hunted: tuple[Site, Path], command: str, signature: bytes) -> None:
    web, folder = hunted
    web.pages["/robots.txt"] = "User-agent: *\nDisallow: /"
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as db, db:
        (name,) = (row[0] for row in db.execute("SELECT name FROM memory WHERE name LIKE 'robots %'"))
        note = signature + msgspec.msgpack.encode((time.time() + 9_999.0, 404, b""))
        db.execute(MEMORY.replace, MEMORY.with_checksum((name, note)))
    salticid(command, folder, *reach(folder))
    assert {path for path, _ in web.asked} == {"/robots.txt"}


def test_a_robots_file_that_this_machine_read_is_not_fetched_again(hunted: tuple[Site, Path]) -> None:
    web, folder = hunted
    assert salticid("refresh", folder, *reach(folder)).status == 0
    assert "/robots.txt" not in {path for path, _ in web.asked}


def test_a_round_whose_hosts_all_ask_for_a_pause_says_so(hunted: tuple[Site, Path]) -> None:
    _, folder = hunted
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as db, db:
        note = msgspec.msgpack.encode((0.0, time.time() + 9_999.0))
        db.execute(MEMORY.replace, MEMORY.with_checksum(("host site.example", note)))
    said = salticid("watch", folder, *reach(folder))
    assert (said.status, "None of 8 known pages was fetched: site.example asked for" in said.err) == (
        3,
        True,
    ), said


def test_with_every_a_round_that_fails_is_tried_again(hunted: tuple[Site, Path]) -> None:
    _, folder = hunted
    every = ("--every", "0.2s")
    with closing(lock(folder)) as held, Program("watch", folder, "--json", *every, *reach(folder)) as program:
        assert program.until_said("This round failed:")
        held.close()
        assert program.until(lambda: "\n" in program.out, "a round")
        program.send(signal.SIGINT)
        assert program.ends() == 130
        assert json.loads(program.out.splitlines()[0])["round"] == 1


_LINKS: list[tuple[str, str, int]] = [
    ("snapshot.partial", "crawl", 0), ("snapshot.partial", "watch", 0), ("snapshot.partial", "forget", 0),
    ("warc", "crawl", 2), ("warc", "watch", 2), ("warc", "forget", 0), ("rounds", "watch", 2), ("rounds", "forget", 2),
    ("search.db", "search", 0), ("search.db", "forget", 0), ("exports", "export", 2), ("exports", "markdown", 2),
]  # fmt: skip


@pytest.mark.parametrize("to_folder", [False, True])
def test_no_command_writes_through_a_symlink(
    hunted: tuple[Site, Path], first_hunt: tuple[Path, dict[str, str]], tmp_path: Path, to_folder: bool
) -> None:
    _, folder = hunted
    outside, own = tmp_path / "outside", tmp_path / "own"
    precious = outside / "precious"
    outside.mkdir()
    precious.write_text("precious")
    topic, options = first_hunt[0].parent / "topic.toml", reach(folder)
    commands: dict[str, tuple[str | Path, ...]] = {
        "crawl": ("crawl", topic, "--out", own, "--delay", "0", "--max-pages", "1001", *options),
        "watch": ("watch", own, *options),
        "forget": ("forget", own, f"{SITE}/leaving"),
        "search": ("search", own, "spiders"),
        "export": ("export", own, "--to", "jsonl", "--out", own / "exports" / "x.jsonl"),
        "markdown": ("export", own, "--to", "markdown", "--out", own / "exports" / "x"),
    }
    for name, command, status in _LINKS:
        copytree(folder, own)
        if (own / name).exists():
            rmtree(own / name)
        (own / name).symlink_to(outside if to_folder else precious)
        said = salticid(*commands[command])
        assert (said.status, "Traceback" in said.err) == (status, False), (name, command, said.err)
        assert status == 0 or f"{own / name} is a symlink or not a regular file" in said.err
        assert [each.name for each in outside.iterdir()] == ["precious"], (name, command)
        assert precious.read_text() == "precious", (name, command)
        rmtree(own)


def test_an_export_is_not_written_through_a_symlink_in_its_way(tmp_path: Path) -> None:
    precious, out = tmp_path / "precious", tmp_path / "out.jsonl"
    precious.write_text("precious")
    (tmp_path / f".{out.name}.{os.getpid()}.partial").symlink_to(precious)
    with new_file(out) as file:
        file.write(b"pages")
    assert (precious.read_text(), out.read_bytes()) == ("precious", b"pages")

"""The generated web as a world: whole, the same everywhere, the same to the byte where nothing happened."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from tests.support.running import salticid
from tests.support.serving import ask, served_world
from tests.webs.test_render import differing

from salticid.errors import UserError
from salticid.model import Outcome, Response
from salticid.urls import canonical
from salticid.webs.arrays import ROW, TOKEN, URL
from salticid.webs.live.robots import RobotsFile
from salticid.webs.recorded import OUTCOMES, RecordedWeb
from salticid.worlds.answers import labels_of
from salticid.worlds.generating import building
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.generating.press import Press
from salticid.worlds.topics import TopicPlan, make_topics

ROBOTS = OUTCOMES.index(Outcome.ROBOTS)


def built(folder: Path, pages: int, seed: int = 0, day: int = 0, menus: bool = False) -> RecordedWeb:
    build_generated(folder, WebEdition(pages, seed, day, menus))
    return RecordedWeb(folder)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return built(tmp_path_factory.mktemp("generated") / "web", 1_200)


def told(web: RecordedWeb, answer: Response) -> tuple[object, ...]:
    """Everything about a page and its answer, in no table's ids."""
    page = answer.page
    assert page is not None
    links = zip(
        web.urls.spell(page.links.url.tolist()),
        page.links.start.tolist(),
        page.links.end.tolist(),
        strict=True,
    )
    words = web.words.spell(page.tokens.tolist())
    return (web.urls[page.url], page.title, page.text, words, list(links), answer.modified, answer.size)


def everything(web: RecordedWeb) -> dict[str, tuple[object, ...]]:
    return {web.urls[url]: told(web, web.fetch(url)) for url in range(web.pages)}


def test_a_seed_makes_the_same_web_on_every_machine(web: RecordedWeb) -> None:
    """Of what the pages say and lead to; how their texts are packed is the business of a library."""
    digest = hashlib.blake2b(digest_size=16)
    for number, page in enumerate(everything(web).values()):
        answer = web.fetch(number)
        digest.update(repr((page, answer.seconds)).encode())
    for url in range(web.pages, len(web.urls)):
        answer = web.fetch(url)
        digest.update(repr((web.urls[url], answer.outcome, web.urls[answer.final], answer.seconds)).encode())
    assert digest.hexdigest() == "01b986e8665d41ffdc20b1d5de3f2203"


def test_another_seed_makes_another_web(web: RecordedWeb, tmp_path: Path) -> None:
    other = built(tmp_path / "other", 1_200, seed=1)
    here, there = everything(web), everything(other)
    assert sum(here[url] == there[url] for url in here.keys() & there.keys()) == 0


def test_several_processes_make_what_one_makes(
    web: RecordedWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_ALONE", 0)
    monkeypatch.setattr(building, "AT_ONCE", 500)
    assert built(tmp_path / "together", 1_200).digest == web.digest


def test_a_page_is_the_same_whoever_is_printed_with_it() -> None:
    press = Press(400, seed=0, day=0)
    one, many = press.print(123, 124), press.print(100, 200)
    ends = np.cumsum(many.counts[TOKEN.end])
    assert one.tokens.tolist() == many.tokens[ends[22] : ends[23]].tolist()
    assert one.urls == many.urls[23:24]


@pytest.mark.parametrize("pages", [1, 2, 3, 12, 31, 120])
def test_a_web_may_be_tiny(pages: int, tmp_path: Path) -> None:
    web = built(tmp_path / "web", pages)
    assert web.pages == pages == sum(len(urls) for urls in labels_of(web.folder).values())
    assert all(web.fetch(url).page for url in range(pages))


def test_all_pages_come_back_from_html(web: RecordedWeb) -> None:
    assert differing(web) == []


def test_every_url_is_canonical_and_recorded_once(web: RecordedWeb) -> None:
    urls = web.urls.spell(list(range(len(web.urls))))
    assert [url for url in urls if canonical(url) != url] == []
    assert len(set(urls)) == len(urls)
    assert {web.fetch(url).outcome for url in range(len(urls))} == {
        Outcome.OK, Outcome.DEAD, Outcome.ROBOTS, Outcome.UNREACHABLE,
    }  # fmt: skip


def test_redirects_lead_to_pages_that_have_moved(web: RecordedWeb) -> None:
    moved = np.flatnonzero(web.arrays[ROW.target] >= 0).tolist()
    assert moved
    for url in moved:
        answer = web.fetch(url)
        assert answer.outcome is Outcome.OK
        assert "/archive/" in web.urls[answer.final]


def test_what_did_not_change_is_the_same_on_both_days(web: RecordedWeb, tmp_path: Path) -> None:
    later = built(tmp_path / "later", 1_200, day=28)
    before, after = everything(web), everything(later)
    both = before.keys() & after.keys()
    dates = {url: (before[url][5], after[url][5]) for url in both}
    same = [url for url, (old, new) in dates.items() if old == new]
    assert len(both) > len(same) > 400
    assert [url for url in same if before[url] != after[url]] == []
    assert all(old < new for old, new in dates.values() if old != new)  # type: ignore[operator]
    edited = [url for url in both if before[url][5] != after[url][5]]
    assert sum(before[url][2:5] != after[url][2:5] for url in edited) > 0.9 * len(edited)


def test_dates_are_before_the_day_and_after_the_last_one(web: RecordedWeb, tmp_path: Path) -> None:
    later = built(tmp_path / "later", 1_200, day=10)
    midnight, day = 1_767_225_600, 86_400
    dates = web.arrays[ROW.modified][: web.pages]
    assert dates.max() < midnight + day
    assert later.arrays[ROW.modified][: later.pages].max() < midnight + 11 * day
    news = everything(later).keys() - everything(web).keys()
    born = [later.fetch(later.urls.find(url)).modified for url in news if "/archive/" not in url]
    assert all(date is not None and date >= midnight + day for date in born)


def test_labels_make_topics_of_twenty_pages_and_more(tmp_path: Path) -> None:
    web = built(tmp_path / "web", 5_000, seed=3)
    labels = labels_of(web.folder)
    assert len(labels) == 25
    assert min(len(urls) for urls in labels.values()) >= 20
    made = make_topics(web.folder, tmp_path / "topics", TopicPlan())
    assert (len(made.files), made.left_out) == (25, {})
    assert "science.astronomy" in labels


def test_labels_of_ones_own_may_be_added(tmp_path: Path) -> None:
    plain = built(tmp_path / "plain", 60)
    (tmp_path / "more.tsv").write_text(f"{plain.urls[7]}\tmine\nhttp://nobody.example/\tmine\n")
    made = build_generated(tmp_path / "web", WebEdition(60), tmp_path / "more.tsv")
    assert labels_of(tmp_path / "web")["mine"] == [plain.urls[7]]
    assert (made.label_count, made.manifest.left_out) == (61, {"label for an unknown URL": 1})


def test_served_hosts_say_what_they_forbid(web: RecordedWeb) -> None:
    row_of, kind = web.arrays[URL.row], web.arrays[ROW.kind]
    forbidden = [web.urls[url] for url in np.flatnonzero(kind[row_of] == ROBOTS).tolist()]
    assert forbidden
    with served_world(web.folder) as port:
        for url in forbidden:
            origin = url.partition("/members/")[0]
            rules = RobotsFile.parse(ask(port, f"{origin}/robots.txt").body)
            assert not rules.allows(url, "Salticid")
            assert rules.allows(f"{url}l", "Salticid")
            assert rules.allows(f"{origin}/", "Salticid")
        hosts = {url.split("/")[2] for url in forbidden}
        free = next(url for url in web.urls.spell(list(range(web.pages))) if url.split("/")[2] not in hosts)
        assert ask(port, f"http://{free.split('/')[2]}/robots.txt").status == 404


def test_the_command_builds_the_day_that_is_asked_for(tmp_path: Path) -> None:
    said = salticid("world", "build", tmp_path / "web", "--synthetic", "90", "--seed", "4", "--at", "12")
    assert said.status == 0, said.err
    manifest = RecordedWeb(tmp_path / "web").arrays.manifest
    assert manifest.built_from == "generated web, version 2, 90 pages from seed 4 on day 12"
    assert manifest.digest == built(tmp_path / "again", 90, 4, 12).digest


@pytest.fixture(scope="module")
def menus(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return built(tmp_path_factory.mktemp("generated") / "menus", 600, menus=True)


def test_every_page_of_a_site_begins_with_its_menu(menus: RecordedWeb) -> None:
    home = menus.urls[0]
    whole = [page for url in range(80) if (page := menus.fetch(url).page) is not None]
    site = [page for page in whole if menus.urls[page.url].startswith(home)]
    assert len(site) == 80, "no site is small"
    bars = [menus.urls.spell(page.links.url.tolist())[:20] for page in site]
    assert all(len(set(bar) & set(bars[79])) >= 19 for bar in bars), "the same on each page, but for the page itself"
    for page in site:
        start, end = page.links.start[:20], page.links.end[:20]
        assert (start[1:] == end[:-1]).all(), "nothing stands between the links of a menu"
        before = start[0] - 2 * len(page.title.split())
        assert before in (0, 12), "and but for title and description nothing before them"
    words = set(menus.words.spell(site[79].tokens[site[79].links.start[0] : site[79].links.end[19]].tolist()))
    assert len(words & {label.partition(".")[2] for label in labels_of(menus.folder)}) > 2, "of several topics"


def test_share_links_carry_the_title_and_lead_nowhere(menus: RecordedWeb) -> None:
    shared = [url for url in range(menus.pages, len(menus.urls)) if "//share.example/" in menus.urls[url]]
    assert len(shared) > 0.9 * menus.pages
    assert {menus.fetch(url).outcome for url in shared} == {Outcome.DEAD}
    titles = {parse_qs(urlsplit(menus.urls[url]).query)["title"][0] for url in shared}
    spelt = {menus.fetch(url).page.title.lower() for url in range(menus.pages)}  # type: ignore[union-attr]
    assert titles <= spelt


def test_a_web_with_menus_is_a_web_like_any_other(menus: RecordedWeb, tmp_path: Path) -> None:
    urls = menus.urls.spell(list(range(len(menus.urls))))
    assert [url for url in urls if canonical(url) != url] == []
    assert len(set(urls)) == len(urls)
    said = salticid("world", "build", tmp_path / "web", "--synthetic", "600", "--menus")
    assert said.status == 0, said.err
    manifest = RecordedWeb(tmp_path / "web").arrays.manifest
    assert manifest.built_from == "generated web with heavy menus, version 2, 600 pages from seed 0 on day 0"
    assert manifest.digest == menus.digest
    assert built(tmp_path / "tiny", 3, menus=True).pages == 3
    assert differing(built(tmp_path / "small", 100, menus=True)) == []


def test_what_goes_wrong_leaves_nothing_behind(tmp_path: Path) -> None:
    def interrupt(done: int, pages: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_generated(tmp_path / "web", WebEdition(50), watch=interrupt)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UserError, match="no day 99999"):
        WebEdition(50, day=99_999)
    built(tmp_path / "web", 20)
    with pytest.raises(UserError, match="exists already"):
        build_generated(tmp_path / "web", WebEdition(50))

"""Measures about links: the graph of a world, distances from the seeds, cohesiveness, overlap of crawls."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.generated_site import GeneratedSource

from salticid.metrics.links import histogram, mean_distance, overlap
from salticid.metrics.parts.graph import PageLinks, community_cohesiveness, community_overall, gather
from salticid.model import Ints
from salticid.webs.arrays import PAGE
from salticid.webs.recorded import MAX_REDIRECTS, RecordedWeb
from salticid.worlds.answers import Answer
from salticid.worlds.building import build
from salticid.worlds.writer import WorldWriter

HOME = "http://w.example/"

ids = st.lists(st.integers(0, 9), max_size=20)
rows = st.lists(st.lists(st.integers(-1, 7), max_size=6), min_size=1, max_size=8)


def recorded(
    folder: Path,
    pages: Mapping[str, str],
    redirects: Mapping[str, str] | None = None,
    dead: Sequence[str] = (),
) -> RecordedWeb:
    """A world of pages given as HTML by name, in which `x` is at http://w.example/x."""
    writer = WorldWriter(folder)
    for name, html in pages.items():
        writer.add(Answer(HOME + name, html=html.encode()))
    for name, to in (redirects or {}).items():
        writer.add(Answer(HOME + name, status=301, location=HOME + to))
    for name in dead:
        writer.add(Answer(HOME + name, status=404))
    writer.close("a test")
    return RecordedWeb(folder)


def linking(*names: str) -> str:
    return "".join(f"<a href={name}>to {name}</a>" for name in names)


def at(web: RecordedWeb, names: str | Sequence[str]) -> Ints:
    """The ids of the URLs of some names."""
    return np.array([web.urls.intern(HOME + name) for name in names], np.int32)


def names(web: RecordedWeb, pages: Ints) -> list[str]:
    return [web.urls[web.page(page).url].removeprefix(HOME) for page in pages.tolist()]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    """A generated world, with redirects, dead links and links that may not be followed."""
    folder = tmp_path_factory.mktemp("graph") / "world"
    build(folder, GeneratedSource(400, seed=1))
    return RecordedWeb(folder)


def test_a_link_leads_to_the_page_that_answers(tmp_path: Path) -> None:
    web = recorded(
        tmp_path / "world",
        {"a": linking("b", "old", "gone", "nobody", "b"), "b": linking("loop"), "c": ""},
        redirects={"old": "older", "older": "c", "loop": "pool", "pool": "loop"},
        dead=["gone"],
    )
    links = PageLinks.between(web)
    assert names(web, links.of(0)) == ["b", "c", "b"]
    assert names(web, links.of(1)) == []
    assert len(links) == 3


def test_links_nobody_may_follow_lead_nowhere(tmp_path: Path) -> None:
    shut = f"<meta name=robots content=nofollow>{linking('a')}"
    web = recorded(tmp_path / "world", {"a": f"<a rel=nofollow href=b>no</a>{linking('c')}", "b": "", "c": shut})
    links = PageLinks.between(web)
    assert names(web, links.of(0)) == ["c"]
    assert names(web, links.of(2)) == []


def test_redirects_are_followed_as_far_as_the_web_follows_them(tmp_path: Path) -> None:
    hops = {f"r{n}": f"r{n - 1}" for n in range(2, MAX_REDIRECTS + 2)} | {"r1": "end"}
    web = recorded(tmp_path / "world", {"end": "", "a": linking(f"r{MAX_REDIRECTS}", f"r{MAX_REDIRECTS + 1}")}, hops)
    links = PageLinks.between(web)
    for name in (f"r{MAX_REDIRECTS}", f"r{MAX_REDIRECTS + 1}"):
        page = web.fetch(int(at(web, [name])[0])).page
        assert names(web, links.answering(at(web, [name]))) == (["end"] if page else [])
    assert names(web, links.of(1)) == ["end"]


def test_each_url_has_the_page_that_fetching_it_gives(generated: RecordedWeb) -> None:
    links = PageLinks.between(generated)
    redirected = 0
    for url in range(len(generated.urls)):
        answer = generated.fetch(url)
        number = int(links.page_at[url])
        assert (generated.page(number).url if number >= 0 else None) == (answer.page and answer.page.url)
        redirected += answer.page is not None and answer.final != url
    assert redirected


def test_the_links_of_a_generated_world_are_those_read_off_its_pages(generated: RecordedWeb) -> None:
    links = PageLinks.between(generated)
    withheld = 0
    for number in range(generated.pages):
        page = generated.page(number)
        wanted = [] if page.nofollow else page.links.url[~page.links.nofollow].tolist()
        withheld += len(page.links) - len(wanted)
        there = [page.url for page in map(generated.page_at, wanted) if page is not None]
        assert [generated.page(other).url for other in links.of(number).tolist()] == there
    assert withheld


def test_urls_that_the_world_never_saw_answer_with_no_page(generated: RecordedWeb) -> None:
    new = generated.urls.intern("http://never.seen.example/")
    assert len(PageLinks.between(generated).answering(np.array([new, -1], np.int32))) == 0


def test_seeds_that_lead_to_no_page_leave_everything_out_of_reach(tmp_path: Path) -> None:
    web = recorded(tmp_path / "world", {"a": ""}, redirects={"x": "nowhere"})
    assert PageLinks.between(web).distances(at(web, ["x"])).tolist() == [-1]
    assert PageLinks.between(web).distances(at(web, [])).tolist() == [-1]


def test_distance_counts_links_on_the_shortest_way_from_any_seed(tmp_path: Path) -> None:
    #  a -> b -> c -> d -> e,   f -> d,   g leads in and nothing leads to g
    pages = {"a": linking("b"), "b": linking("c", "a"), "c": linking("d"), "d": linking("e"), "e": ""}
    web = recorded(tmp_path / "world", pages | {"f": linking("d"), "g": linking("a")})
    assert PageLinks.between(web).distances(at(web, "a")).tolist() == [0, 1, 2, 3, 4, -1, -1]
    away = PageLinks.between(web).distances(at(web, "fa"))
    assert away.tolist() == [0, 1, 2, 1, 2, 0, -1]
    fetched = np.array([0, 1, 3, 4, 6], np.int32)
    assert histogram(away, fetched) == [1, 2, 1]
    assert mean_distance(away, fetched) == (0 + 1 + 1 + 2) / 4
    assert mean_distance(away, fetched[4:]) is None
    assert histogram(away, fetched[:0]) == []


def test_every_page_but_a_seed_is_one_link_farther_than_its_nearest_parent(generated: RecordedWeb) -> None:
    links = PageLinks.between(generated)
    seeds = generated.arrays[PAGE.url][[3, 250]]
    away = links.distances(seeds)
    nearest = np.full(len(links), 10**6)
    for page in range(len(links)):
        if away[page] >= 0:
            np.minimum.at(nearest, links.of(page), away[page] + 1)
    nearest[[3, 250]] = 0
    assert away.max() > 2
    assert np.where(nearest < 10**6, nearest, -1).tolist() == away.tolist()


@given(rows, st.lists(st.integers(0, 7), max_size=10))
def test_gathering_rows_is_joining_them(some: list[list[int]], wanted: list[int]) -> None:
    wanted = [row for row in wanted if row < len(some)]
    start = np.cumsum([0, *map(len, some)])
    values = np.array([value for row in some for value in row], np.int32)
    joined = [value for row in wanted for value in some[row]]
    assert gather(start, values, np.array(wanted, np.int32)).tolist() == joined


def test_links_among_pages_are_places_in_the_crawl(tmp_path: Path) -> None:
    web = recorded(tmp_path / "world", {"a": linking("b", "c", "d"), "b": linking("a"), "c": linking("d"), "d": ""})
    start, link = PageLinks.between(web).among(np.array([2, 3, 0], np.int32))
    assert start.tolist() == [0, 1, 1, 4]
    assert link.tolist() == [1, -1, 0, 1]


def test_cohesiveness_by_hand() -> None:
    # 0 -> 1, 1, 2, outside; 1 -> 0; 2 -> 0, 1; 3 -> nothing. Links into {0, 1, 3}: 1, 1, 2, 0.
    start, link = np.array([0, 4, 5, 7, 7]), np.array([1, 1, 2, -1, 0, 0, 1], np.int32)
    community = np.array([True, True, False, True])
    assert community_cohesiveness(start, link, community) == pytest.approx((1 + 1 + 0) / 3)
    assert community_overall(start, link, community) == (1 + 1 + 2 + 0) / 4


def test_without_a_community_nothing_coheres() -> None:
    start, link = np.array([0, 1, 2]), np.array([1, 0], np.int32)
    nobody = np.zeros(2, np.bool_)
    assert community_cohesiveness(start, link, nobody) is None
    assert community_overall(start, link, nobody) == 0
    assert community_overall(np.array([0]), link[:0], nobody[:0]) is None
    assert community_cohesiveness(np.array([0]), link[:0], nobody[:0]) is None


@given(rows, st.sets(st.integers(0, 7)))
def test_cohesiveness_is_the_formula_over_sets(some: list[list[int]], chosen: set[int]) -> None:
    crawl = range(len(some))
    sets = [{to for to in row if to in crawl} for row in some]
    inside = chosen & set(crawl)
    start = np.cumsum([0, *map(len, some)])
    link = np.array([to if to in crawl else -1 for row in some for to in row], np.int32)
    community = np.array([page in inside for page in crawl])
    overall = sum(len(to & inside) for to in sets) / len(some)
    assert community_overall(start, link, community) == pytest.approx(overall)
    if inside:
        within = sum(len(sets[page] & inside) for page in inside) / len(inside)
        assert community_cohesiveness(start, link, community) == pytest.approx(within)


def test_overlap_is_the_common_share_of_the_larger_crawl() -> None:
    assert overlap(np.array([1, 2, 3, 4]), np.array([3, 9, 1, 8])) == 0.5
    assert overlap(np.array([1, 2, 3, 4]), np.array([4])) == 0.25
    assert overlap(np.array([1, 2]), np.array([], np.int32)) == 0
    assert overlap(np.array([], np.int32), np.array([], np.int32)) is None


@given(ids, ids)
def test_overlap_is_the_formula_over_sets(a: list[int], b: list[int]) -> None:
    one, other = set(a), set(b)
    larger = max(len(one), len(other))
    assert overlap(np.array(a, np.int32), np.array(b, np.int32)) == (len(one & other) / larger if larger else None)

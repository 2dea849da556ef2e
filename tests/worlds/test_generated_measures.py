"""Every property that docs/generated-web.md promises, measured on webs that are built."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from salticid.model import Outcome
from salticid.webs.arrays import LINK, ROW, TOKEN, URL
from salticid.webs.recorded import OUTCOMES, REDIRECT, RecordedWeb
from salticid.worlds.answers import labels_of
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.generating.plan import WebPlan

Whole = npt.NDArray[np.int64]
PAGES = 8_000
OK = OUTCOMES.index(Outcome.OK)


@dataclass(frozen=True)
class Measured:
    """A built web, and what can be counted in it."""

    web: RecordedWeb

    @cached_property
    def out_degree(self) -> Whole:
        ends: Whole = self.web.arrays[LINK.end].astype(np.int64)
        degree: Whole = ends - np.append(0, ends[:-1])
        return degree

    @cached_property
    def source(self) -> Whole:
        return np.repeat(np.arange(self.web.pages), self.out_degree)

    @cached_property
    def target(self) -> Whole:
        return self.web.arrays[LINK.url].astype(np.int64)

    @cached_property
    def in_degree(self) -> Whole:
        return np.bincount(self.target, minlength=len(self.web.urls))[: self.web.pages]

    @cached_property
    def kind(self) -> Whole:
        """What each link answers."""
        arrays = self.web.arrays
        kind: Whole = arrays[ROW.kind][arrays[URL.row][self.target]].astype(np.int64)
        return kind

    @cached_property
    def host(self) -> Whole:
        return self.web.arrays[URL.host].astype(np.int64)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        return labels_of(self.web.folder)

    @cached_property
    def topic(self) -> Whole:
        """The number of the label of each URL, or -1."""
        topic = np.full(len(self.web.urls), -1)
        for number, urls in enumerate(self.labels.values()):
            topic[[self.web.urls.find(url) for url in urls]] = number
        return topic

    def words(self, page: int) -> Whole:
        return self.web.page(page).tokens.astype(np.int64)

    def linked(self, page: int) -> Whole:
        """The pages that a page links to."""
        end = int(self.web.arrays[LINK.end][page])
        here = slice(end - int(self.out_degree[page]), end)
        pages: Whole = self.target[here][self.kind[here] == OK]
        return pages

    def around(self, page: int, distance: int) -> list[Whole]:
        """The pages at 1, 2, ... links from a page."""
        seen, rings = {page}, []
        ring = [page]
        for _ in range(distance):
            reached = {int(there) for here in ring for there in self.linked(here)} - seen
            seen |= reached
            ring = sorted(reached)
            rings.append(np.array(ring, np.int64))
        return rings


def built(folder: Path, pages: int, day: int = 0) -> Measured:
    build_generated(folder, WebEdition(pages, seed=1, day=day))
    return Measured(RecordedWeb(folder))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return built(tmp_path_factory.mktemp("generated") / "web", PAGES)


def exponent(values: Whole, smallest: int) -> float:
    """Of a power law, by the estimate of greatest likelihood for whole numbers from `smallest` on.

    A. Clauset, C. R. Shalizi, M. E. J. Newman: Power-law distributions in empirical data, 2009, (3.7).
    """
    tail = values[values >= smallest]
    assert len(tail) > 100
    return float(1 + len(tail) / np.log(tail / (smallest - 0.5)).sum())


def test_the_estimate_finds_a_known_exponent() -> None:
    rolls = np.random.default_rng(1).random(100_000)
    drawn = (9.5 * (1 - rolls) ** (-1 / 1.1) + 0.5).astype(np.int64)
    assert exponent(drawn, 10) == pytest.approx(2.1, abs=0.02)


def test_sizes_of_hosts_fall_as_a_power_law(web: Measured) -> None:
    sizes = np.bincount(web.host[: web.web.pages])
    assert exponent(sizes, 5) == pytest.approx(1.89, abs=0.15)
    assert sizes.max() > 40 * np.median(sizes[sizes > 0])
    assert sizes.max() <= PAGES / 20 + 240


def test_in_and_out_degrees_fall_as_power_laws(web: Measured) -> None:
    assert exponent(web.in_degree, 20) == pytest.approx(2.1, abs=0.25)
    assert exponent(web.out_degree, 10) == pytest.approx(2.7, abs=0.25)
    assert web.out_degree.mean() == pytest.approx(10, abs=1)
    assert web.in_degree.max() > 100 * np.median(web.in_degree)


def test_most_pages_can_be_reached_from_any_home(web: Measured) -> None:
    reached = sum(len(ring) for ring in web.around(0, 12))
    assert reached > 0.9 * PAGES


def test_links_stay_at_home_and_on_topic(web: Measured) -> None:
    ok = web.kind == OK
    away = ok & (web.host[web.source] != web.host[web.target])
    assert 0.5 < 1 - away.sum() / ok.sum() < 0.65
    told = away & (web.topic[web.source] >= 0) & (web.topic[web.target] >= 0)
    fields = np.array([label.partition(".")[0] for label in web.labels])
    here, there = web.topic[web.source[told]], web.topic[web.target[told]]
    assert 0.55 < (here == there).mean() < 0.75
    by_chance = (fields[:, None] == fields).sum() / len(fields) - 1
    nearby = (fields[here] == fields[there])[here != there].mean()
    assert nearby > 1.5 * by_chance / (len(fields) - 1)


def cosine(one: Whole, other: Whole) -> float:
    a, b = Counter(one.tolist()), Counter(other.tolist())
    product = sum(count * b[word] for word, count in a.items())
    sizes = sum(count * count for count in a.values()) * sum(count * count for count in b.values())
    return float(product / np.sqrt(sizes))


def test_topics_and_texts_grow_apart_with_every_link(web: Measured) -> None:
    rng = np.random.default_rng(2)
    common = set(np.argsort(-np.bincount(web.web.arrays[TOKEN.word]))[:300].tolist())

    def rare(page: int) -> Whole:
        return np.array([word for word in web.words(page).tolist() if word not in common])

    topical, alike = np.zeros((40, 4)), np.zeros((40, 4))
    starts = rng.choice(np.flatnonzero(web.topic[: web.web.pages] >= 0), 40, replace=False)
    for row, start in enumerate(starts.tolist()):
        for ring, pages in enumerate(web.around(start, 4)):
            topical[row, ring] = (web.topic[pages] == web.topic[start]).mean() if len(pages) else 0
            some = rng.choice(pages, min(8, len(pages)), replace=False).tolist()
            alike[row, ring] = np.mean([cosine(rare(start), rare(page)) for page in some] or [0])
    near, two, three, four = topical.mean(axis=0)
    assert near > 1.2 * two > 1.4 * three > 1.7 * four
    assert near > 10 / len(web.labels)
    near, two, three, four = alike.mean(axis=0)
    assert near > 1.2 * two > 1.4 * three > 1.6 * four


def test_links_of_a_topic_stand_together(web: Measured) -> None:
    """Of links to labeled pages: neighbors, and those six or more apart, in the mean of pages with seven or more."""
    beside, apart = [], []
    for begin, degree in zip(
        (np.cumsum(web.out_degree) - web.out_degree).tolist(), web.out_degree.tolist(), strict=True
    ):
        topics = web.topic[web.target[begin : begin + degree]]
        topics = topics[topics >= 0]
        if len(topics) > 6:
            one, other = np.triu_indices(len(topics), 6)
            beside.append((topics[1:] == topics[:-1]).mean())
            apart.append((topics[one] == topics[other]).mean())
    assert 0.08 < np.mean(beside) - np.mean(apart) < 0.16


def test_words_around_a_link_fit_its_target(web: Measured) -> None:
    """Eight words on either side of a link, anchors left out, are nearer to its target than to another link's."""
    rng = np.random.default_rng(3)
    common = np.argsort(-np.bincount(web.web.arrays[TOKEN.word]))[:300]
    nearer: list[float] = []
    for number in rng.permutation(np.flatnonzero(web.out_degree > 6))[:500].tolist():
        page = web.web.page(number)
        in_anchor = np.zeros(len(page.tokens), np.bool_)
        for link in range(len(page.links.url)):
            in_anchor[page.links.start[link] : page.links.end[link]] = True
        free = np.flatnonzero(~in_anchor)
        text = page.tokens[free].astype(np.int64)
        spots = np.searchsorted(free, page.links.start)
        inside = np.flatnonzero((spots > 30) & (spots < len(text) - 1) & (web.topic[page.links.url] >= 0))
        for one, other in pairwise(rng.permutation(inside).tolist()):
            here, there = (web.web.page_at(int(page.links.url[link])) for link in (one, other))
            if here is None or there is None or web.topic[here.url] == web.topic[there.url]:
                continue
            around = text[max(0, spots[one] - 8) : spots[one] + 8]
            rare = np.append(around[~np.isin(around, common)], -1)
            own, foreign = (cosine(rare, target.tokens.astype(np.int64)) for target in (here, there))
            nearer.append(1.0 if own > foreign else 0.5 * (own == foreign))
    assert len(nearer) > 400
    assert np.mean(nearer) == pytest.approx(0.61, abs=0.04)


def test_portals_are_popular_off_topic_and_linked_to_each_other(web: Measured) -> None:
    hosts = WebPlan.of(PAGES, seed=1).hosts
    is_portal = np.append(hosts.is_portal, np.zeros(hosts.graves, np.bool_))[web.host]
    assert 0.02 < is_portal[: web.web.pages].mean() < 0.034
    away = (web.kind == OK) & (web.host[web.source] != web.host[web.target])
    here, there = is_portal[web.source], is_portal[web.target]
    assert there[away & ~here].mean() == pytest.approx(0.18, abs=0.04)
    assert there[away & here].mean() > 0.4
    on_topic = web.topic[web.source] == web.topic[web.target]
    assert on_topic[away & here & there].mean() < 0.1


def test_lists_of_links_lead_away_from_their_hosts(web: Measured) -> None:
    lists = np.flatnonzero(web.out_degree >= 40)
    assert 0.005 * PAGES < len(lists) < 0.04 * PAGES
    of_lists = np.isin(web.source, lists)
    away = web.host[web.source] != web.host[web.target]
    assert away[of_lists].mean() > 0.6 > away[~of_lists].mean()


def test_anchors_say_much_little_or_nothing(web: Measured) -> None:
    said: Counter[str] = Counter()
    for number in range(0, web.web.pages, 20):
        page = web.web.page(number)
        for place, target in enumerate(page.links.url.tolist()):
            there = web.web.page_at(target)
            if there is None:
                continue
            words = " ".join(web.web.words.spell(page.anchor(place).tolist()))
            title = there.title.lower()
            kind = "nothing" if not words else "title" if words == title else "other"
            kind = "part" if kind == "other" and title.endswith(words) else kind
            said["plain" if words in ("click here", "more", "this page", "read more", "link", "here") else kind] += 1
    shares = {kind: count / said.total() for kind, count in said.items()}
    assert shares["title"] == pytest.approx(0.5, abs=0.12)
    assert 0.15 < shares["part"] < 0.4
    assert 0.03 < shares["plain"] < 0.2
    assert 0.01 < shares["nothing"] < 0.06


def test_frequencies_of_words_fall_as_zipf_found(web: Measured) -> None:
    counts = np.sort(np.bincount(web.web.arrays[TOKEN.word]))[::-1]
    ranks = np.arange(20, 2_000)
    slope, _ = np.polyfit(np.log(ranks), np.log(counts[ranks - 1]), 1)
    assert slope == pytest.approx(-1.05, abs=0.12)


def test_vocabularies_grow_with_webs_as_heaps_found(web: Measured, tmp_path: Path) -> None:
    small = built(tmp_path / "small", PAGES // 8)
    texts = len(web.web.arrays[TOKEN.word]) / len(small.web.arrays[TOKEN.word])
    growth = np.log(len(web.web.words) / len(small.web.words)) / np.log(texts)
    assert growth == pytest.approx(0.5, abs=0.12)


def shingles(words: Whole) -> frozenset[tuple[int, ...]]:
    listed = words.tolist()
    return frozenset(zip(*(listed[shift:] for shift in range(5)), strict=False))


def resemblance(one: frozenset[tuple[int, ...]], other: frozenset[tuple[int, ...]]) -> float:
    return len(one & other) / max(1, len(one | other))


def near_duplicates(web: Measured, pages: list[int]) -> float:
    """The share of pages of which another one has half of the shingles; those that share any are compared."""
    sets = {page: shingles(web.words(page)) for page in pages}
    holders: dict[tuple[int, ...], list[int]] = {}
    for page, found in sets.items():
        for shingle in sorted(found, key=hash)[:20]:
            holders.setdefault(shingle, []).append(page)
    alike: set[int] = set()
    for together in holders.values():
        for one, other in pairwise(together):
            if resemblance(sets[one], sets[other]) >= 0.5:
                alike |= {one, other}
    return len(alike) / len(pages)


def test_more_than_a_quarter_of_the_pages_resembles_another(web: Measured) -> None:
    topics = np.flatnonzero(np.isin(web.topic[: web.web.pages], np.arange(0, len(web.labels), 4)))
    assert near_duplicates(web, topics.tolist()) == pytest.approx(0.29, abs=0.07)


def test_some_links_are_dead_moved_forbidden_or_lead_to_nobody(web: Measured) -> None:
    def share(kind: int) -> float:
        return float((web.kind == kind).mean())

    assert share(OUTCOMES.index(Outcome.DEAD)) == pytest.approx(0.09, abs=0.03)
    assert 0.001 < share(REDIRECT) < 0.01
    assert 0.003 < share(OUTCOMES.index(Outcome.ROBOTS)) < 0.02
    assert 0.001 < share(OUTCOMES.index(Outcome.UNREACHABLE)) < 0.01


def test_pages_of_several_languages_use_words_of_their_own(web: Measured) -> None:
    hosts = np.bincount(web.host[: web.web.pages], web.topic[: web.web.pages] < 0) > 0
    assert 0.04 < hosts.mean() < 0.13
    foreign = [word for word in web.web.words.spell(list(range(len(web.web.words)))) if not word.isascii()]
    assert len(foreign) > 1_000
    texts = [web.web.page(number).text for number in np.flatnonzero(web.topic[: web.web.pages] < 0)[:200].tolist()]
    assert sum(any(char in text for char in "äöüßéèôñáíó") for text in texts) > 100


def test_a_calendar_is_a_long_chain_of_nothing(web: Measured) -> None:
    calendar = [number for number in range(web.web.pages) if "/calendar/" in web.web.urls[number]]
    assert len(calendar) == 240
    assert all(len(web.words(page)) < 30 for page in calendar)
    chained = {int(there) for page in calendar for there in web.linked(page)}
    assert set(calendar) <= chained
    entrances = [page for page in web.source[np.isin(web.target, calendar)].tolist() if page not in calendar]
    assert len(entrances) == 1


def test_sizes_have_a_heavy_tail_and_hosts_their_own_pace(web: Measured) -> None:
    pages = web.web.pages
    size, seconds = web.web.arrays[ROW.size][:pages], web.web.arrays[ROW.seconds][:pages]
    assert exponent(size.astype(np.int64), 6_000) == pytest.approx(2.33, abs=0.3)
    assert 0.03 < np.percentile(seconds, 1) < np.median(seconds) < np.percentile(seconds, 99) < 1
    small = size < 4_000
    means = [
        seconds[small & (web.host[:pages] == host)].mean() for host in np.argsort(-np.bincount(web.host[:pages]))[:20]
    ]
    assert max(means) > 2 * min(means)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, tuple[str, float | None]]]:
    """The text and the date of every page on some days, by URL."""
    folder = tmp_path_factory.mktemp("days")
    snapshots = {}
    for day in (0, 7, 70, 364):
        web = built(folder / str(day), 2_000, day).web
        answers = (web.fetch(url) for url in range(web.pages))
        snapshots[day] = {
            web.urls[answer.url]: (answer.page.text, answer.modified) for answer in answers if answer.page
        }
    return snapshots


def test_pages_come_and_go_as_ntoulas_found(days: dict[int, dict[str, tuple[str, float | None]]]) -> None:
    left = {day: len(days[day].keys() & days[0].keys()) / len(days[0]) for day in days}
    assert 1 - left[7] == pytest.approx(0.08, abs=0.02)
    assert left[364] == pytest.approx(0.23, abs=0.06)
    assert {len(snapshot) for snapshot in days.values()} == {2_000}


def test_pages_that_stay_mostly_stay_the_same(days: dict[int, dict[str, tuple[str, float | None]]]) -> None:
    def unchanged(day: int) -> float:
        both = days[day].keys() & days[0].keys()
        return sum(days[day][url] == days[0][url] for url in both) / len(both)

    assert unchanged(7) == pytest.approx(0.88, abs=0.06)
    assert unchanged(70) == pytest.approx(0.65, abs=0.12)
    assert 0.3 < unchanged(364) < 0.6


def test_edits_are_small(days: dict[int, dict[str, tuple[str, float | None]]]) -> None:
    both = sorted(days[70].keys() & days[0].keys())
    pairs = [(days[0][url][0].split(), days[70][url][0].split()) for url in both if days[0][url] != days[70][url]]
    kept = [sum((Counter(old) & Counter(new)).values()) / max(len(old), len(new)) for old, new in pairs]
    assert len(kept) > 80
    assert 0.8 < np.median(kept) < 0.98

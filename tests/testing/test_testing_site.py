"""The generated web keeps its promises: deterministic, topical but not trivially so, imperfect, reachable."""

import re
from collections import Counter, deque
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.support.generated_site import GeneratedWeb

from salticid.urls import canonical, host
from salticid.worlds.generating.lexicon import TOPICS, TopicVocabulary

PAGES = 600


@dataclass(frozen=True)
class Link:
    source: str
    href: str
    target: str  # absolute, behind any redirect
    redirected: bool
    navigation: bool


@dataclass(frozen=True)
class Reading:
    """A generated web as a crawler sees it, with the truth beside it."""

    labels: dict[str, str]
    words: dict[str, Counter[str]]
    links: list[Link]
    sizes: list[int]

    @property
    def content(self) -> list[Link]:
        """Links between pages of the web, menus apart."""
        return [link for link in self.links if link.target in self.labels and not link.navigation]

    def same_topic(self, links: list[Link]) -> float:
        return sum(self.labels[link.source] == self.labels[link.target] for link in links) / len(links)

    def reached(self, start: str, label: str | None = None) -> set[str]:
        """All pages that links lead to from `start`; given a label, by pages of that label alone."""
        onward: dict[str, list[str]] = {url: [] for url in self.labels}
        for link in self.links:
            if link.target in onward and label in (None, self.labels[link.target]):
                onward[link.source].append(link.target)
        seen, queue = {start}, deque([start])
        while queue:
            fresh = [url for url in dict.fromkeys(onward[queue.popleft()]) if url not in seen]
            seen.update(fresh)
            queue.extend(fresh)
        return seen


def read(web: GeneratedWeb) -> Reading:
    led = dict(web.redirects)
    reading = Reading({}, {}, [], [])
    for page in web:
        tree = LexborHTMLParser(page.html.decode())
        assert tree.body is not None
        reading.labels[page.url] = page.label
        reading.words[page.url] = Counter(re.findall("[a-z]+", tree.body.text(separator=" ").lower()))
        reading.sizes.append(len(page.html))
        for anchor in tree.css("a[href]"):
            href = anchor.attributes["href"] or ""
            url = urldefrag(urljoin(page.url, href)).url
            menu = anchor.parent is not None and anchor.parent.tag == "nav"
            reading.links.append(Link(page.url, href, led.get(url, url), url in led, menu))
    return reading


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read(GeneratedWeb(PAGES))


def test_same_seed_gives_the_same_bytes() -> None:
    one, two = GeneratedWeb(PAGES, seed=7), GeneratedWeb(PAGES, seed=7)
    assert list(one) == list(two)
    assert one.redirects == two.redirects


def test_a_web_can_be_read_twice() -> None:
    web = GeneratedWeb(PAGES, seed=7)
    assert list(web) == list(web)


def test_another_seed_gives_another_web() -> None:
    one, two = list(GeneratedWeb(PAGES, seed=1)), list(GeneratedWeb(PAGES, seed=2))
    assert not {page.html for page in one} & {page.html for page in two}
    assert [page.label for page in one] != [page.label for page in two]


@pytest.mark.parametrize("pages", [1, 2, 24, 49, 50, PAGES])
def test_addresses_are_canonical_and_each_has_one_page(pages: int) -> None:
    web = GeneratedWeb(pages)
    urls = [page.url for page in web]
    old = [url for url, _ in web.redirects]
    assert len(urls) == pages
    assert len({*urls, *old}) == len(urls) + len(old)
    assert [canonical(url) for url in urls + old] == urls + old
    assert {new for _, new in web.redirects} <= set(urls)


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="0 pages"):
        GeneratedWeb(pages=0)


def test_topics_and_page_sizes_are_spread(reading: Reading) -> None:
    counts = Counter(reading.labels.values())
    assert set(counts) == {topic.label for topic in TOPICS}
    assert max(counts.values()) < PAGES / 4
    assert 1_000 < min(reading.sizes) < 2_000 < 4_000 < max(reading.sizes) < 8_192


def test_links_favour_their_topic_without_being_confined_to_it(reading: Reading) -> None:
    counts = Counter(reading.labels.values())
    chance = sum((count / PAGES) ** 2 for count in counts.values())
    abroad = [link for link in reading.content if host(link.source) != host(link.target)]
    assert 4 * chance < reading.same_topic(reading.content) < 0.75
    assert 2 * chance < reading.same_topic(abroad) < 0.6


def test_links_that_leave_a_topic_favour_its_siblings(reading: Reading) -> None:
    pairs = [(reading.labels[link.source], reading.labels[link.target]) for link in reading.content]
    leaving = [(here, there) for here, there in pairs if here != there]
    siblings = sum(here.split(".")[0] == there.split(".")[0] for here, there in leaving) / len(leaving)
    assert 0.25 < siblings < 0.6  # by chance 2 of the 11 other topics, 0.18


def test_some_links_are_dead_and_some_redirected(reading: Reading) -> None:
    dead = sum(link.target not in reading.labels for link in reading.links) / len(reading.links)
    redirected = sum(link.redirected for link in reading.links) / len(reading.links)
    assert 0.02 < dead < 0.09
    assert 0.01 < redirected < 0.035


def test_links_are_written_in_every_form(reading: Reading) -> None:
    written = [link.href for link in reading.links if not link.navigation]
    whole = sum(href.startswith("http://") for href in written) / len(written)
    rooted = sum(href.startswith("/") for href in written) / len(written)
    folder = 1 - whole - rooted
    assert min(whole, rooted, folder) > 0.04
    assert 0.03 < sum("#" in href for href in written) / len(written) < 0.09


def test_every_page_is_linked_from_another_and_reached_from_the_first(reading: Reading) -> None:
    linked = {link.target for link in reading.links if link.source != link.target}
    assert set(reading.labels) <= linked
    assert reading.reached(next(iter(reading.labels))) == set(reading.labels)


# In these webs the random links alone would leave a page out.
@pytest.mark.parametrize(("pages", "seed"), [(30, 36), (30, 37), (75, 21), (75, 25)])
def test_no_page_of_a_tiny_web_is_cut_off(pages: int, seed: int) -> None:
    reading = read(GeneratedWeb(pages, seed))
    assert reading.reached(next(iter(reading.labels))) == set(reading.labels)


def test_a_topic_is_not_whole_without_the_pages_between(reading: Reading) -> None:
    shares = []
    for topic in TOPICS:
        pages = [url for url, label in reading.labels.items() if label == topic.label]
        shares.append(len(reading.reached(pages[0], topic.label)) / len(pages))
    assert 0.15 < sum(shares) / len(shares) < 0.55


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.leaf)
def test_a_topic_speaks_its_own_words(reading: Reading, topic: TopicVocabulary) -> None:
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for url, label in reading.labels.items():
        (inside if label == topic.label else outside).update(reading.words[url])
    for words, times in ((topic.words, 3), ((topic.leaf,), 5)):
        share = sum(inside[word] for word in words) / inside.total()
        elsewhere = sum(outside[word] for word in words) / outside.total()
        assert share > times * elsewhere

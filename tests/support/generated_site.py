"""A small generated web as HTML, for tests: topical, linked, imperfect, and the same everywhere.

Sites of power-law sizes mostly keep to one topic. Links favour their own site, then their own topic, then its
siblings; but each topic falls into a few circles of sites, and from one to the next the way mostly leads
through other topics. Who links to whom is planned once, in arrays; HTML is written a page at a time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np
from numpy.random import PCG64, SeedSequence
from numpy.typing import NDArray

from salticid.errors import UserError
from salticid.worlds import Answer, Unread
from salticid.worlds.generating import COMMON, MIXED_SITES, PLAIN_ANCHORS, PLAIN_TITLES, SITE_KINDS, TITLES, TOPICS

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GeneratedPage:
    """One page as a server would send it, and the truth about its topic."""

    url: str
    html: bytes
    label: str


@dataclass(frozen=True)
class GeneratedWeb:
    """A small web, made from a seed: same pages, same seed, the same bytes, on every machine.

    >>> web = GeneratedWeb(pages=50, seed=1)
    >>> first, *others = web
    >>> first.url, first.label, len(others)
    ('http://botany-notes.example/', 'science.botany', 49)
    >>> web.redirects[0]
    ('http://botany-notes.example/5.htm',
     'http://botany-notes.example/botany/saplings-meadows-and-the-botany-club-5.html')
    """

    pages: int = 3000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pages < 1 or self.seed < 0:
            raise ValueError(f"no web of {self.pages} pages from seed {self.seed}: use pages >= 1, seed >= 0")

    def __iter__(self) -> Iterator[GeneratedPage]:
        """Every page once, site by site, each site beginning with its home page."""
        plan = self._plan
        for page, (url, topic) in enumerate(zip(plan.urls, plan.topics, strict=True)):
            html = _html(plan, page, _Dice(self.seed, 1, page))
            yield GeneratedPage(url, html.encode(), TOPICS[topic].label)

    @property
    def redirects(self) -> Sequence[tuple[str, str]]:
        """Old addresses that links still use, each with the URL of the page that it leads to."""
        return [(old, self._plan.urls[page]) for page, old in self._plan.old_urls.items()]

    @cached_property
    def _plan(self) -> _Plan:
        return _make_plan(self.pages, _Dice(self.seed, 0))


class _Dice:
    """Uniform numbers in [0, 1) from the raw PCG64 stream, which NumPy promises not to change."""

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = PCG64(SeedSequence(seed, spawn_key=key))

    def rolls(self, *shape: int) -> _Floats:
        draws: _Floats = (self._bits.random_raw(shape) >> np.uint64(11)) * np.float64(2.0**-53)
        return draws

    def below(self, limits: int | _Ints, count: int) -> _Ints:
        return (self.rolls(count) * limits).astype(np.int64)


@dataclass(frozen=True)
class _Plan:
    """What each page is and which pages it links to; `old_urls` holds the old addresses of some."""

    urls: list[str]
    titles: list[str]
    topics: list[int]
    shares: list[float]  # of its words that come from its topic
    hubs: list[bool]
    links: list[list[int]]
    old_urls: dict[int, str]


def _make_plan(pages: int, dice: _Dice) -> _Plan:
    sites = max(1, pages // 25)
    later = np.arange(1, sites) + (_zipf(sites, 6, power=2)[:-1] * (pages - sites)).astype(np.int64)
    first = np.concatenate([np.zeros(1, dtype=np.int64), later])
    site = np.searchsorted(first, np.arange(pages), side="right") - 1
    home = first[site] == np.arange(pages)

    decks = np.argsort(dice.rolls(sites // len(TOPICS) + 1, len(TOPICS)), axis=1, kind="stable")
    main, is_mixed = decks.ravel()[:sites], dice.rolls(sites) < 0.2
    loyal = home | (dice.rolls(pages) < np.where(is_mixed, 0.25, 0.85)[site])
    topic = np.where(loyal, main[site], dice.below(len(TOPICS), pages))
    weak, hub = dice.rolls(pages) < 0.2, ~home & (dice.rolls(pages) < 0.02)
    share = np.where(weak, 0.02, 0.12) + np.where(weak, 0.06, 0.33) * dice.rolls(pages)
    links = _links(first, site, topic, hub, dice)

    hosts = _hosts(main.tolist(), is_mixed.tolist())
    luck, topics, hubs = dice.rolls(pages, 3).tolist(), topic.tolist(), hub.tolist()
    titles = [_title(page, topics[page], hubs[page], luck[page]) for page in range(pages)]
    urls = [f"http://{hosts[s]}/{_path(s, p, topics[p], titles[p])}" for p, s in enumerate(site.tolist())]
    for number, page in enumerate(first.tolist()):
        titles[page] = hosts[number].split(".")[0].replace("-", " ").title()
        urls[page] = f"http://{hosts[number]}/"
    former = [f"www.{host}" if number % 2 else host for number, host in enumerate(hosts)]
    old_urls = {page: f"http://{former[site[page]]}/{page}.htm" for page in range(5, pages, 12)}
    return _Plan(urls, titles, topics, share.tolist(), hubs, links, old_urls)


def _zipf(count: int, shift: int, power: int = 1) -> _Floats:
    """The distribution function of ranks whose chances fall as 1 / (rank + shift) ** power.

    The power is whole: those of integers, and division, come out the same on every machine.

    >>> _zipf(2, 1).round(2).tolist()
    [0.67, 1.0]
    """
    sums = np.cumsum(1.0 / (np.arange(count) + shift) ** power)
    shares: _Floats = sums / sums[-1]
    return shares


def _links(first: _Ints, site: _Ints, topic: _Ints, hub: NDArray[np.bool_], dice: _Dice) -> list[list[int]]:
    """The targets of each page: never itself, and together every page, by some way from page 0."""
    pages = np.arange(len(site))
    roll = dice.rolls(len(pages))
    source = np.repeat(pages, np.where(hub, 25 + 15 * roll, 4 + 3 / (0.15 + roll)).astype(np.int64))
    count, collects = len(source), hub[source]
    circle = topic * 3 + site % 3
    sibling = topic - topic % 3 + (topic + 1 + dice.below(2, len(pages))) % 3
    inside = first[site[source]] + dice.below(np.bincount(site)[site[source]], count)
    astray = dice.below(len(pages), count)
    loyal = (dice.rolls(count) < np.where(collects, 0.85, 0.45)) | (topic[astray] == topic[source])
    outside = np.select(
        [loyal, dice.rolls(count) < 0.35],
        [_popular(circle, circle[source], dice), _popular(topic, sibling[source], dice)],
        astray,
    )
    target = np.where(dice.rolls(count) < np.where(collects, 0.1, 0.4), inside, outside)

    # A tree within each site, and an entrance to each site from an earlier one, leave no page unreachable.
    place = pages - first[site]
    branch = pages[place > 0]
    parent = first[site[branch]] + (place[branch] - 1) // 6
    source = np.concatenate([source, parent, dice.below(first[1:], len(first) - 1)])
    target = np.concatenate([target, branch, first[1:]])
    links: list[list[int]] = [[] for _ in pages]
    for here, there in zip(source.tolist(), target.tolist(), strict=True):
        if here != there:
            links[here].append(there)
    return links


def _popular(group: _Ints, groups: _Ints, dice: _Dice) -> _Ints:
    """For each group wanted, a page of it, some far more often than others; any page if it has none."""
    order = np.argsort(dice.rolls(len(group)), kind="stable")
    members = order[np.argsort(group[order], kind="stable")]
    sizes = np.bincount(group, minlength=int(groups.max()) + 1)
    begin = (np.cumsum(sizes) - sizes)[groups]
    roll = dice.rolls(len(groups))
    pages: _Ints = members[(begin + (roll * roll * sizes[groups]).astype(np.int64)) % len(group)]
    return pages


def _hosts(main: list[int], is_mixed: list[bool]) -> list[str]:
    counts: Counter[str] = Counter()
    names = []
    for site, (topic, mix) in enumerate(zip(main, is_mixed, strict=True)):
        stem = MIXED_SITES[site % len(MIXED_SITES)] if mix else TOPICS[topic].leaf
        lap, kind = divmod(counts[stem], len(SITE_KINDS))
        counts[stem] += 1
        names.append(f"{stem}-{SITE_KINDS[kind]}{lap or ''}.{'test' if kind % 3 == 2 else 'example'}")
    return names


def _title(page: int, topic: int, hub: bool, luck: list[float]) -> str:
    about = TOPICS[topic]
    start, step = int(luck[1] * len(about.nouns)), 1 + int(luck[2] * (len(about.nouns) - 1))
    a, b = about.nouns[start], about.nouns[(start + step) % len(about.nouns)]
    forms = PLAIN_TITLES if luck[0] < 0.1 else TITLES
    form = "{subject} links" if hub else forms[page % len(forms)]
    text = form.format(subject=about.subject, leaf=about.leaf, a=a, b=b, n=page)
    return text[0].upper() + text[1:]


def _path(site: int, page: int, topic: int, title: str) -> str:
    """Sites differ in how much their addresses tell."""
    slug = re.sub("[^a-z0-9]+", "-", f"{title} {page}".lower())
    by_date, by_query = f"{1998 + page % 20}/p{page}.html", f"read?id={page}&view=full"
    return (f"{TOPICS[topic].leaf}/{slug}.html", by_query, by_date)[site // 3 % 3]


_WORDS = [np.array(topic.words, dtype=object) for topic in TOPICS]
_CHANCES = [_zipf(len(words), 5) for words in _WORDS]
_COMMON_WORDS, _COMMON_CHANCES = np.array(COMMON, dtype=object), _zipf(len(COMMON), 2)


def _sentences(topic: int, share: float, count: int, dice: _Dice) -> list[str]:
    """Some `count` words in sentences: a share of the topic's, a few of another's, the rest common."""
    other = int(dice.below(len(TOPICS), 1)[0])
    words = np.concatenate([_WORDS[topic], _WORDS[other], _COMMON_WORDS])
    rest = share + 0.06
    chances = [share * _CHANCES[topic], share + 0.06 * _CHANCES[other], rest + (1 - rest) * _COMMON_CHANCES]
    picks = np.searchsorted(np.concatenate(chances), dice.rolls(count), side="right")
    text = words[np.minimum(picks, len(words) - 1)].tolist()
    ends = np.cumsum(8 + dice.below(10, count // 8)).tolist()
    return [" ".join(text[a:b]).capitalize() for a, b in zip([0, *ends], ends, strict=False) if a < count]


def _html(plan: _Plan, page: int, dice: _Dice) -> str:
    a, b = dice.rolls(2).tolist()
    length = 60 if plan.hubs[page] else 90 + int(650 * a * b)
    lines = [escape(line) for line in _sentences(plan.topics[page], plan.shares[page], length, dice)]
    links = _anchors(plan, page, dice)
    inline = 0 if plan.hubs[page] else min(len(lines), len(links) // 2)
    prose = [f"{line}, {link}." for line, link in zip(lines, links[:inline], strict=False)]
    prose += [f"{line}." for line in lines[inline:]]
    title = escape(plan.titles[page])
    paragraphs = "\n".join(f"<p>{' '.join(prose[at : at + 4])}</p>" for at in range(0, len(prose), 4))
    items = "\n".join(f"<li>{link}</li>" for link in links[inline:])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="description" content="{title}. {lines[0]}.">\n</head>\n<body>\n'
        f'<nav><a href="/">Home</a></nav>\n<h1>{title}</h1>\n{paragraphs}\n<ul>\n{items}\n</ul>\n'
        "</body>\n</html>\n"
    )


def _anchors(plan: _Plan, page: int, dice: _Dice) -> list[str]:
    """The page's links in HTML, and behind about one in twenty a dead one."""
    anchors = []
    luck = dice.rolls(len(plan.links[page]), 5).tolist()
    for target, (way, form, extra, words, death) in zip(plan.links[page], luck, strict=True):
        url, title = plan.urls[target], plan.titles[target]
        old = plan.old_urls.get(target) if way < 0.25 else None
        href = old or _href(url, plan.urls[page], form)
        anchors.append(_anchor(href + ("#part-2" if extra < 0.06 else ""), title, words, extra > 0.97))
        if death < 0.06:
            host = f"gone-{page % 97}.example" if death < 0.02 else url.split("/")[2]
            anchors.append(_anchor(f"http://{host}/lost/{page}", title, form, False))
    return anchors


def _href(url: str, page: str, form: float) -> str:
    """`url` as an author writes it on `page`: from its folder, from its root, or whole.

    >>> [_href("http://a.test/b/c.html", "http://a.test/b/d.html", form) for form in (0.1, 0.5, 0.9)]
    ['c.html', '/b/c.html', 'http://a.test/b/c.html']
    """
    folder, root = page[: page.rindex("/") + 1], page[: page.index("/", 7)]
    if form < 0.35 and url.startswith(folder) and url != folder:
        return url[len(folder) :]
    return url[len(root) :] if form < 0.75 and url.startswith(f"{root}/") else url


def _anchor(href: str, title: str, words: float, nofollow: bool) -> str:
    text = escape(title if words < 0.65 else " ".join(title.split()[-3:]))
    if words < 0.2:
        text = PLAIN_ANCHORS[int(words * 5 * len(PLAIN_ANCHORS))]
    elif words < 0.27:
        text = f'<img src="/thumb.png" alt="{text}">'
    return f'<a href="{escape(href)}"{" rel=nofollow" if nofollow else ""}>{text}</a>'


# A small generated web as the source of a world, parsed page by page as a recording is.


class GeneratedSource:
    """The pages of `GeneratedWeb(pages, seed)`, each labelled with its topic, then its redirects.

    >>> source = GeneratedSource(pages=20, seed=1)
    >>> *pages, redirect, last = source
    >>> len(pages), pages[0].url, pages[0].labels, redirect.status, source.done == source.size
    (20, 'http://botany-notes.example/', ('science.botany',), 301, True)
    """

    def __init__(self, pages: int, seed: int = 0) -> None:
        if pages < 1:
            raise UserError(f"no web has {pages} pages; ask for at least 1")
        if seed < 0:
            raise UserError(f"{seed} is no seed; give a whole number from 0 on")
        self._web = GeneratedWeb(pages, seed)
        self.name = f"generated, {pages} pages from seed {seed}"
        self.size = pages + len(self._web.redirects)
        self.done = 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        self.done = 0
        for page in self._web:
            self.done += 1
            yield Answer(page.url, html=page.html, charset="utf-8", labels=(page.label,))
        for old, new in self._web.redirects:
            self.done += 1
            yield Answer(old, status=301, location=new)

"""The labelled links of a world: links between its pages whose target's class is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.errors import UserError
from salticid.learning import LONGEST_ANCHOR
from salticid.model import Ints
from salticid.text import letter_runs
from salticid.webs import PAGE, RecordedWeb
from salticid.worlds import CLASSES, ContextPath, context_paths_of, labels_of

# What labels say about pages: a class, and in WebKB a university.

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
ELSEWHERE = "misc"
HOMEPAGE = "homepage"
_PEOPLE = ("faculty", "staff", "student")


class Kind(NamedTuple):
    """The class a label puts a page in, and the university it names, if any."""

    label: str
    university: str


def kinds(labels: Iterable[str]) -> dict[str, Kind]:
    """What each label means.

    Labels of WebKB are `<class>.<university>`, and the pages of people are one class. Any other label is a
    path, whose first step is the class; a root that all paths share is left out.

    >>> kinds(["student.texas", "course.misc"])["student.texas"]
    Kind(label='homepage', university='texas')
    >>> kinds(["subject.Art.Opera", "subject.Law"])["subject.Art.Opera"]
    Kind(label='Art', university='')
    """
    paths = {label: label.split(".") for label in labels}
    if paths and all(_is_webkb(path) for path in paths.values()):
        return {label: Kind(HOMEPAGE if a in _PEOPLE else a, b) for label, (a, b) in paths.items()}
    roots = {path[0] for path in paths.values()}
    first = int(len(roots) == 1 and all(len(path) > 1 for path in paths.values()))
    return {label: Kind(path[first], "") for label, path in paths.items()}


def kinds_by_url(labels: Mapping[str, Sequence[str]]) -> dict[str, list[Kind]]:
    """What the labels of each URL say; `labels` has the URLs of each label, as `worlds.labels` reads them."""
    meaning = kinds(labels)
    by_url: dict[str, list[Kind]] = {}
    for label, urls in labels.items():
        for url in urls:
            by_url.setdefault(url, []).append(meaning[label])
    return by_url


def _is_webkb(path: Sequence[str]) -> bool:
    return len(path) == 2 and path[0] in CLASSES and path[1] in (*UNIVERSITIES, ELSEWHERE)


# The context paths of labelled links, as word ids and as traits.

_NONE = ContextPath("", (), ())


class LinkPaths:
    """The path of each of some links, which are number `place[i]` of page `source[i]`.

    A page's links and its paths were found apart, so that they are matched by the URLs they lead to: of several links
    to one page the last has the last path. The title of a page is the highest of its headings.
    """

    def __init__(self, web: RecordedWeb, world: Path, source: Ints, place: Ints) -> None:
        self._web, self._source = web, source
        pages = set(source.tolist())
        by_page = {
            number: _by_place(web.urls.spell(web.page(number).links.url.tolist()), noted.links)
            for noted in context_paths_of(world)
            if (url := web.urls.find(noted.page)) >= 0 and (number := web.number_at(url)) in pages
        }
        rows = zip(source.tolist(), place.tolist(), strict=True)
        self._paths = [by_page.get(number, {}).get(at, _NONE) for number, at in rows]

    def words(self, link: int) -> Ints:
        """The word ids of title, headings and items, those of the world that is."""
        path = self._paths[link]
        texts = (self._web.page(int(self._source[link])).title, *path.headings, *path.items)
        ids = [self._web.words.find(word) for text in texts for word in letter_runs(text)]
        return np.array([word for word in ids if word >= 0], np.int32)

    def traits(self, link: int) -> Iterator[str]:
        """What can be read off the path, beside the title: its words, those of the nearest heading, how deep it is."""
        path = self._paths[link]
        yield from (f"heading {word}" for text in path.headings for word in letter_runs(text))
        yield from (f"nearest heading {word}" for text in path.headings[-1:] for word in letter_runs(text))
        yield from (f"item {word}" for text in path.items for word in letter_runs(text))
        yield f"below {len(path.headings)} headings"
        yield f"in {len(path.items)} items"


def _by_place(links: Sequence[str], paths: Sequence[ContextPath]) -> Mapping[int, ContextPath]:
    """The paths of a page's links by their places.

    >>> low, high = ContextPath("b", ("low",), ()), ContextPath("b", ("high",), ())
    >>> _by_place(["b", "a", "b"], [low]), [path.headings for path in _by_place(["b", "b"], [high, low]).values()]
    ({2: ContextPath(url='b', headings=('low',), items=())}, [('low',), ('high',)])
    """
    left: dict[str, list[ContextPath]] = {}
    for path in paths:
        left.setdefault(path.url, []).append(path)
    places = reversed(range(len(links)))
    return {at: left[links[at]].pop() for at in places if left.get(links[at])}


# Which recorded page a link means.

NOWHERE = -1
_INDEX = re.compile(r"/(?:(?:index|home|homepage|welcome|default)\.s?html?)?$", re.IGNORECASE)


def folder(url: str) -> str:
    """A URL without what a server puts at the end by itself: the slash of a folder, the name of its index.

    >>> folder("http://a.example/cs1"), folder("http://a.example/cs1/Welcome.html")
    ('http://a.example/cs1', 'http://a.example/cs1')
    """
    return _INDEX.sub("", url)


class Addresses:
    """The pages of a recording by the URLs that lead to them.

    A URL means the page recorded under it, redirects followed. One that nobody recorded means the page of
    the same folder, under another of the names a server gives it, if only one was recorded.
    """

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web
        self._by_url: dict[int, int] = {}
        self._in: dict[str, list[int]] = {}
        for number, url in enumerate(web.arrays[PAGE.url].tolist()):
            self._by_url[url] = number
            self._in.setdefault(folder(web.urls[url]), []).append(number)

    def page(self, url: int) -> int:
        """The number of the page, NOWHERE if there is none."""
        if url not in self._by_url:
            self._by_url[url] = self._find(url)
        return self._by_url[url]

    def _find(self, url: int) -> int:
        answer = self._web.fetch(url)
        if answer.page is not None:
            return self._web.number_at(answer.final)
        neighbours = self._in.get(folder(self._web.urls[url]), [])
        return neighbours[0] if len(neighbours) == 1 else NOWHERE


UNKNOWN = -1
"""The class of a page that has none, or two."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledLinks:
    """Links as columns of equal length, and what is known of all pages, by their numbers in the recording.

    Link i is number `place[i]` of page `source[i]`; it leads to page `target[i]`, which is of class `label[i]`.
    A page of a world that names no universities has "" for its own; so has a page without a label. With `paths`, a
    context path of each link, these are part of what is read of a link.
    """

    web: RecordedWeb
    classes: tuple[str, ...]
    page_class: Ints
    university: tuple[str, ...]
    source: Ints
    place: Ints
    target: Ints
    label: Ints
    paths: LinkPaths | None = None

    def __len__(self) -> int:
        return len(self.source)

    @property
    def language(self) -> str:
        """The code of the world's main language."""
        return self.web.arrays.manifest.stems.partition(":")[0]

    def anchors(self, links: Ints) -> list[Ints]:
        """The word ids of the anchors of some links, of each its first words; and with paths theirs behind them."""
        anchors = []
        for link in links.tolist():
            page = self.web.page(int(self.source[link]))
            anchor = page.anchor(int(self.place[link]))[:LONGEST_ANCHOR]
            anchors.append(anchor if self.paths is None else np.append(anchor, self.paths.words(link)))
        return anchors


def labelled_links(world: Path) -> LabelledLinks:
    """All labelled links of a world, in the order of recording; a page's links to itself are none."""
    web = RecordedWeb(world)
    kinds_of = kinds_by_url(labels_of(world))
    if not kinds_of:
        raise UserError(f"{world} has no labels, so no link is labelled; build it with --labels or --webkb")
    classes = tuple(sorted({kind.label for kinds in kinds_of.values() for kind in kinds}))
    if len(classes) < 2:
        raise UserError(f"all pages of {world} are of class {classes[0]}, so there is nothing to tell apart")
    page_class = np.full(web.pages, UNKNOWN, np.int32)
    university = [""] * web.pages
    for number, url in enumerate(web.urls.spell(web.arrays[PAGE.url].tolist())):
        kinds = kinds_of.get(url, [])
        if len({kind.label for kind in kinds}) == 1:
            page_class[number] = classes.index(kinds[0].label)
        if len({kind.university for kind in kinds}) == 1:
            university[number] = kinds[0].university
    source, place, target = _links(web, page_class)
    if not len(source):
        raise UserError(f"no page of {world} links to a labelled one; label more of its pages")
    return LabelledLinks(web, classes, page_class, tuple(university), source, place, target, page_class[target])


def with_paths(links: LabelledLinks, world: Path) -> LabelledLinks:
    """The same links with the context paths that were kept beside their world."""
    return replace(links, paths=LinkPaths(links.web, world, links.source, links.place))


def _links(web: RecordedWeb, page_class: Ints) -> tuple[Ints, Ints, Ints]:
    addresses = Addresses(web)
    rows = [
        (number, at, leads_to)
        for number in range(web.pages)
        for at, url in enumerate(web.page(number).links.url.tolist())
        if (leads_to := addresses.page(url)) not in (NOWHERE, number) and page_class[leads_to] != UNKNOWN
    ]
    source, place, target = np.array(rows, np.int32).reshape(-1, 3).T
    return source, place, target


# What is learned from, and what is asked about: splits of labelled links that keep the two apart.

TEST_SHARE = 10_829 / (35_606 + 10_829)
"""The share of the links that the paper asked about."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Links and pages to learn from, and links to be asked about.

    `inside` are splits of what may be learned from: by these, and nothing else, settings are chosen.
    """

    name: str
    train: Ints
    pages: Ints
    test: Ints
    inside: tuple[Split, ...] = ()


def by_university(links: LabelledLinks, hidden: tuple[str, ...] = ()) -> list[Split]:
    """Each university in turn is asked about, and all that is elsewhere learned from.

    A link across the line is on neither side. What is of a `hidden` university is on neither side either;
    splits inside a split hide its university.
    """
    home = np.array(links.university)
    source, target = home[links.source], home[links.target]
    splits = []
    for university in UNIVERSITIES:
        test = np.flatnonzero((source == university) & (target == university))
        if university in hidden or not len(test):
            continue
        unseen = (*hidden, university)
        train = np.flatnonzero(~np.isin(source, unseen) & ~np.isin(target, unseen))
        pages = np.flatnonzero(~np.isin(home, unseen) & (links.page_class != UNKNOWN))
        inside = () if hidden else tuple(by_university(links, unseen))
        splits.append(Split(university, _ints(train), _ints(pages), _ints(test), inside))
    if not splits and not hidden:
        raise UserError("no label names a university, so none can be left out; use --split random")
    return [split for split in splits if len(split.train)]


def at_random(links: LabelledLinks, seed: int) -> list[Split]:
    """One split of the links by chance, in the paper's proportion; pages are those that training links join.

    A page may so be learned from and bear links that are asked about, as in the paper.
    """
    rng = np.random.default_rng(seed)
    everything = np.arange(len(links), dtype=np.int32)
    split = _random(links, "random", everything, rng)
    return [Split(split.name, split.train, split.pages, split.test, (_random(links, "", split.train, rng),))]


def _random(links: LabelledLinks, name: str, among: Ints, rng: np.random.Generator) -> Split:
    order = rng.permutation(among)
    many = max(1, round(TEST_SHARE * len(among)))
    test, train = np.sort(order[:many]), np.sort(order[many:])
    ends = np.union1d(links.source[train], links.target[train])
    return Split(name, train, _ints(ends[links.page_class[ends] != UNKNOWN]), test)


def _ints(numbers: npt.NDArray[np.integer]) -> Ints:
    return numbers.astype(np.int32)

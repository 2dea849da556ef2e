"""Topics made from what is known about the pages of a world, for experiments: labels, beliefs, or words in them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from salticid.errors import UserError
from salticid.exact import logs
from salticid.model import Floats, Ints
from salticid.text import Stems, detect
from salticid.topic import Topic
from salticid.truth import Truth, save_topic
from salticid.webs import PAGE, RecordedWeb
from salticid.worlds.answers import belief_of, labels_of
from salticid.worlds.backlinks import WorldBacklinks
from salticid.worlds.directories import read_leaves

# What an editor of a directory would write of pages: the words that tell their subject from others.

TELLING, SAID = 100, 15
"""So many words tell a subject from others, and up to so many of them are said of a page."""


class Editor:
    """Describes pages of a world: the title, and those words of the page that tell its subject from others.

    A word tells by p * ln(p / q), p the share of the subject's pages that hold it, q that of all pages.
    """

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web
        self._everywhere = self._pages_with(np.arange(web.pages, dtype=np.int32)) / max(1, web.pages)

    def descriptions(self, subject: Sequence[str], some: Sequence[str]) -> list[str]:
        """A line for each of some pages of a subject, all by their URLs; those not recorded are left out."""
        telling = set(self._telling(self._numbers(subject)).tolist())
        return [self._line(number, telling) for number in self._numbers(some).tolist()]

    def _line(self, number: int, telling: set[int]) -> str:
        page = self._web.page(number)
        words = [word for word in dict.fromkeys(page.tokens.tolist()) if word in telling][:SAID]
        return " ".join([page.title, *self._web.words.spell(words)])

    def _telling(self, pages: Ints) -> Ints:
        here = self._pages_with(pages) / max(1, len(pages))
        there = np.flatnonzero(here)
        worth = here[there] * logs(here[there] / self._everywhere[there])
        best: Ints = there[np.argsort(-worth, kind="stable")[:TELLING]].astype(np.int32)
        return best

    def _pages_with(self, pages: Ints) -> Floats:
        """For each word on how many of these pages it stands."""
        counts = np.zeros(len(self._web.words))
        for number in pages.tolist():
            counts[np.unique(self._web.page(number).tokens)] += 1
        return counts

    def _numbers(self, urls: Sequence[str]) -> Ints:
        ids = [self._web.urls.find(url) for url in urls]
        numbers = [self._web.number_at(at) for at in ids if at >= 0]
        return np.array([number for number in numbers if number >= 0], np.int32)


Basis = Literal["labels", "belief", "words", "directory"]
MIN_TARGETS = 10
_GO_BACK_FROM = 10
_BACKLINKS_A_PAGE = 20
_DESCRIBED_PAGES, _DESCRIBED_WORDS = 10, 50


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """How topics are cut from labels; the fields are the options of `salticid world topics`.

    `targets` "examples": the examples themselves are to be found, and the crawler is not told them. `on_topic`:
    neighbours may be pages of the topic. `description` "editor": titles and telling words, as an editor would write,
    and not the first words of pages; where editors of a directory wrote, that is the description.
    """

    task: Literal["examples", "neighbours"] = "examples"
    query: Literal["path", "text"] = "path"
    min_pages: int = 20
    seeds_per_topic: int = 10
    examples_per_topic: int = 5
    seed: int = 0
    examples_share: float = 1.0
    targets: Literal["rest", "examples"] = "rest"
    on_topic: bool = False
    description: Literal["beginnings", "editor"] = "beginnings"


@dataclass(frozen=True, slots=True)
class TopicFiles:
    """The files written, and the subjects left out, each with the reason; `basis` is who says what pages are about."""

    files: list[Path]
    left_out: dict[str, str]
    basis: Basis


class _LeftOut(Exception):
    """Why a label makes no topic."""


class Subject(NamedTuple):
    """Something that pages are about: its name, the words for it, the pages, and what editors wrote of each."""

    name: str
    words: str
    urls: list[str]
    texts: Mapping[str, str] = {}


def make_topics(
    world: Path, out: Path, plan: TopicPlan, searches: Sequence[str] = (), directory: Path | None = None
) -> TopicFiles:
    """Write one topic file per subject into `out`.

    Subjects are the leaves of a directory, or what is searched for; without these the labels of the world are;
    without labels, what the crawl believed that the world is made of.
    """
    web = RecordedWeb(world)
    subjects, basis = _subjects(world, web, searches) if directory is None else _leaves(web, directory)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write topics to {out}: {error.strerror}; name another folder") from None
    maker = _Maker(web, plan)
    topics = TopicFiles([], {}, basis)
    for subject in subjects:
        try:
            topic, truth = maker.topic(subject)
        except _LeftOut as reason:
            topics.left_out[subject.name] = str(reason)
            continue
        file = out / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', subject.name).strip('.') or 'topic'}.toml"
        stem, number = file.stem, 1
        while file in topics.files:
            number += 1
            file = file.with_stem(f"{stem}-{number}")
        save_topic(file, topic, truth)
        topics.files.append(file)
    return topics


def _subjects(world: Path, web: RecordedWeb, searches: Sequence[str]) -> tuple[list[Subject], Basis]:
    """What the pages of a world are about, and who says so."""
    if searches:
        return [Subject(words, words, pages_with(words, web)) for words in searches], "words"
    if labels := labels_of(world):
        root = _shared_root(list(labels))
        return [Subject(label, _label_words(label, root), urls) for label, urls in labels.items()], "labels"
    if belief := belief_of(world):
        return [Subject(belief.topic.name, belief.topic.keywords, belief.urls)], "belief"
    raise UserError(
        f"{world} has no labels, and is made of no crawl that believed something of its pages; say what a topic is "
        "about with --search WORDS, or build the world with --labels FILE.tsv"
    )


def _leaves(web: RecordedWeb, directory: Path) -> tuple[list[Subject], Basis]:
    """The leaves of a directory, as far as their pages are in the world."""
    subjects = []
    for leaf in read_leaves(directory):
        there = [entry for entry in leaf.entries if web.urls.find(entry.url) >= 0]
        texts = {entry.url: entry.text for entry in there}
        subjects.append(Subject(leaf.path.replace("/", "."), _label_words(leaf.path, ""), list(texts), texts))
    return subjects, "directory"


class _Maker:
    def __init__(self, web: RecordedWeb, plan: TopicPlan) -> None:
        self._web, self._plan = web, plan

    def topic(self, subject: Subject) -> tuple[Topic, Truth]:
        plan, (label, words, urls, _) = self._plan, subject
        if len(urls) < plan.min_pages:
            raise _LeftOut(f"{len(urls)} pages, fewer than {plan.min_pages}")
        digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
        rng = np.random.default_rng([plan.seed, int.from_bytes(digest, "little")])
        pages = [urls[at] for at in rng.permutation(len(urls))]
        examples = pages[: min(plan.examples_per_topic, int(plan.examples_share * len(pages)))]
        if plan.task == "neighbours":
            seeds, count = self._neighbours(pages, rng), len(examples)
        elif examples:
            seeds, count = examples, len(examples)
        else:
            seeds = pages[: plan.seeds_per_topic]
            count = len(seeds)
        targets = sorted(pages[count:])
        if plan.targets == "examples":
            targets, examples = sorted(examples), []
        if len(targets) < MIN_TARGETS:
            raise _LeftOut(f"{len(targets)} targets, fewer than {MIN_TARGETS}")
        description = self._description(subject, pages)
        keywords = words if plan.query == "path" else description
        if not keywords.strip():
            raise _LeftOut("no words to look for")
        topic = Topic(name=label, keywords=keywords, seeds=tuple(seeds), examples=tuple(examples))
        return topic, Truth(description, tuple(targets))

    def _description(self, subject: Subject, pages: list[str]) -> str:
        """What editors wrote of some pages of the topic; else titles with telling words, or with first words."""
        if subject.texts:
            return "\n".join(subject.texts[url] for url in pages[:_DESCRIBED_PAGES])
        if self._plan.description == "editor":
            return "\n".join(self._editor.descriptions(subject.urls, pages[:_DESCRIBED_PAGES]))
        lines = []
        for url in pages[:_DESCRIBED_PAGES]:
            page = self._web.fetch(self._web.urls.find(url)).page
            if page is not None:
                lines.append(" ".join([page.title, *page.text.split()[:_DESCRIBED_WORDS]]))
        return "\n".join(lines)

    def _neighbours(self, pages: list[str], rng: np.random.Generator) -> list[str]:
        """Seeds two links back from pages of the topic, and unless the plan says so never on it."""
        topical = set() if self._plan.on_topic else {self._web.urls.find(url) for url in pages}
        second: set[int] = set()
        for url in pages[:_GO_BACK_FROM]:
            for parent in self._some_backlinks(self._web.urls.find(url), rng):
                second.update(self._some_backlinks(parent, rng))
        pages_around = sorted(self._web.urls[url] for url in second - topical)
        if not pages_around:
            raise _LeftOut("nothing links to what links to it")
        order = rng.permutation(len(pages_around))[: self._plan.seeds_per_topic]
        return [pages_around[at] for at in order]

    def _some_backlinks(self, url: int, rng: np.random.Generator) -> list[int]:
        """Up to 20 pages that link there, drawn without regard to the order of recording."""
        sources = sorted(self._backlinks.of(url).tolist(), key=self._web.urls.__getitem__)
        return [sources[at] for at in rng.permutation(len(sources))[:_BACKLINKS_A_PAGE]]

    @cached_property
    def _editor(self) -> Editor:
        return Editor(self._web)

    @cached_property
    def _backlinks(self) -> WorldBacklinks:
        return WorldBacklinks(self._web)


def pages_with(words: str, web: RecordedWeb) -> list[str]:
    """The URLs of the pages in which each of these words occurs, in one of its forms, in alphabetical order."""
    stems = Stems(web.words, detect(words))
    wanted = set(stems.terms(words))
    if not wanted:
        raise UserError(f"{words!r} holds no word to search for; name at least one that is no stop word")
    found = (number for number in range(web.pages) if wanted <= set(stems.of(web.page(number).tokens).tolist()))
    return sorted(web.urls.spell(web.arrays[PAGE.url][list(found)].tolist()))


def _label_words(label: str, root: str) -> str:
    """The distinct words of a label, its root left out when all labels share it."""
    return " ".join(dict.fromkeys(re.findall(r"[^\W\d_]+", label.removeprefix(root))))


def _shared_root(labels: list[str]) -> str:
    """The first part of dotted labels when all of them share it and none is it.

    >>> _shared_root(["subject.Art.Art", "subject.Citizenship.Law"]), _shared_root(["course.cornell"])
    ('subject.', '')
    """
    roots = {label.partition(".")[0] for label in labels}
    return f"{roots.pop()}." if len(roots) == 1 and len(labels) > 1 and all("." in label for label in labels) else ""

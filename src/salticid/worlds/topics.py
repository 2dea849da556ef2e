"""Topics made from the labels of a world, for experiments."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from salticid.errors import UserError
from salticid.model import Topic
from salticid.truth import Truth, save_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.backlinks import WorldBacklinks
from salticid.worlds.labels import labels_of

MIN_TARGETS = 10
_GO_BACK_FROM = 10
_BACKLINKS_A_PAGE = 20
_DESCRIBED_PAGES, _DESCRIBED_WORDS = 10, 50


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """How topics are cut from labels; the fields are the options of `salticid world topics`."""

    task: Literal["examples", "neighbours"] = "examples"
    query: Literal["path", "text"] = "path"
    min_pages: int = 20
    seeds_per_topic: int = 10
    examples_per_topic: int = 5
    seed: int = 0
    examples_share: float = 1.0


@dataclass(frozen=True, slots=True)
class TopicFiles:
    """The files written, and the labels left out, each with the reason."""

    files: list[Path]
    left_out: dict[str, str]


class _LeftOut(Exception):
    """Why a label makes no topic."""


def make_topics(world: Path, out: Path, plan: TopicPlan) -> TopicFiles:
    """Write one topic file per label into `out`."""
    labels = labels_of(world)
    if not labels:
        raise UserError(f"{world} has no labels; build it with --labels FILE.tsv to make topics from them")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write topics to {out}: {error.strerror}; name another folder") from None
    maker = _Maker(RecordedWeb(world), plan, _shared_root(list(labels)))
    topics = TopicFiles([], {})
    for label, urls in labels.items():
        try:
            topic, truth = maker.topic(label, urls)
        except _LeftOut as reason:
            topics.left_out[label] = str(reason)
            continue
        file = out / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', label).strip('.') or 'topic'}.toml"
        stem, number = file.stem, 1
        while file in topics.files:
            number += 1
            file = file.with_stem(f"{stem}-{number}")
        save_topic(file, topic, truth)
        topics.files.append(file)
    return topics


class _Maker:
    def __init__(self, web: RecordedWeb, plan: TopicPlan, root: str) -> None:
        self._web, self._plan, self._root = web, plan, root

    def topic(self, label: str, urls: list[str]) -> tuple[Topic, Truth]:
        plan = self._plan
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
        if len(targets) < MIN_TARGETS:
            raise _LeftOut(f"{len(targets)} targets, fewer than {MIN_TARGETS}")
        description = self._description(pages)
        keywords = self._label_words(label) if plan.query == "path" else description
        if not keywords.strip():
            raise _LeftOut("no words to look for")
        topic = Topic(name=label, keywords=keywords, seeds=tuple(seeds), examples=tuple(examples))
        return topic, Truth(description, tuple(targets))

    def _label_words(self, label: str) -> str:
        """The distinct words of a label, its root left out when all labels share it."""
        words = re.findall(r"[^\W\d_]+", label.removeprefix(self._root))
        return " ".join(dict.fromkeys(words))

    def _description(self, pages: list[str]) -> str:
        """Titles and first words of some pages of the topic, as an editor would describe them."""
        lines = []
        for url in pages[:_DESCRIBED_PAGES]:
            page = self._web.fetch(self._web.urls.find(url)).page
            if page is not None:
                lines.append(" ".join([page.title, *page.text.split()[:_DESCRIBED_WORDS]]))
        return "\n".join(lines)

    def _neighbours(self, pages: list[str], rng: np.random.Generator) -> list[str]:
        """Seeds two links back from pages of the topic, never on it."""
        topical = {self._web.urls.find(url) for url in pages}
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
    def _backlinks(self) -> WorldBacklinks:
        return WorldBacklinks(self._web)


def _shared_root(labels: list[str]) -> str:
    """The first part of dotted labels when all of them share it and none is it.

    >>> _shared_root(["subject.Art.Art", "subject.Citizenship.Law"]), _shared_root(["course.cornell"])
    ('subject.', '')
    """
    roots = {label.partition(".")[0] for label in labels}
    return (
        f"{roots.pop()}."
        if len(roots) == 1 and len(labels) > 1 and all("." in label for label in labels)
        else ""
    )

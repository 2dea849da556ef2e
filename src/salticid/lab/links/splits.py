"""What is learned from, and what is asked about: splits of labelled links that keep the two apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salticid.errors import UserError
from salticid.lab.links.classes import UNIVERSITIES
from salticid.lab.links.examples import UNKNOWN, LabelledLinks
from salticid.model import Ints

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

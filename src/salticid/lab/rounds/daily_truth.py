"""What is true of the subjects of a web day by day, and how much of one a crawl has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from salticid.lab.rounds.daily_web import signature
from salticid.webs.recorded import REDIRECT, RecordedWeb
from salticid.webs.world_arrays import ROW
from salticid.worlds.labels import labels_of


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the pages of a subject on a day: known at all, and known as they are."""

    known: float
    fresh: float


@dataclass(frozen=True, slots=True)
class SubjectDay:
    """The pages of a subject on a day: the signature of each by its URL; and where URLs of moved pages lead."""

    pages: Mapping[str, bytes]
    moved: Mapping[str, str]

    def shares(self, kept: Mapping[str, bytes]) -> Shares:
        """How much of it a crawl has that keeps these pages, by URL, as their signatures say.

        >>> SubjectDay({"a": b"new", "b": b"old"}, {"z": "b"}).shares({"a": b"old", "z": b"old", "c": b"old"})
        Shares(known=1.0, fresh=0.5)
        """
        there = [(self.moved.get(url, url), said) for url, said in kept.items()]
        known = {url for url, _ in there if url in self.pages}
        fresh = {url for url, said in there if self.pages.get(url) == said}
        return Shares(len(known) / len(self.pages), len(fresh) / len(self.pages))


def subject_days(worlds: Sequence[Path], labels: Sequence[str]) -> dict[str, list[SubjectDay]]:
    """By label, what is true on each day."""
    days: dict[str, list[SubjectDay]] = {label: [] for label in labels}
    for world in worlds:
        web, urls = RecordedWeb(world), labels_of(world)
        rows = np.flatnonzero(web.arrays[ROW.kind] == REDIRECT).tolist()
        moved = {web.urls[at]: web.urls[web.fetch(at).final] for at in rows}
        for label, of_label in days.items():
            found = ((url, web.page_at(web.urls.find(url))) for url in urls.get(label, ()))
            pages = {url: signature(page) for url, page in found if page is not None}
            of_label.append(SubjectDay(pages, moved))
    return days

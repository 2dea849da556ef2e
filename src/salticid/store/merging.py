"""Several crawls of one subject made one: a collection to search, export, and build worlds from.

A page that several of them hold is one page. The first look at it is its visit, every later one, of whichever crawl, a
recheck: so the newest version is the one that counts, and the others are there as well. Pages all but the same are
found among all of them.
"""

from __future__ import annotations

import os
import shutil
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from heapq import merge
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

import numpy as np

from salticid.errors import UserError
from salticid.messages import Revision, Sight
from salticid.model import FROM_OFFER, Choice, Link, Outcome, Page, Response, Visit
from salticid.store.archive import FOLDER, OFFSET_BITS, file_of, numbers, open_file
from salticid.store.continuing import MERGED
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.files import folder_in, open_in, remove_in
from salticid.store.folder_lock import thing_of_others
from salticid.store.log import CrawlLog
from salticid.store.news import CHANGED, GONE, SAME, Recheck
from salticid.store.packing import unpack_page
from salticid.store.record import all_messages
from salticid.store.schema import PAGE, RECHECK, VERSION, SqlTable
from salticid.store.stored_visit import StoredVisit, Word, walls
from salticid.tables import Texts, Translation, Urls

# Visits of several crawls become visits of one: what shards and merged crawls share.

FILES_A_PART = 1000
"""The numbers of the archive files of a part begin at as many times its own."""
_UNKNOWN = -3


class Part:
    """One of the crawls; `step` says which step of the whole each of its own has become."""

    def __init__(self, number: int, crawl: CrawlFolder) -> None:
        self.number, self.crawl = number, crawl
        self.start_time = crawl.start_time() or 0.0
        self._into = Translation(crawl.url, crawl.words.__getitem__)
        self._steps = array("q")
        self._sights = _Sights(crawl)
        self.walls = walls(crawl.database)

    def visits(self) -> Iterator[tuple[float, int, StoredVisit]]:
        """Its visits in order, each with its time, by the wall, and the number of this part."""
        for visit in self.crawl.visits():
            yield visit.fetched or 0.0, self.number, visit

    def page(self, page: Page, urls: Urls, words: Texts) -> Page:
        """One of its pages under the ids of the whole."""
        return self._into.page(page, urls, words)

    def place(self, place: int) -> int:
        """A place in its archive as a place in that of the whole."""
        return place + (FILES_A_PART * self.number << OFFSET_BITS)

    def source(self, step: int, shards: Sequence[Part]) -> int:
        """The step of the whole at which a link was found, by the step of this part; an offer if it is unknown.

        What this part was only shown is looked for in the part that showed it, if that is one of the `shards`.
        """
        if step < 0:
            return step
        origin = self._sights.at(step)
        if origin is not None and not 0 <= origin[0] < len(shards):
            return FROM_OFFER
        step_of_whole = self.step(step) if origin is None else shards[origin[0]].step(origin[1])
        return FROM_OFFER if step_of_whole == _UNKNOWN else step_of_whole

    def step(self, own: int) -> int:
        return self._steps[own] if own < len(self._steps) else _UNKNOWN

    def set_step(self, own: int, step: int) -> None:
        """A visit of its own has become this step of the whole."""
        self._steps.extend([_UNKNOWN] * (own + 1 - len(self._steps)))
        self._steps[own] = step

    def link_archives(self, whole: Path) -> None:
        """Give its archive files names in the folder of the whole; or copies, where they cannot have two names."""
        own, name = self.crawl.folder / FOLDER, FOLDER
        for at in numbers(own):
            with open_file(own, at) as data, folder_in(whole, name, make=True) as target:
                source, new = (
                    file_of(own, at),
                    file_of(whole / name, FILES_A_PART * self.number + at),
                )
                if new.exists() and new.samefile(source):
                    continue
                remove_in(whole, f"{name}/{new.name}")
                with suppress(OSError):
                    os.link(source, new.name, dst_dir_fd=target, follow_symlinks=False)
                    continue
                with open_in(whole, f"{name}/{new.name}", "xb") as copy:
                    shutil.copyfileobj(data, copy)


class Whole:
    """The crawl that the parts become. Times count from when the first part began, by the wall.

    `shards` are the parts that have shown pages to each other.
    """

    def __init__(
        self, parts: Sequence[Part], log: CrawlLog, urls: Urls, words: Texts, shards: Sequence[Part] = ()
    ) -> None:
        self.log, self.urls, self.words, self._shards = log, urls, words, shards
        self.start_time = min(part.start_time for part in parts)
        log.session(0.0, {}, self.start_time)

    def add(self, part: Part, visit: StoredVisit, step: int) -> Page | None:
        """Take a visit over as a step of the whole; its page under the ids of that."""
        part.set_step(visit.step, step)
        page = None if visit.revisit else part.crawl.page(visit.step)
        page = None if page is None else part.page(page, self.urls, self.words)
        link = Link(self.urls.intern(visit.url), part.source(visit.source_step, self._shards), visit.place)
        choice = Choice(link, visit.promise, tuple(visit.why), visit.agent)
        self.log.add_choices(1, frozenset(), [choice])
        self.log.add_visit(
            Visit(
                step=step,
                choice=choice,
                final=self.urls.intern(visit.final_url),
                outcome=Outcome(visit.outcome),
                page=page,
                score=visit.score,
                positive=visit.positive,
                depth=visit.depth,
                status=visit.status,
                seconds=visit.seconds,
                at=visit.at if visit.fetched is None else visit.fetched - self.start_time,
                size=visit.size,
                modified=visit.modified,
                etag=visit.etag,
                records=tuple(map(part.place, visit.records)),
                revisit=visit.revisit,
                wall=part.walls.get(visit.step),
            )
        )
        return page


class _Sights:
    """The pages that a crawl was only shown.

    A glimpse takes a step and leaves no visit: those are the gaps, in the order they were shown.
    """

    def __init__(self, crawl: CrawlFolder) -> None:
        shown = (message.glimpse for _, message in all_messages(crawl.database) if isinstance(message, Sight))
        self._from = np.fromiter(((glimpse.origin, glimpse.step) for glimpse in shown), np.dtype((np.int64, 2)))
        own_steps = np.fromiter((visit.step for visit in crawl.rows(-1)), np.int64)
        gaps = np.ones(len(own_steps) + len(self._from), np.bool_)
        gaps[own_steps] = False
        self._gaps = np.flatnonzero(gaps)

    def at(self, step: int) -> tuple[int, int] | None:
        """Whose the page of a step was, and its step there; None for the crawl's own."""
        place = int(np.searchsorted(self._gaps, step))
        if place == len(self._gaps) or self._gaps[place] != step:
            return None
        shard, there = self._from[place].tolist()
        return shard, there


LINE = 0.5
"""Where the lines of judges that differ come to lie."""
_LIKINGS = {Word.LIKED: 1, Word.REJECTED: -1}


@dataclass(slots=True)
class MergeTally:
    """What came of it: the visits and pages of the whole, and how often a crawl had a page that another had first."""

    visits: int = 0
    pages: int = 0
    shared: int = 0


def merge_crawls(folders: Sequence[Path], out: Path, watch: Callable[[int], None]) -> MergeTally:
    """Make one crawl of several, in a new folder, which appears when it is whole; `watch` is told the visits."""
    _check(folders, out)
    partial = out.with_name(f".{out.name}.merging")
    rmtree(partial, ignore_errors=True)
    try:
        with ExitStack() as stack:
            crawls = [stack.enter_context(closing(CrawlFolder(folder))) for folder in folders]
            parts = [Part(number, crawl) for number, crawl in enumerate(crawls)]
            urls, words = Urls(), Texts()
            log = stack.enter_context(closing(CrawlLog(partial, urls, words, own_tables=True)))
            log.begin(_facts(folders, crawls))
            merging = _Merging(parts, Whole(parts, log, urls, words), watch)
            merging.write()
            log.about({"line": merging.line, "warc": (FILES_A_PART * len(parts), 0)})
            for part in parts:
                part.link_archives(partial)
        if out.exists():
            out.rmdir()  # it is empty
        partial.rename(out)
    finally:
        rmtree(partial, ignore_errors=True)
    return merging.tally


class _Form(NamedTuple):
    """A version of a page in the log of a part."""

    part: Part
    table: SqlTable
    key: int

    def page(self) -> Page:
        return unpack_page(self.part.crawl.database.row(self.table, self.key, body=True)[1:])


class _Look(NamedTuple):
    """A later look at a page of the whole, and the form in which it was seen, unless it was not."""

    wall: float
    number: int
    place: int
    step: int
    finding: str
    response: Response
    form: _Form | None


class _Merging:
    """Takes over visits, looks and verdicts, in this order."""

    def __init__(self, parts: Sequence[Part], whole: Whole, watch: Callable[[int], None]) -> None:
        self.tally = MergeTally()
        self._parts, self._whole, self._watch = parts, whole, watch
        self._lines = [min(part.crawl.line(), 1.0) for part in parts]
        self.line = self._lines[0] if len(set(self._lines)) == 1 else LINE
        self._steps: dict[str, int] = {}
        """The step of the whole by URL."""
        self._seen: dict[int, bytes] = {}
        """The digest of each page as it was last seen, by step of the whole."""

    def write(self) -> None:
        again = self._visits()
        for part in self._parts:
            again += self._rechecks(part)
        for look in sorted(again, key=lambda look: look[:3]):
            self._look(look)
        self._whole.log.add_message(self._verdicts())

    def _visits(self) -> list[_Look]:
        """Write the first visit of each URL, one that brought a page if there is any; the later ones are looks."""
        good = {visit.final_url for part in self._parts for *_, visit in part.visits() if _is_good(visit)}
        again = []
        for wall, number, visit in merge(*(part.visits() for part in self._parts), key=lambda each: each[:2]):
            part, at = self._parts[number], self._steps.get(visit.final_url)
            if not _is_good(visit) and (at is not None or visit.final_url in good):
                continue
            if at is not None:
                part.set_step(visit.step, at)
                records = tuple(map(part.place, visit.records))
                response = _response(visit.status, visit.size, visit.modified, visit.etag, records)
                form = _Form(part, PAGE, visit.step)
                again.append(_Look(wall, number, visit.step, at, CHANGED, response, form))
                self.tally.shared += 1
                continue
            step = self._steps[visit.final_url] = self.tally.visits
            page = self._whole.add(part, visit, step)
            if page is not None:
                self._seen[step] = _digest(page)
                self.tally.pages += 1
            self.tally.visits += 1
            self._watch(self.tally.visits)
        return again

    def _rechecks(self, part: Part) -> Iterator[_Look]:
        """What the refreshes of a part found of pages of the whole."""
        forms: dict[int, _Form] = {}
        for row in map(Recheck._make, part.crawl.database.all(RECHECK)):
            if row.finding == CHANGED:
                forms[row.step] = _Form(part, VERSION, row.id)
            records = tuple(map(part.place, row.places))
            response = _response(row.status, row.size, row.modified, row.etag, records)
            form = forms.get(row.step, _Form(part, PAGE, row.step)) if row.finding in (SAME, CHANGED) else None
            yield _Look(row.wall, part.number, row.id, part.step(row.step), row.finding, response, form)

    def _look(self, look: _Look) -> None:
        """Write a look; what was a change to one crawl may be none to the whole, and the other way round."""
        finding, response = look.finding, look.response
        if look.form is not None:
            page = look.form.page()
            same = self._seen.get(look.step) == (digest := _digest(page))
            finding = SAME if same else CHANGED
            self._seen[look.step] = digest
            if not same:
                ours = look.form.part.page(page, self._whole.urls, self._whole.words)
                response = replace(response, page=ours)
        elif finding == GONE:
            self._seen.pop(look.step, None)
        self._whole.log.add_recheck(look.step, finding, response, look.wall)

    def _verdicts(self) -> Revision:
        """What is thought of the pages by now: what the crawl thinks that came last, and what a person said last."""
        scores: dict[int, tuple[float, float]] = {}
        likings: dict[str, int] = {}
        for part, line in zip(self._parts, self._lines, strict=True):
            for wall, _, visit in part.visits():
                if not _is_good(visit):
                    continue
                step = part.step(visit.step)
                scores[step] = max(scores.get(step, (0.0, 0.0)), (wall, self._on_our_line(visit.current_score, line)))
                if visit.word is not None:
                    likings[visit.final_url] = _LIKINGS[visit.word]
        return Revision([(step, score) for step, (_, score) in sorted(scores.items())], [*likings.items()])

    def _on_our_line(self, score: float, line: float) -> float:
        """A score as it stands to the line of the whole, if it stood so to its own."""
        if line == self.line:
            return score
        return self.line * score / line if score < line else 1 - (1 - self.line) * (1 - score) / (1 - line or 1)


def _check(folders: Sequence[Path], out: Path) -> None:
    """UserError if these cannot be made one there."""
    absolute = [folder.resolve() for folder in folders]
    if len(set(absolute)) < 2:
        raise UserError("a merge is of several crawls; name at least two folders")
    for at, folder in enumerate(absolute):
        if folder in absolute[:at]:
            raise UserError(f"{folders[at]} is named twice; name it once")
    if not out.name or thing_of_others(out) or (out.is_dir() and any(out.iterdir())):
        raise UserError(f"{out} is no new or empty folder; name one with --out")


def _facts(folders: Sequence[Path], crawls: Sequence[CrawlFolder]) -> dict[str, Any]:
    """The facts about the whole: those of the first, with the start points of all."""
    all_facts = [crawl.about() for crawl in crawls]
    for folder, facts in zip(folders, all_facts, strict=True):
        if "topic" not in facts:
            raise UserError(f"the crawl in {folder} does not say what it was after; leave it out")
    first = all_facts[0]
    topics = [facts["topic"] for facts in all_facts]
    joined = {
        name: list(dict.fromkeys(url for topic in topics for url in topic.get(name) or ()))
        for name in ("seeds", "examples", "negatives")
    }
    kept = ("version", "strategy", "judge", "limits", "arrivals", "seed", "backlinks")
    return {
        **{name: first[name] for name in kept if name in first},
        "topic": {**first["topic"], **joined},
        "web": {MERGED: len(crawls)},
        MERGED: [str(folder.resolve()) for folder in folders],
    }


def _is_good(visit: StoredVisit) -> bool:
    return visit.outcome == Outcome.OK and not visit.revisit


def _response(status: int, size: int, modified: float | None, etag: str | None, records: tuple[int, ...]) -> Response:
    return Response(0, 0, Outcome.OK, status, None, 0.0, size, modified, etag, records)


def _digest(page: Page) -> bytes:
    return blake2b(f"{page.title}\n{page.text}".encode(), digest_size=16).digest()

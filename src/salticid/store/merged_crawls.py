"""Several crawls of one subject made one: a collection to search, export, and build worlds from.

A page that several of them hold is one page. The first look at it is its visit, every later one, of whichever crawl, a
recheck: so the newest version is the one that counts, and the others are there as well. Pages all but the same are
found among all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from heapq import merge
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

from salticid.errors import UserError
from salticid.messages import Revision
from salticid.model import Outcome, Page, Response
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.folder_lock import thing_of_others
from salticid.store.log import CrawlLog
from salticid.store.merging import FILES_A_PART, Part, Whole
from salticid.store.packing import unpack_page
from salticid.store.schema import PAGE, RECHECK, VERSION, SqlTable
from salticid.store.stored_visit import StoredVisit
from salticid.store.verdicts import Word
from salticid.store.versions import CHANGED, GONE, SAME, Recheck
from salticid.tables import Texts, Urls

MERGED = "merged"
"""The fact about such a crawl that names the folders it was made of."""
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


def check_not_merged(folder: Path, about: dict[str, Any]) -> None:
    """UserError if a folder holds a merge, in which nothing goes on."""
    if MERGED in about:
        raise UserError(
            f"{folder} is a merge of other crawls, and is only read; go on with one of them, such as "
            f"{about[MERGED][0]}, and merge them again into a new folder"
        )


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
            form = (
                forms.get(row.step, _Form(part, PAGE, row.step)) if row.finding in (SAME, CHANGED) else None
            )
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
                scores[step] = max(
                    scores.get(step, (0.0, 0.0)), (wall, self._on_our_line(visit.current_score, line))
                )
                if visit.word is not None:
                    likings[visit.final_url] = _LIKINGS[visit.word]
        return Revision([(step, score) for step, (_, score) in sorted(scores.items())], [*likings.items()])

    def _on_our_line(self, score: float, line: float) -> float:
        """A score as it stands to the line of the whole, if it stood so to its own."""
        if line == self.line:
            return score
        return (
            self.line * score / line if score < line else 1 - (1 - self.line) * (1 - score) / (1 - line or 1)
        )


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


def _response(
    status: int, size: int, modified: float | None, etag: str | None, records: tuple[int, ...]
) -> Response:
    return Response(0, 0, Outcome.OK, status, None, 0.0, size, modified, etag, records)


def _digest(page: Page) -> bytes:
    return blake2b(f"{page.title}\n{page.text}".encode(), digest_size=16).digest()

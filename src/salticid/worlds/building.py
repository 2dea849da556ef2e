"""Building a world from a source; what could not be used is counted and reported."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from salticid.errors import UserError
from salticid.model import Outcome
from salticid.parse import GOOD_STATUSES, PdfDocument, PdfPool, ThreadedPool
from salticid.urls import canonical
from salticid.webs import Manifest
from salticid.worlds.answers import Answer, Unread, WorldSource, WritesBeside, read_labels, write_labels
from salticid.worlds.writer import WorldWriter

# PDFs in the source of a world become HTML that says the same, in a process that may die of them.


class Pdfs:
    """Reads the PDFs among answers. Use it as a context; the process starts with the first of them."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def read(self, answer: Answer) -> Answer:
        """The answer as it is, or with HTML in place of a PDF; one that cannot be read is unparsable."""
        if answer.pdf is None or answer.status not in GOOD_STATUSES:
            return answer
        document = self._pool.ask(answer.pdf).result()
        if document is None:
            return replace(answer, pdf=None, outcome=Outcome.UNPARSABLE, size=len(answer.pdf))
        return replace(
            answer,
            html=document.html,
            pdf=None,
            charset="utf-8",
            modified=document.modified if answer.modified is None else answer.modified,
            size=len(answer.pdf),
        )

    @cached_property
    def _pool(self) -> ThreadedPool[PdfDocument | None]:
        return self._stack.enter_context(ThreadedPool(PdfPool()))


_REMARKS = 20


@dataclass(frozen=True, slots=True)
class WorldSummary:
    """A finished world, and a few of the things that could not be used, in words."""

    manifest: Manifest
    pages: int
    label_count: int
    remarks: list[str]


def build(
    out: Path,
    source: WorldSource,
    labels: Path | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> WorldSummary:
    """Read a source to its end into the new world folder `out`.

    `watch(done, pages)` is shown the progress; a source that `WritesBeside` puts more into the folder.
    Whatever goes wrong, `out` is a whole world or not there.
    """
    pairs = list(read_labels(labels)) if labels else []
    writer = WorldWriter(out)
    try:
        remarks: list[str] = []
        labels_of_pages: list[tuple[str, str]] = [pair for pair in pairs if pair is not None]
        if unread := len(pairs) - len(labels_of_pages):
            writer.leave_out("label line that is no URL<tab>label", unread)
        with Pdfs() as pdfs:
            for item in source:
                if isinstance(item, Unread):
                    writer.leave_out(item.why)
                    if len(remarks) < _REMARKS:
                        remarks.append(f"{item.why}: {item.what}")
                else:
                    _record(writer, pdfs.read(item), labels_of_pages)
                if watch is not None:
                    watch(source.done, writer.pages)
        if not writer.pages:
            raise UserError(f"{source.name}: no page could be read, so there is no world{_remark(writer.left_out)}")
        recorded_labels = [pair for pair in labels_of_pages if writer.has_page(pair[0])]
        if len(recorded_labels) < len(labels_of_pages):
            writer.leave_out("label for an unknown URL", len(labels_of_pages) - len(recorded_labels))
        write_labels(writer.folder, recorded_labels)
        if isinstance(source, WritesBeside):
            source.write_beside(writer.folder)
        pages = writer.pages
        manifest = writer.close(source.name)
    except BaseException:
        writer.abandon()
        raise
    return WorldSummary(manifest, pages, len(set(recorded_labels)), remarks)


def _remark(left_out: dict[str, int]) -> str:
    counts = ", ".join(f"{count} x {why}" for why, count in left_out.items())
    return f" (left out: {counts})" if counts else ""


def _record(writer: WorldWriter, answer: Answer, pairs: list[tuple[str, str]]) -> None:
    writer.add(answer)
    if answer.labels and (url := canonical(answer.url)):
        pairs += ((url, label) for label in answer.labels)

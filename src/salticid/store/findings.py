"""What was found of pages that were asked for again, over a span of time: where each stood before it, and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from salticid.store.database import Database
from salticid.store.versions import CHANGED, GONE, SAME

_NEWEST = f"SELECT step, max(id) FROM recheck WHERE id < ? AND finding = '{CHANGED}' GROUP BY step"
_LAST = f"""SELECT step, finding, max(id) FROM recheck WHERE id < ?
    AND finding IN ('{CHANGED}', '{GONE}', '{SAME}') GROUP BY step"""
_FINDINGS = "SELECT id, step, finding FROM recheck WHERE id >= ? AND id < ? ORDER BY id"


class Span(Protocol):
    """Rechecks from one number on, up to another; a round is one."""

    @property
    def first_recheck(self) -> int: ...

    @property
    def end_recheck(self) -> int: ...


class PageState(NamedTuple):
    """Which recheck brought the newest version of a page, None if the visit did; and whether it was gone."""

    version: int | None
    gone: bool


@dataclass(slots=True)
class Findings:
    """What a span brought of the pages that were asked for in it, by step.

    `was` and `now` say how a page stood before it and after it, `seen` which recheck was its last. Of `unknown` pages
    nothing could be learned.
    """

    was: dict[int, PageState] = field(default_factory=dict)
    now: dict[int, PageState] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    unknown: int = 0


def findings_of(db: Database, spans: Sequence[Span]) -> list[Findings]:
    """What each span brought; rows are checked where they are told of."""
    found = [Findings() for _ in spans]
    unsure: list[set[int]] = [set() for _ in spans]
    start = min((span.first_recheck for span in spans), default=0)
    end = max((span.end_recheck for span in spans), default=0)
    newest: dict[int, int] = dict(db.run(_NEWEST, (start,)))
    gone = {step for step, finding, _ in db.run(_LAST, (start,)) if finding == GONE}
    for number, step, finding in db.run(_FINDINGS, (start, end)):
        before = PageState(newest.get(step), step in gone)
        if finding == CHANGED:
            newest[step] = number
        if finding in (CHANGED, GONE, SAME):
            (gone.add if finding == GONE else gone.discard)(step)
        for span, findings, unknown in zip(spans, found, unsure, strict=True):
            if span.first_recheck <= number < span.end_recheck:
                if finding in (CHANGED, GONE, SAME):
                    findings.was.setdefault(step, before)
                    findings.now[step] = PageState(newest.get(step), step in gone)
                    findings.seen[step] = number
                else:
                    unknown.add(step)
    for findings, unknown in zip(found, unsure, strict=True):
        findings.unknown = len(unknown - findings.was.keys())
    return found

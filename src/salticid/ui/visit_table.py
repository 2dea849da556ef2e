"""All visits of a crawl as a table, of which a person sees a part: by outcome, host, depth, language, and why."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any

import msgspec

from salticid.errors import UserError, unknown
from salticid.formats.csv import cell
from salticid.parse.document_language import document_language
from salticid.runs.reasons import main_reason
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.store.stored_visit import LISTED
from salticid.urls import host

FACETS = ("outcome", "host", "depth", "language", "reason")
"""By what visits are told apart; a value is a text, an empty one says that there is none."""
MOST_ROWS, MOST_VALUES = 100, 50
KINDS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
"""What can be taken away."""

Row = dict[str, Any]
Languages = MutableMapping[int, str | None]
"""By step the languages of pages, as far as somebody asked for them: to tell them takes longer than all the rest."""


def wanted(parameters: Mapping[str, str]) -> dict[str, str]:
    """The values that a request asks for, by facet."""
    return {name: parameters[name] for name in FACETS if name in parameters}


def kind_of(parameters: Mapping[str, str]) -> str | None:
    """As what a request takes the rows away; None if it only looks at them."""
    kind = parameters.get("format")
    if kind is not None and kind not in KINDS:
        raise unknown("format", kind, KINDS)
    return kind


def first_row(parameters: Mapping[str, str]) -> int:
    """From which row on a request looks at them."""
    text = parameters.get("from", "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UserError(f"from {text[:20]!r} is no number of a row; give one such as 100")
    return int(text)


def table(crawl: CrawlFolder, languages: Languages, wishes: Mapping[str, str], first: int) -> dict[str, Any]:
    """A hundred rows that are wished for, how many there are, and how many there would be with every other value.

    The values of a facet are counted among the rows that fit all other wishes, most first.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    shown: list[Row] = []
    fitting = visits = 0
    for row in _rows(crawl, languages):
        visits += 1
        unfit = [name for name, value in wishes.items() if _text(row[name]) != value]
        counted_in = unfit if len(unfit) == 1 else () if unfit else FACETS
        for name in counted_in:
            counts[name][_text(row[name])] += 1
        if not unfit:
            if first <= fitting < first + MOST_ROWS:
                shown.append(row)
            fitting += 1
    return {
        "visits": visits,
        "fitting": fitting,
        "rows": shown,
        "facets": {name: _most(found, wishes.get(name)) for name, found in counts.items()},
    }


def download(crawl: CrawlFolder, languages: Languages, wishes: Mapping[str, str], kind: str) -> bytes:
    """All rows that are wished for, as CSV that spreadsheets may open, or as a JSON list."""
    rows = (
        row
        for row in _rows(crawl, languages)
        if all(_text(row[name]) == value for name, value in wishes.items())
    )
    return _csv(rows) if kind == "csv" else msgspec.json.encode(list(rows))


def _rows(crawl: CrawlFolder, languages: Languages) -> Iterator[Row]:
    for visit in crawl.visits():
        more = {"host": host(visit.final_url), "depth": visit.depth, "reason": main_reason(visit.why)}
        yield visit.listing() | more | {"language": _language(crawl, languages, visit)}


def _language(crawl: CrawlFolder, languages: Languages, visit: StoredVisit) -> str | None:
    if visit.step not in languages:
        page = crawl.page(visit.step)
        languages[visit.step] = None if page is None else document_language(page.text)
    return languages[visit.step]


def _most(counts: Counter[str], chosen: str | None) -> dict[str, Any]:
    """The values that are most frequent, the chosen one among them whatever its count."""
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    values = [pair for at, pair in enumerate(ranked) if at < MOST_VALUES or pair[0] == chosen]
    return {"values": values, "left_off": len(ranked) - len(values)}


def _csv(rows: Iterable[Row]) -> bytes:
    out = io.StringIO(newline="")
    names = dict.fromkeys((*LISTED, *FACETS))
    writer = csv.writer(out)
    writer.writerow(names)
    for row in rows:
        row["why"] = msgspec.json.encode(row["why"]).decode()
        writer.writerow([cell(msgspec.to_builtins(row[name])) for name in names])
    return out.getvalue().encode("utf-8", "replace")


def _text(value: object) -> str:
    return "" if value is None else str(value)

"""A data set: a folder with the pages as parquet, a card as hubs of data sets read it, and the topic to do it again."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import tomli_w

from salticid.formats import Export, FolderFormat
from salticid.formats.markdown import front_matter
from salticid.formats.parquet import write_table
from salticid.parse import code, escaped, fenced
from salticid.store.exports import GENERATOR, Chunk, Document, DocumentStream, Pages, SkipReason, one_line
from salticid.urls import host

DATA, CARD, TOPIC = "data/pages.parquet", "README.md", "topic.toml"
WISHES = ("noindex", "noarchive", "noai", "tdm_reservation")
_SHOWN = 20
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


class Dataset(FolderFormat):
    """The card says where the pages are from, how they were chosen, and how to do it again."""

    title = "Data set"
    about = "Parquet and a card, for hubs of data sets, packed"
    suffix = "dataset"
    has_chunks = True
    extra = "export"

    def write(self, export: Export, out: Path) -> None:
        with export.documents() as documents:
            tally, about = Tally(documents), export.crawl.about()
            (out / DATA).parent.mkdir()
            with (out / DATA).open("wb") as file:
                write_table(tally, file)
            (out / TOPIC).write_text(tomli_w.dumps(_filled(about.get("topic") or {})), encoding="utf-8")
            (out / CARD).write_text(card(export, about, tally), encoding="utf-8")


class Tally:
    """Documents, counted; `rows` are all of them, the rest is counted by page. `first` and `last` were fetched so."""

    def __init__(self, documents: DocumentStream) -> None:
        self.kind = documents.kind
        self.rows = 0
        self.hosts: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.licences: Counter[str] = Counter()
        self.wishes: Counter[str] = Counter()
        self.first: datetime | None = None
        self.last: datetime | None = None
        self._documents = documents

    def __iter__(self) -> Iterator[Document]:
        for document in self._documents:
            self.rows += 1
            if not isinstance(document, Chunk) or document.chunk == 1:
                self._count(document)
            yield document

    def _count(self, page: Document) -> None:
        self.hosts[host(page.final_url)] += 1
        self.languages[page.language or "not sure"] += 1
        self.licences[page.licence or "none stated"] += 1
        self.wishes.update(name for name in WISHES if getattr(page, name))
        if page.fetched is not None:
            self.first = min(self.first or page.fetched, page.fetched)
            self.last = max(self.last or page.fetched, page.fetched)


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    """A table without what is empty, as a topic file has it."""
    tables = {name: _filled(value) if isinstance(value, dict) else value for name, value in table.items()}
    return {name: value for name, value in tables.items() if value not in (None, [], {}, False)}


def card(export: Export, about: dict[str, Any], tally: Tally) -> str:
    """The card, as Markdown with front matter."""
    topic: dict[str, Any] = about.get("topic") or {}
    name, pages = one_line(export.title), export.pages
    parts = [
        f"# {escaped(name)}",
        _summary(topic, pages, tally),
        "## How pages were chosen",
        _table(("", ""), _choice(about, pages)),
        "## Hosts",
        _counts("host", tally.hosts),
        "## Languages",
        _counts("language", tally.languages),
        "## Licences",
        "The texts belong to those who wrote them. What pages state, in a link or a tag:",
        _counts("licence", tally.licences),
        "## What pages and sites ask for",
        _robots(about, pages, tally),
        "## Left out",
        _left_out(pages),
        "## How to do it again",
        "With `topic.toml`, which is beside this file:",
        fenced(_commands(about), "sh"),
        f"Columns: {', '.join(code(column) for column in tally.kind.__struct_fields__)}.",
    ]
    return _front(name, tally) + "\n" + "\n\n".join(parts) + "\n"


def _front(name: str, tally: Tally) -> str:
    return front_matter(
        {
            "pretty_name": name,
            "language": sorted(code for code in tally.languages if len(code) in (2, 3)),
            "license": "other",
            "size_categories": [next((size for most, size in _SIZES if tally.rows < most), "n>1M")],
            "tags": ["web", "focused-crawl", "salticid"],
            "configs": [{"config_name": "default", "data_files": [{"split": "train", "path": DATA}]}],
            "generator": GENERATOR,
        }
    )


def _summary(topic: dict[str, Any], pages: Pages, tally: Tally) -> str:
    keywords = escaped(one_line(str(topic.get("keywords") or "")))
    dates = f", fetched from {tally.first:%Y-%m-%d} to {tally.last:%Y-%m-%d}" if tally.first and tally.last else ""
    rows = "" if tally.rows == pages.taken else f", in {tally.rows:,} pieces"
    return f"{pages.taken:,} pages of {len(tally.hosts):,} hosts about: {keywords}{dates}{rows}."


def _choice(about: dict[str, Any], pages: Pages) -> Iterable[tuple[str, str]]:
    web = about.get("web") or {}
    yield "query", escaped(one_line(str((about.get("topic") or {}).get("keywords") or "")))
    yield "web", f"a recording, {code(str(web['world']))}" if "world" in web else ", ".join(web)
    for name in ("strategy", "judge"):
        settings = dict(about.get(name) or {})
        text = str(settings.pop("name", ""))
        yield name, code(text) + (f" with {code(json.dumps(settings, sort_keys=True))}" if settings else "")
    yield (
        "budget",
        code(json.dumps({name: value for name, value in (about.get("limits") or {}).items() if value})),
    )
    yield "seed", str(about.get("seed"))
    yield "of its pages", ", ".join(_wanted(pages)) or "all"


def _wanted(pages: Pages) -> Iterable[str]:
    criteria = pages.criteria
    if criteria.on_topic:
        yield "those on topic"
    if criteria.min_score is not None:
        yield f"those with a score of {criteria.min_score:g} or more"
    if criteria.liked:
        yield "those a person liked"
    if criteria.all:
        yield "near-duplicates and pages that are gone by now, too"


def _robots(about: dict[str, Any], pages: Pages, tally: Tally) -> str:
    web = about.get("web") or {}
    robots = (
        "robots.txt was honoured: nothing was fetched that it forbids."
        if "live" in web
        else "The pages are from a recording; who made it asked for them."
        if "world" in web
        else f"Others fetched the pages ({', '.join(map(code, web))}), by their own rules."
    )
    kept = pages.criteria.noindex
    noindex = "are included, and marked" if kept else "were left out"
    asked = ", ".join(f"{code(name)} {tally.wishes[name]:,}" for name in WISHES)
    return f"{robots} Pages that say noindex {noindex}. Of the pages here, so many say: {asked}."


def _left_out(pages: Pages) -> str:
    names = {
        SkipReason.NO_PAGE: "no page: the visit failed",
        SkipReason.DUPLICATE: "near-duplicate of another page",
    }
    rows = [(names.get(why, why.value), f"{count:,}") for why, count in pages.skipped.items() if count]
    return _table(("why", "visits"), rows) if rows else "Nothing."


def _commands(about: dict[str, Any]) -> str:
    web, export = about.get("web") or {}, "salticid export DIR --to dataset --out NEW"
    if web and not web.keys() & {"live", "world"}:
        return export  # others made the crawl
    named = {name: str((about.get(name) or {}).get("name", "")) for name in ("strategy", "judge")}
    limits = about.get("limits") or {}
    command = [
        "salticid",
        "crawl",
        "topic.toml",
        *("--web WORLD" if "world" in web else "").split(),
    ]
    for name, value in {**named, "max-pages": limits.get("max_pages"), "seed": about.get("seed")}.items():
        if value not in (None, ""):
            command += [f"--{name}", str(value)]
    crawl = shlex.join([*command, "--out", "DIR"])
    return f"{crawl}\n{export}"


def _counts(what: str, counts: Counter[str]) -> str:
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [(code(name), f"{count:,}") for name, count in most[:_SHOWN]]
    if len(most) > _SHOWN:
        rows.append((f"{len(most) - _SHOWN:,} others", f"{sum(count for _, count in most[_SHOWN:]):,}"))
    return _table((what, "pages"), rows)


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {left} | {right} |" for left, right in ((_cell(left), _cell(right)) for left, right in rows)]
    return "\n".join([f"| {head[0]} | {head[1]} |", "| --- | --- |", *lines])


def _cell(markdown: str) -> str:
    return markdown.replace("\\|", "|").replace("|", "\\|")

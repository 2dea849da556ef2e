"""`salticid visits`, `search` and `export`: the visits of a crawl, pages that contain some words, pages as files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer
from rich.text import Text

from salticid.cli.console import Work, err, out, print_json, safe
from salticid.cli.options import At, Quiet, moment
from salticid.errors import UserError
from salticid.formats import FileFormat, FolderFormat, export, formats
from salticid.store.exports import PageOrder, new_file, new_folder, size_of

if TYPE_CHECKING:
    from salticid.formats import ExportResult, Format
    from salticid.store import CrawlFolder, Hit, StoredVisit, WordIndex
    from salticid.store.news import Since


def visits(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    order: Annotated[PageOrder, typer.Option(help="As visited, or the best first.")] = PageOrder.VISITS,
    failed: Annotated[bool, typer.Option("--failed", help="What could not be read, and why.")] = False,
    digest: Annotated[bool, typer.Option("--digest", help="Only a digest: equal for equal crawls.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="With --order best: near-duplicates, releases and translations, too.")
    ] = False,
) -> None:
    """List every visit of a crawl, in order or the best first; or what failed, host by host.

    Example: salticid visits crawls/ballooning-best_first --json | head
    """

    with crawl_in(folder) as crawl:
        if digest:
            typer.echo(crawl.digest())
        elif failed:
            _list_failures(crawl, json)
        else:
            _list_visits(crawl, order, json, everything)


def _list_visits(crawl: CrawlFolder, order: PageOrder, json: bool, everything: bool) -> None:
    line = crawl.line()
    if order is PageOrder.BEST:
        for visit, also_at in crawl.best_first(everything):
            if json:
                print_json(visit.listing() | {"also_at": also_at})
            else:
                also = Text(f"  (also at {len(also_at)} more)" if also_at else "")
                out.print(_line(visit, line) + also, soft_wrap=True, highlight=False)
        return
    for visit in crawl.visits():
        if json:
            print_json(visit.listing())
        else:
            out.print(_line(visit, line), soft_wrap=True, highlight=False)


def _list_failures(crawl: CrawlFolder, json: bool) -> None:
    """Each that failed for a script; for a person the hosts and the causes, those with most first."""
    from salticid.runs import Causes, failures, failures_by_host

    if json:
        causes = Causes(crawl)
        for visit in failures(crawl):
            print_json({**visit.listing(), "cause": causes.of(visit)})
        return
    for host in failures_by_host(crawl):
        many = f"{host.count} links, as" if host.count > 1 else "as"
        out.print(safe(f"{host.host}: {host.cause} ({many} {host.url})"), soft_wrap=True, highlight=False)


def _line(visit: StoredVisit, line: float) -> Text:
    """A visit as it is judged by now."""
    from salticid.model import Outcome
    from salticid.store import is_on_topic

    good = visit.outcome == Outcome.OK and is_on_topic(visit.current_score, visit.word, line)
    mark = "+" if good else " "
    start = Text(f"{visit.step:>6} {mark} {visit.current_score:.3f} {visit.outcome:<15} ")
    said = f"({visit.word}) " if visit.word else ""
    return start + safe(visit.final_url) + Text("  ") + safe(f"{said}{visit.title or ''}")


# `salticid search`: which pages of a crawl hold some words.

_INDENT = 4


def search(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help='Words; "a phrase"; -word, which must not be there.')
    ],
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    quiet: Quiet = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many pages to show.")] = 10,
    everything: Annotated[
        bool, typer.Option("--all", help="Near-duplicates too, and pages a refresh found gone.")
    ] = False,
    min_score: Annotated[
        float, typer.Option("--min-score", help="Only pages whose score by the judge is this or more.")
    ] = 0.0,
    with_noindex: Annotated[
        bool, typer.Option("--with-noindex", help="Pages that forbid it (noindex), too; they are marked.")
    ] = False,
    at: At = None,
) -> None:
    """Search the pages of a crawl, also while it runs.

    Example: salticid search crawls/ballooning-best_first 'hot air "a burner" -toy'
    """
    from salticid.store import Query, Search

    query = Query.of(" ".join(words))
    when = None if at is None else moment(at)
    with crawl_in(folder, when) as crawl, closing(_up_to_date(crawl)) as index:
        look = partial(
            Search(crawl, index, when).hits,
            query,
            everything=everything,
            min_score=min_score,
            noindex=with_noindex,
        )
        hits = list(islice(look(), limit))
        if not hits and len(query.terms) > 1 and (hits := list(islice(look(any_term=True), limit))):
            err.print("no page holds all of these words; these hold some of them")
    if not hits:
        err.print("no page holds any of these words; try others, or fewer conditions")
    for place, hit in enumerate(hits, 1):
        if json:
            print_json(hit)
        else:
            _show(place, hit)


def _up_to_date(crawl: CrawlFolder) -> WordIndex:
    from salticid.store import INDEX_FILE, WordIndex

    index = WordIndex(crawl)
    if not index.persistent:
        err.print(safe(f"{crawl.folder / INDEX_FILE} cannot be written; the index is made for this search only"))
    if missing := index.missing():
        with Work("indexing", missing, err) as work:
            index.update(lambda count: work.at(count, f"{count} of {missing} pages"))
    return index


def _show(place: int, hit: Hit) -> None:
    title = safe(hit.title) if hit.title.strip() else Text("(no title)")
    title.stylize("bold")
    score = f"score {hit.score:.3f}" + " · gone" * hit.gone + " · noindex" * hit.noindex
    also = f" · like {hit.duplicate_of}" if hit.duplicate_of else ""
    out.print(Text(f"{place:>{_INDENT - 1}} ") + title, soft_wrap=True)
    out.print(Text(" " * _INDENT) + safe(f"{hit.url} · {score}{also}"), soft_wrap=True, highlight=False)
    snippet = _highlight(hit)
    lines = snippet.wrap(out, max(20, out.width - _INDENT)) if out.is_terminal else [snippet]
    for line in lines:
        out.print(Text(" " * _INDENT) + line, soft_wrap=True, highlight=False)


def _highlight(hit: Hit) -> Text:
    """The snippet, its words in bold on a terminal, between «» elsewhere."""
    text = safe(hit.snippet)
    if out.is_terminal:
        for start, end in hit.matches:
            text.stylize("bold", start, end)
        return text
    ends = [0, *(place for match in hit.matches for place in match), len(text)]
    pieces = [text.plain[a:b] for a, b in pairwise(ends)]
    return Text("".join(f"«{piece}»" if at % 2 else piece for at, piece in enumerate(pieces)))


# Reading a crawl for a person.


@contextmanager
def crawl_in(folder: Path, at: float | None = None) -> Iterator[CrawlFolder]:
    """The crawl in a folder; a warning when part of it was left behind, a mistake if it had not begun `at` a moment."""
    from salticid.store import CrawlFolder  # here: it takes its time to import

    with closing(CrawlFolder(folder)) as crawl:
        if crawl.missing is not None:
            err.print(safe(f"Beware: {crawl.missing}."), soft_wrap=True)
        crawl.check_read_by(at)
        yield crawl


# `salticid export`: the pages of a crawl in a format of others.

STDOUT = "-"
_FORMATS = formats.names()


def export_pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    to: Annotated[
        str,
        typer.Option(help="What to write.", metavar="|".join(_FORMATS), autocompletion=lambda: _FORMATS),
    ],
    file: Annotated[
        str,
        typer.Option(
            "--out",
            help="The new file or folder; - for stdout (formats that are text).",
            metavar="PATH",
        ),
    ],
    on_topic: Annotated[
        bool,
        typer.Option("--on-topic", help="Only pages above the judge's line or liked, and none rejected."),
    ] = False,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only pages the judge gives so much.", metavar="X")
    ] = None,
    liked: Annotated[bool, typer.Option("--liked", help="Only pages that you liked.")] = False,
    order: Annotated[PageOrder, typer.Option(help="The best first, or as visited.")] = PageOrder.BEST,
    everything: Annotated[bool, typer.Option("--all", help="Near-duplicates and pages gone by now, too.")] = False,
    with_noindex: Annotated[
        bool, typer.Option("--with-noindex", help="Pages that forbid it (noindex), too; they are marked.")
    ] = False,
    at: At = None,
    since: Annotated[
        str | None,
        typer.Option(
            help="Only pages new or changed since a day or a round began, and what changed.",
            metavar="DATE|ROUND",
        ),
    ] = None,
    chunks: Annotated[
        int | None,
        typer.Option(min=20, help="Cut pages by their headings into pieces of about N words.", metavar="N"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace PATH if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write the pages of a crawl to a file or a folder: main text, Markdown, scores, dates, and how each was found.

    Scores are those of now: what you liked and rejected counts. Without a choice, all pages are written.

    Example: salticid export crawls/spiders --on-topic --to csv --out found.csv
    """
    from salticid.store.exports import Criteria

    form = formats.make(to)
    _check(folder, to, form, file, json, chunks)
    start = time.monotonic()
    when = None if at is None else moment(at)
    criteria = Criteria(min_score, everything, on_topic, liked, order=order, noindex=with_noindex, at=when)
    with crawl_in(folder, when) as crawl, Work("exporting", len(crawl), err) as work:
        if since is not None:
            criteria = replace(criteria, since=_since(crawl, since, when))

        def watch(visits: int, pages: int) -> None:
            work.at(visits, f"{pages} pages")

        if isinstance(form, FolderFormat):
            with new_folder(Path(file), force) as new:
                result = export(crawl, to, criteria, new, watch, chunks)
                size: int | None = size_of(new)
        else:
            with _stream(file, force) as stream:
                result = export(crawl, to, criteria, stream, watch, chunks)
                size = None if file == STDOUT else stream.tell()
    if json:
        facts = {"out": file, "format": to, **asdict(result), "bytes": size}
        print_json({**facts, "seconds": round(time.monotonic() - start, 3)})
    else:
        _tell(file, result, size)


def _since(crawl: CrawlFolder, text: str, when: float | None) -> Since:
    """The beginning of a round, by its number, or of a day; news are told up to a moment, if one is named."""
    from salticid.store.news import Since

    if text.isascii() and text.isdecimal():
        return Since.of_round(crawl, int(text), when)
    return Since.of_time(crawl, moment(text, day_ends=False), when)


def _tell(file: str, result: ExportResult, size: int | None) -> None:
    pages = f"{result.pages} pages"
    console, line = (err, pages) if size is None else (out, f"{file}: {pages}, {size:,} bytes")
    console.print(safe(line), highlight=False, soft_wrap=True)
    for why, count in result.skipped.items():
        if count:
            console.print(f"  left out: {count} x {why}", highlight=False)


def _check(folder: Path, to: str, form: Format, file: str, json: bool, chunks: int | None) -> None:
    if file == STDOUT and not (isinstance(form, FileFormat) and form.is_text):
        what = "a folder, nothing" if isinstance(form, FolderFormat) else "no text"
        raise UserError(f"--to {to} is {what} for stdout; name a path with --out")
    if file == STDOUT and json:
        raise UserError("--out - and --json both want stdout; name a file with --out")
    if chunks is not None and not form.has_chunks:
        raise UserError(f"--to {to} has no chunks; leave out --chunks, or choose --to jsonl")
    if file != STDOUT and _is_of_crawl(folder, Path(file)):
        raise UserError(f"{file} belongs to the crawl itself; name another path with --out")
    _check_followed(folder, file)


def _check_followed(folder: Path, file: str) -> None:
    """UnsafeFile if the path leads into the crawl folder, and there over a symlink that somebody else may have set."""
    from salticid.store import folder_in

    part = Path(file).absolute()
    whole = next((each for each in part.parents if folder.exists() and each.exists() and each.samefile(folder)), None)
    if file != STDOUT and whole is not None:
        with suppress(FileNotFoundError), folder_in(whole, str(part.relative_to(whole).parent)):
            pass


def _is_of_crawl(folder: Path, file: Path) -> bool:
    """Whether a file is one of those a crawl is made of, which --force must not replace."""
    whole, part = folder.resolve(), file.resolve()
    if whole not in part.parents:
        return False
    first = part.relative_to(whole).parts[0]
    return first in ("lock", "rounds", "warc") or first.startswith(("crawl.db", "search.db"))


@contextmanager
def _stream(file: str, force: bool) -> Iterator[BinaryIO]:
    if file == STDOUT:
        yield sys.stdout.buffer
    else:
        with new_file(Path(file), force) as stream:
            yield stream

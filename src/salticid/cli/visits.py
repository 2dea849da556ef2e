"""`salticid visits` and `salticid search`: the visits of a crawl, and the pages that contain some words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from salticid.cli.console import Work, err, out, print_json, safe
from salticid.cli.options import At, Quiet, moment
from salticid.store.exports import PageOrder

if TYPE_CHECKING:
    from salticid.store import CrawlFolder, Hit, StoredVisit, WordIndex


def visits(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    order: Annotated[PageOrder, typer.Option(help="As visited, or the best first.")] = PageOrder.VISITS,
    failed: Annotated[bool, typer.Option("--failed", help="What could not be read, and why.")] = False,
    digest: Annotated[bool, typer.Option("--digest", help="Only a digest: equal for equal crawls.")] = False,
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
            _list_visits(crawl, order, json)


def _list_visits(crawl: CrawlFolder, order: PageOrder, json: bool) -> None:
    line = crawl.line()
    for visit in crawl.visits() if order is PageOrder.VISITS else crawl.visits_at(crawl.ranking()):
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

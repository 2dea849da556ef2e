"""`salticid search`: which pages of a crawl hold some words."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import At, Quiet, moment
from salticid.cli.progress import Work

if TYPE_CHECKING:
    from salticid.store.crawl_folder import CrawlFolder
    from salticid.store.index import WordIndex
    from salticid.store.search import Hit

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
    from salticid.cli.crawl_reading import crawl_in  # here, as what follows: it takes its time to import
    from salticid.store.query import Query
    from salticid.store.search import Search

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
    from salticid.store.index import FILE, WordIndex

    index = WordIndex(crawl)
    if not index.persistent:
        err.print(safe(f"{crawl.folder / FILE} cannot be written; the index is made for this search only"))
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

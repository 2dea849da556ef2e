"""Main texts against other extractors: precision and recall of words on pages whose boilerplate is known.

Of documentation the themes say which element holds the text of a page, and which classes within it are there to get
around; of generated sites it is known. Words are compared as bags, page by page, and means are of pages. Ours is what
an export takes: what a document calls its main part, else its layout, without the lines that its site repeats.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from random import Random

from resiliparse.extract.html2text import extract_plain_text
from selectolax.lexbor import LexborHTMLParser

from benchmarks._boilerplate import KnownPage, sites
from benchmarks._collections import documentation
from benchmarks.report import say
from salticid.parse.main_text import main_text, without_edges
from salticid.store.exports.readings import MOST_PAGES, repeated_lines
from salticid.text.tokens import letter_runs

OURS, LAYOUT, TRAFILATURA = "salticid", "resiliparse", "trafilatura"
PAGES = 20
"""Pages of a documentation that are compared."""
FEWEST_WORDS = 40
"""A page that says less of its own is none to compare."""

_THEMES = {
    "docs.astropy.org": "[role=main]",
    "docs.celeryq.dev": "[role=main]",
    "docs.dask.org": "[role=main]",
    "docs.python.org": "[role=main]",
    "docs.scipy.org": "[role=main]",
    "nilearn.github.io": "[role=main]",
    "numba.readthedocs.io": "[itemprop=articleBody]",
    "numpy.org": "article.bd-article",
    "pandas.pydata.org": "[role=main]",
    "scikit-learn.org": "[role=main]",
    "www.postgresql.org": "body",
    "www.statsmodels.org": "[role=main]",
}
"""Documentation, and what holds the text of its pages."""
_UNREAD = ["script", "style", "nav", "footer", "button", "noscript", "template", "svg"]
_AROUND = (
    ".headerlink, .prev-next-area, .prev-next-bottom, .rst-footer-buttons, .related, .navheader, .navfooter, "
    ".bd-sidebar-secondary, .sphinxsidebar, .bd-header-article, .bd-footer-article, .deck"
)
_BLOCKS = "p, div, li, dt, dd, td, th, tr, h1, h2, h3, h4, h5, h6, pre, br, section, table, blockquote, caption"


def run() -> None:
    """Compare on documentation and on generated sites."""
    by_host: dict[str, list[KnownPage]] = defaultdict(list)
    for page in documentation(every=10):
        own = _own_text(page.html, _THEMES[page.host]) if page.host in _THEMES else ""
        if len(own.split()) >= FEWEST_WORDS:
            by_host[page.host].append(KnownPage(page.html, own))
    if by_host:
        _compare("documentation", [(name, _some(by_host[name])) for name in sorted(by_host)])
    else:
        say("  the documentation is absent")
    _compare("generated sites", list(sites()))


def _some(pages: list[KnownPage]) -> list[KnownPage]:
    return Random(1).sample(pages, min(PAGES, len(pages)))


def _own_text(html: str, theme: str) -> str:
    tree = LexborHTMLParser(html)
    tree.strip_tags(_UNREAD, recursive=True)
    for node in tree.css(_AROUND):
        node.decompose()
    part = tree.css_first(theme)
    if part is None:
        return ""
    for node in part.css(_BLOCKS):
        node.insert_before(" ")
        node.insert_after(" ")
    return part.text()


def _compare(name: str, groups: Sequence[tuple[str, list[KnownPage]]]) -> None:
    extractors = _extractors()
    all_scores: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    say(f"  {name:<24}" + "".join(f"{each:>26}" for each in extractors) + "   precision, recall")
    for group, pages in groups:
        repeated = repeated_lines([main_text(page.html) or "" for page in pages[:MOST_PAGES]])
        means = []
        for extractor, extract in extractors.items():
            begin = time.process_time()
            texts = [extract(page.html) for page in pages]
            seconds[extractor] += time.process_time() - begin
            if extractor == OURS:
                texts = [without_edges(text, repeated) for text in texts]
            scores = [_scores(text, page.own) for text, page in zip(texts, pages, strict=True)]
            all_scores[extractor] += scores
            means.append(_mean(scores))
        say(f"  {group:<24}" + "".join(f"{mean[0]:>19.3f} {mean[1]:.3f} " for mean in means))
    for extractor, scores in all_scores.items():
        precision, recall, both = _mean(scores)
        speed = len(scores) / seconds[extractor]
        told = f"precision {precision:.3f}, recall {recall:.3f}, F1 {both:.3f}, {speed:.0f} pages/s"
        say(f"  {extractor}, {len(scores)} pages: {told}")


def _extractors() -> dict[str, Callable[[str], str]]:
    extractors: dict[str, Callable[[str], str]] = {
        OURS: lambda html: main_text(html) or "",
        LAYOUT: lambda html: extract_plain_text(html, main_content=True, links=False),
    }
    try:
        import trafilatura
    except ImportError:
        say("  trafilatura is not installed: it comes with the extra [bench]")
    else:
        logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
        extractors[TRAFILATURA] = lambda html: trafilatura.extract(html) or ""
    return extractors


def _scores(text: str, own: str) -> tuple[float, float, float]:
    """Precision and recall of words, and their harmonic mean."""
    got, wanted = Counter(letter_runs(text)), Counter(letter_runs(own))
    right = (got & wanted).total()
    precision = right / got.total() if got else 1.0
    recall = right / wanted.total()
    return precision, recall, 2 * right / (got.total() + wanted.total())


def _mean(scores: Iterable[tuple[float, float, float]]) -> tuple[float, float, float]:
    precisions, recalls, both = zip(*scores, strict=True)
    return sum(precisions) / len(precisions), sum(recalls) / len(recalls), sum(both) / len(both)

"""Pages a second from HTML to term stream, beside the HTML parser alone on the same pages."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from benchmarks.material import SITE, schools
from benchmarks.report import cpu_seconds, figure
from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls

ROUNDS = 2


def run() -> None:
    """Parse every page of the collection; the best of two rounds, each with fresh tables."""
    folder = schools()
    files = sorted(path for path in folder.rglob("*.htm*") if path.is_file())
    pages = [(path.read_bytes(), SITE + path.relative_to(folder).as_posix().replace("%", "%25")) for path in files]
    links = 0

    def whole() -> None:
        nonlocal links
        parser = Parser(Urls(), Texts())
        links = sum(len(parser.parse(html, url).links) for html, url in pages)

    def tree_only() -> None:
        for html, _ in pages:
            LexborHTMLParser(html)

    def tree_and_text() -> None:
        for html, _ in pages:
            tree = LexborHTMLParser(html)
            [node.attributes.get("href") for node in tree.css("a[href]")]
            _ = tree.body.text(separator=" ") if tree.body else ""

    best = min(cpu_seconds(whole) for _ in range(ROUNDS))
    figure("mean page", sum(len(html) for html, _ in pages) / len(pages) / 1000, "KB")
    figure("mean links to pages", links / len(pages), "links")
    figure("selectolax: tree", len(pages) / cpu_seconds(tree_only), "pages/s")
    alone = len(pages) / cpu_seconds(tree_and_text)
    figure("selectolax: tree, hrefs, text", alone, "pages/s")
    figure("salticid: tree to term stream, canonical links, areas", len(pages) / best, "pages/s", target=550)
    figure("  share of selectolax alone", 100 * len(pages) / best / alone, "%")

"""Main texts: the part that a document calls its main one, else its layout, and nothing to get around."""

from collections import Counter

import pytest
from benchmarks._boilerplate import sites
from resiliparse.extract.html2text import extract_plain_text

from salticid.parse.main_text import main_text, without_edges
from salticid.store.exports.readings import repeated_lines
from salticid.text.tokens import letter_runs

SAYS = "Jumping spiders of all kinds see with eight eyes, of which two look ahead and move inside the head as ours do."
TEXT = f"<p>{SAYS}</p>"
LIST = "<ul><li><a href=a>Eyes</a><li><a href=b>Legs</a></ul>"


@pytest.mark.parametrize(
    "html",
    [
        f"<header>Club</header><nav>{LIST}</nav><main>{TEXT}</main><footer>Bye</footer>",
        f"<div class=top>{LIST}</div><div role=main>{TEXT}</div><div>{LIST}</div>",
        f"<div>{LIST}</div><article>{TEXT}</article><p>Most read</p>",
        f"<div>{LIST}</div><main><p>Share this</p><article>{TEXT}</article></main>",
        f"<main>{TEXT}<nav>Next</nav><aside>Most read</aside><form>Search</form><footer>Bye</footer></main>",
        f"<main><div class='nav prev-next-area'>Next</div><p class=Breadcrumbs>Home</p>{TEXT}<button>Copy</button>",
        f"<main><main>{TEXT}</main></main>",
        f"<main><div role=navigation><div role=search>Find</div></div>{TEXT}</main>",
    ],
)
def test_a_document_says_what_is_its_main_part(html: str) -> None:
    assert main_text(html) == SAYS


@pytest.mark.parametrize(
    "menu",
    [
        "<p><a href=a>Modules</a> | <a href=b>Directives</a> | <a href=c>FAQ</a></p>",
        "<div class=nav>&laquo; <a href=a>previous</a> | <a href=b>up</a> | <a href=c>next</a> &raquo;</div>",
        "<p>Next: <a href=a>Axis Configuration</a>, Up: <a href=b>Plots</a> [<a href=c>Contents</a>]</p>",
        "<div><span>Available Languages: </span><a href=a>de</a> | <a href=b>en</a> | <a href=c>fr</a></div>",
    ],
)
def test_a_line_of_links_is_a_menu_wherever_it_stands(menu: str) -> None:
    assert main_text(f"<body>{menu}<h1>Eyes</h1>{TEXT}{menu}") == f"Eyes\n\n{SAYS}"


@pytest.mark.parametrize(
    "line",
    [
        "<p><a href=a>Eyes</a>, <a href=b>legs</a> and <a href=c>silk</a>.</p>",
        "<p>Compare <a href=a>eyes</a> with what is known of <a href=b>legs</a> and of <a href=c>silk</a></p>",
        "<p><a href=a>Eyes</a> | <a href=b>Legs</a></p>",
        "<h2><a href=a>Eyes</a> <a href=b>Legs</a> <a href=c>Silk</a></h2>",
    ],
)
def test_a_sentence_with_links_is_none(line: str) -> None:
    text = main_text(f"<body>{TEXT}{line}{TEXT}")
    assert text is not None
    assert "egs" in text


def test_lists_and_notes_of_a_main_part_stay() -> None:
    notes = "<aside class=footnote-list><aside role=doc-footnote>A note</aside></aside>"
    text = main_text(f"<div>{LIST}</div><main>{TEXT}{LIST}{notes}</main>")
    assert text is not None
    assert text.split() == [*SAYS.split(), "•", "Eyes", "•", "Legs", "A", "note"]


def test_names_that_are_of_everything_leave_nothing_out() -> None:
    assert main_text(f"<body class=has-breadcrumbs>{TEXT}") == SAYS
    long = TEXT * 30
    assert main_text(f"<main><div class=with-pagination>{long}</div></main>") == "\n\n".join([SAYS] * 30)


def test_a_main_part_that_says_nothing_is_not_believed() -> None:
    assert main_text(f"<main></main><div>{TEXT * 5}</div>") == "\n\n".join([SAYS] * 5)
    assert main_text(f"<article>New</article><div>{TEXT * 5}</div>") is not None
    two = main_text(f"<article>{TEXT}</article><article>{TEXT}</article>")
    assert two is not None
    assert two.count("Jumping") == 2
    assert main_text("<main>Moved</main>") == "Moved"
    assert main_text("") is None


@pytest.mark.parametrize(
    "html",
    [
        "<div class=cookie>" * 2_000 + TEXT,
        f"<p class=pagination>{LIST}" * 2_000,
        "<main>" * 900 + TEXT,
        "<nav>" * 900,
    ],
)
def test_odd_documents_are_read(html: str) -> None:
    assert isinstance(main_text(html), str | None)


def test_of_generated_sites_more_is_right_than_by_layout_alone() -> None:
    """`make bench ONLY=extraction` compares with others, and on documentation."""
    ours, by_layout = [], []
    for _, pages in sites():
        repeated = repeated_lines([main_text(page.html) or "" for page in pages])
        for page in pages:
            ours.append(_scores(without_edges(main_text(page.html) or "", repeated), page.own))
            by_layout.append(_scores(extract_plain_text(page.html, main_content=True, links=False), page.own))
    precision, recall = (sum(each) / len(ours) for each in zip(*ours, strict=True))
    assert (precision > 0.98, recall > 0.95) == (True, True), (precision, recall)
    assert precision > sum(each[0] for each in by_layout) / len(by_layout) + 0.1


def _scores(text: str, own: str) -> tuple[float, float]:
    got, wanted = Counter(letter_runs(text)), Counter(letter_runs(own))
    right = (got & wanted).total()
    return right / max(1, got.total()), right / wanted.total()

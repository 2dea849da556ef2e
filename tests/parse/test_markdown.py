"""Pages as Markdown: what they say with its structure, in files that no page can break out of."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser
from tests.support.made_crawl import ESSAY, Made, article, documents, exported
from tests.support.running import salticid

from salticid.formats import export
from salticid.formats.markdown import INDEX, front_matter
from salticid.parse.main_text import Block, BlockKind, main_text, markdown_of, plain_blocks
from salticid.parse.markdown import blocks_of
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.chunks import cut
from salticid.store.exports.selection import Criteria, one_line

MARKDOWN = MarkdownIt("commonmark").enable("table")
RICH = f"""
<main><h1>Eyes</h1><p>{ESSAY} See <a href="/b?x=(1)">the <b>other</b> page</a>,
<a href="javascript:alert(1)">not this</a> and <code>a|b `c`</code>.</p>
<h2>Kinds <a href="#kinds">¶</a></h2>
<ol start=3><li>Two that look ahead, and see sharply in colours
<ul><li>and are long tubes, which move behind the lens</li></ul></li>
<li><p>Six that see movement</p><p>all around</p></li></ol>
<pre class="language-python">def look():
    return "```"</pre>
<table><tr><th>pair<th>sees</tr><tr><td>front<td>a | b</tr></table>
<blockquote>They look at you, and they turn their heads for it.</blockquote>
<p>1. no item<br># no heading</p></main>
"""


def parts(html: str) -> list[Block]:
    text = main_text(html)
    assert text is not None
    return blocks_of(LexborHTMLParser(html), text, "http://a.example/x/")


def tokens(markdown: str) -> list[Token]:
    """All tokens that a Markdown parser sees, those within lines too."""
    return [each for token in MARKDOWN.parse(markdown) for each in [token, *(token.children or [])]]


def front_and_body(file: Path) -> tuple[dict[str, Any], str]:
    _, front, body = file.read_text().split("---\n", 2)
    return yaml.safe_load(front), body


def test_headings_lists_tables_code_and_links_are_kept() -> None:
    assert markdown_of(parts(RICH)).split("\n") == [
        "# Eyes",
        "",
        f"{ESSAY} See [the **other** page](http://a.example/b?x=%281%29), not this and `` a|b `c` ``.",
        "",
        "## Kinds",
        "",
        "3. Two that look ahead, and see sharply in colours",
        "   - and are long tubes, which move behind the lens",
        "4. Six that see movement",
        "",
        "   all around",
        "",
        "````python",
        "def look():",
        '    return "```"',
        "````",
        "",
        "| pair | sees |",
        "| --- | --- |",
        "| front | a \\| b |",
        "",
        "> They look at you, and they turn their heads for it.",
        "",
        "1\\. no item\\",
        "\\# no heading",
    ]


def test_a_markdown_parser_reads_the_same_structure() -> None:
    seen = [token.type for token in tokens(markdown_of(parts(RICH)))]
    for kind, count in {
        "heading_open": 2, "ordered_list_open": 1, "bullet_list_open": 1, "list_item_open": 3, "fence": 1,
        "table_open": 1, "link_open": 1, "strong_open": 1, "blockquote_open": 1, "code_inline": 1, "hardbreak": 1,
    }.items():  # fmt: skip
        assert seen.count(kind) == count, kind


def test_menus_stay_out_though_they_say_what_headings_say() -> None:
    menu = "<div><ul><li><a href=#e>Eyes</a></li><li><a href=#s>Silk</a></li></ul></div>"
    html = f"{menu}<main><h1 id=e>Eyes</h1><p>{ESSAY}</p><h1 id=s>Silk</h1><p>{ESSAY} Twice.</p></main>"
    assert [part.kind for part in parts(html)] == [
        BlockKind.HEADING,
        BlockKind.TEXT,
        BlockKind.HEADING,
        BlockKind.TEXT,
    ]


def test_a_table_around_prev_and_next_repeats_no_title() -> None:
    head = (
        "<table><tr><th colspan=2>Eyes</th></tr><tr><td><a href=a>Prev</a></td><td><a href=b>Next</a></td></tr></table>"
    )
    html = f"<div class=navheader>{head}</div><h1>Eyes</h1><p>{ESSAY}</p>"
    assert [block.markdown for block in parts(html)] == ["# Eyes", ESSAY]
    text = f"{ESSAY}\nEyes"
    (_, kept) = blocks_of(LexborHTMLParser(f"<p>{ESSAY}</p>{head}"), text, "http://a.example/")
    assert (kept.kind, kept.markdown) == (BlockKind.TEXT, "Eyes"), "one cell is no table"


def test_a_table_that_holds_things_in_place_is_none_and_one_within_it_is() -> None:
    inner = "<table><tr><th>pair<th>sees<tr><td>front<td>sharply</table>"
    html = f"<table><tr><td>{inner}<td>beside<tr><td>below<td>last</table>"
    told = blocks_of(LexborHTMLParser(html), "pair sees\nfront sharply\nbeside\nbelow\nlast", "http://a.example/")
    assert [part.markdown for part in told] == [
        "| pair | sees |\n| --- | --- |\n| front | sharply |",
        "beside",
        "below",
        "last",
    ]


def test_a_main_text_that_is_not_in_the_tree_is_told_as_it_is() -> None:
    told = blocks_of(LexborHTMLParser("<p>other words"), "one *two*\n\nthree", "http://a.example/")
    assert [part.markdown for part in told] == ["one \\*two\\*", "three"]


def test_depth_is_no_danger() -> None:
    for opened in ("<div>", "<blockquote>", "<ul><li>", "<b><i><code>"):
        html = f"{opened * 2_000}eyes"
        text = "• eyes" if "<li>" in opened else "eyes"
        (part,) = blocks_of(LexborHTMLParser(html), text, "http://a.example/")
        assert part.text == "eyes"
        assert len(part.markdown) < 100


NASTY = st.text(st.sampled_from("ab1 \n\t\\`*_[]()<>&#|~!-+=.:'\"{}$^/\u2028")) | st.text()


@given(NASTY)
@example("[a](javascript:x)")
@example("<script>alert(1)</script>")
@example("![a][b]\n\n[b]: http://x.example/")
@example("a\n---\nb\n===\n")
@example("    code")
@example("&lt;b&gt; &#60;")
@example("| a |\n|---|\n| b |")
def test_no_text_is_read_as_anything_but_text(text: str) -> None:
    paragraphs = plain_blocks(text)
    seen = tokens(markdown_of(paragraphs))
    kinds = {token.type for token in seen} - {"paragraph_open", "paragraph_close", "inline", "softbreak"}
    assert kinds <= {"text", "text_special"}
    words = "".join(token.content for token in seen if token.type in ("text", "text_special"))
    assert re.sub(r"\s", "", words) == re.sub(r"\s", "", text).replace("\0", "\ufffd")


@given(NASTY)
def test_no_text_leaves_its_element(text: str) -> None:
    html = LexborHTMLParser(
        "<h1></h1><p>before <b></b> <code></code></p><table><tr><td></td><td>x</td></tr><tr><td>y<td>z</table>"
    )
    for node in html.css("h1, b, code, td"):
        node.insert_child(text)
    seen = tokens(
        markdown_of(blocks_of(html, html.body.text(separator="\n") if html.body else "", "http://a.example/"))
    )
    assert not {"html_block", "html_inline", "image", "link_open", "fence", "code_block", "hr"} & {t.type for t in seen}
    assert len([token for token in seen if token.type == "heading_open"]) <= 1


@given(st.dictionaries(st.sampled_from("abc"), NASTY | st.booleans() | st.lists(NASTY, max_size=3)))
def test_no_text_leaves_the_front_matter(values: dict[str, Any]) -> None:
    written = front_matter(values)
    assert written.count("\n---\n") == 1
    assert written.endswith("\n---\n")
    loaded = yaml.safe_load(written.removeprefix("---\n").removesuffix("---\n")) or {}
    for name, value in values.items():
        if isinstance(value, str):
            assert loaded[name] == one_line(value)
        elif value != []:
            assert loaded[name] == value or isinstance(value, list)


def test_a_folder_holds_a_file_a_page_and_an_index(made: Made, tmp_path: Path) -> None:
    rights = '<link rel=license href="https://creativecommons.org/licenses/by/4.0/">'
    titles = ['Eyes "quoted": yes', "---\nurl: evil", "../../etc/passwd", "CON", "Äugen 眼"]
    for number, title in enumerate(titles):
        page = article(title, f"{ESSAY} Page {number}.")
        made.add(f"http://a.example/{number}", page, raw=rights + page, score=0.9 - number / 10)
    folder, out = made.commit(), tmp_path / "pages"
    said = json.loads(salticid("export", folder, "--to", "markdown", "--out", out, "--json").out)
    assert (said["pages"], said["out"]) == (5, str(out))
    files = sorted(file.name for file in out.iterdir())
    assert files == [
        "00001-eyes-quoted-yes.md", "00002-url-evil.md", "00003-etc-passwd.md", "00004-con.md", "00005-augen.md",
        INDEX,
    ]  # fmt: skip
    assert said["bytes"] == sum(file.stat().st_size for file in out.iterdir())
    about, body = front_and_body(out / "00002-url-evil.md")
    assert about["title"] == "--- url: evil"
    assert about["url"] == "http://a.example/1"
    assert (about["score"], len(about["language"])) == (0.8, 2)
    assert about["licence"] == "https://creativecommons.org/licenses/by/4.0/"
    assert f"{about['date']:%Y-%m-%d}" == "2026-03-01"
    assert body.endswith(f"\n\n{ESSAY} Page 1.\n")
    index = [token.attrs.get("href") for token in tokens((out / INDEX).read_text()) if token.type == "link_open"]
    assert [href for href in index if str(href).endswith(".md")] == files[:-1]
    assert index[1::2] == [f"http://a.example/{number}" for number in range(5)]


def test_a_folder_is_replaced_only_if_an_export_made_it(made: Made, tmp_path: Path) -> None:
    made.add("http://a.example/", article("a"))
    folder, out = made.commit(), tmp_path / "pages"
    export_to = ("export", folder, "--to", "markdown", "--out")
    assert salticid(*export_to, out).status == 0
    refused = salticid(*export_to, out)
    assert (refused.status, "exists already" in refused.err) == (2, True)
    (out / "old.md").write_text("old")
    assert salticid(*export_to, out, "--force").status == 0
    assert not (out / "old.md").exists()
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "letter.txt").write_text("dear")
    refused = salticid(*export_to, precious, "--force")
    assert (refused.status, "no export wrote" in refused.err) == (2, True)
    assert (precious / "letter.txt").read_text() == "dear"
    assert "a folder, nothing for stdout" in salticid(*export_to, "-").err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "pages", "precious"]


def long_page(sections: int = 4, sentences: int = 12) -> str:
    def section(number: int) -> str:
        told = " ".join(f"Sentence {number}.{each} tells of spiders and of silk." for each in range(sentences))
        return f"<h2>Part {number}</h2><p>{told}</p>"

    texts = "".join(map(section, range(sections)))
    return f"<title>Long</title><main><h1>Spiders</h1><p>{ESSAY}</p>{texts}</main>"


def test_chunks_are_cut_by_headings_and_say_where_they_stand(made: Made, tmp_path: Path) -> None:
    made.add("http://a.example/long", long_page(), raw=long_page())
    made.add("http://a.example/short", article("Short"), raw=article("Short"), score=0.4)
    folder = made.commit()
    said = salticid("export", folder, "--to", "jsonl", "--out", "-", "--chunks", "50")
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert "2 pages" in said.err
    assert all(len(row["text"].split()) <= 50 for row in rows)
    assert [row["chunk"] for row in rows] == [*range(1, len(rows)), 1]
    assert {row["chunks"] for row in rows[:-1]} == {len(rows) - 1}
    assert rows[0]["headings"] == ["Spiders"]
    assert {tuple(row["headings"]) for row in rows[1:-1]} == {("Spiders", f"Part {n}") for n in range(4)}
    assert all(row["url"] == "http://a.example/long" for row in rows[:-1])
    assert rows[1]["markdown"].startswith("## Part 0\n\nSentence 0.0 tells")
    whole = documents(folder)[0]
    assert " ".join(row["text"] for row in rows[:-1]).split() == whole["text"].split()
    data = io.BytesIO()
    crawl = CrawlFolder(folder)
    try:
        export(crawl, "parquet", Criteria(), data, lambda _visits, _pages: None, 50)
    finally:
        crawl.close()
    table = pyarrow.parquet.read_table(data)
    assert [row["headings"] for row in table.to_pylist()] == [row["headings"] for row in rows]
    out = tmp_path / "chunks"
    assert salticid("export", folder, "--to", "markdown", "--out", out, "--chunks", "50").status == 0
    files = sorted(file for file in out.iterdir() if file.name != INDEX)
    assert [file.name for file in files[:2]] == ["00001-long-001.md", "00001-long-002.md"]
    assert len(files) == len(rows)
    about, _ = front_and_body(files[1])
    assert (about["headings"], about["chunk"], about["chunks"]) == (["Spiders", "Part 0"], 2, len(rows) - 1)
    refused = salticid("export", folder, "--to", "ris", "--out", "-", "--chunks", "50")
    assert (refused.status, "has no chunks" in refused.err) == (2, True)


_WORDS = st.lists(st.sampled_from(["silk", "eyes.", "legs"]), min_size=1, max_size=40).map(" ".join)
_BLOCKS = st.lists(
    st.builds(
        lambda kind, text, level: Block(
            kind,
            text,
            text if kind is not BlockKind.CODE else f"```\n{text}\n```",
            level if kind is BlockKind.HEADING else 0,
        ),
        st.sampled_from([BlockKind.HEADING, BlockKind.TEXT, BlockKind.LIST, BlockKind.CODE]),
        _WORDS,
        st.integers(1, 6),
    ),
    max_size=12,
)


@given(_BLOCKS, st.integers(1, 30))
def test_chunks_lose_nothing_and_are_never_too_long(page: list[Block], words: int) -> None:
    pieces = cut(page, words)
    assert " ".join(piece.text for piece in pieces).split() == " ".join(block.text for block in page).split()
    assert all(len(piece.text.split()) <= words for piece in pieces)
    assert all(piece.blocks for piece in pieces) or not page


def test_a_heading_is_not_alone_where_text_follows() -> None:
    heading = Block(BlockKind.HEADING, "Eyes", "# Eyes", 1)
    text = Block(BlockKind.TEXT, " ".join(["silk"] * 30), " ".join(["silk"] * 30))
    for words in (20, 30):
        pieces = cut([heading, text], words)
        assert [len(piece.text.split()) for piece in pieces] == [words, 31 - words]
        assert [piece.headings for piece in pieces] == [["Eyes"]] * 2


def test_a_long_table_is_cut_between_rows_under_its_head() -> None:
    rows = "\n".join(f"| row {number} | x |" for number in range(10))
    text = "\n".join(["pair sees", *(f"row {number} x" for number in range(10))])
    table = Block(BlockKind.TABLE, text, f"| pair | sees |\n| --- | --- |\n{rows}")
    pieces = cut([table], 12)
    assert [piece.markdown.split("\n")[0] for piece in pieces] == ["| pair | sees |"] * 3
    assert [token.type for token in tokens(pieces[1].markdown)].count("tr_open") == 1 + 4


def test_wishes_of_pages_are_columns(made: Made) -> None:
    tags = {
        "keep": "",
        "archive": "<meta name=robots content='index, noarchive'>",
        "ai": "<meta name=robots content=noimageai>",
        "mining": "<meta name=tdm-reservation content=1><meta name=dcterms.license content='CC BY 4.0'>",
    }
    for name, tag in tags.items():
        made.add(f"http://a.example/{name}", article(name), raw=tag + article(name))
    made.add("http://a.example/unknown", article("unknown"))
    wishes = {
        page["title"]: (page["noarchive"], page["noai"], page["tdm_reservation"], page["licence"])
        for page in documents(made.commit())
    }
    assert wishes == {
        "keep": (False, False, False, None),
        "archive": (True, False, False, None),
        "ai": (False, True, False, None),
        "mining": (False, False, True, "CC BY 4.0"),
        "unknown": (None, None, None, None),
    }


def test_fields_of_the_head_are_wishes_too(made: Made) -> None:
    fields = "Content-Type: text/html\r\nX-Robots-Tag: otherbot: noai\r\nX-Robots-Tag: noarchive\r\ntdm-reservation: 1"
    place = made.record("http://a.example/", "200 OK", fields, article("Eyes"))
    made.add("http://a.example/", article("Eyes"), records=json.dumps([place]))
    (page,) = documents(made.commit())
    assert (page["noarchive"], page["noai"], page["tdm_reservation"]) == (True, False, True)


def test_pages_that_say_noindex_are_there_when_asked_for_and_marked(made: Made) -> None:
    made.add("http://a.example/open", article("open"))
    made.add("http://a.example/shy", "<meta name=robots content=noindex>" + article("shy"), score=0.3)
    folder = made.commit()
    assert [page["title"] for page in documents(folder)] == ["open"]
    said = salticid("export", folder, "--to", "jsonl", "--out", "-", "--with-noindex")
    assert [(row["title"], row["noindex"]) for row in map(json.loads, said.out.splitlines())] == [
        ("open", False),
        ("shy", True),
    ]
    _, done = exported(folder, wanted=Criteria(noindex=True))
    assert done.skipped["noindex"] == 0

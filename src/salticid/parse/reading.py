"""What an answer says to people and asks of them: its main text, the parts of that, and its wishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec
from resiliparse.parse.lang import detect_fast
from selectolax.lexbor import LexborHTMLParser

from salticid.parse.answer import Content, content
from salticid.parse.decoding import decode
from salticid.parse.html import AGENT, directives, directives_for
from salticid.parse.main_text import Block, main_text, whole_text, without_edges
from salticid.parse.markdown import blocks_of
from salticid.parse.precheck import prescan
from salticid.text import code_of_tag, language_codes, letter_runs, stop_word_places
from salticid.urls import canonical

# The language of a document: what its text looks like, weighed with what it says of itself.

LOOKED_AT = 5_000
"""Characters of a text that tell its language, the first."""
FEWEST_LETTERS = 30
"""A text of fewer tells nothing."""
FEWEST_WORDS = 20
"""So many words are needed to believe stop words alone."""
CLEARLY, LEAST_SHARE = 2.0, 0.2
"""Stop words alone are believed: so many times as many as of any other language, and at least such a share of all."""
SOME, FEW = 0.1, 0.05
"""The share of stop words that bears out the detector, and what the document says of itself."""

_STATED = "html[lang], html[xml\\:lang], body[lang], meta[http-equiv=content-language i][content]"
_LATIN_ENDS = "\u024f"


def stated_language(tree: LexborHTMLParser, fields: Mapping[str, str]) -> str | None:
    """The language that a document says it is in, or else the head's fields that came with it; the first one named.

    >>> stated_language(LexborHTMLParser("<html lang=de-AT>"), {"content-language": "en"})
    'de'
    >>> stated_language(LexborHTMLParser("<p>"), {"content-language": "nb, en"})
    'no'
    """
    texts = (node.attributes.get(name) or "" for node in tree.css(_STATED) for name in ("lang", "xml:lang", "content"))
    for text in (*texts, fields.get("content-language", "")):
        if code := code_of_tag(text):
            return code
    return None


def document_language(text: str, stated: str | None = None) -> str | None:
    """The language of a text as a code, None when that is not sure.

    Three are asked: the detector, which goes by runs of letters; the stop words; and what is `stated`, which is often
    what the makers of a site's software speak. Two of them have to agree, or the stop words be clear.

    >>> document_language("Die Springspinne sieht mit acht Augen, zwei davon groß"), document_language("hot air")
    ('de', None)
    >>> names = "Hotel Adria, Villa Carina, Casa Mia, Palazzo Dora, Pension Erika"
    >>> document_language(names), document_language(names, "sv")
    (None, None)
    """
    start = text[:LOOKED_AT]
    letters = [each for each in start if each.isalpha()]
    if len(letters) < FEWEST_LETTERS:
        return None
    looks: str = detect_fast(start)[0]
    votes, words = _votes(start)
    (best, most), (_, next_most) = votes
    if looks == best and most > max(SOME * words, next_most):
        return looks
    if stated is not None and (stated == looks or (stated == best and most > FEW * words)):
        return stated
    if looks == "unknown":
        return None
    if words >= FEWEST_WORDS and most >= max(LEAST_SHARE * words, CLEARLY * next_most):
        return best
    has_own_letters = 2 * sum(each > _LATIN_ENDS for each in letters) > len(letters)
    is_contradicted = most >= LEAST_SHARE * words
    return looks if has_own_letters and not is_contradicted else None


def _votes(text: str) -> tuple[list[tuple[str, int]], int]:
    """The two languages of which most words are stop words, with their numbers; and the number of all words.

    Latin letters alone are no words: lists of stop words have them, and so has everything.
    """
    codes = tuple(language_codes())
    places = stop_word_places(codes)
    words = [word for word in letter_runs(text) if len(word) > 1 or word > _LATIN_ENDS]
    counts = Counter(place for word in words for place in places.get(word, ()))
    first = [(codes[place], many) for place, many in counts.most_common(2)]
    return [*first, ("", 0), ("", 0)][:2], len(words)


# What a page wishes of those who keep it: its robots tags, reservations of text and data mining, its licence.

_LICENCE_LINKS = "link[rel~=license i][href], a[rel~=license i][href]"
_LICENCE_NAMES = ("dcterms.license", "dc.rights.license", "license")
_MAX_LICENCE = 200


class Wishes(msgspec.Struct, frozen=True):
    """`noarchive`, `noai`: what robots tags and X-Robots-Tag say; `tdm_reservation`: whether mining is reserved.

    `licence` is the URL of the licence that the page states, or its name.
    """

    noarchive: bool = False
    noai: bool = False
    tdm_reservation: bool = False
    licence: str | None = None


def wishes_of(tree: LexborHTMLParser, fields: Mapping[str, str], url: str) -> Wishes:
    """The wishes of a document found at `url`, and of the head's fields that came with it.

    >>> tree = LexborHTMLParser("<meta name=robots content=noarchive><a rel=license href=/by>CC</a>")
    >>> wishes_of(tree, {"tdm-reservation": "1"}, "http://a.example/")
    Wishes(noarchive=True, noai=False, tdm_reservation=True, licence='http://a.example/by')
    """
    forbidden = directives_for(AGENT, fields.get("x-robots-tag", ""))
    reserved, licence = fields.get("tdm-reservation", ""), ""
    for meta in tree.css("meta[name][content]"):
        name = (meta.attributes["name"] or "").strip().lower()
        content = " ".join((meta.attributes["content"] or "").split())
        if name in ("robots", AGENT):
            forbidden |= directives(content)
        elif name == "tdm-reservation":
            reserved = content
        elif name in _LICENCE_NAMES:
            licence = licence or content[:_MAX_LICENCE]
    link = tree.css_first(_LICENCE_LINKS)
    where = link and canonical(link.attributes["href"] or "", url)
    return Wishes("noarchive" in forbidden, "noai" in forbidden, reserved.strip() == "1", where or licence or None)


MAX_HTML = 8 << 20
"""Bytes of a page that are read."""
_LISTS = {"x-robots-tag": "\n"}
"""Fields of which all count, and what is put between them."""


class Reading(msgspec.Struct, frozen=True):
    """A page as it is read from its answer; `text` is None where it has none, `blocks` are there if asked for.

    `language` is that of the text, None where that is not sure.
    """

    text: str | None
    wishes: Wishes
    blocks: list[Block] = []
    language: str | None = None


def read_answer(response: bytes, url: str, with_blocks: bool, repeated: Collection[str] = ()) -> Reading | None:
    """The page of an HTTP response as it came over the wire from `url`, head and codings included.

    Lines that its site has `repeated` are left out of the edges of its main text.
    None where there is neither HTML nor a PDF, or something no parser should see.

    >>> head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n"
    >>> reading = read_answer(head + b"<h1>Eyes</h1><p>Four of them look ahead.", "http://a.example/", True)
    >>> reading.text, [block.markdown for block in reading.blocks]
    ('Eyes\\n\\nFour of them look ahead.', ['# Eyes', 'Four of them look ahead.'])
    >>> read_answer(head + b"<div>" * 50_000, "http://a.example/", True) is None
    True
    """
    head, _, body = response.partition(b"\r\n\r\n")
    fields = head_fields(head)
    page = content(fields, body, MAX_HTML)
    text_of = main_text
    if page.pdf is not None:
        page, text_of = _html_of(page.pdf), whole_text
    if page.html is None or prescan(page.html):
        return None
    html = decode(page.html, page.charset)
    text = text_of(html)
    text = text and without_edges(text, repeated)
    tree = LexborHTMLParser(html)
    wishes = wishes_of(tree, fields, url)
    language = document_language(text, stated_language(tree, fields)) if text else None
    return Reading(text, wishes, blocks_of(tree, text, url) if with_blocks and text else [], language)


def _html_of(pdf: bytes) -> Content:
    """The HTML that a PDF was read as, if it can be."""
    from salticid.parse.pdf_process import read_pdf  # here: only a process that may die of it should load pdfium

    document = read_pdf(pdf)
    return Content(None if document is None else document.html, "utf-8", None)


def head_fields(head: bytes) -> dict[str, str]:
    """The fields of a head, names in lower case; of one that stands there twice the first counts, of robots tags all.

    >>> head_fields(b"HTTP/1.1 200 OK\\r\\nX-Robots-Tag: noai\\r\\nServer: a\\r\\nx-robots-tag: none\\r\\nserver: b")
    {'x-robots-tag': 'noai\\nnone', 'server': 'a'}
    """
    fields: dict[str, str] = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        key, value = name.strip().lower(), value.strip()
        if key in fields and key in _LISTS:
            fields[key] += _LISTS[key] + value
        fields.setdefault(key, value)
    return fields

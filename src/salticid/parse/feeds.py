"""RSS and Atom: the pages a site names in its feed, newest first, as a document to be parsed like any other."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape, unescape
from math import inf
from xml.parsers import expat

from salticid.parse.answer import timestamp
from salticid.parse.decoding import decode

FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
"""The types by which a page names its feeds."""
MAX_ENTRIES = 1_000
"""Entries of a feed that are read, the first."""
MAX_ELEMENTS = 200_000
LONGEST, LONGEST_SUMMARY = 2_000, 300
"""Characters of an address or a title; and of what is told of an entry besides."""

_ENTRIES = ("item", "entry")
_ADDRESSES, _SUMMARIES = ("link", "guid"), ("description", "summary", "encoded", "content")
_DATES = ("pubdate", "published", "date", "updated", "issued", "modified")
"""The elements of an entry; of those that say the same, the first that is there counts."""
_OF_OTHERS = ("encoded", "date")
"""Those that stand in a namespace of their own: `content:encoded`, `dc:date`."""
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}?\bencoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})[\"']")
_NO_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))
_TAG = re.compile(r"<[a-zA-Z/!][^<>]*+>")


@dataclass(slots=True)
class _Entry:
    """What an entry of a feed says, by the names of its elements; `prefix` is that of its own name."""

    prefix: str
    texts: dict[str, str] = field(default_factory=dict)

    def first(self, names: tuple[str, ...]) -> str:
        return next((self.texts[name] for name in names if self.texts.get(name)), "")

    @property
    def published(self) -> float:
        """When it was published, in seconds since 1970; long ago, if it does not say."""
        return next((time for name in _DATES if (time := _time(self.texts.get(name, ""))) is not None), -inf)


def feed_document(feed: bytes) -> bytes:
    """An HTML document, in UTF-8, of the links of a feed: each with its title and some of its summary, newest first.

    Feeds come from strangers: nothing outside of one is ever read, one that declares entities of its own is read no
    further, nor is one beyond what is no longer XML. What is no feed gives a document without links.

    >>> feed_document(b"<rss><channel><title>Eyes</title><item><title>A &amp;amp; B</title><link>/a</link></item>")
    b'<title>Eyes</title><p><a href="/a">A &amp; B</a> </p>'
    """
    named = _ENCODING.search(feed, 0, 200)
    text = decode(feed, named[1].decode() if named else None).translate(_NO_XML)
    reader = _FeedReader()
    reader.read(text.encode("utf-8", "replace"))
    newest_first = sorted(reader.entries, key=lambda entry: entry.published, reverse=True)
    parts = [f"<title>{escape(_plain(reader.title))}</title>"]
    parts += [f'<base href="{escape(reader.base)}">'] if reader.base else []
    for entry in newest_first:
        if address := entry.first(_ADDRESSES).strip():
            title, summary = (
                _plain(entry.texts.get("title", "")),
                _plain(entry.first(_SUMMARIES))[:LONGEST_SUMMARY],
            )
            parts.append(f'<p><a href="{escape(address)}">{escape(title)}</a> {escape(summary)}</p>')
    return "".join(parts).encode("utf-8", "replace")


class _FeedReader:
    """Reads entries one after the other; of the tree around them it keeps nothing."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.title = self.base = ""
        self._elements = self._depth = 0
        self._entry: _Entry | None = None
        self._entry_depth = 0
        self._name, self._name_depth = "", 0
        self._text: list[str] = []
        self._length = 0

    def read(self, feed: bytes) -> None:
        """Take in as much of a feed, in UTF-8, as can be read."""
        parser = expat.ParserCreate("utf-8")
        # So names such as &nbsp;, which feeds use without a word about them, are no errors. Nothing is ever loaded.
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.UseForeignDTD(True)
        parser.EntityDeclHandler = self._refuse
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.DefaultHandler = self._say, self._say_name
        parser.buffer_text = True
        with suppress(expat.ExpatError, _Enough):
            parser.Parse(feed, True)

    def _start(self, full_name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > MAX_ELEMENTS:
            raise _Enough
        prefix, _, name = full_name.lower().rpartition(":")
        entry = self._entry
        if entry is None:
            if name in _ENTRIES:
                if len(self.entries) == MAX_ENTRIES:
                    raise _Enough
                self._entry, self._entry_depth, self._name = _Entry(prefix), self._depth, ""
            elif name == "title" and not self.title and self._depth <= 3:
                self._begin(name)
            self.base = self.base or attributes.get("xml:base", "")[:LONGEST]
        elif self._depth == self._entry_depth + 1 and (prefix == entry.prefix or name in _OF_OTHERS):
            self._begin(name)
            if name == "link" and attributes.get("rel", "alternate") == "alternate" and "href" in attributes:
                entry.texts.setdefault("link", attributes["href"][:LONGEST])
            elif name == "guid" and attributes.get("isPermaLink", "true") != "true":
                self._name = ""

    def _begin(self, name: str) -> None:
        self._name, self._name_depth, self._length = name, self._depth, 0
        self._text.clear()

    def _say(self, text: str) -> None:
        if self._name and self._length < LONGEST:
            self._text.append(text)
            self._length += len(text)

    def _say_name(self, text: str) -> None:
        """What stands for a character by its name; comments and the like are nothing to us."""
        if text.startswith("&"):
            self._say(text)

    def _end(self, _: str) -> None:
        if self._name and self._depth == self._name_depth:
            text = "".join(self._text)[:LONGEST]
            if self._entry is None:
                self.title = text
            elif text.strip():
                self._entry.texts.setdefault(self._name, text)
            self._name = ""
        elif self._entry is not None and self._depth == self._entry_depth:
            self.entries.append(self._entry)
            self._entry = None
        self._depth -= 1

    def _refuse(self, *_: object) -> None:
        raise _Enough


class _Enough(Exception):
    """A feed is read no further."""


def _plain(markup: str) -> str:
    """A title or a summary without its tags, in one line; most are HTML, whatever they say."""
    return " ".join(unescape(_TAG.sub(" ", unescape(markup))).split())


def _time(date: str) -> float | None:
    """Seconds since 1970 of a date as feeds write it, None where it is none."""
    try:
        when = datetime.fromisoformat(date.strip())
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return timestamp(date)

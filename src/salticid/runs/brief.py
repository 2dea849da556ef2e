"""The brief of a crawl: what it gets before the first page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from salticid.errors import UserError
from salticid.model import Links, Page
from salticid.protocols import Backlinks, Brief, Meanings, Table, Tables, UrlTable, Web
from salticid.text import OwnWords, check_code, detect
from salticid.topic import Limits, Topic
from salticid.urls import typed


@dataclass(frozen=True, slots=True, eq=False)
class KnownPages:
    """The known pages a topic names, as far as the web could show them."""

    examples: tuple[Page, ...] = ()
    negatives: tuple[Page, ...] = ()


BacklinksOver = Callable[[UrlTable, Table], Backlinks]
"""Makes a source of backlinks whose pages are in the ids of these tables."""


def prepare(
    topic: Topic,
    web: Web,
    limits: Limits,
    seed: int,
    backlinks: BacklinksOver | None = None,
    meanings: Meanings | None = None,
) -> Brief:
    """The brief of a crawl of a recorded web; known pages that the web cannot show are left out."""

    def pages(urls: tuple[str, ...]) -> tuple[Page, ...]:
        return tuple(page for url in url_ids(urls, web.urls) if (page := web.fetch(url).page) is not None)

    known_pages = KnownPages(pages(topic.examples), pages(topic.negatives))
    return settle(topic, known_pages, web, limits, seed, backlinks, meanings)


def settle(
    topic: Topic,
    known_pages: KnownPages,
    tables: Tables,
    limits: Limits,
    seed: int,
    backlinks: BacklinksOver | None = None,
    meanings: Meanings | None = None,
) -> Brief:
    """The brief of a crawl: seeds as ids, the language, a random generator of its own."""
    named = [check_code(code) for code in topic.languages]
    code = named[0] if named else _language(topic, known_pages, tables)
    own_words = OwnWords(tables.urls, tables.words, code)
    own_words.read([*known_pages.examples, *known_pages.negatives])
    return Brief(
        topic=topic,
        language=code,
        seeds=Links.to(url_ids(topic.seeds, tables.urls)),
        examples=known_pages.examples,
        negatives=known_pages.negatives,
        limits=limits,
        urls=tables.urls,
        words=tables.words,
        rng=np.random.default_rng([seed, 0]),
        own_words=own_words,
        backlinks=None if backlinks is None else backlinks(tables.urls, tables.words),
        meanings=meanings,
    )


def _language(topic: Topic, known_pages: KnownPages, tables: Tables) -> str:
    """The language of most examples, by what each says of its own; without one, that of the keywords."""
    of_keywords = detect(topic.keywords)
    own_words = OwnWords(tables.urls, tables.words, of_keywords)
    own_words.read(known_pages.examples)
    votes = Counter(own_words.language(page) for page in known_pages.examples)
    return votes.most_common(1)[0][0] if votes else of_keywords


def url_ids(urls: tuple[str, ...], table: UrlTable) -> list[int]:
    """The ids of URLs a person wrote, each once; without a scheme https is meant, unless the table knows http alone."""
    ids: dict[int, None] = {}
    for text in urls:
        meant = typed(text)
        if not meant:
            raise UserError(f"{text!r} is no http or https URL; write it in full, as in http://example.org/")
        ids[table.intern(next((url for url in meant if table.find(url) >= 0), meant[0]))] = None
    return list(ids)

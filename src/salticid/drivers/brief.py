"""What is read and settled before the first page."""

from __future__ import annotations

import numpy as np

from salticid.errors import UserError
from salticid.model import Limits, Links, Page, Topic
from salticid.protocols import Brief, UrlTable, Web
from salticid.text import language
from salticid.urls import canonical

_SAMPLE = 20_000


def prepare(topic: Topic, web: Web, limits: Limits, seed: int) -> Brief:
    """Read the examples and negatives a topic names and settle its language.

    Known pages that the web cannot show are left out; compare the counts to tell.
    """
    examples = _pages(topic.examples, web)
    text = " ".join([topic.keywords, *(page.text[:_SAMPLE] for page in examples)])
    return Brief(
        topic=topic,
        language=language.checked(topic.language) if topic.language else language.detect(text),
        seeds=Links.to(_ids(topic.seeds, web.urls)),
        examples=examples,
        negatives=_pages(topic.negatives, web),
        limits=limits,
        urls=web.urls,
        words=web.words,
        rng=np.random.default_rng([seed, 0]),
    )


def _pages(urls: tuple[str, ...], web: Web) -> tuple[Page, ...]:
    return tuple(page for url in _ids(urls, web.urls) if (page := web.fetch(url).page) is not None)


def _ids(urls: tuple[str, ...], table: UrlTable) -> list[int]:
    """The ids of URLs a person wrote, each once."""
    found: dict[int, None] = {}
    for text in urls:
        url = canonical(text)
        if url is None:
            raise UserError(f"{text!r} is no http or https URL; write it in full, as in http://example.org/")
        found[table.intern(url)] = None
    return list(found)

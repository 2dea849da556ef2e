"""Texts as small integers: the tables of words and URLs of a crawl, and translation between tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.tables.heaps import FileHeap, Heap, MemoryHeap
    from salticid.tables.texts import Texts, Urls, Words
    from salticid.tables.translation import IdMap, Newcomers, Translation, excerpt, page_of_glimpse
    from salticid.tables.url_states import CHOSEN, FAILED, KNOWN, REACHED, UNKNOWN, UrlStates
    from salticid.tables.veil import Veil
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "CHOSEN",
    "FAILED",
    "KNOWN",
    "REACHED",
    "UNKNOWN",
    "FileHeap",
    "Heap",
    "IdMap",
    "MemoryHeap",
    "Newcomers",
    "Texts",
    "Translation",
    "UrlStates",
    "Urls",
    "Veil",
    "Words",
    "excerpt",
    "page_of_glimpse",
]

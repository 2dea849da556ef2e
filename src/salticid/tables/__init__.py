"""Texts as small integers: the tables of words and URLs of a crawl, and translation between tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.tables.heaps import FileHeap, Heap, MemoryHeap
    from salticid.tables.texts import CHOSEN, FAILED, KNOWN, REACHED, UNKNOWN, Texts, Urls, UrlStates, Words
    from salticid.tables.translation import IdMap, Newcomers, Translation, excerpt, page_of_glimpse
    from salticid.tables.veil import Veil
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

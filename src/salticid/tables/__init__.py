"""Texts as small ints: the two growing tables of a crawl, one of words, one of URLs."""

from salticid.tables.heaps import FileHeap, Heap, MemoryHeap
from salticid.tables.texts import Texts, Urls
from salticid.tables.words import Words

__all__ = ["FileHeap", "Heap", "MemoryHeap", "Texts", "Urls", "Words"]

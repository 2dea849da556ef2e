"""Texts as small ints: the two growing tables of a crawl, one of words, one of URLs."""

from salticid.tables.heaps import FileHeap, Heap, MemoryHeap
from salticid.tables.texts import Texts, Urls

__all__ = ["FileHeap", "Heap", "MemoryHeap", "Texts", "Urls"]

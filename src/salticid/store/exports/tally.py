"""What pages have in common: hosts, languages, licences, wishes and dates, counted as they pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from salticid.store.exports.documents import Chunk, Document, DocumentStream
from salticid.urls import host

WISHES = ("noindex", "noarchive", "noai", "tdm_reservation")


class Tally:
    """Documents, counted; `rows` are all of them, the rest is counted by page. `first` and `last` were fetched so."""

    def __init__(self, documents: DocumentStream) -> None:
        self.kind = documents.kind
        self.rows = 0
        self.hosts: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.licences: Counter[str] = Counter()
        self.wishes: Counter[str] = Counter()
        self.first: datetime | None = None
        self.last: datetime | None = None
        self._documents = documents

    def __iter__(self) -> Iterator[Document]:
        for document in self._documents:
            self.rows += 1
            if not isinstance(document, Chunk) or document.chunk == 1:
                self._count(document)
            yield document

    def _count(self, page: Document) -> None:
        self.hosts[host(page.final_url)] += 1
        self.languages[page.language or "not sure"] += 1
        self.licences[page.licence or "none stated"] += 1
        self.wishes.update(name for name in WISHES if getattr(page, name))
        if page.fetched is not None:
            self.first = min(self.first or page.fetched, page.fetched)
            self.last = max(self.last or page.fetched, page.fetched)

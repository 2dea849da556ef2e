"""PDFs in the source of a world become HTML that says the same, in a process that may die of them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from typing import Self

from salticid.model import Outcome
from salticid.parse.content import GOOD_STATUSES
from salticid.parse.pdf_document import PdfDocument
from salticid.parse.pdf_pool import PdfPool
from salticid.parse.threaded_pool import ThreadedPool
from salticid.worlds.answers import Answer


class Pdfs:
    """Reads the PDFs among answers. Use it as a context; the process starts with the first of them."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def read(self, answer: Answer) -> Answer:
        """The answer as it is, or with HTML in place of a PDF; one that cannot be read is unparsable."""
        if answer.pdf is None or answer.status not in GOOD_STATUSES:
            return answer
        document = self._pool.ask(answer.pdf).result()
        if document is None:
            return replace(answer, pdf=None, outcome=Outcome.UNPARSABLE, size=len(answer.pdf))
        return replace(
            answer,
            html=document.html,
            pdf=None,
            charset="utf-8",
            modified=document.modified if answer.modified is None else answer.modified,
            size=len(answer.pdf),
        )

    @cached_property
    def _pool(self) -> ThreadedPool[PdfDocument | None]:
        return self._stack.enter_context(ThreadedPool(PdfPool()))

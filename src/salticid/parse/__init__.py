"""Bytes to pages: HTML, PDF, feeds and plain text, in processes that may die."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.parse.answer import (
        GOOD_STATUSES,
        MAX_PDF,
        Content,
        codings,
        content,
        decode_body,
        is_binary,
        is_pdf,
        timestamp,
    )
    from salticid.parse.decoding import InflatingFile, Readable, decode, undo
    from salticid.parse.feeds import feed_document
    from salticid.parse.html import AGENT, MAX_TITLE, Parser, directives_for
    from salticid.parse.main_text import Block, BlockKind, lines_of, markdown_of, plain_blocks
    from salticid.parse.markdown_text import code, escaped, fenced, link, paragraph
    from salticid.parse.page_process import MAX_PAGES, ChildLimits, serve
    from salticid.parse.pdf_process import MAX_LETTERS
    from salticid.parse.precheck import prescan
    from salticid.parse.process_pool import PdfDocument, PdfPool, ProcessPool, ThreadedPool
    from salticid.parse.reading import MAX_HTML, Reading, document_language, head_fields, read_answer
    from salticid.parse.walls import wall_by_head, wall_of, wall_of_refusal
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

"""Recorded webs: worlds on disk, opened as memory maps or served over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.webs.arrays import (
        AREA,
        HOST,
        LINK,
        MANIFEST,
        PAGE,
        ROW,
        STEM,
        STEM_OF,
        TEXT,
        TITLE,
        TOKEN,
        URL,
        WORD,
        ArrayWriter,
        Manifest,
        Number,
        WorldArray,
        open_regular,
        text_hash,
        write_index,
        write_texts,
    )
    from salticid.webs.recorded import MAX_REDIRECTS, NOFOLLOW, NOINDEX, OUTCOMES, REDIRECT, RecordedWeb, code_of
    from salticid.webs.served import ADDRESS, serve
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

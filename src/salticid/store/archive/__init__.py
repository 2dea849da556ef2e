"""The WARC of a crawl, and what removes pages from it: thinning and deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.store.archive.forgetting import forget
    from salticid.store.archive.forgotten_urls import FORGOTTEN, check_finished, veil_in, veil_of, without_urls
    from salticid.store.archive.thinning import Thinned, thin, thin_folder
    from salticid.store.archive.warc import (
        ARCHIVE_END,
        FOLDER,
        OFFSET_BITS,
        Archive,
        ExchangeCopy,
        copy,
        file_of,
        numbers,
        open_file,
        read,
    )
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

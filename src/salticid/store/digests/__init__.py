"""The digest of a round of `watch`: an HTML page, JSON and an Atom feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.store.digests.digest import FEED, FOLDER, digest_folder, in_short, write_digest
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = ["FEED", "FOLDER", "digest_folder", "in_short", "write_digest"]

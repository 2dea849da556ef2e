"""A generated web of any size, whose properties follow published measurements.

No page is kept in memory: each is computed from its number and the seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.worlds.generating.building import DIRECTORY, WebEdition, build_generated
    from salticid.worlds.generating.lexicon import (
        COMMON,
        MIXED_SITES,
        PLAIN_ANCHORS,
        PLAIN_TITLES,
        SITE_KINDS,
        TITLES,
        TOPICS,
    )
    from salticid.worlds.generating.lives import EPOCH
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

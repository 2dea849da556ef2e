"""The page in the browser and its HTTP server."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.ui.server import Serving
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

"""Pages that need a browser, rendered by a local Chromium whose requests are all ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.webs.live.browser.pool import BrowserPool, find_program, what_is_missing
    from salticid.webs.live.browser.rendering import Rendering
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

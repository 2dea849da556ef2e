"""The default strategy: it learns while it crawls which links lead to relevant pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.strategies.hunter.features import NAMES
    from salticid.strategies.hunter.hunter import Hunter
    from salticid.strategies.hunter.weights import ALL_NAMES, Prior, menu_share, strategy_file
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

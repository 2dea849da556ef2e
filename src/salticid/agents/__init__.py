"""Crawls as tools of the Model Context Protocol: start, read and steer them, within what the host allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.agents.hunts import Allowance, Hunts
    from salticid.agents.server import HttpServing, HuntServer
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = ["Allowance", "HttpServing", "HuntServer", "Hunts"]

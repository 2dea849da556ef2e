"""Crawls as tools of the Model Context Protocol: start, read and steer them, within what the host allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.agents.hunts import Allowance, Hunts
    from salticid.agents.server import HttpServing, HuntServer
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

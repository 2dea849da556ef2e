"""Loops that carry URLs from a crawl to a web and answers back.

`LiveDriver` feeds a crawl from the live web: waiting rooms per host, crawler traps, feeds, second chances.
`ReplayDriver` feeds it from a recorded world, in virtual time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.drivers.glimpses import Feeds, KnownElsewhere
    from salticid.drivers.live import NO_CALLS, DriverCalls, LiveDriver
    from salticid.drivers.parking import wait_for_the_log
    from salticid.drivers.replay import VirtualClock, arrivals, visits
    from salticid.drivers.traps import Traps
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "NO_CALLS",
    "DriverCalls",
    "Feeds",
    "KnownElsewhere",
    "LiveDriver",
    "Traps",
    "VirtualClock",
    "arrivals",
    "visits",
    "wait_for_the_log",
]

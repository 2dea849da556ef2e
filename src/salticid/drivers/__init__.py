"""Loops that carry URLs from a crawl to a web and answers back.

`LiveDriver` feeds a crawl from the live web: waiting rooms per host, crawler traps, feeds, second chances.
`ReplayDriver` feeds it from a recorded world, in virtual time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.drivers.glimpses import Feeds, KnownElsewhere
    from salticid.drivers.live import NO_CALLS, DriverCalls, LiveDriver
    from salticid.drivers.lobby import wait_for_the_log
    from salticid.drivers.replay import VirtualClock, arrivals, visits
    from salticid.drivers.traps import Traps
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

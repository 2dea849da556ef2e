"""Ways to crawl; one file each, found by its name."""

import sys

from salticid.protocols import Strategy
from salticid.registry import Registry
from salticid.strategies.parts.base import QueueStrategy as QueueStrategy

strategies: Registry[Strategy] = Registry("strategy", sys.modules[__name__], "choose")

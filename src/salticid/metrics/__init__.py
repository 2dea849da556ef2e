"""Measures of crawls: functions of what was fetched and what is true; one file each, found by its name."""

import sys

from salticid.metrics.parts.measure import Metric
from salticid.registry import Room

metrics: Room[Metric] = Room("measure", sys.modules[__name__], "__call__")

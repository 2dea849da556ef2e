"""Scrapy's door: `SCHEDULER = "salticid.scrapy.Scheduler"` lets a strategy order the requests of a spider."""

from salticid.scrapy.scheduler import Scheduler

__all__ = ["Scheduler"]

"""Crawls in shards on many machines, and the laboratory's work spread out.

This is the only package that imports ray.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.cluster.actors import engine
    from salticid.cluster.cluster_crawl import crawl_on_ray
    from salticid.cluster.coordinator import CrawlProgress
    from salticid.cluster.lab_tasks import OnRay, Tasks
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

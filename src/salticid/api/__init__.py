"""What `import salticid` offers: hunts, comparisons, topics and worlds for Python programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.api.hunts import Hunt, hunt, hunt_async
    from salticid.api.progress import HuntProgress, PlainWork
    from salticid.api.races import Race, compare
    from salticid.api.topics import (
        TopicFile,
        crawlers_half,
        judge_names,
        load_topic,
        measure_names,
        open_world,
        strategy_names,
    )
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "Hunt",
    "HuntProgress",
    "PlainWork",
    "Race",
    "TopicFile",
    "compare",
    "crawlers_half",
    "hunt",
    "hunt_async",
    "judge_names",
    "load_topic",
    "measure_names",
    "open_world",
    "strategy_names",
]

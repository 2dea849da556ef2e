"""Salticid: a focused web crawler, and the laboratory behind it.

    import salticid
    topic = salticid.load_topic("spiders.toml")
    hunt = salticid.hunt(topic, web=salticid.open_world("world"), max_pages=300)

Each name is imported when it is first used.
"""

from __future__ import annotations

from salticid.version import __version__

TYPE_CHECKING = False  # as type checkers know it; importing the module `typing` takes longer than all else here
if TYPE_CHECKING:
    from salticid.api import (
        Hunt,
        Race,
        TopicFile,
        compare,
        hunt,
        hunt_async,
        judge_names,
        load_topic,
        measure_names,
        open_world,
        strategy_names,
    )
    from salticid.errors import SalticidError, UserError
    from salticid.model import Topic
    from salticid.protocols import Judge, Strategy

__all__ = (
    "Hunt",
    "Judge",
    "Race",
    "SalticidError",
    "Strategy",
    "Topic",
    "TopicFile",
    "UserError",
    "__version__",
    "compare",
    "hunt",
    "hunt_async",
    "judge_names",
    "load_topic",
    "measure_names",
    "open_world",
    "strategy_names",
)


def __getattr__(name: str) -> object:
    from salticid.doors import lazy_names

    try:
        return lazy_names(__name__)(name)
    except ModuleNotFoundError as error:
        from salticid.errors import not_installed

        raise not_installed(error, f"salticid.{name}") or error from None


def __dir__() -> list[str]:
    return [*globals(), *__all__]

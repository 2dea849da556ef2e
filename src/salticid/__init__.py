"""Salticid: a focused web crawler, and the laboratory behind it.

    import salticid
    topic = salticid.load_topic("spiders.toml")
    hunt = salticid.hunt(topic, web=salticid.open_world("world"), max_pages=300)

What is named here is imported when it is first used.
"""

from __future__ import annotations

from salticid.version import __version__

TYPE_CHECKING = (
    False  # as type checkers know it; the module `typing` takes longer to import than all else here
)
if TYPE_CHECKING:
    from salticid.api.hunts import Hunt, hunt, hunt_async
    from salticid.api.names import judge_names, measure_names, strategy_names
    from salticid.api.races import Race, compare
    from salticid.api.topics import TopicFile, load_topic
    from salticid.api.worlds import open_world
    from salticid.errors import SalticidError, UserError
    from salticid.model import Topic
    from salticid.protocols import Judge, Strategy

_HOMES = {
    "Hunt": "api.hunts",
    "hunt": "api.hunts",
    "hunt_async": "api.hunts",
    "judge_names": "api.names",
    "measure_names": "api.names",
    "strategy_names": "api.names",
    "Race": "api.races",
    "compare": "api.races",
    "TopicFile": "api.topics",
    "load_topic": "api.topics",
    "open_world": "api.worlds",
    "SalticidError": "errors",
    "UserError": "errors",
    "Topic": "model",
    "Judge": "protocols",
    "Strategy": "protocols",
}
"""The module of each name."""

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
    if name not in _HOMES:
        raise AttributeError(f"module 'salticid' has no attribute {name!r}")
    from importlib import import_module

    try:
        value: object = getattr(import_module(f"salticid.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        from salticid.extras import not_installed

        raise not_installed(error, f"salticid.{name}") or error from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]

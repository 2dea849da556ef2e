"""What may be wrong with the constructor of a strategy."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from salticid.protocols import Strategy
from salticid.registry import settings_of


def faults_of_constructor(strategy: Strategy) -> Iterator[str]:
    """One sentence for each way in which the constructor does more, or less, than store its settings.

    >>> from salticid.strategies.best_n_first import BestNFirst
    >>> list(faults_of_constructor(BestNFirst(n=3)))
    []
    """
    kind = type(strategy)
    settings = inspect.signature(kind).parameters
    for name, setting in settings.items():
        if setting.kind is not setting.KEYWORD_ONLY:
            yield f"{name} is not keyword-only"
        if setting.default is setting.empty:
            yield f"{name} has no default"
        if setting.annotation is setting.empty:
            yield f"{name} has no type"
        if not hasattr(strategy, name):
            yield f"{name} is not stored under its name"
            return
    if state := sorted(vars(strategy).keys() - settings.keys()):
        yield f"besides its settings there is {', '.join(state)}"
    if not isinstance(getattr(kind, "walks", None), bool):
        yield "the class does not say whether it walks"
    yield from _changes(kind, settings_of(strategy))


def _changes(kind: type[Strategy], settings: dict[str, Any]) -> Iterator[str]:
    """The settings that come out other than they went in."""
    hints = get_type_hints(kind.__init__, include_extras=True)
    for name, value in settings.items():
        for setting in [value, *_values(hints[name])]:
            result = getattr(kind(**{**settings, name: setting}), name)
            if result is not setting:
                yield f"{name}={setting!r} was stored as {result!r}"
                return


def _values(kind: Any) -> list[Any]:
    """Some values a setting may have: all literals, the ends of a range.

    >>> from typing import Annotated
    >>> from msgspec import Meta
    >>> _values(Annotated[int, Meta(ge=1, le=9)]), _values(Literal["a", "b"]), _values(str)
    ([1, 9], ['a', 'b'], [])
    """
    if kind is bool:
        return [False, True]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    meta = getattr(kind, "__metadata__", (None,))[0]
    ends = (getattr(meta, "ge", None), getattr(meta, "le", None))
    return [kind.__origin__(end) for end in ends if end is not None]

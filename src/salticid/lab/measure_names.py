"""Measures as people name them: by the name of a file, FILE.py:FUNCTION or MODULE:FUNCTION, or as a function."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable

from salticid.errors import UserError
from salticid.metrics import metrics
from salticid.metrics.parts.measure import Metric, measure_of


def find_measures(requests: Iterable[str | Metric]) -> dict[str, Metric]:
    """The measures asked for by their names, all there are if none is asked for; a UserError for what is none."""
    measures: dict[str, Metric] = {}
    for each in tuple(requests) or metrics.names():
        function: object = each
        if isinstance(each, str):
            function = metrics.find_code(each) if ":" in each else metrics.find(each)
        if not callable(function):
            raise UserError(f"{function!r} is no measure; give a name, or a function of one crawl")
        name = each if isinstance(each, str) and ":" not in each else measure_of(function).name
        if name in measures:
            raise UserError(f"two measures are named {name}; give another name to one of them")
        measures[name] = function
    return measures


def address_of(measure: str | Metric) -> str:
    """What a measure goes by in other processes, to which no code is sent: a name, or MODULE:FUNCTION."""
    if isinstance(measure, str):
        return measure
    name, module = measure_of(measure).name, getattr(measure, "__module__", "")
    if module == "__main__" or getattr(sys.modules.get(module), name, None) is not measure:
        raise UserError(
            f"the measure {name} cannot be imported by other processes; "
            "define it at the top of a module, or measure with one worker"
        )
    return f"{module}:{name}"


def fingerprint(measure: str | Metric) -> str:
    """A text that changes when a measure that is not ours does; for ours, the version stands."""
    (name, function), *_ = find_measures([measure]).items()
    module = inspect.getmodule(function)
    if getattr(module, "__name__", "").startswith("salticid.metrics."):
        return name
    bound = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    try:
        return f"{name} {bound} {inspect.getsource(module or function)}"
    except (OSError, TypeError):  # no file holds it: it is another one each time
        return f"{name} {bound} {function!r}"

"""Who learns from what a person says of pages, and who does not."""

from __future__ import annotations

from typing import Any

from salticid.judges import judges
from salticid.protocols import SaysWhetherItHeeds
from salticid.registry import Registry
from salticid.strategies import strategies


def unheeded(strategy: str, judge: str) -> str | None:
    """What a person's word will not change in a crawl of these, as a sentence; None where it counts throughout.

    >>> unheeded("hunter", "profile")
    >>> unheeded("breadth_first", "profile")
    'What you say of pages ranks this list anew, but the strategy breadth-first fetches what it would have anyway.'
    """
    path_changes, list_changes = _heeds(strategies, strategy), _heeds(judges, judge)
    if path_changes and list_changes:
        return None
    name = strategy.replace("_", "-")
    if list_changes:
        return f"What you say of pages ranks this list anew, but the strategy {name} fetches what it would have anyway."
    if path_changes:
        return f"What you say of pages may change what is fetched next, not this list: the judge {judge} never learns."
    return (
        f"What you say of pages is kept, and changes nothing else: the judge {judge} never learns, and the strategy "
        f"{name} fetches what it would have anyway."
    )


def _heeds(room: Registry[Any], name: str) -> bool:
    """Whether one of a room learns; one that is gone, or says nothing of it, is taken to."""
    kind: object = room.find(name) if name in room.names() else None
    return kind.heeds if isinstance(kind, SaysWhetherItHeeds) else True

"""What a whole site changed at once, such as a new footer, is told of one of its pages and not of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from salticid.store.changes import Change
from salticid.text.boilerplate import LEAST_PAGES, LEAST_SHARE


def told_once(changes: Sequence[tuple[str, Change | None]]) -> list[Change | None]:
    """The changes of pages, each with its host, without sentences that changed on many pages of it before.

    Many are as many as judge and strategy ask for to call words a site's own (`text/boilerplate.py`).

    >>> pages = [("a", Change([f"News {n}.", "New footer."], [])) for n in range(4)]
    >>> [change.added for change in told_once(pages)]
    [['News 0.', 'New footer.'], ['News 1.'], ['News 2.'], ['News 3.']]
    """
    pages: Counter[str] = Counter(host for host, change in changes if change is not None)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for host, change in changes:
        if change is not None:
            counts[host].update({*change.added, *change.removed})
    told: set[tuple[str, str]] = set()

    def news(host: str, sentences: list[str]) -> list[str]:
        least = max(LEAST_PAGES, LEAST_SHARE * pages[host])
        left = [each for each in sentences if counts[host][each] < least or (host, each) not in told]
        told.update((host, each) for each in sentences)
        return left

    return [
        change
        and msgspec.structs.replace(
            change, added=news(host, change.added), removed=news(host, change.removed)
        )
        for host, change in changes
    ]

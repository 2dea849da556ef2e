"""Changes that all pages of a site have in common: a new banner, another footer. They are no news of any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Generic, TypeVar

HELD = 12
"""So many pages of a host that changed are compared before anything is said of the first of them."""
LEAST_PAGES = 8
"""What fewer pages have in common is their own,"""
LEAST_SHARE = 0.8
"""and what a smaller share of the pages that were looked at have."""

T = TypeVar("T")


class SiteChanges(Generic[T]):
    """The pages of one host that changed, each with how much more or less it says each word.

    >>> site = SiteChanges[str]()
    >>> for name in "abcdefgh":
    ...     decided = site.look(name, {"cookies": 2})
    >>> site.look("i", {"cookies": 2, "spiders": 1}), site.look("j")
    ([], [])
    >>> [name for name, is_news in site.rest() if is_news]
    ['i']
    """

    def __init__(self) -> None:
        self._looks = 0
        self._held: list[tuple[T, Mapping[str, int]]] = []
        self._common: frozenset[tuple[str, int]] | None = None

    def look(self, page: T, difference: Mapping[str, int] | None = None) -> list[tuple[T, bool]]:
        """A page was looked at, and differs so, if it does; those of which it is settled whether they have news."""
        self._looks += 1
        if difference is None:
            return []
        if self._common is not None:
            return [(page, self._is_news(difference))]
        self._held.append((page, difference))
        return self.rest() if len(self._held) == HELD else []

    def rest(self) -> list[tuple[T, bool]]:
        """All that were held back: nobody waits any longer."""
        if self._common is None:
            pages = Counter(change for _, difference in self._held for change in difference.items())
            least = max(LEAST_PAGES, LEAST_SHARE * self._looks)
            self._common = frozenset(change for change, many in pages.items() if many >= least)
        held, self._held = self._held, []
        return [(page, self._is_news(difference)) for page, difference in held]

    def _is_news(self, difference: Mapping[str, int]) -> bool:
        return not difference.items() <= (self._common or frozenset())

"""Which hosts belong to a part of a larger crawl."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from salticid.protocols import UrlTable

T = TypeVar("T")
Hosts = Callable[[str], bool]
"""Whether a host, by its name with its port, belongs to a part."""


class ByHost(Generic[T]):
    """The answers of a function of host names, by URL; it is called once for each host."""

    def __init__(self, urls: UrlTable, of_host: Callable[[str], T]) -> None:
        self._urls, self._of_host = urls, of_host
        self._answers: dict[int, T] = {}

    def of(self, url: int) -> T:
        """The answer for the host of a URL."""
        host = self._urls.host(url)
        if host not in self._answers:
            self._answers[host] = self._of_host(self._urls.host_name(host))
        return self._answers[host]

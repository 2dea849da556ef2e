"""Crawls that ask only some hosts, and leave the others to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from salticid.protocols import UrlTable

T = TypeVar("T")
Hosts = Callable[[str], bool]
"""Whether a host, by its name with its port, belongs to a part."""


class ByHost(Generic[T]):
    """What somebody says of hosts, for the URLs of a table; of each host it is asked once."""

    def __init__(self, urls: UrlTable, of_host: Callable[[str], T]) -> None:
        self._urls, self._of_host = urls, of_host
        self._answers: dict[int, T] = {}

    def of(self, url: int) -> T:
        """What is said of the host of a URL."""
        host = self._urls.host(url)
        if host not in self._answers:
            self._answers[host] = self._of_host(self._urls.host_name(host))
        return self._answers[host]

"""Which shard owns which host."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from salticid.model import Ints
from salticid.protocols import UrlTable

BUCKETS = 1024
"""Hosts fall into so many buckets, whatever the number of shards."""


def bucket_of(host: str) -> int:
    """The bucket of a host, port included: the same on every machine.

    >>> bucket_of("example.org"), bucket_of("example.org:8080")
    (548, 469)
    """
    return int.from_bytes(hashlib.blake2b(host.encode(), digest_size=8).digest(), "little") % BUCKETS


def owner_of(bucket: int, shards: int) -> int:
    """The shard that owns a bucket; each shard owns neighbouring ones, as many as the others or one more."""
    return bucket * shards // BUCKETS


class Owners:
    """The owners of the URLs of a table. Each host is looked at once."""

    def __init__(self, urls: UrlTable, shards: int) -> None:
        self.shards = shards
        self._urls = urls
        self._of_host: dict[int, int] = {}

    def of(self, url: int) -> int:
        """The shard that owns a URL."""
        host = self._urls.host(url)
        owner = self._of_host.get(host)
        if owner is None:
            owner = self._of_host[host] = owner_of(bucket_of(self._urls.host_name(host)), self.shards)
        return owner

    def of_all(self, urls: Ints) -> list[int]:
        """The owners of many."""
        return [self.of(url) for url in urls.tolist()]

    def owned_by(self, shard: int) -> Callable[[int], bool]:
        """Whether a URL belongs to this shard."""
        return lambda url: self.of(url) == shard

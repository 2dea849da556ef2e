"""Which shard owns which host."""

from __future__ import annotations

import hashlib

from salticid.model import Ints
from salticid.protocols import UrlTable
from salticid.runs.ownership import ByHost

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


class Owners(ByHost[int]):
    """The owners of the URLs of a table."""

    def __init__(self, urls: UrlTable, shards: int) -> None:
        super().__init__(urls, lambda host: owner_of(bucket_of(host), shards))

    def of_all(self, urls: Ints) -> list[int]:
        return [self.of(url) for url in urls.tolist()]

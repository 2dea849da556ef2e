"""Crawls that ask only some hosts, and leave the others to others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from salticid.model import Links
from salticid.protocols import Brief, UrlTable

Hosts = Callable[[str], bool]
"""Whether a host, by its name with its port, belongs to a part."""


def owned(urls: UrlTable, hosts: Hosts | None) -> Callable[[int], bool] | None:
    """Whether a URL belongs to the part that asks these hosts; each host is looked at once."""
    if hosts is None:
        return None
    known: dict[int, bool] = {}

    def owns(url: int) -> bool:
        host = urls.host(url)
        if host not in known:
            known[host] = hosts(urls.host_name(host))
        return known[host]

    return owns


def seeds_of(brief: Brief, owns: Callable[[int], bool] | None) -> Brief:
    """The brief with those of its seeds that belong to a part."""
    if owns is None:
        return brief
    return replace(brief, seeds=Links.to([url for url in brief.seeds.url.tolist() if owns(url)]))

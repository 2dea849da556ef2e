"""What other shards are shown of a page: the words around the links that are theirs."""

from __future__ import annotations

from salticid.cluster.owners import Owners
from salticid.model import Glimpse, Page, Visit
from salticid.protocols import Tables
from salticid.tables.excerpt import excerpt


def glimpses(visit: Visit, tables: Tables, owners: Owners, shard: int) -> dict[int, Glimpse]:
    """A glimpse of a visit of `shard` for each other shard that owns a URL the page links to.

    One that was led to a host of another shard, and not further, is a bare link for that shard.
    """
    page = visit.page
    if page is None:
        other = owners.of(visit.final)
        return {} if other == shard else {other: _link_alone(visit, tables, shard)}
    if page.nofollow:
        return {}
    theirs: dict[int, list[int]] = {}
    for place, owner in enumerate(owners.of_all(page.links.url)):
        if owner != shard and not page.links.nofollow[place]:
            theirs.setdefault(owner, []).append(place)
    return {owner: _excerpt(visit, page, places, tables, shard) for owner, places in theirs.items()}


def _excerpt(visit: Visit, page: Page, places: list[int], tables: Tables, shard: int) -> Glimpse:
    return excerpt(
        page, places, tables, origin=shard, step=visit.step, score=visit.score, positive=visit.positive,
        depth=visit.depth,
    )  # fmt: skip


def _link_alone(visit: Visit, tables: Tables, shard: int) -> Glimpse:
    url = tables.urls[visit.url]
    link = (tables.urls[visit.final], 0, 0)
    return Glimpse(shard, visit.step, url, "", (), (link,), visit.score, visit.positive, visit.depth)

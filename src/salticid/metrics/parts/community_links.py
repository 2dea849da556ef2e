"""Cohesiveness: how many links lead from a page of a crawl into its community."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salticid.model import Bools, Ints


def cohesiveness(start: npt.NDArray[np.int64], link: Ints, community: Bools) -> float | None:
    """Community cohesiveness = sum over the pages i of the community C of |L_i in C| / |C| (spec 5).

    Pages go by their place in the crawl. The links of page i are link[start[i]:start[i + 1]], each the place
    of the page it leads to, or -1 when that is not in the crawl (as `PageLinks.among` gives them). L_i is a
    set: a page linked to twice counts once. `community` says which pages are in C: the relevant ones and the
    seeds. None when there are none.

    Three pages: 0 links to 1 (twice), 2 and outside, 1 links to 0, 2 to both others; 0 and 1 are the community.

    >>> start, link = np.array([0, 4, 5, 7]), np.array([1, 1, 2, -1, 0, 0, 1], np.int32)
    >>> community = np.array([True, True, False])
    >>> cohesiveness(start, link, community), overall_cohesiveness(start, link, community)
    (1.0, 1.3333333333333333)

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    inward = _links_into(community, start, link)
    return float(inward[community].mean()) if community.any() else None


def overall_cohesiveness(start: npt.NDArray[np.int64], link: Ints, community: Bools) -> float | None:
    """The same over all pages of the crawl: sum over them of |L_i in C| / their number; None for no pages."""
    return float(_links_into(community, start, link).mean()) if len(community) else None


def _links_into(community: Bools, start: npt.NDArray[np.int64], link: Ints) -> npt.NDArray[np.int64]:
    """|L_i in C| of each page i."""
    pages = len(community)
    source = np.repeat(np.arange(pages), np.diff(start))
    inside = (link >= 0) & community[link] if pages else np.zeros(0, np.bool_)
    distinct = np.unique(source[inside] * pages + link[inside])
    return np.bincount(distinct // max(pages, 1), minlength=pages)

"""Pages that another crawl holds: a crawl is shown what they say around their links, and does not fetch them."""

from __future__ import annotations

import numpy as np

from salticid.crawl import Crawl
from salticid.model import FROM_SEED, NO_SHARD, Choice, Outcome, Page, Response, Visit
from salticid.store.other_crawls import OtherCrawls
from salticid.tables.excerpt import excerpt


class KnownElsewhere:
    """Answers choices from other crawls. A seed is fetched all the same: a person named it."""

    def __init__(self, crawl: Crawl, others: OtherCrawls) -> None:
        self._crawl, self._others = crawl, others
        self._shown: set[int] = set()

    def answer(self, choice: Choice) -> Response | None:
        """The response to a choice that need not be fetched; None if it must."""
        url = choice.link.url
        if choice.link.source == FROM_SEED:
            return None
        held = self._others.page(self._crawl.brief.urls[url])
        if held is None:
            return None
        page, holder = held
        self._others.note(self._crawl.step, holder)
        return Response(url, page.url, Outcome.KNOWN)

    def show(self, visit: Visit) -> None:
        """Show the crawl the page that such a visit stands for, unless it was shown before."""
        held = self._others.page(self._crawl.brief.urls[visit.url])
        if held is None or held[0].url in self._shown:
            return
        page = held[0]
        self._shown.add(page.url)
        if page.nofollow or not (places := np.flatnonzero(~page.links.nofollow).tolist()):
            return
        score = self._crawl.judge.score(page)
        self._crawl.glimpse(
            excerpt(
                page, places, self._crawl.brief, origin=NO_SHARD, step=self._crawl.step, score=score,
                positive=score >= self._crawl.judge.line, depth=visit.depth,
            )
        )  # fmt: skip

    def compare(self, page: Page) -> None:
        """Note of a page that comes now whether another crawl has one that is all but the same."""
        if (holder := self._others.twin(page)) is not None:
            self._others.note(self._crawl.step, holder)

"""Cash that flows along links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from salticid.model import FROM_OFFER, FROM_SEED, Choice, Ints, Links, Page, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import Frontier, QueueStrategy


@in_snapshot(_grant=float, _accounts=dict[int, float], _flying=dict[int, float], _virtual=float, _dividend=float)
class Opic(QueueStrategy):
    """A link gathers worth from all pages that point to it; the one that has gathered the most goes first.

    On-line page importance: worth is cash that flows along links. The seeds begin with 1 between them. A page
    that arrives gives its cash in equal parts to the URLs it links to and to one virtual page, which stands for
    the rest of the web. The virtual page has its turn when it holds more than the page just visited did, and
    gives all of it in equal parts to the links that wait. So links gather cash from many pages, and from
    waiting long, and none is lost.

    Deviations: the original visits pages again and again and estimates their importance by the cash that
    passed through them; here a URL is fetched once, so what flows to a page chosen before, to a link that
    fails, and from a link evicted, goes to the virtual page. Evicted links hand over their cash when they are
    an eighth as many as those that wait, which also bounds memory: max_buffer accounts and an eighth. An
    offered link brings as much as a seed had. The judge has no say.

    >>> from salticid.testing import walk_through
    >>> walk_through(Opic(), max_pages=5)
    ['seed', 'a', 'b', 'a1', 'a2']

    Paper: Abiteboul, Preda, Cobena, "Adaptive on-line page importance computation", WWW 2003.
    """

    def start(self, brief: Brief) -> None:
        self.frontier = Frontier(brief.urls, brief.limits.max_buffer)
        self._grant = 1.0 / max(len(brief.seeds), 1)
        self._accounts: dict[int, float] = {}
        self._flying: dict[int, float] = {}
        self._virtual = 0.0
        self._dividend = 0.0
        self._pay(_places(brief.seeds), self._grant, FROM_SEED)

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices = []
        for choice in super().choose(n, busy):
            cash = self._flying[choice.link.url] = self._withdraw(choice.link.url)
            choices.append(replace(choice, score=cash))
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        cash = self._flying.pop(visit.url, 0.0)
        if visit.final in self.frontier:
            self.frontier.discard(visit.final)
            cash += self._withdraw(visit.final)
        rest = cash
        if visit.page is not None:
            share = cash / (_out_degree(visit.page) + 1)
            heirs = _places(visit.page.links, fresh)
            self._pay(heirs, share, visit.step)
            rest -= share * len(heirs)
        self._virtual += rest
        self._close_accounts()
        if self._virtual > cash and self._accounts:
            self._dividend += self._virtual / len(self._accounts)
            self._virtual = 0.0

    def offer(self, links: Links) -> None:
        self._pay(_places(links), self._grant, FROM_OFFER)
        self._close_accounts()

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        size, best = super().waiting(k)
        return size, [replace(choice, score=choice.score + self._dividend) for choice in best]

    def _pay(self, place_of: dict[int, int], amount: float, source: int) -> None:
        """Give each URL this amount; those that do not wait yet are queued."""
        newcomers = {}
        for url, place in place_of.items():
            if url in self.frontier:
                self._accounts[url] += amount
                self.frontier.rescore(url, self._accounts[url])
            else:
                newcomers[url] = place
                self._virtual += self._withdraw(url)
                self._accounts[url] = amount - self._dividend
        self.frontier.push(list(newcomers), amount - self._dividend, source, list(newcomers.values()))

    def _withdraw(self, url: int) -> float:
        """All that an account holds; it is closed. Accounts are kept without the dividends all have had."""
        return self._accounts.pop(url, -self._dividend) + self._dividend

    def _close_accounts(self) -> None:
        """Hand the cash of evicted links to the virtual page once they are many."""
        if len(self._accounts) > len(self.frontier) * 9 // 8:
            for url in [url for url in self._accounts if url not in self.frontier]:
                self._virtual += self._withdraw(url)


def _places(links: Links, among: Ints | None = None) -> dict[int, int]:
    """The URLs of links, those at the places `among`, each with the first place that has it, in reading order.

    >>> _places(Links.to([7, 9, 7, 5]), np.array([0, 2, 3]))
    {7: 0, 5: 3}
    """
    places = (np.arange(len(links)) if among is None else among).tolist()
    first: dict[int, int] = {}
    for url, place in zip(links.url[places].tolist(), places, strict=True):
        first.setdefault(url, place)
    return first


def _out_degree(page: Page) -> int:
    """How many URLs a page lets us follow."""
    return 0 if page.nofollow else len(set(page.links.url[~page.links.nofollow].tolist()))

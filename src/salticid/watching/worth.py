"""The policy of `salticid watch`: it looks at the pages whose look is worth more than a fetch that hunts on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.exact import exps
from salticid.model import Floats
from salticid.watching.change_rate import DAY, change_rates, histories
from salticid.watching.policy import Plan
from salticid.watching.round_brief import RoundBrief, WatchedPages

_DOUBT = 0.1
"""How much a page matters that the judge thinks nothing of."""
_FEW_CHILDREN = 0.1
"""What a page is given besides its children, so that one without any is not given up."""
_BACK_AGAIN = 2.0
"""A page that is gone is worth e to the power of so much less, with each look that finds it gone."""


@dataclass(frozen=True, slots=True)
class ByWorth:
    """Worth is counted in days for which a page of the subject is known as it is.

    At rate r and t days after the last look, a look brings (1 - exp(-r t) (1 + r t)) / r such days: what is gained by
    it, less what is lost as it is not made later. So pages that hardly change are worth little, and so are those that
    change again as soon as they were seen. Looks bring new pages, too: as many a day as its links have brought, and
    before they had a chance to, as those of all pages do, by how many they brought when the page was visited.
    A new page counts for `find_days`. That is also what hunting on is worth, by what it found, the rounds before the
    last one counting for `fade` of the next. Of all fetches `least_hunt` is for hunting on, whatever it is worth.

    Paper: Cho, Garcia-Molina, "Effective page refresh policies for Web crawlers", ACM TODS 28(4), 2003.
    """

    find_days: float = 30.0
    find_weight: float = 10.0
    least_hunt: float = 0.2
    fade: float = 0.7

    def plan(self, brief: RoundBrief) -> Plan:
        worth = self.worth(brief)
        order = np.lexsort((brief.pages.step, -worth))
        if brief.fetches is None:
            return Plan(brief.pages.step[order], None)
        most = brief.fetches - round(self.least_hunt * brief.fetches)
        above = int(np.count_nonzero(worth > self.worth_of_hunting(brief)))
        again = order[: min(above, most)]
        return Plan(brief.pages.step[again], brief.fetches - len(again))

    def worth(self, brief: RoundBrief) -> Floats:
        """What a look at each page is worth."""
        pages = brief.pages
        past = histories(pages, brief.looks)
        rates = change_rates(past.evidence, pages.host)
        days = np.maximum(brief.now - past.seen, 0.0) / DAY
        fresh_days = (1.0 - exps(-rates * days) * (1.0 + rates * days)) / rates
        finds = days * self._finds_a_day(pages, (past.seen - pages.visited) / DAY)
        answers = exps(-_BACK_AGAIN * past.gone - past.in_vain)
        worth: Floats = (_matters(pages) * fresh_days + self.find_days * finds) * answers
        return worth

    def worth_of_hunting(self, brief: RoundBrief) -> float:
        """What a fetch is worth that hunts on."""
        hunted, found = 5.0, 0.5
        for fetches, pages in zip(brief.hunted.tolist(), brief.found.tolist(), strict=True):
            hunted, found = self.fade * hunted + fetches, self.fade * found + pages
        return self.find_days * found / hunted

    def _finds_a_day(self, pages: WatchedPages, watched: Floats) -> Floats:
        """New pages on topic that each page's links bring a day, by the days for which it was watched."""
        usual = (int(pages.finds.sum()) + 1.0) / (float(watched.sum()) + 100.0)
        many = max(len(pages), 1)
        children = (pages.children + _FEW_CHILDREN) / (int(pages.children.sum()) / many + _FEW_CHILDREN)
        finds: Floats = (pages.finds + self.find_weight * usual * children) / (watched + self.find_weight)
        return finds


def _matters(pages: WatchedPages) -> Floats:
    """How likely each page is one of the subject: surely when it is positive, and less with a lower score."""
    line = pages.score[pages.positive].min(initial=1.0)
    near = np.sqrt(np.clip(pages.score / line, 0.0, 1.0))
    return np.where(pages.positive, 1.0, _DOUBT + (1.0 - _DOUBT) * near)

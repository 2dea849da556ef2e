"""Looks at the pages whose look is worth more than a fetch that hunts on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.exact import exps
from salticid.model import Floats
from salticid.watching.change_rate import DAY, Histories, change_rates, histories
from salticid.watching.policy import Plan
from salticid.watching.round_brief import RoundBrief, WatchedPages


@dataclass(frozen=True, slots=True)
class ByWorth:
    """Worth is counted in days for which one page of the subject is known as it is."""

    find_days: float = 30.0
    least_hunt: float = 0.1
    fade: float = 0.7
    off_topic: float = 0.1
    likely: float = 0.1

    def plan(self, brief: RoundBrief) -> Plan:
        pages = brief.pages
        past = histories(pages, brief.looks)
        rates = change_rates(past.evidence, pages.host)
        days = np.maximum(brief.now - past.seen, 0.0) / DAY
        unchanged = exps(-rates * days)
        worth = self._worth(pages, past, rates, days, unchanged)
        order = np.lexsort((pages.step, -worth))
        if brief.fetches is None:
            due = (past.looks == 0) | (1.0 - unchanged >= self.likely)
            return Plan(pages.step[order[due[order]]], None)
        least = min(brief.fetches, round(self.least_hunt * brief.fetches))
        many = int(np.count_nonzero(worth > self._price(brief)))
        again = order[: min(many, brief.fetches - least)]
        return Plan(pages.step[again], brief.fetches - len(again))

    def _worth(
        self, pages: WatchedPages, past: Histories, rates: Floats, days: Floats, unchanged: Floats
    ) -> Floats:
        line = pages.score[pages.positive].min(initial=1.0)
        near = np.sqrt(np.clip(pages.score / line, 0.0, 1.0))
        matters = np.where(pages.positive, 1.0, self.off_topic + (1.0 - self.off_topic) * near)
        fresh = (1.0 - unchanged * (1.0 + rates * days)) / rates
        changed = past.evidence.changed
        usual = (pages.finds.sum() + 1.0) / (changed.sum() + 10.0)
        children = (pages.children + 0.1) / (pages.children.mean() + 0.1)
        finds = (pages.finds + usual * children) / (changed + 1.0)
        back = exps(-2.0 * past.gone - past.in_vain)
        return (matters * fresh + (1.0 - unchanged) * finds * self.find_days) * back

    def _price(self, brief: RoundBrief) -> float:
        weight = self.fade ** np.arange(len(brief.hunted))[::-1]
        hunted, found = float(weight @ brief.hunted), float(weight @ brief.found)
        return self.find_days * (found + 0.5) / (hunted + 5.0)

"""The past of a crawl taken as given: what its log says was chosen counts as chosen, whoever would choose otherwise.

So a crawl of another version of the program goes on, and one from which pages were taken out. The strategy is not asked
while the past lasts, but told of every visit; what was chosen then and is chosen again later is a duplicate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from salticid.crawl import Crawl
from salticid.errors import UserError
from salticid.messages import Message, Report
from salticid.model import Choice, Visit
from salticid.protocols import Judge
from salticid.runs.past import A_TURN, Past, RelivedLog
from salticid.store.record import ChoiceCall, Delivery


class GivenLog(RelivedLog):
    """Takes the calls of the past from the crawl without a look, and hands on those that come after it."""

    def add_visit(self, visit: Visit) -> None:
        call: Delivery | None = self._past.take(Delivery)
        if call is None:
            self._log.add_visit(visit)
        else:
            self._log.land(visit.choice)

    def add_message(self, message: Message) -> None:
        if self._past.over or not isinstance(message, Report):
            super().add_message(message)


async def relive_as_given(
    crawl: Crawl, judge: Judge, past: Past, show: Callable[[Visit], None], in_flight: Sequence[Choice] = ()
) -> list[Choice]:
    """Tell a live crawl its past, showing each arrival; the choices that were in flight when it ended."""
    if crawl.strategy.walks:
        raise UserError(
            f"the crawl in {past.log.folder} was made by agents that walk, which cannot be told where they went; "
            "crawl into a new folder with --out"
        )
    flying = dict(zip(past.log.in_flight, in_flight, strict=True))
    while (call := past.next) is not None:
        if isinstance(call, ChoiceCall):
            past.take(ChoiceCall)
            for row in call.choices:
                flying[row.id] = choice = row.choice()
                past.log.launch(choice, row.id)
                crawl.repeat(choice)
        elif isinstance(call, Delivery):
            show(crawl.deliver_again(flying.pop(call.visit.choice), call.response))
            if call.visit.step % A_TURN == 0:
                await asyncio.sleep(0)
        else:
            past.tell(crawl, judge)
    return list(flying.values())

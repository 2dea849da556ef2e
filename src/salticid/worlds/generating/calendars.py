"""The calendar trap: month after month of nothing, each leading to the next and the one before."""

from __future__ import annotations

import numpy as np

from salticid.worlds.generating.ages import EPOCH
from salticid.worlds.generating.chance import Whole
from salticid.worlds.generating.draft import Draft
from salticid.worlds.generating.references import ReferenceKind, References
from salticid.worlds.generating.titles import NOTHING, WIDEST, word_rows
from salticid.worlds.generating.web_plan import WebPlan

_SAYS = "nothing is planned for this month"
_DATE = EPOCH - 400 * 86_400
FIRST_YEAR = 2016


def calendar_pages(plan: WebPlan, numbers: Whole) -> Draft:
    """The months with these numbers, over all calendars."""
    months, lexicon = plan.hosts.months, plan.lexicon
    month = numbers % months
    titles = np.full((len(numbers), WIDEST), NOTHING, np.int32)
    titles[:, 0] = lexicon.words.find("calendar")
    titles[:, 1] = lexicon.months[month % 12]
    words = lexicon.say(_SAYS)
    host = plan.hosts.calendars[numbers // months]
    home = References.pack(ReferenceKind.PAGE, plan.hosts.first[host], np.zeros_like(host))
    none = np.zeros_like(numbers)
    before = References.pack(ReferenceKind.CALENDAR, np.maximum(numbers - 1, 0), none)
    after = References.pack(ReferenceKind.CALENDAR, numbers + 1, none)
    there = np.stack([np.ones(len(numbers), np.bool_), month > 0, month < months - 1], axis=1)
    page, role = np.nonzero(there)
    return Draft(
        host=host,
        generations=none,
        modified=none + _DATE,
        titles=titles,
        text=np.tile(np.array(words, np.int32), len(numbers)),
        lengths=none + len(words),
        has_description=np.zeros(len(numbers), np.bool_),
        link_page=page,
        spot=np.where(role == 0, 0, len(words)),
        reference=np.stack([home, before, after], axis=1)[there],
        anchors=word_rows(lexicon, ("home", "previous month", "next month"))[role],
        apart=np.ones(len(page), np.bool_),
        nofollow=np.zeros(len(page), np.bool_),
    )

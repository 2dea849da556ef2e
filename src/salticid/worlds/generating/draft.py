"""What is known of some pages before they are laid out: titles, texts, links with their anchors, all as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salticid.model import Bools, Ints
from salticid.worlds.generating.ages import Ages
from salticid.worlds.generating.anchors import AnchorTexts
from salticid.worlds.generating.chance import Lots, Whole, later, rolls
from salticid.worlds.generating.copies import Copies
from salticid.worlds.generating.linking import Linking, Role
from salticid.worlds.generating.page_lives import PageLives
from salticid.worlds.generating.prose import Prose
from salticid.worlds.generating.titles import Titles
from salticid.worlds.generating.web_plan import WebPlan

_SHARE = 0.5
DESCRIPTION = 12
"""Words of a page's text that its description repeats."""


@dataclass(frozen=True, eq=False)
class Draft:
    """Pages as columns. A link stands before word `spot` of its page's text, and `apart` if it is no part of a
    sentence; links are in the order of the pages and of reading."""

    host: Whole
    generations: Whole
    modified: Whole
    titles: Ints
    text: Ints
    lengths: Whole
    has_description: Bools
    link_page: Whole
    spot: Whole
    reference: Whole
    anchors: Ints
    apart: npt.NDArray[np.bool_]
    nofollow: npt.NDArray[np.bool_]


class Author:
    """Drafts the pages of a plan as they are on one day."""

    def __init__(self, plan: WebPlan, day: int) -> None:
        self.plan, self.day = plan, day
        self.ages = Ages(plan)
        copies = Copies(plan, self.ages)
        self.titles = Titles(plan, copies)
        self._copies, self._prose = copies, Prose(plan)
        self._linking, self._anchors = Linking(plan, self.ages), AnchorTexts(plan, self.titles)
        self._lots = Lots(plan.seed, "described")

    def pages(self, places: Whole) -> Draft:
        """The pages that hold these places."""
        pages = PageLives.on(self.day, places, self.ages)
        source = self._copies.originals(pages)
        text, lengths = self._prose.write(pages, source)
        links = self._linking.of(pages, source)
        in_text = (rolls(later(links.key, 8)) * lengths[links.page]).astype(np.int64)
        after = np.where(links.role == Role.TEXT, in_text, lengths[links.page])
        spot = np.where(links.role == Role.BAR, 0, after)
        order = np.argsort(links.page * (1 << 20) + spot, kind="stable")
        return Draft(
            host=self.plan.host_of[places].astype(np.int64),
            generations=pages.generations,
            modified=self.ages.seconds(places, pages.edit_day),
            titles=self.titles.of(places, pages.generations),
            text=text,
            lengths=lengths,
            has_description=(self._lots.rolls(source.places, source.generations) < _SHARE)
            & (lengths >= DESCRIPTION),
            link_page=links.page[order],
            spot=spot[order],
            reference=links.reference[order],
            anchors=self._anchors.of(links)[order],
            apart=links.role[order] != Role.TEXT,
            nofollow=links.nofollow[order],
        )

"""From a draft to term streams: where on its page each word stands, and how the text spells it.

A page is its description, its title, the title again as heading, then the text with the links put into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from salticid.model import Area, Bools, Ints
from salticid.worlds.generating.chance import Lots, Reals, Whole, later, rolls
from salticid.worlds.generating.linking import Linking, Outlinks, Role
from salticid.worlds.generating.lives import Ages, Copies, PageLives
from salticid.worlds.generating.plan import WebPlan
from salticid.worlds.generating.prose import NOTHING, AnchorTexts, Passages, Prose, Titles, words_in

# What is known of some pages before they are laid out: titles, texts, links with their anchors, all as columns.

_SHARE = 0.5
_GATHERED, _PASSAGE = 0.95, 0.03
"""The share of a page's own links that stand in the passage of their topic, and how much of the page it takes."""
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
        self._lots, self._passages = Lots(plan.seed, "described"), Lots(plan.seed, "passage")

    def pages(self, places: Whole) -> Draft:
        """The pages that hold these places."""
        pages = PageLives.on(self.day, places, self.ages)
        source = self._copies.originals(pages)
        links = self._linking.of(pages, source)
        topic = self.plan.topic_of[links.place].astype(np.int64)
        lengths = self._prose.lengths(source.places, source.generations)
        position = self._positions(links, source, topic)
        in_text = links.role == Role.TEXT
        after = np.where(in_text, (position * lengths[links.page]).astype(np.int64), lengths[links.page])
        spot = np.where(links.role == Role.BAR, 0, after)
        order = np.lexsort((position, links.page))
        passages = Passages(links.page[in_text], spot[in_text], topic[in_text])
        return Draft(
            host=self.plan.host_of[places].astype(np.int64),
            generations=pages.generations,
            modified=self.ages.seconds(places, pages.edit_day),
            titles=self.titles.of(places, pages.generations),
            text=self._prose.write(pages, source, lengths, passages),
            lengths=lengths,
            has_description=(self._lots.rolls(source.places, source.generations) < _SHARE) & (lengths >= DESCRIPTION),
            link_page=links.page[order],
            spot=spot[order],
            reference=links.reference[order],
            anchors=self._anchors.of(links)[order],
            apart=links.role[order] != Role.TEXT,
            nofollow=links.nofollow[order],
        )

    def _positions(self, links: Outlinks, source: PageLives, topic: Whole) -> Reals:
        """Where on its page each link stands: own links from 0 to 1, most beside others on the same topic."""
        passage = self._passages.rolls(source.places[links.page], source.generations[links.page], topic)
        spread = rolls(later(links.key, 8))
        gathered = rolls(later(links.key, 11)) < _GATHERED
        beside = passage + _PASSAGE * spread
        own = np.where(gathered, beside - (beside >= 1), spread)
        after = np.where(links.role == Role.BAR, -1.0, links.role)
        return np.where((links.role == Role.TEXT) | (links.role == Role.LISTED), own, after)


_SENTENCE = 12
"""Words of a sentence in the mean: block after block of so many has one end in its first nine words."""
_ENDS = np.array([3, 7, 0, 5, 8, 2, 6, 1, 4, 8, 0, 7, 3], np.int64)


class Form(IntEnum):
    """How a word is spelt where it stands."""

    PLAIN = 0
    CAPITAL = 1
    COMMA = 2
    STOP = 3


@dataclass(frozen=True, eq=False)
class PageLayout:
    """Streams one after the other. `begin` and `length` say where a page's words are, `title` how many of
    them its title has, `body` how many come before its body; areas and links are columns, with their counts by page."""

    tokens: Ints
    forms: npt.NDArray[np.uint8]
    begin: Whole
    length: Whole
    title: Whole
    body: Whole
    area: npt.NDArray[np.uint8]
    area_start: Ints
    areas: Whole
    link_start: Ints
    link_stop: Ints
    links: Whole


def lay_out(draft: Draft) -> PageLayout:
    """Put everything in its place, all pages at once."""
    pages = len(draft.lengths)
    title, description = words_in(draft.titles), DESCRIPTION * draft.has_description.astype(np.int64)
    head = description + 2 * title
    anchor = words_in(draft.anchors)
    page, text_page = draft.link_page, np.repeat(np.arange(pages), draft.lengths)
    in_anchors = np.bincount(page, anchor, pages).astype(np.int64)
    length = head + draft.lengths + in_anchors
    begin = np.cumsum(length) - length
    text_begin = np.cumsum(draft.lengths) - draft.lengths
    tokens, forms = np.empty(int(length.sum()), np.int32), np.zeros(int(length.sum()), np.uint8)

    # Links come before the words of the text that they stand before, so that these move up.
    earlier = np.cumsum(anchor) - anchor - (np.cumsum(in_anchors) - in_anchors)[page]
    start = head[page] + draft.spot + earlier
    gap = text_begin + np.arange(pages)  # one place more a page, for links behind its last word
    inserts = np.cumsum(np.bincount(gap[page] + draft.spot, anchor, len(text_page) + pages).astype(np.int64))
    number = np.arange(len(text_page)) - text_begin[text_page]
    shift = inserts[gap[text_page] + number] - (np.cumsum(in_anchors) - in_anchors)[text_page]
    spots = begin[text_page] + head[text_page] + number + shift
    tokens[spots] = draft.text
    forms[spots] = _sentences(number, draft.lengths[text_page])

    _write_rows(tokens, draft.anchors, begin[page] + start)
    apart = draft.apart & (anchor > 0)
    forms[(begin[page] + start)[apart]] = Form.CAPITAL
    for at in (begin + description, begin + description + title):
        _write_rows(tokens, draft.titles, at)
        forms[at] = Form.CAPITAL
    some = np.flatnonzero(draft.has_description)
    few = np.arange(DESCRIPTION)
    tokens[begin[some, None] + few] = draft.text[text_begin[some, None] + few]

    starts = np.stack([np.zeros_like(title), description, description + title, head], axis=1)
    areas = np.tile(np.array([Area.META, Area.HEADING, Area.HEADING, Area.REST], np.uint8), (pages, 1))
    there = np.ones_like(areas, np.bool_)
    there[:, 0] = draft.has_description
    return PageLayout(
        tokens=tokens,
        forms=forms,
        begin=begin,
        length=length,
        title=title,
        body=description + title,
        area=areas[there],
        area_start=starts[there].astype(np.int32),
        areas=np.count_nonzero(there, axis=1).astype(np.int64),
        link_start=start.astype(np.int32),
        link_stop=(start + anchor).astype(np.int32),
        links=np.bincount(page, minlength=pages),
    )


def _write_rows(tokens: Ints, rows: Ints, begin: Whole) -> None:
    row, column = np.nonzero(rows != NOTHING)
    tokens[begin[row] + column] = rows[row, column]


def _sentences(number: Whole, length: Whole) -> npt.NDArray[np.uint8]:
    """Capitals where sentences begin, stops where they end, and a comma here and there."""
    block, within = np.divmod(number, _SENTENCE)
    ends = (within == _ENDS[(block + length) % len(_ENDS)]) & (number > 2) | (number == length - 1)
    begins = np.empty_like(ends)
    begins[0], begins[1:] = True, ends[:-1]
    comma = (within == _ENDS[(3 * block + length) % len(_ENDS)] + 2) & ~begins
    forms = np.where(begins, Form.CAPITAL, np.where(comma, Form.COMMA, Form.PLAIN))
    return np.where(ends, Form.STOP, forms).astype(np.uint8)

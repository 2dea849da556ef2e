"""The directory of a generated web: for each topic a leaf, with some pages that editors listed and what they wrote.

Editors list pages that last before those that pass, by lot and not by how popular they are, and none in other
languages. Of a page they say what it speaks of most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from salticid.model import Ints
from salticid.worlds.directories import Entry, Leaf
from salticid.worlds.generating.chance import Lots, Whole
from salticid.worlds.generating.press import Press
from salticid.worlds.generating.titles import NOTHING
from salticid.worlds.generating.web_plan import Permanence, WebPlan

MOST_LISTED = 50
SAID = 5
"""So many words of the topic are said of a page, if it has them."""
_AT_ONCE = 4_096


def leaves(press: Press) -> Iterator[Leaf]:
    """The leaves of a web, topic by topic, with the addresses that its pages have on the day."""
    entries: dict[int, list[Entry]] = {}
    places = listed(press.plan)
    for begin in range(0, len(places), _AT_ONCE):
        some = places[begin : begin + _AT_ONCE]
        topics = press.plan.topic_of[some].tolist()
        for topic, entry in zip(topics, _entries(press, some), strict=True):
            entries.setdefault(topic, []).append(entry)
    for topic, label in enumerate(press.plan.tree.labels):
        yield Leaf(label.replace(".", "/"), tuple(entries.get(topic, ())))


def listed(plan: WebPlan) -> Whole:
    """The places whose pages are listed, by topic and in the editors' order: at most `MOST_LISTED` of each."""
    places = np.flatnonzero(plan.hosts.tongue[plan.host_of] == 0)
    passing = plan.standing_of[places] == Permanence.PASSING
    order = np.lexsort((Lots(plan.seed, "listed").keys(places), passing, plan.topic_of[places]))
    places = places[order]
    topic = plan.topic_of[places].astype(np.int64)
    rank = np.arange(len(places)) - np.searchsorted(topic, topic)
    return places[rank < MOST_LISTED]


def description(words: Sequence[str], of_topic: Collection[str]) -> str:
    """What an editor writes of a page with these words: those of the topic that it uses most, earlier ones first.

    >>> description("the bolting of a route is bolting and belay for a route".split(), {"route", "belay", "bolting"})
    'Bolting, route, belay.'
    >>> description(["nothing", "said"], {"route"})
    ''
    """
    counts = Counter(word for word in words if word in of_topic)
    said = ", ".join(word for word, _ in counts.most_common(SAID))
    return f"{said.capitalize()}." if said else ""


def _entries(press: Press, places: Whole) -> Iterator[Entry]:
    draft, plan = press.author.pages(places), press.plan
    texts = np.split(draft.text, np.cumsum(draft.lengths)[:-1])
    urls = press.urls_of(places, draft)
    topics = plan.topic_of[places].tolist()
    words_of = {topic: _topic_words(press, topic) for topic in set(topics)}
    for url, row, text, topic in zip(urls, draft.titles, texts, topics, strict=True):
        title = " ".join(_spell(press, row[row != NOTHING])).capitalize()
        yield Entry(url.decode(), title, description(_spell(press, text), words_of[topic]))


def _topic_words(press: Press, topic: int) -> frozenset[str]:
    """The words of a topic's own, and those of its field."""
    lexicon, fields = press.plan.lexicon, len(press.plan.tree.fields)
    return frozenset(_spell(press, np.concatenate((lexicon.own[topic], lexicon.shared[topic % fields]))))


def _spell(press: Press, words: Ints) -> list[str]:
    return [press.words[word].decode() for word in words.tolist()]

"""Learns while it crawls which links lead to pages worth having."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from salticid.columns import grow
from salticid.exact import logistic
from salticid.learning import Schedule
from salticid.model import (
    FROM_OFFER,
    FROM_SEED,
    Bools,
    Choice,
    Event,
    Feedback,
    Floats,
    Ints,
    Links,
    Outcome,
    Page,
    Visit,
)
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.hunter.evidence import Evidence
from salticid.strategies.hunter.features import NAMES, Surroundings
from salticid.strategies.hunter.meaning import LinkMeanings
from salticid.strategies.hunter.page_records import PageRecords, Ways
from salticid.strategies.hunter.topic_profile import TopicProfile
from salticid.strategies.hunter.url_parts import UrlParts
from salticid.strategies.hunter.waiting import NOWHERE, Waiting
from salticid.strategies.hunter.weights import ALL_NAMES, OnlineWeights, Prior, Scoring, default_prior
from salticid.text import OwnWords
from salticid.topic import Limits

# Whose turn it is when a host runs dry: the hosts of the start pages.

_GOOD = 0.5
"""A page with this reward is of use, however good the others are."""


@in_snapshot(
    "_allotment", _is_start=np.bool_, several=bool, _dry=np.int32, _reward=float, _pages=int,
    _dry_crawl=int, _waits=bool,
)  # fmt: skip
class StartHosts:
    """Who names pages of several hosts wants all of them looked at.

    A host is dry when its last `allotment` pages brought less than the crawl's pages do in the mean, and stays so until
    one brings as much; so is the crawl. While the crawl is dry and the best link is one of a dry host, every second
    page is the best of the start hosts that are not dry, if there is such a link. With start pages of one host nothing
    changes.

    >>> hosts = StartHosts(np.array([0, 1], np.int32), allotment=1)
    >>> hosts.add(0, 0.4), hosts.add(1, 0.3)
    (None, None)
    >>> [hosts.has_turn_after(host) for host in (0, 1, 1, 0, 1)]
    [False, False, True, False, False]
    >>> hosts.add(2, 0.5), hosts.has_turn_after(1)
    (None, False)
    >>> hosts.shut(np.array([0, 1, 2], np.int32), np.array([False]))[:3].tolist()
    [False, True, True]
    """

    def __init__(self, hosts: Ints, allotment: int) -> None:
        self._allotment = allotment
        self._is_start = np.zeros(int(hosts.max(initial=0)) + 1, np.bool_)
        self._is_start[hosts] = True
        self.several = int(self._is_start.sum()) > 1
        """Whether there is anybody to take turns with."""
        self._dry = np.zeros(len(self._is_start), np.int32)
        self._reward, self._pages, self._dry_crawl, self._waits = 0.0, 0, 0, False

    def add(self, host: int, reward: float | None) -> None:
        """A page of this host brought a reward, or there was none."""
        self._make_room(host)
        if reward is None:
            self._dry[host] += 1
            return
        self._reward += reward
        self._pages += 1
        is_use = reward >= min(self._reward / self._pages, _GOOD)
        self._dry[host] = 0 if is_use else self._dry[host] + 1
        self._dry_crawl = 0 if is_use else self._dry_crawl + 1

    def has_turn_after(self, host: int) -> bool:
        """Whether a start host goes before the best link, which is one of this host."""
        self._make_room(host)
        is_dry = min(int(self._dry[host]), self._dry_crawl) >= self._allotment
        has_turn = is_dry and self._waits
        self._waits = self._waits != is_dry
        return has_turn

    def shut(self, hosts: Ints, shut: Bools) -> Bools:
        """By number all hosts up to the last of these but the start hosts that are not dry; and those shut already."""
        self._make_room(max(int(hosts.max(initial=0)), len(shut) - 1))
        others: Bools = ~self._is_start | (self._dry >= self._allotment)
        others[: len(shut)] |= shut
        return others

    def _make_room(self, host: int) -> None:
        self._is_start, self._dry = grow(self._is_start, host + 1), grow(self._dry, host + 1)


_FIRST_WORDS = 5
"""Words are learned after so many pages, and whenever their number has grown by half."""
_OFTEN, _SELDOM, _ROWS_A_PAGE = 4, 20, 2048
_WHY = 3


@in_snapshot(
    "_host_of", _own_words=OwnWords, _profile=TopicProfile, _addresses=UrlParts, _waiting=Waiting,
    _pages=PageRecords, _evidence=Evidence, _weights=OnlineWeights, _scoring=Scoring, _words_due=Schedule,
    _since=int, _flying=dict[int, np.float64], _around=Surroundings, _examples=int, _start_hosts=StartHosts,
    _meanings=LinkMeanings | None,
)  # fmt: skip
class Hunter:
    """Learns while it crawls which links lead to pages worth having.

    A link scores by all that was seen of it so far, weighed as other topics taught and this one teaches:

        margin = sum over features of weight * feature,    score = 1 / (1 + exp(-margin))

    The features (`features.py`) sum up every link seen that points at the URL, on pages read and
    on the examples: the topic's words in the anchors, around them and in the titles of the pages they are on, the
    rewards of these pages, of the pages those link to and of the links beside them; whether they stand in lists
    and come from other hosts; the words, the host and the folder of the URL,
    and how pages fared that were found by such words and there; as doors, what pages led to that were
    found so, whatever they were themselves. A reward is what the judge said. The topic's words are those of
    keywords and examples, and those the liked pages use more than others; a page a person likes is an example.

    The weights begin as the `prior`, fitted to other topics (`salticid fit`), one for webs of texts and one for webs of
    menus, mixed by the share of links that stand in lists; they move with the judged pages
    (`weights.py`), the less, the higher `pull` is. All links are scored anew after every page at
    first, later after every 4 to `rescore` pages, the more there is to do; in between only new ones are. Seeds
    come first. `why` gives the three features that count most.

    With start pages of several hosts, when `allotment` pages in a row brought less than usual, a host whose last pages
    did takes turns with the start hosts of which that is not true.

    With a sentence encoder (`Brief.meanings`) it also compares the meaning of the best links and of the titles of pages
    with the keywords, and with the titles of liked and rejected pages (`meaning.py`); `semantic=false` does without.

    >>> from salticid.testing import walk_through
    >>> walk_through(Hunter(), max_pages=5)
    ['seed', 'a', 'b', 'b2', 'b1']

    Paper: none; compare Chakrabarti, Punera, Subramanyam, "Accelerated focused crawling through online relevance
    feedback", WWW 2002, who learn from the words around links while they crawl.
    """

    walks: ClassVar[bool] = False
    judge: ClassVar[str] = "profile"
    """The judge it goes best with."""

    def __init__(
        self,
        *,
        prior: Prior | None = None,
        pull: Annotated[float, Meta(gt=0, le=1_000_000_000)] = 100.0,
        rescore: Annotated[int, Meta(ge=1, le=1000)] = 40,
        allotment: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 12,
        semantic: bool = True,
    ) -> None:
        self.prior = prior
        self.pull = pull
        self.rescore = rescore
        self.allotment = allotment
        self.semantic = semantic

    def start(self, brief: Brief) -> None:
        meanings = brief.meanings if self.semantic else None
        prior = self.prior or default_prior(semantic=meanings is not None)
        if meanings is None:
            prior = prior.of_words()
        self._own_words = brief.own_words
        self._profile = TopicProfile(brief)
        self._addresses = UrlParts(brief.urls, self._profile)
        self._waiting = Waiting(brief.limits.max_buffer, len(NAMES))
        self._pages = PageRecords()
        self._evidence = Evidence(self._profile, self._addresses, brief.limits.max_buffer)
        self._weights = OnlineWeights(prior, self.pull)
        self._meanings = (
            LinkMeanings(meanings, (brief.urls, brief.words), brief.topic.keywords, self._waiting, self._pages)
            if meanings is not None and prior.is_semantic
            else None
        )
        self._scoring = Scoring(
            self._waiting, self._evidence, self._pages, self._addresses, self._weights, self._meanings
        )
        self._words_due = Schedule(_FIRST_WORDS)
        self._since = 0
        self._host_of = brief.urls.host
        self._flying: dict[int, Floats] = {}
        for page in brief.examples:
            self._read(page, self._pages.add([page.url], None, 0.0, len(page.links), Ways.none()))
        self._around = Surroundings.of(self._evidence, self._pages)
        self._examples = len(brief.examples)
        self._enter(brief.seeds.url, FROM_SEED, np.zeros(len(brief.seeds), np.int32))
        self._start_hosts = StartHosts(self._addresses.hosts(brief.seeds.url), self.allotment)
        newest = self._new_slots()
        self._rescore()
        self._waiting.shrink(newest)

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        shut = np.zeros(max(busy, default=-1) + 1, np.bool_)
        shut[list(busy)] = True
        choices: list[Choice] = []
        while len(choices) < n and (best := self._waiting.best_one(shut)) != NOWHERE:
            choices.append(self._take(self._in_turn(best, shut)))
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        features = self._features_of(visit)
        self._waiting.discard(visit.final)
        if visit.page is None:
            self._start_hosts.add(self._host_of(visit.final), None)
            return
        page, link, before = visit.page, visit.choice.link, len(self._evidence)
        row = self._pages.add(
            [visit.url, visit.final], visit.step, visit.score, len(page.links), self._ways_to(visit.url)
        )
        self._pages.add_verdict(row, self._pages.row_of(link.source), visit.positive)
        self._start_hosts.add(self._host_of(visit.final), float(self._pages.rewards(slice(row, row + 1))[0]))
        if features is not None and link.source >= 0:
            self._weights.add(features, row)
        self._read(page, row)
        self._own_words.read([page])
        urls = page.links.url[fresh]
        self._waiting.enter(urls, self._addresses.hosts(urls), visit.step, fresh)
        newest = self._new_slots(page)
        self._since += 1
        if self._words_due.due():
            self._evidence.learn_words(self._pages.rewards())
            self._rescore()
        elif self._since >= self._patience():
            self._rescore()
        else:
            self._scoring.score(newest, before, self._around)
        self._scoring.refine()
        self._waiting.shrink(newest)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        """What is known of pages changes, and with it what is known of the links on them and beside them."""
        self._pages.revise(scores)
        for word in feedback:
            self._pages.tell(word.url, 1.0 if word.liking > 0 else 0.0)
        favourites = np.array([word.url for word in feedback if word.liking > 0], np.int32)
        self._evidence.learn_words(self._pages.rewards(), self._pages.rows(favourites).tolist())
        self._rescore()

    def offer(self, links: Links) -> None:
        """Offered links are scored as all others: by their addresses, and by links seen that point at them."""
        self._enter(links.url, FROM_OFFER, np.zeros(len(links), np.int32))
        newest = self._new_slots()
        self._rescore()
        self._waiting.shrink(newest)

    def extend(self, limits: Limits) -> None:
        """A larger budget changes nothing here."""

    def events(self) -> list[Event]:
        return []

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return len(self._waiting), [self._choice(slot) for slot in self._waiting.best(k).tolist()]

    @property
    def lists(self) -> float:
        """The mean share of a page's links that stand in lists."""
        return self._around.lists

    def look(self, most: int) -> tuple[Ints, Floats]:
        """The URLs and the features of some waiting links: a quarter the best, the others evenly by age."""
        best, living = self._waiting.best(most // 4), self._waiting.by_age()
        others = living[:: max(1, len(living) // (most - most // 4))]
        slots = np.array(list(dict.fromkeys([*best.tolist(), *others.tolist()])), np.int32)[:most]
        features = self._waiting.features[slots].astype(np.float64)
        if self._meanings is not None:
            features = np.concatenate((features, self._meanings.look(slots)), axis=1)
        return self._waiting.url.held[slots], features

    def _read(self, page: Page, row: int) -> None:
        self._evidence.read(page, row)
        if self._meanings is not None:
            self._meanings.read(page)

    def _new_slots(self, page: Page | None = None) -> Ints:
        """The slots of the links that entered since this was asked for, which stand on this page."""
        newest = self._waiting.new_slots()
        if self._meanings is not None:
            self._meanings.enter(newest, page)
        return newest

    def _enter(self, urls: Ints, source: int, places: Ints) -> None:
        self._addresses.read(urls)
        self._waiting.enter(urls, self._addresses.hosts(urls), source, places)

    def _take(self, slot: int) -> Choice:
        choice = self._choice(slot)
        self._flying[choice.link.url] = self._scoring.features(slot)
        self._waiting.discard(choice.link.url)
        return choice

    def _features_of(self, visit: Visit) -> Floats | None:
        """The features that the link of a visit had when it was taken; or when others took it, who did not ask."""
        url, features = visit.url, self._flying.pop(visit.url, None)
        if features is None and visit.outcome is not Outcome.ELSEWHERE:
            slot = self._waiting.slot(url)
            features = None if slot == NOWHERE else self._scoring.features(slot)
            self._waiting.discard(url)
        return features

    def _in_turn(self, best: int, shut: Bools) -> int:
        """The slot of the best link, or that of a start host whose turn it is."""
        waiting, start_hosts = self._waiting, self._start_hosts
        if not start_hosts.several or waiting.source.held[best] == FROM_SEED:
            return best
        if not start_hosts.has_turn_after(int(waiting.host.held[best])):
            return best
        other = waiting.best_one(start_hosts.shut(waiting.host.held, shut))
        return best if other == NOWHERE else other

    def _ways_to(self, url: int) -> Ways:
        self._addresses.read_one(url)
        row = slice(url, url + 1)
        words, places = self._addresses.tables()
        return Ways(places[row], self._evidence.anchor_words(url), words[row])

    def _patience(self) -> int:
        """How many pages may go by before all links are scored anew: the more, the more there is to do."""
        rows = max(len(self._evidence), len(self._pages))
        return min(1 + len(self._pages) // _SELDOM, max(_OFTEN, rows // _ROWS_A_PAGE), self.rescore)

    def _rescore(self) -> None:
        """Look around, learn, and give every waiting link its score anew."""
        self._since = 0
        self._evidence.tidy(self._waiting, self._examples)
        self._around = Surroundings.of(self._evidence, self._pages, self._around)
        self._weights.learn(self._around.reward, self._around.lists)
        if self._meanings is not None:
            self._meanings.learn()
        self._scoring.score(self._waiting.living(), 0, self._around)

    def _choice(self, slot: int) -> Choice:
        strongest = self._weights.strongest(self._scoring.features(slot).astype(np.float32), _WHY)
        why = tuple((ALL_NAMES[place], share) for place, share in strongest)
        return self._waiting.choice(slot, logistic(float(self._waiting.margin.held[slot])), why)

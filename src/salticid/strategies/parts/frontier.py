"""The shared bounded priority queue of links.

Best score first, oldest first among equals; when full, the lowest score goes, among equals the
newest. Both ends of one order, so one int says all about a waiting link:

    score (64 bits, flipped so that the best is smallest) | age (40) | url (32) | source (32) | place (20)

Ints of this size compare in C, weigh 64 bytes, and need no object per link. Entries that were moved,
evicted or taken stay in the heaps as dead ones until they surface or become many. A link that
surfaces while its host is busy is parked with its host, once: from then on only the best of the parked
links of a host competes, so that a big busy host costs nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush, nsmallest

import numpy as np

from salticid.errors import ContractBroken
from salticid.model import Choice, Floats, Ints, Link
from salticid.protocols import UrlTable
from salticid.snapshots import in_snapshot

_PLACE, _SOURCE, _URL, _AGE, _SCORE = 20, 32, 32, 40, 64
_URL_AT = _PLACE + _SOURCE
_AGE_AT = _URL_AT + _URL
_SCORE_AT = _AGE_AT + _AGE
_AGE_BITS = ((1 << _AGE) - 1) << _AGE_AT
_LAST_PLACE = (1 << _PLACE) - 1
_SOURCE_SHIFT = 2  # sources count from -2 (offers)


@in_snapshot(
    "_urls", limit=int, _newcomer_competes=bool, _entry=dict[int, int], _best=list[int],
    _worst=list[int] | None, _parking=dict[int, list[int]], _asleep=set[int], _heap_size=int, _age=int,
)  # fmt: skip
class Frontier:
    """Links waiting to be chosen, at most `limit` of them (None: no bound).

    With `admit="compete"` a newcomer worse than all the others is the one that is evicted; with
    `"always"` the worst makes room before the newcomer enters, whatever its score.

    >>> from salticid.tables import Urls
    >>> urls = Urls()
    >>> a, b, c = (urls.intern(f"http://{host}.example/") for host in "abc")
    >>> frontier = Frontier(urls, limit=2)
    >>> frontier.push([a, b, c], [0.2, 0.9, 0.5])
    >>> [urls[choice.link.url] for choice in frontier.pop(5, busy=frozenset([urls.host(b)]))]
    ['http://c.example/']
    >>> len(frontier), b in frontier, a in frontier
    (1, True, False)
    """

    def __init__(self, urls: UrlTable, limit: int | None, admit: str = "compete") -> None:
        self._urls = urls
        self.limit = limit
        self._newcomer_competes = admit == "compete"
        self._entry: dict[int, int] = {}
        self._best: list[int] = []
        self._worst: list[int] | None = None
        self._parking: dict[int, list[int]] = {}
        self._asleep: set[int] = set()
        self._heap_size = 0
        self._age = 0

    def __len__(self) -> int:
        return len(self._entry)

    def __contains__(self, url: int) -> bool:
        return url in self._entry

    def score(self, url: int) -> float:
        """The score of a waiting link; KeyError when it does not wait."""
        return _score(self._entry[url])

    def push(
        self,
        urls: Ints | Sequence[int],
        scores: float | Floats | Sequence[float],
        source: int = -1,
        places: Ints | Sequence[int] | None = None,
    ) -> None:
        """Queue links in the order given. One that waits already keeps the higher score, and its age."""
        ids: list[int] = urls.tolist() if isinstance(urls, np.ndarray) else list(urls)
        one_score = False
        if isinstance(scores, float | int):
            if self._turns_away(scores):
                return
            bits, one_score = [_bits(scores)] * len(ids), True
        else:
            bits = _all_bits(np.asarray(scores, np.float64))
        spots = range(len(ids)) if places is None else np.asarray(places).tolist()
        origin = (source + _SOURCE_SHIFT) << _PLACE
        entries, age = self._entry, self._age
        for url, score_bits, place in zip(ids, bits, spots, strict=True):
            entry = entries.get(url)
            if entry is None:
                age += 1
                key = score_bits << _SCORE_AT | age << _AGE_AT
            elif entry >> _SCORE_AT > score_bits:
                key = score_bits << _SCORE_AT | entry & _AGE_BITS
            else:
                continue
            key |= url << _URL_AT | origin | (place if place < _LAST_PLACE else _LAST_PLACE)
            if not self._enter(url, key, entry is None) and one_score:
                break  # nor will those after it: they are newer, and all that waits is at least as good
        self._age = age

    def pop(self, n: int, busy: frozenset[int] = frozenset()) -> list[Choice]:
        """Take the `n` best links that are on no busy host; fewer when there are no more."""
        for host in sorted(self._asleep - busy):
            self._wake(host)
        choices: list[Choice] = []
        while len(choices) < n and self._best:
            key = heappop(self._best)
            url = _url(key)
            living = self._entry.get(url) == key
            host = self._urls.host(url) if busy or self._parking else -1
            if living and host in busy:
                heappush(self._parking.setdefault(host, []), key)
                self._asleep.add(host)
                continue
            self._heap_size -= 1
            if living:
                del self._entry[url]
                choices.append(_choice(key))
            if host in self._parking:
                self._wake(host)
        self._tidy()
        return choices

    def rescore(self, url: int, score: float) -> None:
        """Give a waiting link another score, higher or lower; its age stays. Nothing if it does not wait."""
        key = self._entry.get(url)
        if key is not None and _bits(score) != key >> _SCORE_AT:
            self._enter(url, _bits(score) << _SCORE_AT | key & ((1 << _SCORE_AT) - 1), False)

    def rescore_all(self, scores: dict[int, float]) -> None:
        """The same for many waiting links at once."""
        if not scores:
            return
        bits = _all_bits(np.fromiter(scores.values(), np.float64, len(scores)))
        for url, score_bits in zip(scores, bits, strict=True):
            key = self._entry.get(url)
            if key is not None:
                self._entry[url] = score_bits << _SCORE_AT | key & ((1 << _SCORE_AT) - 1)
        self._rebuild()

    def rescore_from(self, scores: dict[int, float]) -> None:
        """Give all links that were found on a visit, by its step, that visit's new score."""
        if not scores:
            return
        for url, key in self._entry.items():
            source = (key >> _PLACE & ((1 << _SOURCE) - 1)) - _SOURCE_SHIFT
            if source in scores:
                self._entry[url] = _bits(scores[source]) << _SCORE_AT | key & ((1 << _SCORE_AT) - 1)
        self._rebuild()

    def discard(self, url: int) -> None:
        """Forget a waiting link, if it waits."""
        self._entry.pop(url, None)

    def take(self, url: int) -> Choice:
        """Take this very link; KeyError when it does not wait."""
        choice = _choice(self._entry.pop(url))
        self._tidy()
        return choice

    def best(self, k: int) -> list[Choice]:
        """The `k` best, left where they are."""
        return [_choice(key) for key in nsmallest(k, self._entry.values())]

    def __iter__(self) -> Iterator[int]:
        return iter(self._entry)

    def _turns_away(self, score: float) -> bool:
        """Whether no link of this score could enter or move up: the usual case once it is full."""
        if self.limit is None or len(self._entry) < self.limit or not self._newcomer_competes:
            return False
        return self.limit == 0 or _bits(score) >= self._lowest() >> _SCORE_AT

    def _enter(self, url: int, key: int, is_new: bool) -> bool:
        """Let a link wait under this key; False if it is new and there is no room for it."""
        if is_new and self.limit is not None and len(self._entry) >= self.limit:
            if self.limit == 0 or (self._newcomer_competes and key > self._lowest()):
                return False
            self._evict()
        self._entry[url] = key
        self._heap_size += 1
        heappush(self._best, key)
        if self._worst is not None:
            heappush(self._worst, -key)
        return True

    def _lowest(self) -> int:
        """The key of the waiting link that would be evicted next."""
        if self._worst is None:
            self._worst = [-key for key in self._entry.values()]
            heapify(self._worst)
        worst = self._worst
        while self._entry.get(_url(-worst[0])) != -worst[0]:
            heappop(worst)
        return -worst[0]

    def _evict(self) -> None:
        del self._entry[_url(self._lowest())]
        self._tidy()

    def _wake(self, host: int) -> None:
        """Let the best parked link of a host compete again; taking it wakes the next one."""
        self._asleep.discard(host)
        queue = self._parking[host]
        heappush(self._best, heappop(queue))
        if not queue:
            del self._parking[host]

    def _tidy(self) -> None:
        """Drop the keys of links that no longer wait once there are many."""
        enough = len(self._entry) * 9 // 8 + 64
        if self._heap_size > enough or (self._worst is not None and len(self._worst) > enough):
            self._rebuild()

    def _rebuild(self) -> None:
        """Make the heaps anew from the links that wait."""
        self._parking.clear()
        self._asleep.clear()
        self._best.clear()
        self._best.extend(self._entry.values())
        heapify(self._best)
        self._heap_size = len(self._best)
        if self._worst is not None:
            self._worst.clear()
            self._worst.extend(-key for key in self._entry.values())
            heapify(self._worst)


def _bits(score: float) -> int:
    """A float as an unsigned int in reverse order: the higher the score, the smaller."""
    (bits,) = struct.unpack("<q", struct.pack("<d", score + 0.0))
    if score != score:
        raise ContractBroken("a link was given the score NaN; scores must be numbers")
    return int(~bits & 0x7FFFFFFFFFFFFFFF) if bits >= 0 else int(bits & 0xFFFFFFFFFFFFFFFF)


def _all_bits(scores: Floats) -> list[int]:
    if np.isnan(scores).any():
        raise ContractBroken("a link was given the score NaN; scores must be numbers")
    bits = (scores + 0.0).view(np.int64)
    keys: list[int] = np.where(bits >= 0, ~bits & 0x7FFFFFFFFFFFFFFF, bits).view(np.uint64).tolist()
    return keys


def _score(key: int) -> float:
    key_bits = key >> _SCORE_AT
    bits = key_bits ^ 0x7FFFFFFFFFFFFFFF if key_bits < 1 << 63 else key_bits
    (score,) = struct.unpack("<d", struct.pack("<Q", bits))
    return float(score)


def _url(key: int) -> int:
    return key >> _URL_AT & ((1 << _URL) - 1)


def _choice(key: int) -> Choice:
    source = (key >> _PLACE & ((1 << _SOURCE) - 1)) - _SOURCE_SHIFT
    return Choice(Link(_url(key), source, key & _LAST_PLACE), _score(key))

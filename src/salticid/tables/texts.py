"""The tables: each distinct text gets the next free id and is never forgotten; and what is known of each URL."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.model import Bools, Ints, Links
from salticid.native import at, lib
from salticid.protocols import PreparedStems
from salticid.snapshots import in_snapshot
from salticid.tables.heaps import Heap, MemoryHeap
from salticid.tables.veil import Veil

# Ids by text, in fourteen bytes each.
#
# Of a text only the hash is kept, 64 bits under a key that is new in every run (of ten million texts two share one
# once in 400,000 crawls). It is found by open addressing over two flat arrays, one of slots that hold ids, one of
# hashes by id. Nobody can foresee the hashes, so that no choice of texts makes the search slow; where a text falls
# decides nothing.

_FREE = -1
_FIRST_SLOTS = 1 << 10
_FULLEST = 2 / 3
_FEW = 8
"""So many texts are not worth a call of the library."""
_AT_ONCE = 1 << 17
"""So many ids are given slots together."""


class Ids:
    """The id of each text, given in order of arrival.

    >>> ids = Ids()
    >>> ids.give_all([b"fly", b"web", b"fly"]), ids.find(b"web"), ids.find(b"ant"), len(ids)
    (([0, 1, 0], [b'fly', b'web']), 1, -1, 2)
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._slots = array("i", [_FREE]) * _FIRST_SLOTS

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, text: bytes) -> int:
        """The id of a text, or -1 when it has none."""
        return self._slots[self._slot(hash(text))]

    def give_all(self, texts: Sequence[bytes]) -> tuple[list[int], list[bytes]]:
        """The id of each text, the next one for a text that had none; and the texts that had none."""
        self._make_room(len(texts))
        if lib is None or len(texts) <= _FEW:
            return self._give_each(texts)
        many, known = len(texts), len(self._hashes)
        asked: npt.NDArray[np.int64] = np.fromiter(map(hash, texts), np.int64, many)
        ids, fresh = np.empty(many, np.int32), np.empty(many, np.int32)
        self._hashes.frombytes(bytes(asked.nbytes))
        news = lib.give_ids(
            at(asked), many, at(self._hashes), known, at(self._slots), len(self._slots), at(ids), at(fresh)
        )
        if news == many:
            return ids.tolist(), list(texts)
        del self._hashes[known + news :]
        return ids.tolist(), [texts[place] for place in fresh[:news].tolist()]

    def _give_each(self, texts: Sequence[bytes]) -> tuple[list[int], list[bytes]]:
        """The same, one after the other."""
        ids, fresh = [], []
        for text in texts:
            slot = self._slot(text_hash := hash(text))
            if self._slots[slot] == _FREE:
                self._slots[slot] = len(self._hashes)
                self._hashes.append(text_hash)
                fresh.append(text)
            ids.append(self._slots[slot])
        return ids, fresh

    def _slot(self, text_hash: int) -> int:
        """Where a hash is, or the free slot where it belongs: from the one its last bits name, on to the next."""
        slots, hashes, mask = self._slots, self._hashes, len(self._slots) - 1
        slot = text_hash & mask
        while (number := slots[slot]) != _FREE and hashes[number] != text_hash:
            slot = slot + 1 & mask
        return slot

    def _make_room(self, more: int) -> None:
        """See to it that slots stay free, if so many texts are new."""
        size, most = len(self._slots), (len(self._hashes) + more) / _FULLEST
        if size >= most:
            return
        while size < most:
            size *= 2
        self._slots = array("i", [_FREE]) * size
        for first in range(0, len(self._hashes), _AT_ONCE):
            self._place(first, min(first + _AT_ONCE, len(self._hashes)))

    def _place(self, first: int, last: int) -> None:
        """Find slots for the ids from `first` up to `last`: all try at once, those that clash try the next."""
        slots: Ints = np.frombuffer(self._slots, np.int32)
        slot = np.frombuffer(self._hashes, np.int64)[first:last] & (len(slots) - 1)
        ids = np.arange(first, last, dtype=np.int32)
        while len(ids):
            free = slots[slot] == _FREE
            slots[slot[free]] = ids[free]
            homeless = slots[slot] != ids
            ids, slot = ids[homeless], slot[homeless] + 1 & (len(slots) - 1)


_NEAR = 4
"""Texts are read together with those between them, unless these are so many times as many."""


class Texts:
    """A growing table.

    >>> words = Texts()
    >>> [words.intern(w) for w in ("spider", "web", "spider")], words[1], words.find("fly")
    ([0, 1, 0], 'web', -1)
    """

    def __init__(self, heap: Heap | None = None) -> None:
        self._ids = Ids()
        self._heap: Heap = MemoryHeap() if heap is None else heap

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, at: int) -> str:
        if not 0 <= at < len(self._ids):
            raise IndexError(at)
        return self._heap.read(at).decode()

    def between(self, first: int, last: int) -> list[bytes]:
        """The texts from id `first` up to `last`, in UTF-8."""
        return self._heap.between(first, last)

    def spell(self, ids: Sequence[int]) -> list[str]:
        if not ids:
            return []
        first, last = min(ids), max(ids)
        if not 0 <= first <= last < len(self):
            raise IndexError(ids)
        if last - first < _NEAR * len(ids):
            texts = self.between(first, last + 1)
            return [texts[at - first].decode() for at in ids]
        heap_read = self._heap.read
        return [heap_read(at).decode() for at in ids]

    def find(self, text: str) -> int:
        return self._ids.find(text.encode())

    def intern(self, text: str) -> int:
        data = text.encode()
        at = self._ids.find(data)
        return self.intern_all([data])[0] if at < 0 else at

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The ids of many texts at once."""
        ids, fresh = self._ids.give_all(texts)
        if fresh:
            self._note(fresh)
        return ids

    def extend(self, texts: Sequence[bytes]) -> None:
        """Give the next ids to texts of which the table holds none, and that are all different."""
        self._ids.give_all(texts)
        self._note(texts)

    def _note(self, fresh: Sequence[bytes]) -> None:
        """Keep texts that are new."""
        self._heap.extend(fresh)

    def stems(self, rules: str) -> PreparedStems | None:
        """Nobody worked them out."""
        return None


class Urls(Texts):
    """A growing table of canonical URLs that knows each one's host.

    >>> table = Urls()
    >>> a, b = table.intern("http://a.example/x"), table.intern("http://a.example/y")
    >>> table.host(a) == table.host(b), table.host_name(table.host(a))
    (True, 'a.example')
    """

    def __init__(self, heap: Heap | None = None) -> None:
        super().__init__(heap)
        self.hosts = Texts()
        self.host_of = array("i")
        self.veil: Veil | None = None
        """What hides URLs that are to be forgotten: in their places stand others."""

    def hides(self, url: str) -> bool:
        """Whether a URL is to be forgotten."""
        return self.veil is not None and self.veil.hides(url)

    def find(self, text: str) -> int:
        return super().find(text if self.veil is None else self.veil.over(text))

    def intern(self, text: str) -> int:
        return super().intern(text if self.veil is None else self.veil.over(text))

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        over = None if self.veil is None else self.veil.over
        return super().intern_all(texts if over is None else [over(text.decode()).encode() for text in texts])

    def host(self, url: int) -> int:
        return self.host_of[url]

    def host_name(self, host: int) -> str:
        return self.hosts[host]

    def _note(self, fresh: Sequence[bytes]) -> None:
        super()._note(fresh)
        names = [url.split(b"/", 3)[2] for url in fresh]
        hosts = list(dict.fromkeys(names))  # few: many links lead to the same
        ids = dict(zip(hosts, self.hosts.intern_all(hosts), strict=True))
        self.host_of.extend([ids[name] for name in names])


# The table of words of a crawl, which has a bound: those who make words up must not fill the memory of others.

_NO_WORD = b""


class Words(Texts):
    """A growing table of words, up to `most`; what is new after that counts as the empty word, which says nothing.

    >>> class Few(Words):
    ...     most = 3
    >>> words = Few()
    >>> [words.intern(w) for w in ("spider", "web", "fly", "ant", "web")], len(words), words[2], words.find("fly")
    ([0, 1, 2, 2, 1], 3, '', -1)
    """

    most: ClassVar[int] = 8_000_000
    """So many of ten letters take 230 MB."""

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        if len(self) + len(texts) < self.most:
            return super().intern_all(texts)
        return [known if (known := self._ids.find(text)) >= 0 else self._next(text) for text in texts]

    def _next(self, text: bytes) -> int:
        """The id of a word that is new: its own, as long as there is room for it and for the empty one."""
        room = len(self) < self.most - 1
        return super().intern_all([text if room else _NO_WORD])[0]


UNKNOWN, KNOWN, REACHED, CHOSEN, FAILED = range(5)
"""Nothing; the strategy may choose it; a redirect or a canonical link led there; chosen; chosen in vain."""


@in_snapshot(_states=np.ndarray)
class UrlStates:
    """One small number a URL, 0 at first, found by the URL's id."""

    def __init__(self, size: int, kind: type[np.uint8] | type[np.uint16] = np.uint8) -> None:
        self._states = np.zeros(max(size, 1024), kind)

    def __getitem__(self, url: int) -> int:
        return int(self._states[url]) if url < len(self._states) else UNKNOWN

    def __setitem__(self, url: int, state: int) -> None:
        self._states = grow(self._states, url + 1)
        self._states[url] = state

    def unchosen(self, urls: Ints) -> Bools:
        """Which of these were not chosen, nor reached by a redirect."""
        if len(urls):
            self._states = grow(self._states, int(urls.max()) + 1)
        unchosen: Bools = self._states[urls] < REACHED
        return unchosen

    def learn_fresh(self, links: Links) -> Ints:
        """The places of links that were not chosen and may be followed; from now on the strategy may choose them."""
        urls = links.url
        if lib is None:
            fresh = np.flatnonzero(self.unchosen(urls) & ~links.nofollow).astype(np.int32)
            self.learn(urls[fresh])
            return fresh
        places: Ints = np.empty(len(urls), np.int32)
        many = -1
        while many < 0:
            states = self._states
            many = lib.fresh_links(at(urls), at(links.nofollow), len(urls), at(states), len(states), KNOWN, at(places))
            if many < 0:
                if int(urls.min()) < 0:
                    raise IndexError(f"invalid URL id {int(urls.min())}")
                self._states = grow(states, int(urls.max()) + 1)
        return places[:many]

    def unseen(self, urls: Ints) -> Bools:
        """Which of these nothing is known of."""
        known = urls < len(self._states)
        unseen: Bools = ~known
        unseen[known] = self._states[urls[known]] == UNKNOWN
        return unseen

    def learn(self, urls: Ints) -> None:
        """The strategy may choose these from now on. None of them may have been chosen."""
        if len(urls):
            self._states = grow(self._states, int(urls.max()) + 1)
            self._states[urls] = KNOWN

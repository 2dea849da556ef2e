"""What the URL of a link says by itself."""

from __future__ import annotations

import re
from itertools import chain, islice
from zlib import crc32

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Floats, Ints
from salticid.native import at, lib
from salticid.protocols import UrlTable
from salticid.strategies.parts.hunter.topic_profile import TopicProfile
from salticid.text.pieces import Pieces
from salticid.text.stems import STOP

PLACES = 1 << 15
"""Hosts and folders are told apart by so many numbers; two that share one share their record."""
WORDS = 4
"""So many words of a URL's path, the last, are read."""
_NO_WORDS = [STOP] * WORDS
_UNREAD = -1
_SLOT_BITS = 14
"""So many words of addresses, as a power of two, are kept with their stems: most addresses say the same again."""
_LONGEST_PATH = 200
_SHARES = re.compile(r"\?.*https?(:|%3a)(/|%2f){2}", re.IGNORECASE)
"""A link that hands an address on, to share it or to come back to it: what it says there is not about itself."""
_ACTS = re.compile(r"[?&;](?:action|do|op|replytocom|share|print|printable)=", re.IGNORECASE)
_DOORS = frozenset(("login", "signin", "signup", "register", "logout", "cart"))
"""A link that does something, to a page perhaps that is about the topic: what it says is not what it leads to."""
_LETTERS = re.compile(r"[^\W\d_]+")
_TO_SPACES = bytes(ord(chr(at).lower()) if chr(at).isalpha() else ord(" ") for at in range(128)) + b" " * 128


class UrlParts:
    """The last words, the host and the folder of each URL, read once: some 26 bytes a URL."""

    def __init__(self, urls: UrlTable, profile: TopicProfile) -> None:
        self._urls, self._profile = urls, profile
        self._words = np.full((1024, WORDS), _UNREAD, np.int32)
        self._places = np.zeros((1024, 2), np.uint16)
        self._hosts = np.zeros(1024, np.int32)
        self._stems = Pieces(self._stems_of, _SLOT_BITS)

    def read(self, urls: Ints) -> None:
        """Make sure these are known; before anything is asked about them."""
        if not len(urls):
            return
        most = int(urls.max()) + 1
        self._words = grow(self._words, most, _UNREAD)
        self._places = grow(self._places, most)
        self._hosts = grow(self._hosts, most)
        new_urls = distinct(urls[self._words[urls, 0] == _UNREAD]).tolist()
        if not new_urls:
            return
        self._hosts[new_urls] = list(map(self._urls.host, new_urls))
        if lib is None or not self._has_read(new_urls):
            self._read(new_urls)

    def _has_read(self, urls: list[int]) -> bool:
        """Read URLs in C; False if one is not ASCII, of which C knows no letters."""
        texts, many = [text.encode() for text in self._urls.spell(urls)], len(urls)
        whole, ends = b"".join(texts), np.cumsum([len(text) for text in texts], dtype=np.int32)
        places, counts = np.empty((many, 2), np.uint16), np.empty(many, np.int32)
        runs = np.empty(len(whole) + many, np.uint8)
        size = lib.url_parts(
            at(whole), at(ends), many, _LONGEST_PATH, 2 * WORDS, PLACES, at(places), at(runs), at(counts)
        )
        if counts.min() < 0:
            return False
        stems, last = self._stems.codes(runs[:size].tobytes()), np.empty((many, WORDS), np.int32)
        lib.last_words(at(stems), at(counts), many, WORDS, STOP, at(last))
        self._places[urls], self._words[urls] = places, last
        return True

    def _read(self, urls: list[int]) -> None:
        places: list[tuple[int, int]] = []
        words: list[list[str]] = []
        for text in self._urls.spell(urls):
            address = text.partition("://")[2]
            if "?" in address and _SHARES.search(address):
                address = address.partition("?")[0]
            host, _, path = address.partition("/")
            places.append(_place(host, path))
            words.append([] if _does_something(path) else _letter_runs(path[-_LONGEST_PATH:])[-2 * WORDS :])
        self._places[urls] = places
        stems = iter(self._profile.stems.of_tokens(list(chain.from_iterable(words))))
        endings = ([stem for stem in islice(stems, len(some)) if stem != STOP][-WORDS:] for some in words)
        self._words[urls] = [last + _NO_WORDS[len(last) :] for last in endings]

    def _stems_of(self, words: list[bytes]) -> list[int]:
        return self._profile.stems.of_tokens([word.decode() for word in words])

    def likeness(self, words: Ints) -> list[Floats]:
        """How much rows of words speak for the topic, for each profile."""
        many = np.maximum((words != STOP).sum(axis=1), 1)
        share = 1.0 / np.sqrt(many)
        return [weights[words].sum(axis=1) * share for weights in self.weights()]

    def weights(self) -> list[Floats]:
        """By profile what each stem speaks for the topic."""
        return self._profile.weights()

    def tables(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
        """The words and the places of all URLs that were read, by URL."""
        return self._words, self._places

    def words(self, urls: Ints) -> Ints:
        """Rows of stems, STOP where there are fewer."""
        return self._words[urls]

    def places(self, urls: Ints) -> npt.NDArray[np.uint16]:
        """A number for the host and one for the folder of each."""
        return self._places[urls]

    def hosts(self, urls: Ints) -> Ints:
        """The host ids."""
        return self._hosts[urls]


def _place(host: str, path: str) -> tuple[int, int]:
    """A number for a host and one for a folder."""
    folder = f"{host}/{path.rpartition('/')[0]}"
    return crc32(host.encode()) % PLACES, crc32(folder.encode()) % PLACES


def _does_something(path: str) -> bool:
    return not _DOORS.isdisjoint(path.partition("?")[0].lower().split("/")) or (
        "=" in path and _ACTS.search(path) is not None
    )


def _letter_runs(path: str) -> list[str]:
    """The runs of letters of a path, in lower case; most paths are ASCII, which is quicker."""
    if path.isascii():
        return path.encode().translate(_TO_SPACES).decode().split()
    return _LETTERS.findall(path.lower())

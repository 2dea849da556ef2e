"""What the URL of a link says by itself."""

from __future__ import annotations

import re
from itertools import accumulate, chain, islice
from zlib import crc32

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Floats, Ints
from salticid.native import at, lib
from salticid.protocols import UrlTable
from salticid.snapshots import in_snapshot, rows
from salticid.strategies.hunter.topic_profile import TopicProfile
from salticid.text import STOP, Pieces

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


@in_snapshot(
    "_urls", _profile=TopicProfile, _words=rows(np.int32), _places=rows(np.uint16), host_of=np.int32,
    _stems=Pieces,
)  # fmt: skip
class UrlParts:
    """The last words, the host and the folder of each URL, read once: some 26 bytes a URL."""

    def __init__(self, urls: UrlTable, profile: TopicProfile) -> None:
        self._urls, self._profile = urls, profile
        self._words = np.full((1024, WORDS), _UNREAD, np.int32)
        self._places = np.zeros((1024, 2), np.uint16)
        self.host_of = np.zeros(1024, np.int32)
        self._stems = Pieces(self._stems_of, _SLOT_BITS)

    def read(self, urls: Ints) -> None:
        """Make sure these are known; before anything is asked about them."""
        if not len(urls):
            return
        most = int(urls.max()) + 1
        if most > len(self.host_of):
            self._words = grow(self._words, most, _UNREAD)
            self._places = grow(self._places, most)
            self.host_of = grow(self.host_of, most)
        new_urls = self._unread(urls)
        if not len(new_urls):
            return
        ids = new_urls.tolist()
        self.host_of[new_urls] = list(map(self._urls.host, ids))
        texts = self._urls.spell(ids)
        whole = "".join(texts)
        if lib is not None and whole.isascii():
            self._read_ascii(new_urls, whole.encode(), list(map(len, texts)))
        else:
            self._read(ids, texts)

    def read_one(self, url: int) -> None:
        """The same for one."""
        if url >= len(self._words) or self._words[url, 0] == _UNREAD:
            self.read(np.array([url], np.int32))

    def _unread(self, urls: Ints) -> Ints:
        """The different ones that were not read yet, ascending."""
        if lib is None:
            return distinct(urls[self._words[urls, 0] == _UNREAD])
        unread: Ints = np.empty(len(urls), np.int32)
        unread = unread[: lib.unread_urls(at(urls), len(urls), at(self._words), WORDS, at(unread))]
        unread.sort()
        return unread

    def _read_ascii(self, urls: Ints, whole: bytes, lengths: list[int]) -> None:
        """Read URLs in C, which knows no letters but those of ASCII."""
        many, ends = len(urls), np.array(list(accumulate(lengths)), np.int32)
        counts, runs = np.empty(many, np.int32), np.empty(len(whole) + many, np.uint8)
        size = lib.url_parts(
            at(whole), at(ends), at(urls), many, _LONGEST_PATH, 2 * WORDS, PLACES, at(self._places), at(runs),
            at(counts),
        )  # fmt: skip
        stems = self._stems.codes(runs[:size].tobytes())
        lib.last_words(at(stems), at(counts), at(urls), many, WORDS, STOP, at(self._words))

    def _read(self, urls: list[int], texts: list[str]) -> None:
        places: list[tuple[int, int]] = []
        words: list[list[str]] = []
        for text in texts:
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
        return [weights[words].sum(axis=1) * share for weights in self.weights().T]

    def weights(self) -> Floats:
        """What each stem speaks for the topic, by profile."""
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
        return self.host_of[urls]


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

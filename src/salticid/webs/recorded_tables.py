"""The tables of a recorded world: on disk what was recorded, in memory what a crawl adds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.protocols import PreparedStems
from salticid.tables import Texts, Urls
from salticid.webs.arrays import Arrays, text_hash
from salticid.webs.world_arrays import HOST, STEM, STEM_OF, URL, WORD, TextArrays


class DiskTexts:
    """Texts of a world, found by a binary search over their hashes; never grows."""

    def __init__(self, arrays: Arrays, table: TextArrays) -> None:
        self._bytes = arrays[table.text]
        self._ends = arrays[table.end]
        self._hashes = arrays[table.hash]
        self._by_hash = arrays[table.by_hash]

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: int) -> str:
        begin = int(self._ends[at - 1]) if at else 0
        return self._bytes[begin : int(self._ends[at])].tobytes().decode(errors="replace")

    def spell(self, ids: Sequence[int]) -> list[str]:
        at = np.asarray(ids, np.int64)
        ends = self._ends[at].tolist()
        begins = np.where(at > 0, self._ends[at - 1], 0).tolist()
        data = self._bytes.data
        return [str(data[begin:end], "utf-8") for begin, end in zip(begins, ends, strict=True)]

    def find(self, text: str) -> int:
        code = np.uint64(text_hash(text.encode()))
        at = int(self._hashes.searchsorted(code))
        while at < len(self) and self._hashes[at] == code:
            number = int(self._by_hash[at])
            if self[number] == text:
                return number
            at += 1
        return -1


class WorldTexts:
    """A table that starts with the texts of a world and grows in memory."""

    def __init__(self, disk: DiskTexts) -> None:
        self.disk = disk
        self._more = Texts()

    def __len__(self) -> int:
        return len(self.disk) + len(self._more)

    def __getitem__(self, at: int) -> str:
        return self.disk[at] if at < len(self.disk) else self._more[at - len(self.disk)]

    def spell(self, ids: Sequence[int]) -> list[str]:
        size = len(self.disk)
        if not ids or max(ids) < size:
            return self.disk.spell(ids)
        return [self[at] for at in ids]

    def find(self, text: str) -> int:
        at = self.disk.find(text)
        if at < 0 and (more := self._more.find(text)) >= 0:
            at = len(self.disk) + more
        return at

    def intern(self, text: str) -> int:
        at = self.disk.find(text)
        return at if at >= 0 else len(self.disk) + self._more.intern(text)

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        return [self.intern(text.decode()) for text in texts]

    def stems(self, rules: str) -> PreparedStems | None:
        return None


class WorldWords(WorldTexts):
    """The words of a world, whose stems were worked out when it was built."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(DiskTexts(arrays, WORD))
        self._arrays = arrays

    def stems(self, rules: str) -> PreparedStems | None:
        if self._arrays.manifest.stems != rules:
            return None
        check_stems(self._arrays, len(self.disk))
        return PreparedStems(self._arrays[STEM_OF], WorldTexts(DiskTexts(self._arrays, STEM)))


def check_stems(arrays: Arrays, words: int) -> None:
    """UserError unless each word has a stem that is there."""
    arrays.check_sums(derived=True)
    arrays.check_texts(STEM)
    arrays.check_length(STEM_OF, words)
    arrays.check_range(STEM_OF, 0, len(arrays[STEM.end]))


class WorldUrls(WorldTexts):
    """The URLs of a world, with their hosts; URLs that a topic or a person adds come after them."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(DiskTexts(arrays, URL))
        self._host_of = arrays[URL.host]
        self._hosts = WorldTexts(DiskTexts(arrays, HOST))
        self._more: Urls = Urls()

    def host(self, url: int) -> int:
        if url < len(self.disk):
            return int(self._host_of[url])
        return self._hosts.intern(self._more.host_name(self._more.host(url - len(self.disk))))

    def host_name(self, host: int) -> str:
        return self._hosts[host]

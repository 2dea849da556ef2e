"""URLs that are to be forgotten: known by salted hashes alone, so that nobody asks for them and nothing names them.

In the place of such a URL stands another, on a host that cannot be (RFC 6761), always the same one for the same URL.
Who knows a URL can find out that it was forgotten; who does not cannot read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from salticid.urls import host

NOWHERE = "http://forgotten.invalid/"
_SIZE = 16


class Veil:
    """Hides some URLs, whatever their scheme, and all URLs of some hosts.

    >>> veil = Veil(b"salt")
    >>> _ = veil.add_url("http://a.example/me"), veil.add_host("b.example")
    >>> [veil.hides(f"https://{where}") for where in ("a.example/me", "a.example/", "b.example/", "c.b.example/")]
    [True, False, True, False]
    >>> veil.over("http://a.example/you"), veil.over("http://a.example/me").removeprefix(NOWHERE)[:8]
    ('http://a.example/you', '20dd13cd')
    """

    def __init__(self, salt: bytes, hashes: Iterable[str] = ()) -> None:
        self.salt = salt
        self.hashes = dict.fromkeys(hashes)
        self._hosts: dict[str, bool] = {}

    def add_url(self, url: str) -> str:
        """Hide a canonical URL; its hash."""
        return self._add(_bare(url))

    def add_host(self, name: str) -> str:
        """Hide all URLs of a host, or of one port of it, if it names one; its hash."""
        self._hosts.clear()
        return self._add(name)

    def hashes_of(self, url: str) -> tuple[str, ...]:
        """Those that hide a canonical URL."""
        name = host(url)
        texts = _bare(url), name, name.split(":")[0]
        return tuple(each for each in map(self._hash, texts) if each in self.hashes)

    def hides(self, url: str) -> bool:
        """Whether a canonical URL is hidden, or stands for one that is."""
        return url.startswith(NOWHERE) or self.hides_host(host(url)) or self._hash(_bare(url)) in self.hashes

    def hides_host(self, name: str) -> bool:
        """Whether all URLs of a host are hidden."""
        if name not in self._hosts:
            self._hosts[name] = any(self._hash(each) in self.hashes for each in (name, name.split(":")[0]))
        return self._hosts[name]

    def over(self, url: str) -> str:
        """The URL, or what stands for it if it is hidden."""
        if url.startswith(NOWHERE) or not self.hides(url):
            return url
        return self.stand_in(url)

    def stand_in(self, url: str) -> str:
        """What stands for a URL whose name is to go."""
        return url if url.startswith(NOWHERE) else NOWHERE + self._hash(url)

    def _add(self, text: str) -> str:
        self.hashes[name := self._hash(text)] = None
        return name

    def _hash(self, text: str) -> str:
        return blake2b(text.encode(), digest_size=_SIZE, key=self.salt).hexdigest()


def _bare(url: str) -> str:
    """A URL without its scheme; unlike a host, it has a slash."""
    return url.partition("://")[2]

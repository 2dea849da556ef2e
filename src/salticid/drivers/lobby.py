"""The lobby: links that were chosen and have to wait, because their site or address has had enough for now."""

from __future__ import annotations

from salticid.drivers.crowds import Crowds
from salticid.model import FROM_SEED, Choice
from salticid.protocols import UrlTable

MOST_WAITING = 2_000
"""Hosts that wait; the links of others that should are left out."""


class Lobby:
    """Keeps a link or so of each host that has to wait, and says which hosts must not be chosen meanwhile.

    Without crowds no host waits. A seed never waits, for a person named it, nor does a choice that was let in.
    """

    def __init__(self, urls: UrlTable, crowds: Crowds | None) -> None:
        self._urls, self._crowds = urls, crowds
        self.hosts: frozenset[int] = frozenset()
        self._waiting: dict[Choice, str] = {}
        self._let_in: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether there is no room for another host."""
        return len(self.hosts) >= MOST_WAITING

    def must_wait(self, choice: Choice) -> bool:
        """Whether a choice has to wait, by what is known of its host."""
        if self._crowds is None or self._is_free(choice):
            return False
        return self._crowds.must_wait(self._urls.host_name(self._host(choice)))

    def may_ask(self, url: int, host: str) -> bool:
        """Whether a host, whose address is known by now, may be asked on behalf of a URL."""
        if self._crowds is None:
            return True
        if not self._crowds.admit(host) and url not in self._let_in:
            return False
        self._crowds.begin(url, host)
        return True

    def keep(self, choice: Choice, crowded_host: str | None = None) -> None:
        """Let a choice wait, and with it all links of its host; or of the crowded host that it was sent on to."""
        own = self._urls.host_name(self._host(choice))
        self._waiting[choice] = crowded_host or own
        if crowded_host in (None, own):
            self.hosts |= {self._host(choice)}

    def let_in(self, choice: Choice) -> Choice:
        """The same choice, which need not wait any more; `leave` takes that back."""
        self._waiting.pop(choice, None)
        self._let_in.add(choice.link.url)
        return choice

    def leave(self, url: int) -> None:
        """Nobody asks on behalf of a URL any more."""
        self._let_in.discard(url)
        if self._crowds is not None:
            self._crowds.end(url)

    def best(self) -> Choice | None:
        """The most promising of those who wait, the oldest of equals."""
        return max(self._waiting, key=lambda choice: choice.score, default=None)

    def release(self) -> list[Choice]:
        """Those who need not wait any longer, the most promising first."""
        if self._crowds is None or not self._crowds.has_relented():
            return []
        hopeful = sorted(self._waiting, key=lambda choice: -choice.score)
        free = [choice for choice in hopeful if self._crowds.admit(self._waiting[choice])]
        for choice in free:
            del self._waiting[choice]
        self.hosts = frozenset(
            host for host in self.hosts if self._crowds.must_wait(self._urls.host_name(host))
        )
        return free

    def _is_free(self, choice: Choice) -> bool:
        return choice.link.source == FROM_SEED or choice.link.url in self._let_in

    def _host(self, choice: Choice) -> int:
        return self._urls.host(choice.link.url)

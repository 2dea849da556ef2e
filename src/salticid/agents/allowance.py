"""How far the hunts of agents may go."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from salticid.errors import UserError
from salticid.model import Scope
from salticid.scope import Boundary, host_named
from salticid.ui.order_form import Wish
from salticid.urls import typed


@dataclass(frozen=True, slots=True)
class Allowance:
    """What whoever starts the server allows to every hunt; no agent can have more.

    `hosts`: None for all. Time and hosts are those of the live web; a recorded one is read here, as far as pages go.
    """

    max_pages: int = 1000
    max_seconds: float = 3600.0
    max_hunts: int = 4
    hosts: tuple[str, ...] | None = None

    def check(self) -> Allowance:
        """This, if the hosts can be hosts; else a UserError."""
        for name in self.hosts or ():
            if host_named(name) is None:
                raise UserError(f"no host {name!r}; name one as in example.org, without wildcards or paths")
        return self

    def pages(self, asked: int) -> int:
        """As many pages as an agent asked for; UserError if these are too many."""
        if asked > self.max_pages:
            raise UserError(
                f"{asked} pages are more than a hunt may read here; ask for {self.max_pages} at the most"
            )
        return asked

    def begin(self, wish: Wish) -> Wish:
        """A new wish within these bounds; UserError if that cannot be."""
        self.pages(wish.max_pages)
        if wish.world is not None:
            return wish
        boundary = Boundary(Scope(hosts=self.hosts), [])
        urls = [url for seed in wish.seeds for url in typed(seed)]
        if not any(boundary.admits(url, depth=0) for url in urls):
            raise UserError(f"no start point is on a host that may be asked here: {self._names}")
        return msgspec.structs.replace(wish, max_seconds=self.max_seconds, hosts=self.hosts)

    def go_on(self, wish: Wish) -> Wish:
        """A wish of earlier, kept within today's bounds; UserError if it asks hosts that may not be asked now."""
        wish = msgspec.structs.replace(wish, max_pages=min(wish.max_pages, self.max_pages))
        if wish.world is not None:
            return wish
        if self.hosts is not None and (wish.hosts is None or not set(wish.hosts) <= set(self.hosts)):
            raise UserError(f"this hunt asks other hosts than may be asked here now: {self._names}")
        return msgspec.structs.replace(wish, max_seconds=self.max_seconds)

    @property
    def _names(self) -> str:
        return ", ".join(self.hosts or ())

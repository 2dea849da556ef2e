"""How far the hunts of agents may go."""

from __future__ import annotations

from dataclasses import dataclass

from salticid.errors import UserError
from salticid.model import Limits, Scope
from salticid.scope import Boundary, host_named
from salticid.ui.order_form import Wish
from salticid.urls import typed


@dataclass(frozen=True, slots=True)
class Allowance:
    """What whoever starts the server allows to every hunt; no agent can have more.

    `hosts`: None for all. Time and hosts are those of the live web; a recorded one is read here, as far as pages go.
    """

    max_pages: int = Limits().max_pages
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
        self.pages(wish.limits.max_pages)
        if wish.world is not None:
            return wish
        boundary = Boundary(Scope(hosts=self.hosts), [])
        urls = [url for seed in wish.spec.topic.seeds for url in typed(seed)]
        if not any(boundary.admits(url, depth=0) for url in urls):
            raise UserError(f"no start point is on a host that may be asked here: {self._names}")
        return wish.but(max_seconds=self.max_seconds, hosts=self.hosts)

    def go_on(self, wish: Wish) -> Wish:
        """A wish of earlier, kept within today's bounds; UserError if it asks hosts that may not be asked now."""
        wish = wish.but(max_pages=min(wish.limits.max_pages, self.max_pages))
        if wish.world is not None:
            return wish
        asked = wish.spec.topic.scope.hosts
        if self.hosts is not None and (asked is None or not set(asked) <= set(self.hosts)):
            raise UserError(f"this hunt asks other hosts than may be asked here now: {self._names}")
        return wish.but(max_seconds=self.max_seconds)

    @property
    def _names(self) -> str:
        return ", ".join(self.hosts or ())

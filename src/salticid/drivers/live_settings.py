"""How the live web is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from salticid import __version__
from salticid.errors import UserError

HOME_PAGE = "https://salticid.example/"
USER_AGENT = f"Salticid/{__version__} (+{HOME_PAGE})"


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """How the live web is asked; the fields are options of `salticid crawl`."""

    concurrency: int = 64
    delay: float = 1.0
    timeout: float = 10.0
    max_bytes: int = 1 << 20
    user_agent: str = USER_AGENT
    per_address: int = 8
    sitemaps: bool = False
    proxy: str | None = None
    allow_net: tuple[str, ...] = ()
    resolve: tuple[str, ...] = ()
    dns: str | None = None
    workers: int = 1
    warc: bool = True
    traps: bool = True
    host_share: float = 0.25
    patience: float = 3600.0

    def deciding(self) -> dict[str, object]:
        """The settings on which it depends what is found and kept; the others say how it is reached, and may change."""
        return {
            "timeout": self.timeout,
            "max_bytes": self.max_bytes,
            "sitemaps": self.sitemaps,
            "warc": self.warc,
        }

    @property
    def product(self) -> str:
        """The product token of the user agent: the name robots.txt files know us by."""
        found = re.match(r"[A-Za-z_-]+", self.user_agent)
        if found is None:
            raise UserError(
                f"no user agent {self.user_agent!r}; begin it with a name, as in MyCrawler/1.0 (+contact)"
            )
        return found[0]

"""One row of the table: what a host does, and what must become of its page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.support.hostile import Answer, page

_FILES = {"robots": "/robots.txt", "sitemap": "/sitemap.xml"}
NEVER = None
"""Nothing arrives while the crawl lasts, and the page is asked for once at the most."""


@dataclass(frozen=True)
class Port:
    """A port of its own, where whoever connects is told this at once; None, and nobody listens."""

    greeting: bytes | None


@dataclass(frozen=True)
class Row:
    """The host `name`.example. Its page "/" must come back with one of these outcomes.

    `answers` are those to its paths; what else is asked for is not there. "/" may be asked for `most_asked` times.
    One with a `port` answers nothing but what is said there. One with a `bare_host` has that name, which no rule
    places: the name server fails to find it.
    """

    name: str
    outcomes: tuple[str | None, ...]
    answers: Mapping[str, Answer]
    most_asked: int = 2
    scheme: str = "http"
    port: Port | None = None
    bare_host: str = ""

    @property
    def host(self) -> str:
        return self.bare_host or re.sub(r"[^a-z0-9]+", "-", self.name.lower()) + ".example"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}/"


def row(name: str, outcome: str | None, *answer: Answer, most_asked: int = 2, **paths: Answer) -> Row:
    """A row whose page answers so; other paths by name, `robots` and `sitemap` are the files of that name."""
    answers = {"/": answer[0]} if answer else {}
    answers |= {_FILES.get(path, f"/{path}"): each for path, each in paths.items()}
    outcomes = tuple(outcome.split("|")) if outcome else (NEVER,)
    return Row(name, outcomes, answers, most_asked=most_asked)


def port(name: str, outcome: str, greeting: bytes | None, scheme: str = "http") -> Row:
    """A row with a port of its own."""
    return Row(name, tuple(outcome.split("|")), {}, scheme=scheme, port=Port(greeting))


def nameless(name: str, host: str) -> Row:
    """A row whose host has no address."""
    return Row(name, ("unreachable",), {}, most_asked=0, bare_host=host)


def html(body: bytes, *fields: str) -> bytes:
    return page(b"<title>spiders</title><p>spiders " + body, *fields)

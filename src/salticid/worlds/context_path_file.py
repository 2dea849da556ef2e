"""The context paths of a world's links, in a file beside it: a recording keeps no outline of its pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import msgspec
from selectolax.lexbor import SelectolaxError

from salticid.errors import UserError
from salticid.parse.content import GOOD_STATUSES
from salticid.parse.context_path import ContextPath, context_paths
from salticid.parse.prescan import prescan
from salticid.urls import canonical
from salticid.worlds.answers import Answer, Unread, WorldSource
from salticid.worlds.writer import MAX_HTML

FILE = "context_paths.jsonl"


class PagePaths(msgspec.Struct, frozen=True):
    """The paths of the links of one page, in reading order."""

    page: str
    links: list[ContextPath]


class WithContextPaths:
    """A source whose links' paths are noted while it is read; entered, and left once the world is built."""

    def __init__(self, source: WorldSource) -> None:
        self._source, self._noted = source, tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.name, self.size, self.done = source.name, source.size, 0
        self._pages: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._noted.close()

    def __iter__(self) -> Iterator[Answer | Unread]:
        for item in self._source:
            self.done = self._source.done
            if isinstance(item, Answer):
                self._note(item)
            yield item

    def write_beside(self, world: Path) -> None:
        """Put the paths beside the world that was made of the source: for `build`."""
        self._noted.seek(0)
        with (world / FILE).open("wb") as file:
            shutil.copyfileobj(self._noted, file)

    def _note(self, answer: Answer) -> None:
        url = canonical(answer.url)
        if answer.html is None or answer.status not in GOOD_STATUSES or url is None or url in self._pages:
            return
        self._pages.add(url)
        html = answer.html[:MAX_HTML]
        try:
            paths = [] if prescan(html) else context_paths(html, url, answer.charset)
        except SelectolaxError:  # out of memory, on a page that asks for gigabytes
            return
        self._noted.write(msgspec.json.encode(PagePaths(url, paths)) + b"\n")


def context_paths_of(world: Path) -> Iterator[PagePaths]:
    """What was noted beside a world, page by page."""
    file = world / FILE
    if not file.exists():
        raise UserError(
            f"beside {world} no context paths were kept; build it with --context-paths from its pages"
        )
    with file.open("rb") as lines:
        for line in lines:
            try:
                yield msgspec.json.decode(line, type=PagePaths)
            except msgspec.MsgspecError as error:
                raise UserError(f"{file} cannot be read ({error}); build the world again") from None

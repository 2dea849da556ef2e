"""A source of worlds of another package: what a plug-in author writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from salticid.world_sources import Option, PageSource, WorldPlan

if TYPE_CHECKING:
    from salticid.worlds.answers import Answer


class Nest(PageSource):
    """A file with a title a line."""

    option = Option(Path | None, "A file of titles.", "FILE")
    more: ClassVar = {"nest_host": Option(str, "Where the pages are.", "HOST", "nest.example")}

    def open(self, plan: WorldPlan) -> Twigs:
        return Twigs(plan.options["nest"], plan.options["nest_host"])


class Twigs:
    """A page a title; each links to the next."""

    def __init__(self, file: Path, host: str) -> None:
        self.name = f"twigs of {file.name}"
        self.size, self.done = 0, 0
        self._titles, self._host = file.read_text().splitlines(), host

    def __iter__(self) -> Iterator[Answer]:
        from salticid.worlds.answers import Answer

        for number, title in enumerate(self._titles):
            html = f'<title>{title}</title><p>{title}<a href="{number + 1}">next</a>'.encode()
            yield Answer(f"http://{self._host}/{number}", html=html)
            self.done = number + 1

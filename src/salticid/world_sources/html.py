"""HTML files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from salticid.errors import UserError
from salticid.world_sources import Option, PageSource, WorldPlan

if TYPE_CHECKING:
    from salticid.worlds import WorldSource


class Html(PageSource):
    """A folder of HTML files and PDFs, as a site served it."""

    option = Option(Path | None, "A folder of HTML files.", "DIR")
    more: ClassVar = {"base_url": Option(str | None, "Where that folder is served.", "URL")}

    def open(self, plan: WorldPlan) -> WorldSource:
        from salticid.worlds import HtmlFolder

        base_url = plan.options["base_url"]
        if base_url is None:
            raise UserError("--html needs --base-url URL, the address under which that folder was served")
        return HtmlFolder(plan.options["html"], base_url)

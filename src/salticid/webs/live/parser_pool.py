"""Pages of the live web are parsed in processes of their own (`parser_process`).

A parser has tables of its own and sends along the texts that are new in them; here its pages get our ids.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from salticid.model import Page
from salticid.parse import AGENT, MAX_PAGES, ProcessPool
from salticid.tables import Texts, Translation, Urls
from salticid.webs.live import parser_process
from salticid.webs.live.parser_process import MAX_TEXTS, HtmlPage, ParsedPage


class ParserPool(ProcessPool[Page]):
    """Parses pages in worker processes; ids are those of the tables handed in.

    With one worker, pages parsed one after the other get the very ids that a `Parser` would give. `agent` is our name
    in robots tags.
    """

    def __init__(self, urls: Urls, words: Texts, workers: int = 1, limit: float = 5.0, agent: str = AGENT) -> None:
        program = f"from {parser_process.__name__} import work; work({MAX_PAGES}, {MAX_TEXTS}, {agent!r})"
        super().__init__(program, self._translator, workers, limit)
        self.urls, self.words, self.agent = urls, words, agent

    async def parse(self, html: bytes, url: str, charset: str | None, language: str | None = None) -> Page | None:
        """The page, as `Parser.parse` makes it. None: it took longer than `limit`, or its worker died of it.

        Of its translations, the one into `language` is a link.
        """
        # A header may hold bytes that are no text; no charset has such a name.
        label = charset and charset.encode("ascii", "replace").decode()
        return await self.ask(msgspec.msgpack.encode(HtmlPage(html, url, label, language)))

    async def parse_feed(self, feed: bytes, url: str) -> Page | None:
        """The links of a feed as a page, newest first. None as above."""
        return await self.ask(msgspec.msgpack.encode(HtmlPage(feed, url, None, is_feed=True)))

    def _translator(self) -> Callable[[bytes], Page]:
        into = Translation()

        def page(answer: bytes) -> Page:
            parser_answer = msgspec.msgpack.decode(answer, type=ParsedPage)
            if parser_answer.new_urls:
                into.urls.extend(parser_answer.urls, parser_answer.new_urls.split(b"\n"), self.urls)
            if parser_answer.new_words:
                into.words.extend(parser_answer.words, parser_answer.new_words.split(b"\n"), self.words)
            page = into.page(parser_answer.page(), self.urls, self.words)
            page.check(len(self.urls), len(self.words))  # hostile bytes ran in that process
            return page

        return page

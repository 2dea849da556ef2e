"""Crawls as processes, for the page and for agents: started, steered, counted and read from their folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.service.crawl_process import LISTEN_EVERY
    from salticid.service.crawls import FOLDER, Crawls, is_name, names
    from salticid.service.details import (
        FIELDS,
        MOST_SNIPPETS,
        SAVED,
        copy_of,
        page_snippets,
        search_all,
        text_of,
        thinned,
        visit_in_full,
    )
    from salticid.service.local_server import PAGE, AccessControl, LocalServer, refusal
    from salticid.service.processes import (
        PATIENCE,
        Asked,
        Begin,
        CrawlFailure,
        CrawlState,
        Do,
        End,
        Extend,
        Hear,
        Moves,
        ProcessReport,
        RelayedReport,
        ends,
        lives,
        reports,
        send,
        start,
    )
    from salticid.service.server_crawl import CUT_OFF, FAILED, Languages, ServerCrawl
    from salticid.service.settings import Engines, is_plain, read_plain, world_names
    from salticid.service.tally import Reader, ShownVisit, Tally, date, outlook_of, trouble_with, visit
    from salticid.service.wish import (
        DEFAULT_PAGES,
        LONGEST_NUMBER,
        Error,
        GoOn,
        KeepWatching,
        NewCrawl,
        NewEngine,
        Nothing,
        Opinion,
        Summary,
        Wish,
        new_wish,
        strategy_menu,
    )
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

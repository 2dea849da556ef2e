"""The live web: HTTP client, robots.txt, politeness, address guard, retries."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.webs.live.access import Access
    from salticid.webs.live.client import Client, ClientSettings, LongBodies, Recorder
    from salticid.webs.live.failures import PREFIX, Failure, FailureNote
    from salticid.webs.live.guard import AddressGuard, GuardedSockets, Resolver, name_server, resolve_rule
    from salticid.webs.live.language_models import AskedPage, LanguageModel, NoAnswer, check_endpoint
    from salticid.webs.live.memory import Memory
    from salticid.webs.live.names import Names
    from salticid.webs.live.parser_pool import ParserPool
    from salticid.webs.live.politeness import Crowded, Line, Manners, MayAsk, Parked
    from salticid.webs.live.reach import NO_OUTAGE_CALLS, OutageCalls, Reach
    from salticid.webs.live.rules import Rules
    from salticid.webs.live.search_engines import BRAVE_KEY, Engine, SearchFailed, ask, check, engine_of
    from salticid.webs.live.web import Bounds, LiveWeb, Network, PdfReading
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

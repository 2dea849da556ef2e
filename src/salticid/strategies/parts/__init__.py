"""What strategies are made of: the frontier, queues, agents, and ways to read links."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.strategies.parts.frontier import Frontier
    from salticid.strategies.parts.link_scoring import LinkScoring
    from salticid.strategies.parts.nearness import AgentLinks, Lesson, Near, Net, PageTerms
    from salticid.strategies.parts.queue import InBatches, QueueStrategy, keywords_of
    from salticid.strategies.parts.rank_terms import (
        ANCHOR,
        AROUND,
        AUTHORITY,
        COMM_IN,
        COMM_OUT,
        CONTEXT,
        HOST,
        HUB,
        LEVELS,
        PARENT_1,
        TERMS,
        USUAL_RANKING,
        Linkage,
        LinkWords,
        Ranking,
        Singles,
        Spans,
        Stretch,
        Weight,
        Weights,
        ranks,
    )
    from salticid.strategies.parts.rank_urls import NONE, OpenUrls, Pairs, Parent, PastLinks
    from salticid.strategies.parts.walkers import Agent, AgentArrival, Find, Stop, Walking
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "ANCHOR",
    "AROUND",
    "AUTHORITY",
    "COMM_IN",
    "COMM_OUT",
    "CONTEXT",
    "HOST",
    "HUB",
    "LEVELS",
    "NONE",
    "PARENT_1",
    "TERMS",
    "USUAL_RANKING",
    "Agent",
    "AgentArrival",
    "AgentLinks",
    "Find",
    "Frontier",
    "InBatches",
    "Lesson",
    "LinkScoring",
    "LinkWords",
    "Linkage",
    "Near",
    "Net",
    "OpenUrls",
    "PageTerms",
    "Pairs",
    "Parent",
    "PastLinks",
    "QueueStrategy",
    "Ranking",
    "Singles",
    "Spans",
    "Stop",
    "Stretch",
    "Walking",
    "Weight",
    "Weights",
    "keywords_of",
    "ranks",
]

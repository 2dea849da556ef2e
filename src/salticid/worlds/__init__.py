"""Recorded worlds: how they are built, their labels and topics, and public collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.worlds.answers import Answer, Unread, WorldSource, labels_of
    from salticid.worlds.backlinks import backlinks_from
    from salticid.worlds.building import WorldSummary, build
    from salticid.worlds.context_paths import ContextPath, WithContextPaths, context_paths_of
    from salticid.worlds.public_collections import (
        COLLECTIONS,
        MODELS,
        Collection,
        KnownFile,
        PublicModel,
        collection,
        download,
        sha256,
        unpack,
    )
    from salticid.worlds.sources import CLASSES, CrawledPages, HtmlFolder, WebKB
    from salticid.worlds.topics import TopicPlan, make_topics
    from salticid.worlds.warc_source import WarcFiles
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "CLASSES",
    "COLLECTIONS",
    "MODELS",
    "Answer",
    "Collection",
    "ContextPath",
    "CrawledPages",
    "HtmlFolder",
    "KnownFile",
    "PublicModel",
    "TopicPlan",
    "Unread",
    "WarcFiles",
    "WebKB",
    "WithContextPaths",
    "WorldSource",
    "WorldSummary",
    "backlinks_from",
    "build",
    "collection",
    "context_paths_of",
    "download",
    "labels_of",
    "make_topics",
    "sha256",
    "unpack",
]

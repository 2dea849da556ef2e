"""What a page wishes of those who keep it: its robots tags, reservations of text and data mining, its licence."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from selectolax.lexbor import LexborHTMLParser

from salticid.parse.robots_tags import AGENT, directives, directives_for
from salticid.urls import canonical

_LICENCE_LINKS = "link[rel~=license i][href], a[rel~=license i][href]"
_LICENCE_NAMES = ("dcterms.license", "dc.rights.license", "license")
_MAX_LICENCE = 200


class Wishes(msgspec.Struct, frozen=True):
    """`noarchive`, `noai`: what robots tags and X-Robots-Tag say; `tdm_reservation`: whether mining is reserved.

    `licence` is the URL of the licence that the page states, or its name.
    """

    noarchive: bool = False
    noai: bool = False
    tdm_reservation: bool = False
    licence: str | None = None


def wishes_of(tree: LexborHTMLParser, fields: Mapping[str, str], url: str) -> Wishes:
    """The wishes of a document found at `url`, and of the head's fields that came with it.

    >>> tree = LexborHTMLParser("<meta name=robots content=noarchive><a rel=license href=/by>CC</a>")
    >>> wishes_of(tree, {"tdm-reservation": "1"}, "http://a.example/")
    Wishes(noarchive=True, noai=False, tdm_reservation=True, licence='http://a.example/by')
    """
    forbidden = directives_for(AGENT, fields.get("x-robots-tag", ""))
    reserved, licence = fields.get("tdm-reservation", ""), ""
    for meta in tree.css("meta[name][content]"):
        name = (meta.attributes["name"] or "").strip().lower()
        content = " ".join((meta.attributes["content"] or "").split())
        if name in ("robots", AGENT):
            forbidden |= directives(content)
        elif name == "tdm-reservation":
            reserved = content
        elif name in _LICENCE_NAMES:
            licence = licence or content[:_MAX_LICENCE]
    link = tree.css_first(_LICENCE_LINKS)
    where = link and canonical(link.attributes["href"] or "", url)
    return Wishes(
        "noarchive" in forbidden, "noai" in forbidden, reserved.strip() == "1", where or licence or None
    )

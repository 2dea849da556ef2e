"""Pages that are empty shells: little text, a script, and an element that the script is to fill."""

from __future__ import annotations

import re

from salticid.model import NO_URL, Page

LITTLE_TEXT = 400
"""Characters that a shell may say at the most: that it is loading, that it needs JavaScript, whose it is."""
MUCH_SCRIPT = 1000
"""Bytes of a script within the page that may fill it; one in a file of its own may always."""
LOOKED_AT = 1 << 18
"""Bytes of a page that are looked at."""

# No expression here goes beyond the next tag, so that none takes more than one walk through a page.
_SCRIPT = re.compile(rb"<script\b([^<>]*+)>", re.IGNORECASE)
_FILE = re.compile(rb"\bsrc\s*+=", re.IGNORECASE)
_DATA = re.compile(rb"\btype\s*+=\s*+[\"']?+\s*+(?!module|(?:text|application)/\w*script)", re.IGNORECASE)
_ROOT = re.compile(
    rb"<[a-z][a-z0-9-]*+\s[^<>]*?\bid\s*+=\s*+[\"']?+"
    rb"(?:root|app|app-?root|react-root|main-?app|__next|__nuxt|___gatsby|q-app|svelte|application)[\"'\s>]",
    re.IGNORECASE,
)
"""An element under a name that those who make shells give to it."""
_EMPTY_ROOT = re.compile(
    rb"<(?:(div|main|section|article)\s(?=[^<>]*?\bid\s*+=)|([a-z][a-z0-9]*+-[a-z0-9-]*+))[^<>]*+>"
    rb"(?:\s|<!--[^<>]{0,200}+>)*+</(?(1)\1|\2)\s*+>",
    re.IGNORECASE,
)
"""An element with a name of its own, or of a kind of its own, that holds nothing."""


def is_shell(html: bytes, page: Page) -> bool:
    """Whether a page, made of this HTML, says nothing before its scripts have run.

    A page that sends its readers on says nothing either, but needs no browser for that.

    >>> from salticid.parse import Parser
    >>> from salticid.tables import Texts, Urls
    >>> def tried(html): return is_shell(html, Parser(Urls(), Texts()).parse(html, "http://a.example/"))
    >>> tried(b"<title>Eyes</title><div id=root></div><script src=/main.js></script>")
    True
    >>> tried(b"<p>Eyes</p><script src=/count.js></script>"), tried(b"<div id=root></div>")
    (False, False)
    """
    if len(page.tokens) > LITTLE_TEXT or page.refresh != NO_URL or len(page.text) > LITTLE_TEXT:
        return False
    html = html[:LOOKED_AT]
    return _has_script(html) and bool(_ROOT.search(html) or _EMPTY_ROOT.search(html))


def _has_script(html: bytes) -> bool:
    within = 0
    for script in _SCRIPT.finditer(html):
        if _DATA.search(script[1]):
            continue
        if _FILE.search(script[1]):
            return True
        most = script.end() + MUCH_SCRIPT
        end = html.find(b"</", script.end(), most)
        within += min(len(html), most if end < 0 else end) - script.end()
        if within >= MUCH_SCRIPT:
            return True
    return False

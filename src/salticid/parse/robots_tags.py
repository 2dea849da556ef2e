"""What a page asks of crawlers: its robots tags, and the X-Robots-Tag fields that came with it."""

from __future__ import annotations

import re

AGENT = "salticid"
"""The name by which tags know us, unless a crawl goes by another."""
_DIRECTIVE = re.compile(
    r"(?<![\w:-])(?<!:\s)(?:noindex|nofollow|noarchive|nocache|noai|noimageai|none)(?![\w-])"
)
_MEANINGS = {"none": ("noindex", "nofollow"), "nocache": ("noarchive",), "noimageai": ("noai",)}
_WITH_NAME = re.compile(r"\s*(\*|[a-z_-][\w.-]*)(?:/[^\s:]*)?\s*:(.*)", re.DOTALL)
_EVERYBODY = ("*", "robots")
_NO_NAMES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
"""What stands before a colon and is no crawler's name."""


def directives(robots: str) -> frozenset[str]:
    """What a robots tag forbids: of noindex, nofollow, noarchive and noai, those it says, by whatever name.

    >>> sorted(directives("NOFOLLOW, max-image-preview: none")), sorted(directives("none"))
    (['nofollow'], ['nofollow', 'noindex'])
    >>> sorted(directives("index, nocache"))
    ['noarchive']
    """
    names = _DIRECTIVE.findall(robots.lower())
    return frozenset(meaning for name in names for meaning in _MEANINGS.get(name, (name,)))


def directives_for(agent: str, fields: str) -> frozenset[str]:
    """What X-Robots-Tag fields, a line each, forbid an agent. A name holds to the next one, or to the field's end.

    >>> sorted(directives_for("Salticid", "otherbot: noindex, nofollow\\nnofollow"))
    ['nofollow']
    >>> sorted(directives_for("Salticid", "unavailable_after: 1 Jan 2030 10:00 GMT, otherbot: none, salticid: noindex"))
    ['noindex']
    """
    everybody_and_us = (*_EVERYBODY, agent.lower())
    texts: list[str] = []
    for field in fields.lower().split("\n"):
        ours = True
        for part in field.split(","):
            match = _WITH_NAME.match(part)
            if match is None or match[1] in _NO_NAMES:
                text = part
            else:
                ours, text = match[1] in everybody_and_us, match[2]
            if ours:
                texts.append(text)
    return directives(",".join(texts))

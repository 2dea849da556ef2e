"""HTML to `Page`."""

from salticid.parse.html import Parser

__all__ = ["Parser"]

"""URLs as indexes of archives sort them: the host from its end, then the path, all in lower case."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_WWW = re.compile(r"^www\d*\.")
_SLASHES = re.compile("/+")
_PORTS = {"http": 80, "https": 443}


def surt(url: str) -> str:
    """The key of a canonical URL; those of http and https are the same, as are those with and without www.

    >>> surt("https://www.A.example:8080/Eyes/?b=2&a=1"), surt("http://a.example/")
    ('example,a:8080)/eyes?a=1&b=2', 'example,a)/')
    """
    parts = urlsplit(url.lower())
    name = _WWW.sub("", parts.hostname or "")
    host = name if ":" in name else ",".join(reversed(name.split(".")))
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    path = _SLASHES.sub("/", parts.path).rstrip("/") or "/"
    query = "&".join(sorted(parts.query.split("&"))) if parts.query else ""
    return f"{host}{port}){path}{'?' if query else ''}{query}"

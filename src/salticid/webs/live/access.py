"""Access that a person has: fields and cookies for hosts that they named, and for no other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from salticid.errors import UserError
from salticid.urls import canonical, is_public_suffix

_HEADER = re.compile(
    r"(?:(https?)://)?([^\s/:\[\]@]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?:\s*([!#$%&'*+.^_`|~0-9a-z-]+):\s*(.*)",
    re.IGNORECASE,
)
_OURS = frozenset(
    ("host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "user-agent")
)
"""Fields that belong to the connection, or say who we are."""
_PORTS = {"http": 80, "https": 443}
_HTTP_ONLY = "#HttpOnly_"
_NO_COOKIE = re.compile(r"[\x00-\x20\x7f;,\"\\]")


@dataclass(frozen=True, slots=True)
class HostField:
    """A field for one host; of both schemes if it names none, at its default port if it names none."""

    scheme: str | None
    host: str
    port: int | None
    name: str
    value: str

    @classmethod
    def read(cls, text: str) -> HostField:
        """A field as a person writes it, HOST: NAME: VALUE.

        >>> field = HostField.read("https://A.example:8443: Authorization: Bearer x:y")
        >>> field.scheme, field.host, field.port, field.name, field.value
        ('https', 'a.example', 8443, 'Authorization', 'Bearer x:y')
        """
        match = _HEADER.fullmatch(text.strip())
        url = match and canonical(f"http://{match[2]}/")
        if match is None or url is None or not match[5].isprintable():
            raise UserError('a --header is no field; write it as in "a.example: Authorization: Bearer TOKEN"')
        if match[4].lower() in _OURS or match[4].lower().startswith("proxy-"):
            raise UserError(f"--header cannot set {match[4]}, which belongs to the connection; leave it out")
        port = int(match[3]) if match[3] else None
        return cls(match[1] and match[1].lower(), urlsplit(url).hostname or "", port, match[4], match[5])

    def is_for(self, scheme: str, host: str, port: int) -> bool:
        wanted = _PORTS[scheme] if self.port is None else self.port
        return (host, port) == (self.host, wanted) and self.scheme in (None, scheme)


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie for a host, and with `below` for the hosts below it too; `secure`: only over https."""

    host: str
    below: bool
    path: str
    secure: bool
    expires: float
    text: str

    @classmethod
    def read(cls, number: int, line: str) -> Cookie | None:
        """The cookie of a line in Netscape's form, None if there is none; what is wrong is told without its value."""
        if line.startswith(_HTTP_ONLY):
            line = line.removeprefix(_HTTP_ONLY)
        elif line.startswith("#") or not line.strip():
            return None
        parts = line.split("\t")
        if len(parts) != 7 or parts[1] not in ("TRUE", "FALSE") or not parts[4].lstrip("-").isdigit():
            raise UserError(
                f"line {number} of the --cookies file is no cookie; it has seven parts with tabs between them"
            )
        domain, below, path, secure, expires, name, value = parts
        host = urlsplit(canonical(f"http://{domain.lstrip('.')}/") or "").hostname
        if not host or (below == "TRUE" and is_public_suffix(host)):
            raise UserError(f"line {number} of the --cookies file is for no host; name the host that may have it")
        if _NO_COOKIE.search(name) or not value.isprintable() or ";" in value:
            raise UserError(f"line {number} of the --cookies file holds signs that no cookie has; leave the line out")
        text = f"{name}={value}" if name else value
        return cls(host, below == "TRUE", path or "/", secure == "TRUE", float(expires), text)

    def is_for(self, scheme: str, host: str, path: str) -> bool:
        fits = host == self.host or (self.below and host.endswith(f".{self.host}"))
        folder = self.path if self.path.endswith("/") else f"{self.path}/"
        return fits and (path == self.path or path.startswith(folder)) and (scheme == "https" or not self.secure)


class Access:
    """What may be sent to whom. What is sent is nobody else's: it is neither shown nor kept.

    >>> access = Access(["a.example: X-Key: 7"], ["b.example\\tFALSE\\t/\\tFALSE\\t0\\tid\\t8"], now=0)
    >>> [access.fields(f"http://{host}/") for host in ("a.example", "b.example", "c.b.example")]
    [{'X-Key': '7'}, {'Cookie': 'id=8'}, {}]
    """

    def __init__(self, headers: Iterable[str], cookies: Iterable[str], now: float) -> None:
        self._fields = [HostField.read(header) for header in headers]
        read = (Cookie.read(number, line) for number, line in enumerate(cookies, 1))
        self._cookies = [each for each in read if each and (each.expires <= 0 or each.expires > now)]
        self._cookies.sort(key=lambda cookie: -len(cookie.path))

    @property
    def hosts(self) -> list[str]:
        """Those who may be sent something."""
        return sorted({field.host for field in self._fields} | {cookie.host for cookie in self._cookies})

    def fields(self, url: str) -> dict[str, str]:
        """What to add to a request for a URL."""
        parts = urlsplit(url)
        scheme, host, path = parts.scheme, parts.hostname or "", parts.path or "/"
        port = parts.port or _PORTS[scheme]
        fields = {field.name: field.value for field in self._fields if field.is_for(scheme, host, port)}
        cookies = [cookie.text for cookie in self._cookies if cookie.is_for(scheme, host, path)]
        typed = next((name for name in fields if name.lower() == "cookie"), None)
        if cookies:
            fields["Cookie"] = "; ".join([*cookies, *([fields.pop(typed)] if typed else [])])
        return fields

"""How the live web is asked."""

from __future__ import annotations

import os
import re
import shlex
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from salticid.errors import UserError
from salticid.topic import DURATION, MANNERS, REQUEST_SECONDS, SAFETY, cookie_lines, option, size
from salticid.version import __version__

if TYPE_CHECKING:
    from salticid.store import CrawlFolder
    from salticid.webs.live import Access

USER_AGENT = f"Salticid/{__version__}"
"""Who we say we are where nobody named a contact."""
ACCESS = "access"
"""The name under which the log has the hosts that a person's fields and cookies were for."""
REACH = ("proxy", "allow_net", "resolve", "dns")
"""The settings that say which addresses are reached, and through whom: never taken from a folder."""
_Many = Annotated[int, Meta(ge=1, le=1 << 40)]
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]
_Text = Annotated[str, Meta(max_length=2000)]
_WORKERS = max(1, (os.cpu_count() or 1) - 1)
_FIELD_NAME = re.compile(r"(?:https?://)?[^\s:]+(?::\d+)?:\s*[^\s:]+:\s*")


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """How the live web is asked: one part of a `CrawlSpec`, and the options of commands that ask it.

    The bounds of the types hold for settings that are read from a crawl folder. Of cookies, the settings have the lines
    of a file, so that they go wherever the settings go.
    """

    concurrency: Annotated[_Many, option("Live: requests under way at once.", MANNERS, least=1, again=True)] = 64
    delay: Annotated[
        _Seconds, option("Live: seconds between two requests to a host.", MANNERS, least=0, again=True)
    ] = 1.0
    timeout: Annotated[_Seconds, option("Live: seconds a request may take.", MANNERS, least=0.1, again=True)] = (
        REQUEST_SECONDS
    )
    per_address: Annotated[_Many, option("Live: requests at once to one address.", MANNERS, least=1, again=True)] = 8
    sitemaps: Annotated[bool, option("Live: read sitemaps of liked sites.", MANNERS)] = False
    feeds: Annotated[bool, option("Live: read feeds that liked pages name.", MANNERS)] = False
    user_agent: Annotated[
        _Text,
        option(
            "Live: who we say we are [default: Salticid, and the contact of the settings file].",
            MANNERS,
            metavar="TEXT",
            own_default=True,
            again=True,
        ),
    ] = USER_AGENT
    patience: Annotated[
        _Seconds,
        option("Live: how long to wait for a network that is lost.", MANNERS, again=True, **DURATION),
    ] = 3600.0
    host_share: Annotated[
        Annotated[float, Meta(ge=0, le=1)],
        option("Live: part of the budget a site may have while others wait.", MANNERS, least=0.01, most=1),
    ] = 0.25
    max_bytes: Annotated[_Many, option("Live: bytes read of a page.", SAFETY, least=1000, again=True)] = 1 << 20
    max_disk: Annotated[
        Annotated[int, Meta(ge=0, le=1 << 62)] | None,
        option(
            "Live: pause when the folder takes so much, as in 10GB.",
            SAFETY,
            metavar="SIZE",
            reads=size,
            again=True,
        ),
    ] = None
    warc: Annotated[
        bool,
        option("Live: keep no raw exchanges, only what was read from them.", SAFETY, name="--no-warc", again=True),
    ] = True
    pdf: Annotated[bool, option("Live: do not read PDFs.", SAFETY, name="--no-pdf", again=True)] = True
    render: Annotated[
        Literal["auto", "never"],
        option(
            "Live: render pages that are empty without a browser, where there is one; or never.",
            SAFETY,
            again=True,
        ),
    ] = "auto"
    traps: Annotated[bool, option("Live: follow calendars and other pages without end.", SAFETY, name="--no-traps")] = (
        True
    )
    proxy: Annotated[
        _Text | None,
        option("Live: ask through this proxy.", SAFETY, metavar="URL", variable="SALTICID_PROXY", again=True),
    ] = field(default=None, repr=False)
    allow_net: Annotated[
        tuple[_Text, ...], option("Live: a private range it may reach.", SAFETY, metavar="CIDR", again=True)
    ] = ()
    resolve: Annotated[
        tuple[_Text, ...],
        option("Live: where a host is, as HOST=ADDRESS[:PORT]; * for all.", SAFETY, metavar="RULE", again=True),
    ] = ()
    dns: Annotated[
        _Text | None, option("Live: ask this name server.", SAFETY, metavar="ADDRESS[:PORT]", again=True)
    ] = None
    header: Annotated[
        tuple[str, ...],
        option(
            'Live: a field for one host, as in "a.example: Authorization: Bearer TOKEN".',
            SAFETY,
            metavar="HOST: NAME: VALUE",
            again=True,
        ),
    ] = field(default=(), repr=False)
    cookies: Annotated[
        tuple[str, ...],
        option(
            "Live: cookies in Netscape's form, for the hosts it names.",
            SAFETY,
            metavar="FILE",
            reads=cookie_lines,
            path=True,
            again=True,
        ),
    ] = field(default=(), repr=False)
    workers: _Many = 1

    @classmethod
    def here(cls, **values: Any) -> LiveSettings:
        """Settings of this machine: all its processors but one read pages, and its user names the contact."""

        agent = values.pop("user_agent", None) or own_user_agent()
        return cls(**{"workers": _WORKERS, **values}, user_agent=agent)

    def check(self) -> LiveSettings:
        """These settings, if they can be; else a UserError."""
        from salticid.webs.live import AddressGuard, name_server, resolve_rule  # here: it needs aiohttp

        _ = self.proxy_host, self.product, AddressGuard(self.allow_net)
        for rule in self.resolve:
            resolve_rule(rule)
        if self.dns is not None:
            name_server(self.dns)
        self.access()
        return self

    def of_a_folder(self) -> LiveSettings:
        """What settings read from a crawl folder may decide.

        Not which addresses are reached or through whom, and not more processes or requests at once than by default.
        """
        own = LiveSettings()
        return replace(
            self,
            **{name: getattr(own, name) for name in REACH},
            workers=_WORKERS,
            concurrency=min(self.concurrency, own.concurrency),
            per_address=min(self.per_address, own.per_address),
        )

    def reach_options(self) -> dict[str, str]:
        """The options, by the name of the setting, that widen or redirect what is reached."""
        told = {}
        for name in REACH:
            value = getattr(self, name)
            values = value if isinstance(value, tuple) else (value,) if value else ()
            if values:
                told[name] = " ".join(f"--{name.replace('_', '-')} {shlex.quote(each)}" for each in values)
        return told

    def access(self) -> Access | None:
        """What may be sent to hosts that a person named; None if nothing."""
        from salticid.webs.live import Access

        return Access(self.header, self.cookies, time.time()) if self.header or self.cookies else None

    def deciding(self) -> dict[str, object]:
        """The settings that decide which pages come; the others may change from run to run."""
        return {
            "timeout": self.timeout,
            "max_bytes": self.max_bytes,
            "sitemaps": self.sitemaps,
            "warc": self.warc,
            # crawls of before there were any know no such words
            **({"feeds": True} if self.feeds else {}),
            **({} if self.pdf else {"pdf": False}),
        }

    def for_log(self) -> dict[str, object]:
        """All of them, without the password of the proxy; of what hosts are sent, only which hosts."""
        access = self.access()
        settings = asdict(self) | {
            "proxy": self.proxy and without_password(self.proxy),
            ACCESS: [] if access is None else access.hosts,
        }
        return {name: value for name, value in settings.items() if name not in ("header", "cookies")}

    @property
    def proxy_host(self) -> str | None:
        """The host of the proxy, None without one; a UserError if it cannot be one."""
        if not self.proxy:
            return None
        try:
            parts = urlsplit(self.proxy)
            port = parts.port or 80
        except ValueError:
            port = 0
        if not port or parts.scheme not in ("http", "https") or not parts.hostname:
            raise UserError(
                f"no proxy {without_password(self.proxy)!r}; write it as in http://127.0.0.1:3128, "
                "a name and a password as in http://me:secret@127.0.0.1:3128, with %2F for a / in them"
            )
        return parts.hostname

    @property
    def product(self) -> str:
        """The product token of the user agent: the name robots.txt files know us by."""
        match = re.match(r"[A-Za-z_-]+", self.user_agent)
        if match is None or not self.user_agent.isprintable():
            raise UserError(f"no user agent {self.user_agent!r}; begin it with a name, as in MyCrawler/1.0 (+contact)")
        return match[0]


class KeptRun(NamedTuple):
    """The settings of a run as its folder has them, and the hosts that were sent fields or cookies."""

    settings: LiveSettings
    access: tuple[str, ...]


def kept_runs(crawl: CrawlFolder) -> list[KeptRun]:
    """The settings of all runs of a crawl, the last one first; UserError if some are out of bounds."""
    try:
        return [
            KeptRun(msgspec.convert(run, LiveSettings), msgspec.convert(run.get(ACCESS, ()), tuple[_Text, ...]))
            for run in crawl.settings_of_runs()
        ]
    except msgspec.ValidationError as error:
        raise UserError(
            f"the settings that {crawl.folder} holds are damaged: {error}; take a copy that is whole, or crawl into a "
            "new folder"
        ) from None


def without_value(header: str) -> str:
    """A field for a host as it may be shown.

    >>> without_value("a.example: Authorization: Bearer x")
    'a.example: Authorization: ***'
    """
    match = _FIELD_NAME.match(header)
    return f"{match[0] if match else ''}***"


def without_password(proxy: str) -> str:
    """The address of a proxy as it may be shown and kept.

    >>> without_password("http://me:secret@127.0.0.1:3128"), without_password("http://127.0.0.1:3128")
    ('http://***@127.0.0.1:3128', 'http://127.0.0.1:3128')
    """
    return re.sub(r"^(\w+://)?.*@", r"\1***@", proxy, flags=re.DOTALL)


# Whom the people behind servers may write to: said once in a file of the person who crawls, or nobody.

EXAMPLE = 'contact = "you@example.org"'


class _File(msgspec.Struct, forbid_unknown_fields=True):
    contact: str | None = None


def settings_file() -> Path:
    """Where a person's own settings are, if there are any."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "salticid" / "settings.toml"


def own_user_agent() -> str:
    """Who we say we are: our name and, if the settings file names one, a contact."""
    file = settings_file()
    try:
        contact = msgspec.toml.decode(file.read_bytes(), type=_File).contact
    except (FileNotFoundError, NotADirectoryError):
        contact = None
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}; mend it, or take it away") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}; it may say {EXAMPLE}") from None
    if contact is None:
        return USER_AGENT
    if not re.fullmatch(r"[!-'*-~]+", contact):
        raise UserError(f"{file}: {contact!r} is no contact; give an address without spaces, as in {EXAMPLE}")
    return f"{USER_AGENT} (+{contact})"


def how_to_set_contact() -> str:
    """A sentence for those who have named none."""
    return f"Those who run the servers cannot reach you: write {EXAMPLE} to {settings_file()}, or say --user-agent."

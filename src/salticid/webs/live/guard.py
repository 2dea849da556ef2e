"""Which addresses a crawl may connect to: those of the public Internet, and those the person allowed.

The guard judges the address a socket is about to be opened to, after every lookup and redirect. A name proves
nothing: whoever owns one decides where it points, and may change it between two lookups. The table is
our own because `ipaddress.is_global` lets through ways to write 169.254.169.254, and says other things in
other versions of Python.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from salticid.errors import UserError
from salticid.urls import canonical, host

AddrInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]
"""What `socket.getaddrinfo` yields: family, type, protocol, canonical name, socket address."""

# The first that holds an address gives the reason.
_CLOSED_NETWORKS: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ip_network(network), reason)
    for reason, networks in (
        ("unspecified", "0.0.0.0/32 ::/128"),
        ("loopback", "127.0.0.0/8 ::1/128"),
        ("private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7"),
        ("shared by a carrier's customers", "100.64.0.0/10"),
        ("link-local", "169.254.0.0/16 fe80::/10"),
        ("site-local", "fec0::/10"),
        ("multicast", "224.0.0.0/4 ff00::/8"),
        ("broadcast", "255.255.255.255/32"),
        ("documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"),
        ("benchmark", "198.18.0.0/15 2001:2::/48"),
        ("this network", "0.0.0.0/8"),
        ("protocol assignment", "192.0.0.0/24"),
        ("6to4", "192.88.99.0/24 2002::/16"),
        ("Teredo", "2001::/32"),
        ("protocol assignment", "2001::/23"),
        ("IPv4-compatible", "::/96"),
        ("local NAT64", "64:ff9b:1::/48"),
        ("discard", "100::/64"),
        ("segment routing", "5f00::/16"),
        # Of IPv6, only 2000::/3 is given out.
        ("reserved", "240.0.0.0/4 ::/3 4000::/2 8000::/1"),
    )
    for network in networks.split()
)
_NAT64 = IPv6Network("64:ff9b::/96")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAME = re.compile(r"[^\s*/\\?#@:%\[\]]+")
_PORT = re.compile(r"[0-9]{1,5}")


class AddressRefused(OSError):
    """No connection was tried: the guard does not admit the address, for `reason`.

    Its text is the same for every address. aiohttp tries all addresses of a host, and joins failures of
    different text into a plain OSError, which would no longer say that the guard was the cause.
    """

    def __init__(self, reason: str, address: str | None = None) -> None:
        super().__init__(errno.EACCES, "the address guard refused the connection")
        self.reason = reason
        self.address = address


class AddressGuard:
    """Admits public addresses, and those inside the `networks` (CIDR notation).

    An IPv4 address written as an IPv6 one, mapped or by way of NAT64, is judged as the IPv4 address it is.
    What is no address in plain notation is refused: a socket would look it up as a name.

    >>> guard = AddressGuard(["10.1.0.0/16"])
    >>> guard.admits("93.184.215.14"), guard.admits("10.1.2.3"), guard.admits("::ffff:10.1.2.3")
    (True, True, True)
    >>> guard.why_not("169.254.169.254"), guard.why_not("64:ff9b::7f00:1"), guard.why_not("127.1")
    ('link-local', 'loopback', 'not an address')
    """

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._open_networks = tuple(map(_network, networks))

    def admits(self, address: str) -> bool:
        """Whether a connection to `address` may be opened."""
        return self.why_not(address) is None

    def why_not(self, address: str) -> str | None:
        """Why `address` is refused, in a word or few; None if it is admitted."""
        try:
            ip = ip_address(address.partition("%")[0])  # a zone says by which wire, not to whom
        except ValueError:
            return "not an address"
        if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        if self._is_open(ip):
            return None
        if ip in _NAT64:
            ip = IPv4Address(int(ip) & 0xFFFFFFFF)
            if self._is_open(ip):
                return None
        return next((reason for network, reason in _CLOSED_NETWORKS if ip in network), None)

    def _is_open(self, ip: IPv4Address | IPv6Address) -> bool:
        return any(ip in network for network in self._open_networks)


class GuardedSockets:
    """Opens sockets to admitted addresses only: the `socket_factory` of aiohttp's TCPConnector.

    A resolver cannot do this: aiohttp asks none for http://127.0.0.1/.
    """

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard

    def __call__(self, info: AddrInfo) -> socket.socket:
        """A socket that is not connected yet; AddressRefused if it must not be."""
        family, kind, protocol, _, target = info
        address = str(target[0]) if family in (socket.AF_INET, socket.AF_INET6) else str(target)
        reason = self._guard.why_not(address)
        if reason is not None:
            raise AddressRefused(reason, address)
        return socket.socket(family, kind, protocol)


@dataclass(frozen=True, slots=True)
class ResolveRule:
    """Where to find `host` ("*": any host), whatever DNS says; without a port, at the one of the URL."""

    host: str
    address: str
    port: int | None = None


def resolve_rule(text: str) -> ResolveRule:
    """Read HOST=ADDRESS[:PORT], with an IPv6 address before a port in brackets.

    >>> resolve_rule("Example.org=127.0.0.1:8080")
    ResolveRule(host='example.org', address='127.0.0.1', port=8080)
    >>> resolve_rule("*=[::1]:80").address
    '::1'
    """
    name, equals, target = text.partition("=")
    if not equals:
        raise _no_rule(text, "there is no '='")
    host_name = name if name == "*" else _host(name)
    if host_name is None or _is_address(host_name):
        raise _no_rule(text, f"{name!r} is no host name")
    try:
        return ResolveRule(host_name, *_target(target))
    except ValueError as error:
        raise _no_rule(text, str(error)) from None


def name_server(text: str) -> str:
    """Read ADDRESS[:PORT] of a name server; in its one form, port and all.

    >>> name_server("127.0.0.1"), name_server("[::1]:5353")
    ('127.0.0.1:53', '[::1]:5353')
    """
    try:
        address, port = _target(text)
    except ValueError as error:
        raise UserError(f"--dns {text!r}: {error}; give ADDRESS[:PORT], such as 9.9.9.9") from None
    return f"{f'[{address}]' if ':' in address else address}:{port or 53}"


class Resolver:
    """Looks hosts up in the rules of --resolve: a host's own before that for all, the last of equals.

    >>> resolver = Resolver([resolve_rule("*=127.0.0.1:8080"), resolve_rule("a.org=127.0.0.2")])
    >>> resolver.find("a.org", 443), resolver.find("b.org", 443)
    (('127.0.0.2', 443), ('127.0.0.1', 8080))
    """

    def __init__(self, rules: Sequence[ResolveRule] = ()) -> None:
        self._rules = {rule.host: rule for rule in rules}

    def names(self, host: str) -> bool:
        """Whether a rule names this very host."""
        return host.lower().removesuffix(".") in self._rules

    def find(self, host: str, port: int) -> tuple[str, int] | None:
        """The address and port to connect to; None where DNS shall say, or where `host` is an address."""
        if _is_address(host):
            return None
        rule = self._rules.get(host.lower().removesuffix(".")) or self._rules.get("*")
        return None if rule is None else (rule.address, port if rule.port is None else rule.port)


def _network(text: str) -> IPv4Network | IPv6Network:
    """The network a person wrote, one of mapped addresses as the IPv4 network it is."""
    try:
        network = ip_network(text)
    except ValueError as error:
        raise UserError(f"--allow-net {text!r}: {error}; give a network such as 10.0.0.0/8") from None
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        mapped = int(network.network_address) & 0xFFFFFFFF
        return IPv4Network((mapped, network.prefixlen - 96))
    return network


def _no_rule(text: str, cause: str) -> UserError:
    return UserError(f"--resolve {text!r}: {cause}; give HOST=ADDRESS[:PORT], such as example.org=127.0.0.1:8080")


def _host(name: str) -> str | None:
    """`name` as it stands in a canonical URL, if it is a host and nothing more."""
    url = canonical(f"http://{name}/") if _NAME.fullmatch(name) else None
    return None if url is None else host(url)


@lru_cache(maxsize=4096)  # a host is looked up for each of its pages
def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _target(text: str) -> tuple[str, int | None]:
    """Address and port of ADDRESS[:PORT]; ValueError says what is wrong with them."""
    address, port = _address_and_port(text)
    try:
        ip = str(ip_address(address))
    except ValueError:
        raise ValueError(f"{address!r} is no IP address") from None
    if port is None:
        return ip, None
    if not _PORT.fullmatch(port) or not 0 < int(port) < 65_536:
        raise ValueError(f"{port!r} is no port from 1 to 65535")
    return ip, int(port)


def _address_and_port(text: str) -> tuple[str, str | None]:
    """The two halves of ADDRESS[:PORT]."""
    if text.startswith("["):
        address, bracket, rest = text[1:].partition("]")
        if bracket and rest[:1] in ("", ":"):
            return address, rest[1:] if rest else None
    if text.count(":") != 1:
        return text, None
    address, _, port = text.partition(":")
    return address, port

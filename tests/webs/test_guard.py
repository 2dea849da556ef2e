"""The address guard: what is refused under which name, what a person may allow, and a real connector."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import aiohappyeyeballs
import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salticid.errors import UserError
from salticid.urls import canonical
from salticid.webs.live.guard import AddressGuard, AddressRefused, GuardedSockets, Resolver, resolve_rule

PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.215.14 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.167.255.255
    192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
    2606:4700:4700::1111 2a00:1450:4001:81b::200e 2001:4860:4860::8888 2001:200:: 2001:db7:: 2001:db9::
    2003:: 2620:fe::fe 3ffe::1 3fff:1000:: 3fff:ffff:: ::ffff:8.8.8.8 ::FFFF:0808:0808 64:ff9b::8.8.8.8
    2606:4700:4700::1111%eth0
"""
REFUSED = {
    "unspecified": "0.0.0.0 :: ::ffff:0.0.0.0",
    "this network": "0.0.0.1 0.1.2.3 0.255.255.255",
    "loopback": """127.0.0.1 127.0.0.0 127.255.255.255 127.1.2.3 ::1 0:0:0:0:0:0:0:1 ::1%lo ::ffff:127.0.0.1
        ::ffff:7f00:1 0:0:0:0:0:FFFF:127.0.0.1 ::ffff:127.0.0.1%eth0 64:ff9b::127.0.0.1 64:ff9b::7f00:1""",
    "private": """10.0.0.0 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 fc00:: fd00::1
        fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ::ffff:10.0.0.1 ::ffff:c0a8:101 64:ff9b::10.0.0.1""",
    "shared by a carrier's customers": "100.64.0.0 100.100.100.200 100.127.255.255 ::ffff:100.64.0.1",
    "link-local": """169.254.0.1 169.254.169.254 169.254.255.255 fe80::1 fe80::1%eth0 febf::1 fe80::%1
        ::ffff:169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::169.254.169.254 64:ff9b::a9fe:a9fe""",
    "site-local": "fec0::1 feff::1",
    "multicast": "224.0.0.1 239.255.255.255 ff02::1 ff0e::1 ffff:: ff02::1%eth0",
    "broadcast": "255.255.255.255 ::ffff:255.255.255.255",
    "reserved": "240.0.0.1 254.1.1.1 255.255.255.254 ::ffff:0:127.0.0.1 1:: 200:: 4000::1 64:ff9b:0:1:: fe00::1",
    "documentation": "192.0.2.1 198.51.100.255 203.0.113.7 2001:db8::1 3fff::1 3fff:fff:: ::ffff:192.0.2.1",
    "benchmark": "198.18.0.1 198.19.255.255 2001:2::1",
    "protocol assignment": "192.0.0.1 192.0.0.170 192.0.0.255 2001:10::1 2001:20::1 2001:1ff::1",
    "6to4": "192.88.99.1 2002:: 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:0808:0808::1",
    "Teredo": "2001:: 2001:0:53aa:64c:0:7bdd:5601:5601",
    "IPv4-compatible": "::127.0.0.1 ::7f00:1 ::8.8.8.8 ::a9fe:a9fe ::2",
    "local NAT64": "64:ff9b:1:: 64:ff9b:1::7f00:1 64:ff9b:1:ffff::8.8.8.8",
    "discard": "100:: 100::1",
    "segment routing": "5f00:: 5f00:ffff::1",
    # A socket would take these for names, and look them up.
    "not an address": """localhost 127.1 0x7f000001 2130706433 0177.0.0.1 127.0.0.01 127.0.0.1. 127.0.0.1:80 [::1]
        1.2.3 1.2.3.4.5 256.1.1.1 ::1::2 １２７.0.0.1 %eth0 / example.org""",
}


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses_are_admitted(address: str) -> None:
    assert AddressGuard().why_not(address) is None


@pytest.mark.parametrize(
    ("address", "reason"), [(address, reason) for reason in REFUSED for address in REFUSED[reason].split()]
)
def test_other_addresses_are_refused_with_a_reason(address: str, reason: str) -> None:
    assert AddressGuard().why_not(address) == reason
    assert AddressGuard().why_not(f" {address}\n") == "not an address"


_CLOSED = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
    192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
"""
_CLOSED_6 = """
    ::/96 ::ffff:127.0.0.0/104 ::ffff:169.254.0.0/112 64:ff9b::10.0.0.0/104 64:ff9b:1::/48 100::/64 2001::/32
    2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
"""
_ADDRESSES = st.one_of(
    st.sampled_from(_CLOSED.split()).flatmap(lambda net: st.ip_addresses(network=net)), st.ip_addresses(v=4)
)


@given(st.sampled_from((_CLOSED + _CLOSED_6).split()).flatmap(lambda net: st.ip_addresses(network=net)))
def test_every_address_of_a_closed_range_is_refused(address: IPv4Address | IPv6Address) -> None:
    assert AddressGuard().why_not(str(address))
    assert AddressGuard().why_not(address.exploded)


@given(st.ip_addresses(v=6))
def test_of_ipv6_only_what_is_given_out_is_admitted(address: IPv6Address) -> None:
    embeds = address.ipv4_mapped is not None or address in IPv6Network("64:ff9b::/96")
    if AddressGuard().admits(str(address)) and not embeds:
        assert address in IPv6Network("2000::/3")


@given(_ADDRESSES, st.lists(st.sampled_from(_CLOSED.split()), max_size=2))
def test_an_ipv4_address_is_judged_alike_in_every_dress(address: IPv4Address, allowed: list[str]) -> None:
    guard = AddressGuard(allowed)
    number = int(address)
    verdict = guard.why_not(str(address))
    assert guard.why_not(f"::ffff:{address}") == verdict
    assert guard.why_not(f"::ffff:{number >> 16:x}:{number & 0xFFFF:x}") == verdict
    assert guard.why_not(f"64:ff9b::{address}") == verdict
    if any(address in IPv4Network(network) for network in allowed):
        assert verdict is None


def test_allowed_networks_open_no_more_than_they_say() -> None:
    guard = AddressGuard(["127.0.0.0/8", "fd00:1::/32", "192.168.1.7"])
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "fd00:1::5", "fd00:1::5%eth0", "192.168.1.7"):
        assert guard.admits(address)
    for address in ("::1", "10.0.0.1", "fd00:2::5", "192.168.1.8", "0.0.0.0", "::127.0.0.1"):
        assert not guard.admits(address)


def test_everything_of_one_version_may_be_allowed() -> None:
    assert AddressGuard(["::/0"]).admits("::1")
    assert AddressGuard(["::/0"]).why_not("::ffff:127.0.0.1") == "loopback"
    assert AddressGuard(["::ffff:10.0.0.0/104"]).admits("10.1.2.3")
    assert AddressGuard(["64:ff9b:1::/48"]).admits("64:ff9b:1::8.8.8.8")


@pytest.mark.parametrize("network", ["", "localhost", "10.0.0.0/33", "10.0.0.1/8", "10/8", "fe80::1%eth0/64"])
def test_a_bad_network_is_the_persons_mistake(network: str) -> None:
    with pytest.raises(UserError) as error:
        AddressGuard(["10.0.0.0/8", network])
    assert repr(network) in str(error.value)


def _info(address: str, family: int = socket.AF_INET) -> tuple[int, int, int, str, tuple[str, int]]:
    return family, socket.SOCK_STREAM, 0, "", (address, 80)


def test_a_socket_is_made_for_an_admitted_address() -> None:
    with GuardedSockets(AddressGuard())(_info("93.184.215.14")) as opened:
        assert (opened.family, opened.type) == (socket.AF_INET, socket.SOCK_STREAM)


@pytest.mark.parametrize(
    ("address", "family", "reason"),
    [
        ("10.0.0.1", socket.AF_INET, "private"),
        ("fe80::1%eth0", socket.AF_INET6, "link-local"),
        ("localhost", socket.AF_INET, "not an address"),
        ("8.8.8.8", socket.AF_UNIX, "not an address"),
    ],
)
def test_none_is_made_for_a_refused_one(address: str, family: int, reason: str) -> None:
    with pytest.raises(AddressRefused, match="refused") as refused:
        GuardedSockets(AddressGuard(["127.0.0.0/8"]))(_info(address, family))
    assert refused.value.reason == reason


def test_a_host_of_which_all_addresses_are_refused_is_told_as_refused() -> None:
    infos = [_info("127.0.0.1"), _info("10.0.0.1"), _info("fe80::1", socket.AF_INET6)]
    with pytest.raises(AddressRefused):
        asyncio.run(aiohappyeyeballs.start_connection(infos, socket_factory=GuardedSockets(AddressGuard())))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    accepted = 0

    def __init__(self, address: str) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), _Answers)

    def get_request(self) -> tuple[socket.socket, object]:
        self.accepted += 1
        return super().get_request()


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(302 if self.path.startswith("/to/") else 200)
        if self.path.startswith("/to/"):
            self.send_header("Location", self.path.removeprefix("/to/"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the parent's
        pass


@contextmanager
def _serving(server: _Server) -> Iterator[_Server]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _status(url: str, guard: AddressGuard) -> int | OSError:
    """The status that aiohttp gets, or why it could not connect."""

    async def get() -> int | OSError:
        resolver, sockets = aiohttp.ThreadedResolver(), GuardedSockets(guard)
        connector = aiohttp.TCPConnector(resolver=resolver, socket_factory=sockets)
        async with aiohttp.ClientSession(connector=connector) as session:
            try:
                async with session.get(url) as response:
                    return int(response.status)
            except aiohttp.ClientConnectorError as error:
                cause: OSError = error.os_error
                return cause

    return asyncio.run(get())


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_a_real_connector_sends_nothing_to_a_refused_address(name: str) -> None:
    with _serving(_Server("127.0.0.1")) as server:
        url = canonical(f"http://{name}:{server.server_port}/")
        assert url is not None
        refused = _status(url, AddressGuard())
        assert isinstance(refused, AddressRefused)
        assert refused.reason == "loopback"
        assert server.accepted == 0
        assert _status(url, AddressGuard(["127.0.0.0/8"])) == 200
        assert server.accepted == 1


def test_nor_to_one_of_ipv6() -> None:
    try:
        server = _Server("::1")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with _serving(server):
        url = f"http://[::1]:{server.server_port}/"
        assert isinstance(_status(url, AddressGuard(["127.0.0.0/8"])), AddressRefused)
        assert server.accepted == 0
        assert _status(url, AddressGuard(["::1/128"])) == 200


def test_nor_by_way_of_a_redirect() -> None:
    with _serving(_Server("127.0.0.2")) as outer, _serving(_Server("127.0.0.1")) as inner:
        url = f"http://127.0.0.2:{outer.server_port}/to/http://127.0.0.1:{inner.server_port}/"
        assert isinstance(_status(url, AddressGuard(["127.0.0.2"])), AddressRefused)
        assert (outer.accepted, inner.accepted) == (1, 0)
        assert _status(url, AddressGuard(["127.0.0.0/8"])) == 200


@pytest.mark.parametrize(
    ("text", "host", "address", "port"),
    [
        ("Example.ORG.=127.0.0.1:8080", "example.org", "127.0.0.1", 8080),
        ("bücher.example=10.0.0.1:1", "xn--bcher-kva.example", "10.0.0.1", 1),
        ("a.b=[::1]", "a.b", "::1", None),
        ("a.b=[2001:DB8::0:1]:65535", "a.b", "2001:db8::1", 65535),
        ("*=127.0.0.1:8080", "*", "127.0.0.1", 8080),
    ],
)
def test_a_rule_is_read(text: str, host: str, address: str, port: int | None) -> None:
    rule = resolve_rule(text)
    assert (rule.host, rule.address, rule.port) == (host, address, port)


_NONSENSE = """
    example.org =127.0.0.1 a.b= a.b=localhost a.b=127.1 a.b=127.0.0.1: a.b=127.0.0.1:0 a.b=127.0.0.1:65536
    a.b=127.0.0.1:http a.b=127.0.0.1:+80 a.b=127.0.0.1:８０ a.b=[::1 a.b=[::1]80 a.b=[::1]: a.b=::1]:80 a.b:80=1.2.3.4
    *.b=1.2.3.4 http://a.b=1.2.3.4 a.b/c=1.2.3.4 me@a.b=1.2.3.4 a..=1.2.3.4 a.b==1.2.3.4 1.2.3.4=1.2.3.5 1=1.2.3.5
    [::1]=1.2.3.4 **=1.2.3.4 a%2fb=1.2.3.4
"""


@pytest.mark.parametrize("text", ["", "=", "a b=1.2.3.4", "a.b=1.2.3.4 ", *_NONSENSE.split()])
def test_nonsense_is_the_persons_mistake(text: str) -> None:
    with pytest.raises(UserError) as error:
        resolve_rule(text)
    assert repr(text) in str(error.value)


@given(st.text())
def test_any_text_is_a_rule_or_a_mistake(text: str) -> None:
    try:
        rule = resolve_rule(text)
    except UserError:
        return
    assert Resolver([rule]).find(rule.host.replace("*", "any.host"), 80) == (rule.address, rule.port or 80)


def test_a_hosts_own_rule_comes_first_and_the_last_one_counts() -> None:
    texts = ["a.org=10.0.0.1", "*=10.0.0.9:99", "b.org=10.0.0.2:22", "a.org=10.0.0.3"]
    resolver = Resolver([resolve_rule(text) for text in texts])
    assert resolver.find("a.org", 80) == ("10.0.0.3", 80)
    assert resolver.find("A.org.", 80) == ("10.0.0.3", 80)
    assert resolver.find("b.org", 80) == ("10.0.0.2", 22)
    assert resolver.find("www.a.org", 443) == ("10.0.0.9", 99)
    assert Resolver().find("a.org", 80) is None


def test_an_address_is_not_looked_up() -> None:
    resolver = Resolver([resolve_rule("*=10.0.0.9:99")])
    assert [resolver.find(address, 80) for address in ("127.0.0.1", "::1", "[::1]")] == [None] * 3

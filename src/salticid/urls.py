"""URLs: read as a browser reads them, then one form per page.

`resolve` is the WHATWG parser and nothing else. `canonical` adds the crawler's own rules, so that a page
linked under twenty spellings is fetched once. Both take any text a page may hold, and neither raises.
"""

import re
from functools import cache, lru_cache

from ada_url import join_url, normalize_url
from publicsuffixlist import PublicSuffixList

LONGEST = 2_048
"""Characters of the longest canonical URL; what is longer is a trap or a document in disguise."""

# fmt: off
TRACKING = frozenset(
    {
        "_ga", "_gl", "_hsenc", "_hsmi", "_openstat", "cfid", "cftoken", "dclid", "fbclid",
        "gad_source", "gbraid", "gclid", "gclsrc", "igsh", "igshid", "jsessionid", "mc_cid",
        "mc_eid", "mkt_tok", "msclkid", "oly_anon_id", "oly_enc_id", "phpsessid", "srsltid",
        "ttclid", "twclid", "vero_id", "wbraid", "wickedid", "yclid",
    }
)
# fmt: on
"""Query parameters, in lower case, that say who came and whence but not which page; `utm_*` is another."""

_HEX = "0123456789ABCDEF"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNESCAPED = {
    f"%{high}{low}": char if (char := chr(int(high + low, 16))) in _UNRESERVED else f"%{high}{low}"
    for high in _HEX
    for low in _HEX
}
# An escape right behind a stray "%" stays as it is: unescaped, it could complete that "%" to a new escape.
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}")
_NO_SCHEME = re.compile(r"(?://)?(?:[^\s/?#@:\[\]]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?(?:[/?#]|$)")
_SESSION = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)


def resolve(text: str, base: str | None = None) -> str | None:
    """The absolute URL that a browser makes of `text` on the page `base`, or None where it makes none.

    This is the WHATWG URL parser: any scheme, fragment and credentials kept, no limit of length. Lone
    surrogates count as U+FFFD, as the standard has it. A `base` that is no absolute URL gives None.

    >>> resolve("../a/Art.htm#top", "http://example.org/wp/b/Bristol.htm")
    'http://example.org/wp/a/Art.htm#top'
    >>> resolve("HTTP://2130706433:80")
    'http://127.0.0.1/'
    >>> resolve("Art.htm") is None
    True
    """
    try:
        return normalize_url(text) if base is None else join_url(base, text)
    except ValueError:  # no URL, or no UTF-8
        clean = _scalar(text)
        clean_base = base if base is None else _scalar(base)
        return None if (clean, clean_base) == (text, base) else resolve(clean, clean_base)


def canonical(text: str, base: str | None = None) -> str | None:
    """The one form under which a crawl knows the page that `text`, found on `base`, points to.

    None unless it is an http or https URL with a host and at most `LONGEST` characters (and at most three
    times as many before the rules below shorten it). Beyond `resolve`: no fragment, no credentials, no dot
    at the end of the host (two dots there make no host), no `TRACKING` parameter, no session id in the path,
    no empty query; parameters in the order of their names, those of one name in the order given; escapes in
    upper case, and none for unreserved characters (RFC 3986, 6.2.2). Idempotent.

    >>> canonical("//me:pw@Example.org.:80/%7eann/a%2fb?utm_source=x&b=&a=2&a=1#top", "http://x.org/")
    'http://example.org/~ann/a%2Fb?a=2&a=1&b='
    >>> canonical("http://example.org/cart;jsessionid=1F?") == canonical("http://example.org/cart")
    True
    >>> canonical("mailto:ann@example.org") is None
    True
    """
    url = resolve(text, base)
    if url is None or not url.startswith(("http://", "https://")):
        return None
    if "#" in url:
        url = url[: url.index("#")]
    if len(url) > 3 * LONGEST:  # a megabyte must not cost half a second
        return None
    slash = url.index("/", 8)  # 8: past "http://" and one character of host, or past "https://"
    if "@" in url or url[slash - 1] == "." or ".:" in url:
        scheme, _, rest = url.partition("://")
        authority = _host_and_port(rest[: rest.index("/")])
        if authority is None:
            return None
        url = f"{scheme}://{authority}{url[slash:]}"
    if "%" in url:
        url = _ESCAPE.sub(_unescape, url)
    if "?" in url or ";" in url:
        url = _drop_tracks(url)
    return url if len(url) <= LONGEST else None


def typed(text: str) -> tuple[str, ...]:
    """The canonical URLs that a person may mean by an address: where no scheme is written, by https, else by http.

    >>> typed("example.org:8000/a"), typed("http://example.org")
    (('https://example.org:8000/a', 'http://example.org:8000/a'), ('http://example.org/',))
    >>> typed("mailto:ann@example.org"), typed("two words")
    ((), ())
    """
    text = text.strip()
    if (url := canonical(text)) is not None:
        return (url,)
    if not _NO_SCHEME.match(text):
        return ()
    bare = text.removeprefix("//")
    return tuple(url for scheme in ("https", "http") if (url := canonical(f"{scheme}://{bare}")) is not None)


def host(url: str) -> str:
    """The host of a canonical URL, with its port where that is not the scheme's own.

    >>> host("https://example.org:8443/a?b=/")
    'example.org:8443'
    """
    return url.split("/", 3)[2]


def origin(url: str) -> str:
    """Scheme and host of a canonical URL.

    >>> origin("https://example.org:8443/a?b=/")
    'https://example.org:8443'
    """
    return url[: url.index("/", url.index("://") + 3)]


def site(url: str) -> str:
    """The registered domain of a canonical URL: the name somebody owns, whatever is before it.

    Private suffixes count: `ann.github.io` and `bob.github.io` are two sites. An address, a host of one
    label and a public suffix itself are each their own site. The port plays no part.

    >>> site("http://www.news.example.co.uk:8080/a"), site("http://127.0.0.1/"), site("http://localhost/")
    ('example.co.uk', '127.0.0.1', 'localhost')
    """
    name = host(url)
    before, _, port = name.rpartition(":")
    return _registered_domain(before if before and port.isdigit() else name)


def is_public_suffix(name: str) -> bool:
    """Whether everybody can have a host below a name.

    >>> is_public_suffix("co.uk"), is_public_suffix("a.co.uk")
    (True, False)
    """
    return bool(_suffixes().is_public(name))


def _scalar(text: str) -> str:
    """`text` with its surrogate pairs joined and its lone surrogates replaced by U+FFFD.

    >>> _scalar("a\\ud800b") == "a\\ufffdb"
    True
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _host_and_port(authority: str) -> str | None:
    """`authority` without credentials and final dot, or None if no host is left.

    >>> [_host_and_port(each) for each in ("me:pw@example.org.:8080", "a..", ".")]
    ['example.org:8080', None, None]
    """
    name, colon, port = authority.rpartition("@")[2].partition(":")  # of an IPv6 address: "[", ":", the rest
    name = name.removesuffix(".")
    return None if not name or name.endswith(".") else name + colon + port


def _unescape(escape: re.Match[str]) -> str:
    return _UNESCAPED[escape[0].upper()]


def _drop_tracks(url: str) -> str:
    """`url` without session and tracking parameters, what remains of its query in order.

    >>> _drop_tracks("http://a.org/x;jsessionid=1/y?q=2&utm_id=3&&p=4")
    'http://a.org/x/y?p=4&q=2'
    """
    address, _, query = url.partition("?")
    slash = address.index("/", 8)
    path = _SESSION.sub("", address[slash:])
    if len(path) < len(address) - slash:
        address = normalize_url(address[:slash] + path)  # "/a/..;jsessionid=1" has become "/a/.."
    pairs = [pair for pair in query.split("&") if pair and not _tracks(_name(pair).lower())]
    pairs.sort(key=_name)
    return f"{address}?{'&'.join(pairs)}" if pairs else address


def _name(pair: str) -> str:
    return pair.partition("=")[0]


def _tracks(name: str) -> bool:
    return name in TRACKING or name.startswith("utm_")


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=65_536)
def _registered_domain(name: str) -> str:
    if name.endswith("]") or name.rpartition(".")[2].isdigit():
        return name
    return _suffixes().privatesuffix(name) or name

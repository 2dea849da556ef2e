"""A check before parsing: is a page made to keep a parser busy?"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import numpy.typing as npt

from salticid.native import at, lib

MAX_OPEN = 5_000
MAX_ATTRIBUTES = 5_000
MAX_LOOKS = 100_000_000
"""Open elements times tags."""
MAX_REOPENINGS = 2_000_000
"""Elements that are opened again in every paragraph, times tags."""
_UNREAD = re.compile(
    rb"<!--(?:-?>|.*?(?:--!?>|\Z))|<(script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)\b.*?(?:</\1|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""Where `<` begins no tag. What is not closed goes on to the end, so that this is never tried twice."""

_ATTRIBUTE = rb"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+))?+"""
_TAG = re.compile(rb"<[a-zA-Z][^\s/>]*+(?:%b){,%d}+(%b)?+" % (_ATTRIBUTE, MAX_ATTRIBUTES, _ATTRIBUTE))
"""A start tag. Its group is the attribute that is one too many."""

_NEVER_DEEP = (
    b"area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr "
    b"colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr "
    b"circle ellipse line path polygon polyline rect stop use"
)
"""Elements that hold nothing, end where the next of them begins, or are drawings and written `<path/>`."""


_FORMATTING = b"b big code em font i s small strike strong tt u"
_FORMATTING_TAG = re.compile(rb"<(?:%b)\b[^>]*+" % _FORMATTING.replace(b" ", b"|"), re.IGNORECASE)


def prescan(html: bytes) -> str | None:
    """What is wrong with a page that no parser should see, or None. Takes microseconds for an honest page.

    It is easily deceived by one who knows it, say with end tags in comments: that costs a worker its time.

    >>> prescan(b"<p>" * 50_000), prescan(b"<div>" * 50_000), prescan(b"<div></div>" * 50_000)
    (None, 'nested too deep', None)
    >>> prescan(b"<p " + b" ".join(b"a%d" % n for n in range(50_000)))
    'too many attributes'
    >>> prescan(b"".join(b"<p><b id=%d>" % n for n in range(2_000))), prescan(b"<p><b>" * 2_000)
    ('formatting left open', None)
    """
    if b"\0" in html[:64]:
        html = html.replace(b"\0", b"")  # UTF-16, which then reads like ASCII
    # Most suspects are scripts that compare, `i<n`.
    return None if _wrong(html) is None else _wrong(_UNREAD.sub(b" ", html))


def _wrong(html: bytes) -> str | None:
    tags, still_open, formatting = _open_at_once(html)
    if still_open > MAX_OPEN or still_open * tags > MAX_LOOKS:
        return "nested too deep"
    if formatting * tags > MAX_REOPENINGS and _kinds_of_formatting(html) * tags > MAX_REOPENINGS:
        return "formatting left open"
    if len(html) > 2 * MAX_ATTRIBUTES and _has_many_attributes(html):
        return "too many attributes"
    return None


def _open_at_once(html: bytes) -> tuple[int, int, int]:
    """How many tags there may be, how many elements are open at once, at most, and how many for formatting.

    For each name its own maximum, and the sum of these: an end tag ends only what it names, and `</x>` does not
    hide an open `<div>`.
    """
    if lib is not None:
        counts = np.empty(3, np.int64)
        if lib.open_elements(
            at(html), len(html), at(_NEVER_DEEP_NUMBERS), len(_NEVER_DEEP_NUMBERS), at(_FORMATS), len(_FORMATS),
            at(counts),
        ):  # fmt: skip
            tags, deep, formatting = counts.tolist()
            return tags, deep, formatting
    padded = html + b" " * 10
    byte = np.frombuffer(padded, np.uint8)
    start = np.flatnonzero(byte[:-10] == ord("<")) + 1
    after = byte[start]
    is_end = after == ord("/")
    begins = ((after | 0x20) >= ord("a")) & ((after | 0x20) <= ord("z"))
    keep = is_end | begins
    name = _names(padded, start[keep] + is_end[keep])
    if not len(name):
        return len(start), 0, 0
    by_name = np.argsort(name, kind="stable")
    name, still_open = name[by_name], np.cumsum(1 - 2 * is_end[keep][by_name].astype(np.int32))
    first = np.flatnonzero(np.append(True, name[1:] != name[:-1]))
    before = np.append(0, still_open[first[1:] - 1])
    most = np.maximum(np.maximum.reduceat(still_open, first) - before, 0)
    at_once = dict(zip(name[first].tolist(), most.tolist(), strict=True))
    never_deep = set(_NEVER_DEEP_NUMBERS.tolist())
    deep = sum(many for element, many in at_once.items() if element not in never_deep)
    return len(start), deep, sum(at_once.get(element, 0) for element in _FORMATS.tolist())


def _kinds_of_formatting(html: bytes) -> int:
    """How many formatting elements a parser keeps of a page's: three of those that are written alike."""
    return sum(min(count, 3) for count in Counter(_FORMATTING_TAG.findall(html)).values())


def _names(padded: bytes, at: npt.NDArray[np.intp]) -> npt.NDArray[np.uint64]:
    """The first eight letters, in lower case, of the name at each place, as one number; h1 to h6 are alike."""
    eight: npt.NDArray[np.uint64] = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    letters = eight[at] | np.uint64(0x2020202020202020)
    no_letter = ~(letters | letters >> np.uint64(1)) & np.uint64(0x4040404040404040)
    lowest = no_letter & (~no_letter + np.uint64(1))
    return letters & ((lowest >> np.uint64(6)) - np.uint64(1))


def _numbers(names: bytes) -> npt.NDArray[np.uint64]:
    return np.array([int.from_bytes(name[:8], "little") for name in names.split()], np.uint64)


_NEVER_DEEP_NUMBERS, _FORMATS = _numbers(_NEVER_DEEP), _numbers(_FORMATTING)


def _has_many_attributes(html: bytes) -> bool:
    """Whether one tag has more attributes than MAX_ATTRIBUTES.

    Such a tag is long, and holds a block of MAX_ATTRIBUTES bytes without `<` or `>`, or both signs within
    its values; only the beginnings of such blocks are looked at, which honest pages hardly have.
    """
    for sign in (b"<", b">"):
        was_empty, end = False, 0
        for block in range(0, len(html) - MAX_ATTRIBUTES + 1, MAX_ATTRIBUTES):
            empty = html.find(sign, block, block + MAX_ATTRIBUTES) < 0
            if empty and not was_empty:
                at = html.find(b"<", max(html.rfind(sign, end, block), end))
                tag = _TAG.match(html, at) if at >= 0 else None
                if tag and tag[1] is not None:
                    return True
                end = tag.end() if tag else end
            was_empty = empty
    return False

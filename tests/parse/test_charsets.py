"""Every charset that a page may be found to be in is read."""

from __future__ import annotations

import re
from pathlib import Path

import cchardet
import pytest

from salticid.parse.decoding import decode

_NAME = re.compile(
    rb"\0((?:ISO-\d|WINDOWS-|IBM\d|CP\d|EUC-|KOI8-|MAC-|UTF-|TIS-|HZ-|GB\d|BIG5|SHIFT_)[A-Z0-9-]*"
    rb"|Johab|UHC|VISCII)(?=\0)"
)
WITHOUT_A_CODEC = {"EUC-TW", "ISO-2022-CN", "VISCII"}
"""Pages hardly ever bear these names, and Python cannot read them."""
ENGLISH = "jumping spiders"
RUSSIAN = "Пауки это животные с восемью ногами. Эта страница о пауках и об их жизни в лесу."
KOREAN = "거미는 다리가 여덟 개인 동물입니다. 이것은 한국어로 된 페이지입니다."
CHINESE = "蜘蛛是八条腿的动物，这是一个中文网页。"
JAPANESE = "これは日本語のページです。クモは八本の足を持つ動物です。"


def names() -> list[str]:
    """All names that stand in the detector's library."""
    library = Path(cchardet._cchardet.__file__).read_bytes()
    return sorted({found[1].decode() for found in _NAME.finditer(library)})


def test_every_name_that_the_detector_knows_can_be_read() -> None:
    found = names()
    assert len(found) > 45
    assert {"UHC", "MAC-CYRILLIC", "ISO-2022-JP", "UTF-32", "Johab"} <= {*found}
    wide = {"UTF-16": "utf-16-le", "UTF-32": "utf-32"}
    read = {name: decode(ENGLISH.encode(wide.get(name, "ascii")), name) for name in found}
    assert read == dict.fromkeys(found, ENGLISH)
    # A name that nobody knows is guessed from the bytes: these are UTF-8, which none of the others may take them for.
    told = {name for name in found if decode("蜘蛛".encode(), name) == "蜘蛛"}
    assert told == {"UTF-8", *WITHOUT_A_CODEC}


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("mac_cyrillic", RUSSIAN),
        ("cp855", RUSSIAN),
        ("cp949", KOREAN),
        ("johab", KOREAN),
        ("iso2022_kr", KOREAN),
        ("iso2022_jp", JAPANESE),
        ("hz", CHINESE),
        ("utf-32", CHINESE),
    ],
)
def test_a_page_that_does_not_name_its_charset(codec: str, text: str) -> None:
    page = f"<title>{text}</title><p>{text} {text}"
    assert decode(page.encode(codec)) == page


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("euc-kr", "똠방각하".encode("cp949"), "똠방각하"),
        ("shift_jis", "①髙".encode("cp932"), "①髙"),
        ("tis-620", "แมงมุม€".encode("cp874"), "แมงมุม€"),
        ("cp949", "똠방각하".encode("cp949"), "똠방각하"),
        ("ibm737", "αράχνη".encode("cp737"), "αράχνη"),
    ],
)
def test_a_page_that_names_a_charset_few_know(name: str, data: bytes, text: str) -> None:
    assert decode(data, name) == text
    meta = b"<meta charset=%b>" % name.encode()
    assert decode(meta + data) == meta.decode() + text


def test_ascii_that_only_looks_shifted_stays_ascii() -> None:
    page = b"<script>var a = ~{b: 1}</script><pre>\x1b$ ls ~{ spiders</pre>"
    assert decode(page) == page.decode()

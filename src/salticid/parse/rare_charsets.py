"""Charsets of the web for which Python has no codec: Vietnamese VISCII, Taiwanese EUC-TW, Chinese ISO-2022-CN.

EUC-TW holds the planes of CNS 11643. The first two of them have the characters of Big5 in almost the same order, so
that they are told by where the order breaks. Later planes, which hardly anybody has written a page in, are not read.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from functools import cache

_VISCII_LOW = {2: "Ẳ", 5: "Ẵ", 6: "Ẫ", 20: "Ỷ", 25: "Ỹ", 30: "Ỵ"}
_VISCII_HIGH = (
    "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯ"
    "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ"
)
_VISCII = "".join(_VISCII_LOW.get(code, chr(code)) for code in range(128)) + _VISCII_HIGH

_RUNS = (
    """
    0:0:5 6:6:15 21:23:2 24:22:1 29:29:44 73:74:1 74:73:1 75:75:21 98:98:1 100:100:27 127:128:1 128:127:1
    130:130:14 146:146:2 148:149:1 149:148:1 150:150:4 155:21:1 156:156:78 282:234:29 312:264:1 314:266:142
    470:6101:20 3290:471:17 3307:263:1 3308:489:86 3394:265:1 3395:576:1307 4702:1884:424 5126:1883:1
    5127:2308:1876 7003:4571:1 7004:4184:387 7391:4572:525 7916:5286:1 7917:5097:105 8023:5203:83
    8106:5287:84 8190:5517:1 8191:5371:54 8245:5426:1 8246:5425:1 8247:5427:90 8337:5518:354
    """,
    """
    0:6280:10 10:6291:33 43:6372:1 44:6324:48 92:6373:46 138:6586:1 139:6419:167 306:6587:1840 2146:9074:1
    2147:8428:108 2255:8537:537 2792:8427:1 2793:9075:100 2893:8536:1 2894:9175:399 3293:9575:1637
    4930:11761:1 4931:11212:146 5077:11899:1 5078:11358:287 5365:12508:1 5366:11645:116 5482:11762:137
    5619:11900:104 5723:12425:1 5724:12004:222 5946:12227:198 6144:12426:82 6226:12509:86 6312:12226:1
    6313:12595:8 6321:12604:153 6474:12758:56 6530:13114:1 6531:12814:113 6644:12603:1 6645:12927:142
    6787:12757:1 6788:13069:45 6833:13115:71 6904:13380:1 6905:13186:194 7099:13381:490 7589:13914:1
    7590:13871:43 7633:13915:1 7634:13917:11 7645:13916:1 7646:13928:4
    """,
)
"""Of each plane, runs of characters that follow one another in Big5 too: where it begins here and there, its length."""
_IN_A_ROW, _IN_A_BIG5_ROW = 94, 157
_UNREAD = "\ufffd"
_BEYOND_ASCII = re.compile(rb"(?:\x8e([\xa1-\xb0]))?([\xa1-\xfe]{2})|[\x80-\xff]")
_SHIFTS = re.compile(rb"(\x1b\$\)[AEG]|\x1b\$\*H|\x1bN[!-~]{2}|[\x0e\x0f])")
_HIGH = bytes(code | 0x80 if 0x21 <= code <= 0x7E else code for code in range(256))


def viscii(data: bytes) -> str:
    """Vietnamese, a byte a letter.

    >>> viscii(b"Vi\\xaet Nam")
    'Việt Nam'
    """
    return codecs.charmap_decode(data, "replace", _VISCII)[0]


def euc_tw(data: bytes) -> str:
    """Two bytes of the first plane of CNS 11643, or four that name the plane.

    >>> euc_tw(b"\\xea\\xf2\\xe1\\xf5: spiders")
    '蜘蛛: spiders'
    """
    return _BEYOND_ASCII.sub(_in_utf8, data).decode("utf-8", "replace")


def iso_2022_cn(data: bytes) -> str:
    """Seven bits: what is shifted out is of GB 2312, or of a plane of CNS 11643.

    >>> iso_2022_cn(b"\\x1b$)A\\x0eV)Vk\\x0f: spiders")
    '蜘蛛: spiders'
    """
    texts: list[str] = []
    shifted, decode = False, _gb
    for piece in _SHIFTS.split(data):
        match piece[:1], piece[1:2]:
            case ((b"\x0e" | b"\x0f"), _):
                shifted = piece == b"\x0e"
            case b"\x1b", b"$":
                decode = _gb if piece.endswith((b"A", b"E")) else euc_tw if piece.endswith(b"G") else decode
            case b"\x1b", b"N":
                texts.append(euc_tw(b"\x8e\xa2" + piece[2:].translate(_HIGH)))
            case _:
                texts.append(decode(piece.translate(_HIGH)) if shifted else piece.decode("ascii", "replace"))
    return "".join(texts)


DECODERS: Mapping[str, Callable[[bytes], str]] = {
    "viscii": viscii,
    "euc-tw": euc_tw,
    "iso-2022-cn": iso_2022_cn,
}
"""By the name of the charset; what cannot be read becomes U+FFFD."""


def _gb(data: bytes) -> str:
    return data.decode("gb2312", "replace")


def _in_utf8(match: re.Match[bytes]) -> bytes:
    plane, pair = match[1], match[2]
    number = plane[0] - 0xA0 if plane else 1
    if pair is None or number > len(_RUNS):
        return _UNREAD.encode()
    place = (pair[0] - 0xA1) * _IN_A_ROW + pair[1] - 0xA1
    return _plane(number).get(place, _UNREAD).encode()


@cache
def _plane(number: int) -> dict[int, str]:
    """The characters of a plane by their places."""
    characters: dict[int, str] = {}
    for run in _RUNS[number - 1].split():
        here, there, length = map(int, run.split(":"))
        characters.update((here + n, _big5(there + n)) for n in range(length))
    return characters


def _big5(place: int) -> str:
    row, column = divmod(place, _IN_A_BIG5_ROW)
    return bytes((row + 0xA1, column + (0x40 if column < 63 else 0x62))).decode("cp950")

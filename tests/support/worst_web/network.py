"""What servers do to a connection: slow, endless, broken, flooding, lying about lengths."""

from __future__ import annotations

import gzip
import zlib

import brotli  # type: ignore[import-untyped]
import zstandard
from tests.support.hostile import in_parts, moved, page, silence, then_reset
from tests.support.worst_web.row import NEVER, Row, nameless, port, row

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
MEGABYTE = b"<p>boom " * (1 << 17)
GIGABYTE = 1024


def deflated(wbits: int) -> bytes:
    """A gigabyte: a megabyte that the packer forgets at once, so that its bytes may follow one another."""
    packer = zlib.compressobj(9, wbits=wbits)
    head = packer.compress(MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * (GIGABYTE - 2) + packer.compress(MEGABYTE) + packer.flush()


def brotli_bomb() -> bytes:
    """A gigabyte of one letter, which brotli says in few bytes."""
    packer, block = brotli.Compressor(quality=0, lgwin=24), b"<p>" + b" " * ((1 << 24) - 3)
    return b"".join([*(packer.process(block) for _ in range(GIGABYTE // 16)), packer.finish()])


def bombs() -> list[Row]:
    packed = {
        "gzip": deflated(31),
        "deflate": deflated(15),
        "br": brotli_bomb(),
        "zstd": zstandard.compress(MEGABYTE) * GIGABYTE,
    }
    alone = [row(f"bomb in {name}", "ok", page(data, f"Content-Encoding: {name}")) for name, data in packed.items()]
    twice = gzip.compress(packed["gzip"])
    return [
        *alone,
        row("bomb in a bomb", "ok", page(twice, "Content-Encoding: gzip, gzip")),
        row(
            "bomb in four codings",
            "ok",
            page(
                gzip.compress(brotli.compress(zstandard.compress(packed["gzip"]), quality=1)),
                "Content-Encoding: gzip, zstd, br, gzip",
            ),
        ),
        row("codings without end", "not html|ok", page(b"<p>spiders", "Content-Encoding: " + "gzip," * 1000)),
        row("coding that nobody knows", "ok", page(b"<p>spiders", "Content-Encoding: snappy")),
        row("coding that lies", "ok", page(b"<p>spiders", "Content-Encoding: gzip")),
        row("coding cut short", "ok", page(gzip.compress(MEGABYTE)[:-9], "Content-Encoding: gzip")),
        row(
            "zstd with a huge window",
            "ok|not html",
            page(b"\x28\xb5\x2f\xfd\x00\xf8" + b"\0" * 40, "Content-Encoding: zstd"),
        ),
    ]


SLOW = [
    row("head in drops", "timeout", in_parts(OK + b"X-Y: ", b"a", pause=0.05, forever=True)),
    row("body in drops", "timeout", in_parts(OK + b"\r\n<p>", b"a", pause=0.05, forever=True)),
    row("chunks in drops", "timeout", in_parts(CHUNKED, b"1\r\na\r\n", pause=0.05, forever=True)),
    row("no word", "timeout", silence),
    row("half a word", "timeout", in_parts(b"HT", pause=60)),
    row(
        "no end of early hints",
        "timeout|broken answer",
        in_parts(b"HTTP/1.1 103 Early\r\n\r\n", forever=True, pause=0.001),
    ),
    row(
        "no end of continue",
        "timeout|broken answer",
        in_parts(b"HTTP/1.1 100 Continue\r\n\r\n" * 100, forever=True, pause=0.001),
    ),
    row("silence after the head", "timeout", in_parts(OK + b"Content-Length: 100\r\n\r\n", pause=60)),
]

ENDLESS = [
    row("body without end", "ok", in_parts(OK + b"\r\n<p>spiders", MEGABYTE, forever=True)),
    row("chunk without end", "ok", in_parts(CHUNKED + b"ffffffffff\r\n<p>", MEGABYTE, forever=True)),
    row(
        "chunks without end",
        "ok|timeout",
        in_parts(CHUNKED + b"4\r\n<p>a\r\n", b"8\r\n<p>boom \r\n" * 10_000, forever=True),
    ),
    row("head without end", "broken answer", in_parts(OK, b"X-Y: z\r\n" * 1000, forever=True)),
    row("field without end", "broken answer", in_parts(OK + b"X-Y: ", b"a" * 10_000, forever=True)),
    row(
        "trailers without end",
        "broken answer|ok|timeout",
        in_parts(CHUNKED + b"4\r\n<p>a\r\n0\r\n", b"X: y\r\n" * 1000, forever=True),
    ),
    row(
        "chunk extension without end",
        "broken answer|timeout",
        in_parts(CHUNKED + b"4;", b"a" * 10_000, forever=True),
    ),
    row(
        "an extension around every letter",
        "ok|timeout",
        in_parts(CHUNKED, (b"1;" + b"a" * 4000 + b"\r\n<\r\n") * 10, forever=True),
    ),
    row(
        "a chunk size of zeros without end",
        "broken answer|timeout",
        in_parts(CHUNKED, b"0" * 10_000, forever=True),
    ),
    row(
        "early hints in a flood",
        "broken answer|timeout",
        in_parts(b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" * 1000, forever=True),
    ),
    row("blank lines without end", "broken answer|timeout", in_parts(b"\r\n" * 10_000, forever=True)),
    row(
        "answers that nobody asked for",
        "ok|broken answer",
        in_parts(page(b"<p>spiders"), page(b"<p>more") * 1000, forever=True),
    ),
    row(
        "cookies by the thousand",
        "broken answer|ok",
        page(b"<p>spiders", *(f"Set-Cookie: c{n}={'v' * 900}" for n in range(1000))),
    ),
    row("a content type of 64 KB", "broken answer", page(b"<p>spiders", kind="text/html;" + "x" * 65_536)),
]

BROKEN = [
    row("reset before a word", "broken answer", then_reset(b"")),
    row("reset in the head", "broken answer", then_reset(OK)),
    row("reset after the head", "broken answer", then_reset(OK + b"Content-Length: 99\r\n\r\n")),
    row("reset in the body", "broken answer", then_reset(OK + b"Content-Length: 99\r\n\r\n<p>half")),
    row("reset in a chunk", "broken answer", then_reset(CHUNKED + b"9\r\n<p>half")),
    row("closed before a word", "broken answer", in_parts(close=True)),
    row(
        "body shorter than it says",
        "broken answer",
        in_parts(OK + b"Content-Length: 99\r\n\r\n<p>", close=True),
    ),
    row(
        "body longer than it says",
        "ok|broken answer",
        in_parts(OK + b"Content-Length: 10\r\n\r\n<p>spiders<p>and more" + page(b"<p>evil")),
    ),
    row("length below zero", "broken answer", in_parts(OK + b"Content-Length: -1\r\n\r\n<p>", close=True)),
    row(
        "length beyond all bounds",
        "broken answer|ok",
        in_parts(OK + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n<p>spiders", close=True),
    ),
    row("length of words", "broken answer", in_parts(OK + b"Content-Length: ten\r\n\r\n<p>", close=True)),
    row(
        "two lengths",
        "broken answer",
        in_parts(OK + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n<p>a", close=True),
    ),
    row(
        "length and chunks",
        "broken answer|ok",
        in_parts(OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<p>a\r\n0\r\n\r\n", close=True),
    ),
    row("chunk without a size", "broken answer", in_parts(CHUNKED + b"nine\r\n<p>", close=True)),
    row("chunk of negative size", "broken answer", in_parts(CHUNKED + b"-4\r\n<p>a\r\n", close=True)),
    row(
        "chunk longer than it says",
        "broken answer",
        in_parts(CHUNKED + b"2\r\n<p>spiders\r\n0\r\n\r\n", close=True),
    ),
    row("garbage", "broken answer", in_parts(bytes(range(256)) * 4, close=True)),
    row("HTTP 0.9", "broken answer", in_parts(b"<html><p>spiders", close=True)),
    row(
        "HTTP of the far future",
        "broken answer|ok",
        in_parts(OK.replace(b"1.1", b"9.9") + b"\r\n<p>spiders", close=True),
    ),
    row("another protocol", "broken answer", in_parts(b"220 mail.example ESMTP\r\n", close=True)),
    row(
        "status of four digits",
        "broken answer",
        in_parts(OK.replace(b"200", b"2000") + b"\r\n<p>", close=True),
    ),
    row("status below zero", "broken answer", in_parts(OK.replace(b"200", b"-20") + b"\r\n<p>", close=True)),
    row("status 999", "dead", in_parts(OK.replace(b"200", b"999") + b"\r\n<p>", close=True)),
    row(
        "switching protocols",
        "dead|broken answer",
        in_parts(b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nPRI", close=True),
    ),
    row("NUL bytes in the head", "broken answer", in_parts(OK + b"X: \0\0\0\r\n\r\n<p>spiders", close=True)),
    row(
        "bare line feeds",
        "broken answer|ok",
        in_parts(b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>spiders", close=True),
    ),
    row("a folded field", "broken answer|ok", in_parts(OK + b"X: a\r\n b\r\n\r\n<p>spiders", close=True)),
    row("a field without a name", "broken answer", in_parts(OK + b": a\r\n\r\n<p>spiders", close=True)),
    row("two content types", "ok", page(b"<p>spiders", kind="text/html\r\nContent-Type: image/png")),
    row(
        "an unknown transfer coding",
        "broken answer|ok",
        in_parts(OK + b"Transfer-Encoding: gzip\r\n\r\n<p>spiders", close=True),
    ),
]

LATER = [
    row("429 for ever", "dead", page(b"", "Retry-After: 0", status=429), most_asked=5),
    row(
        "503 with a date in the past",
        "dead",
        page(b"", "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT", status=503),
        most_asked=5,
    ),
    row(
        "429 for a million years",
        NEVER,
        page(b"", "Retry-After: 99999999999999999", status=429),
        most_asked=1,
    ),
    row(
        "503 with a date beyond all dates",
        NEVER,
        page(b"", "Retry-After: Fri, 31 Dec 99999 23:59:59 GMT", status=503),
        most_asked=1,
    ),
    row("429 with a word", NEVER, page(b"", "Retry-After: soon", status=429), most_asked=1),
    row("503 with a number below zero", NEVER, page(b"", "Retry-After: -5", status=503), most_asked=1),
    row("429 with a fraction", NEVER, page(b"", "Retry-After: 1e999", status=429), most_asked=1),
    row("429 with two numbers", NEVER, page(b"", "Retry-After: 1;2", status=429), most_asked=1),
]

PORTS = [
    port("nobody there", "unreachable", None),
    port("nobody there by https", "unreachable", None, "https"),
    port("garbage for a greeting by https", "unreachable", bytes(range(256)) * 9, "https"),
    port("an answer for a greeting by https", "unreachable", page(b"<p>spiders"), "https"),
    port("an alert for a greeting by https", "unreachable", b"\x15\x03\x03\x00\x02\x02\x28", "https"),
]

NAMELESS = [
    nameless("an empty label", "a..invalid"),
    nameless("an empty first label", ".a.example"),
    nameless("a label of 64 letters", f"{'a' * 64}.example"),
    nameless("a name of 308 characters", ".".join(["a" * 61] * 5)[:308]),
    nameless("a character that no name has", "a$b.example"),
    *(nameless(f"name server failure {number}", f"www.fails{number}.example") for number in range(20)),
]

TO_PRIVATE = [
    row(f"sent to {number}", "refused address", moved(f"http://{address}/"), most_asked=1)
    for number, address in enumerate(
        [
            "10.0.0.1",
            "192.168.1.1",
            "172.16.0.1:22",
            "169.254.169.254/latest/meta-data",
            "2852039166",
            "0xa9fea9fe",
            "0251.0376.0251.0376",
            "169.254.43518",
            "[::1]",
            "[::]",
            "0.0.0.0",
            "0",
            "[::ffff:10.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[64:ff9b::a9fe:a9fe]",
            "[fe80::1]",
            "[fd00::1]",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[2002:a9fe:a9fe::1]",
            "１０.0.0.1",
            "%31%30.0.0.1",
        ]
    )
]


def network() -> list[Row]:
    """All of them."""
    return [*SLOW, *ENDLESS, *BROKEN, *LATER, *PORTS, *NAMELESS, *TO_PRIVATE, *bombs()]

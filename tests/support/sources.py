"""What tests of the sources of worlds share: reading one, and answers as servers send them."""

import zlib
from collections.abc import Callable
from pathlib import Path

from salticid.model import Response
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer, Unread, WorldSource
from salticid.worlds.writer import WorldWriter

HTML = b"Content-Type: text/html\r\n"
HOME = b'<title>Home</title><a href="/old">old</a> <a href="/nowhere">gone</a>'
NEW = b"<title>New</title><p>moved here"


def answers(source: WorldSource) -> list[Answer]:
    return [item for item in source if isinstance(item, Answer)]


def unread(source: WorldSource) -> list[tuple[str, str]]:
    return [(item.why, item.what) for item in source if isinstance(item, Unread)]


def world(source: WorldSource, folder: Path) -> Callable[[str], Response]:
    """Write the world of a source, open it, and give what fetches a URL of it."""
    writer = WorldWriter(folder)
    for answer in answers(source):
        writer.add(answer)
    writer.close(source.name)
    web = RecordedWeb(folder)
    return lambda url: web.fetch(web.urls.intern(url))


def title(response: Response) -> str | None:
    return response.page.title if response.page else None


def http(body: bytes, head: bytes = HTML, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\n%s\r\n%s" % (status, head, body)


def chunked(body: bytes, size: int = 7) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;note=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()

"""A folder of HTML files, and PDFs, as the source of a world, under the URLs at which a server would show them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from urllib.parse import quote

from salticid.errors import UserError
from salticid.parse.content import MAX_PDF, is_binary, is_pdf
from salticid.urls import canonical
from salticid.worlds.answers import Answer, Unread, path_text
from salticid.worlds.writer import MAX_HTML

_ENDINGS = (".htm", ".html", ".xhtml", ".pdf")
_SAFE = "/!$&'()*+,-.:;=@[]^_|~"
"""What stands in the path of a URL as it is; `canonical` treats it the same in file names and in links."""


class HtmlFolder:
    """The pages in a folder: each HTML file and each PDF is the page at `base_url` + its path, in the order of paths.

    Symbolic links to files are followed while they stay inside the folder; those to folders are not,
    since such pages are read where they really are. All that is no page is `Unread`, by its path.
    """

    def __init__(self, folder: Path, base_url: str) -> None:
        self._base = _base(base_url)
        self._folder = folder
        self.name = f"HTML {path_text(folder)} at {self._base}"
        self.done = self.size = 0
        any_page = False
        for at in _walk(folder):
            self.size += 1
            any_page = any_page or isinstance(self._item(at), Answer)
        if not any_page:
            raise UserError(
                f"{folder} holds no readable page ({', '.join(f'*{ending}' for ending in _ENDINGS)}); "
                "name the folder that holds the HTML files"
            )

    def __iter__(self) -> Iterator[Answer | Unread]:
        self.done = 0
        for at in _walk(self._folder):
            item = self._item(at)
            self.done += 1
            yield item

    def _item(self, at: Path | Unread) -> Answer | Unread:
        if isinstance(at, Unread):
            return at
        inside = at.relative_to(self._folder)
        path = path_text(inside)
        if at.suffix.lower() not in _ENDINGS:
            return Unread("not HTML", path)
        try:
            if not at.resolve(strict=True).is_relative_to(self._folder.resolve()):
                return Unread("leads outside the folder", path)
            if not at.is_file():  # reading a pipe would wait for ever
                return Unread("not HTML", path)
            with at.open("rb") as file:
                body = file.read(MAX_HTML)
                pdf = is_pdf("", body)
                body += file.read(MAX_PDF + 1 - len(body)) if pdf else b""
        except (OSError, RuntimeError):  # RuntimeError: links that lead in a circle
            return Unread("unreadable", path)
        url = self._base + as_links_write(inside)
        if pdf:
            return Unread("too long", path) if len(body) > MAX_PDF else Answer(url, pdf=body)
        return Unread("not HTML", path) if is_binary(body) else Answer(url, html=body)


def as_links_write(path: PurePath) -> str:
    """A path as the path of a URL, escaped where a link to the file must be.

    >>> as_links_write(PurePath("50%C3 (1).htm"))
    '50%25C3%20(1).htm'
    """
    return quote(os.fsencode(path.as_posix()), safe=_SAFE)


def _base(url: str) -> str:
    """The base URL as that of a folder."""
    clean = canonical(url)
    if clean is None:
        raise UserError(f"{url!r} is no http or https URL; give one such as http://example.org/")
    if "?" in url or "#" in url:
        raise UserError(f"{url!r} has a query or a fragment, and no path can follow those; leave them out")
    return clean if clean.endswith("/") else f"{clean}/"


def _walk(folder: Path) -> Iterator[Path | Unread]:
    """All that is no folder, in the order of paths; `Unread` for what cannot be walked."""
    try:
        waiting = _entries(folder)
    except OSError as error:
        raise UserError(f"cannot read the folder {folder}: {error.strerror}; check its name") from None
    while waiting:
        at = waiting.pop()
        path = path_text(at.relative_to(folder))
        try:
            if not stat.S_ISDIR(at.lstat().st_mode):
                yield at if not at.is_symlink() or not at.is_dir() else Unread("linked folder", path)
            else:
                waiting += _entries(at)
        except OSError:
            yield Unread("unreadable", path)


def _entries(folder: Path) -> list[Path]:
    """What a folder holds, last one first."""
    return sorted(folder.iterdir(), reverse=True)

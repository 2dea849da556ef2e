"""Sources of a world besides WARC: a folder of HTML, a crawl folder, the WebKB pages."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from urllib.parse import quote

import msgspec

from salticid.errors import UserError
from salticid.model import Outcome, Page
from salticid.parse import GOOD_STATUSES, MAX_PDF, is_binary, is_pdf
from salticid.protocols import Table, UrlTable
from salticid.store import CrawlFolder, StoredVisit, walls
from salticid.store.news import Versions
from salticid.tables import Translation
from salticid.topic import Topic
from salticid.urls import canonical
from salticid.webs import OUTCOMES
from salticid.worlds.answers import Answer, Unread, path_text, write_belief
from salticid.worlds.writer import MAX_BLOCK, MAX_HTML, Head, split, to_answer

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


# A crawl folder as a world: what a crawl saw, or what was there on another day, can be crawled again.


class CrawledPages:
    """The answers a crawl got (a `Source`), redirects among them; pages are taken over, not parsed again.

    They are those of the crawl itself, each page as it was when it was first read; or, `at` a moment in seconds since
    1970, what was known then: pages as a refresh had last seen them, and none that was gone or not read yet.
    """

    def __init__(self, folder: Path, at: float | None = None) -> None:
        self._crawl = CrawlFolder(folder)
        self._crawl.check_read_by(at)
        self._versions = None if at is None else Versions(self._crawl.database, at)
        self._translation = Translation(self._crawl.url, lambda at: self._crawl.words[at])
        self.name = f"crawl of {self._crawl.about().get('topic', {}).get('name', folder.name)}"
        self.size, self.done = len(self._crawl), 0
        self._redirects: set[str] = set()
        self._walls = walls(self._crawl.database)

    def __iter__(self) -> Iterator[Answer | Unread]:
        for visit in self._crawl.visits():
            self.done += 1
            yield from self._answers(visit)

    def write_beside(self, world: Path) -> None:
        """Put beside the world which pages are taken for pages about the crawl's topic by now."""
        try:
            topic = msgspec.convert(self._crawl.about().get("topic"), Topic)
        except msgspec.ValidationError:  # another program, or a merge, may say less about its topic
            return
        pages = (self._crawl.visit(step) for step in self._crawl.on_topic())
        write_belief(world, topic, (page.final_url for page in pages if self._is_there(page)))

    def _is_there(self, visit: StoredVisit) -> bool:
        """Whether the world has the page of a visit."""
        versions, step = self._versions, visit.step
        if versions is None:
            return True
        return versions.was_read(visit.fetched) and not versions.is_gone(step) and not versions.is_thinned(step)

    def _answers(self, visit: StoredVisit) -> Iterator[Answer | Unread]:
        if visit.outcome == Outcome.FORGOTTEN:
            return
        if self._versions is not None and not self._versions.was_read(visit.fetched):
            return
        if visit.url != visit.final_url and visit.url not in self._redirects:
            self._redirects.add(visit.url)
            yield Answer(visit.url, 301, location=visit.final_url, seconds=0.0)
        if visit.revisit:
            return
        if visit.outcome == Outcome.REDIRECT_LOOP:
            yield Answer(visit.final_url, 301, location=visit.final_url, seconds=visit.seconds)
        if visit.outcome not in OUTCOMES:
            return
        if self._versions is not None and visit.outcome == Outcome.OK:
            yield from self._as_it_was(visit, self._versions)
            return
        page = self._crawl.page(visit.step)
        yield Answer(
            visit.final_url,
            visit.status,
            outcome=Outcome(visit.outcome),
            seconds=visit.seconds,
            modified=visit.modified,
            size=visit.size,
            page=None if page is None else self._taken_over(page),
            wall=self._walls.get(visit.step),
        )

    def _as_it_was(self, visit: StoredVisit, versions: Versions) -> Iterator[Answer | Unread]:
        """What became of a good page by the moment."""
        if (gone := versions.gone(visit.step)) is not None:
            outcome = Outcome.NOT_HTML if gone.status in GOOD_STATUSES else Outcome.DEAD
            yield Answer(visit.final_url, gone.status, outcome=outcome, seconds=visit.seconds)
        elif versions.is_thinned(visit.step):
            yield Unread("version that is not kept any more", visit.final_url)
        else:
            newest = versions.newest(visit.step)
            yield Answer(
                visit.final_url,
                visit.status if newest is None else newest.status,
                outcome=Outcome.OK,
                seconds=visit.seconds,
                modified=(newest or visit).modified,
                size=(newest or visit).size,
                page=self._taken_over(versions.page(visit.step)),
            )

    def _taken_over(self, page: Page) -> Callable[[UrlTable, Table], Page]:
        return lambda urls, words: self._translation.page(page, urls, words)


# The CMU "4 Universities" pages (WebKB, January 1997) as the source of a world.
#
# M. Craven, D. DiPasquo, D. Freitag, A. McCallum, T. Mitchell, K. Nigam, S. Slattery: Learning to
# extract symbolic knowledge from the World Wide Web, AAAI 1998.

CLASSES = ("course", "department", "faculty", "other", "project", "staff", "student")
_ROOTS = ("", "raw", "webkb")
_URL = re.compile(r"[a-z]+:\^\^", re.IGNORECASE)
_NO_HEAD = Head(None, {})


class WebKB:
    """The pages of a tree `<class>/<university>/<url with ^ for />`, in the order of its paths.

    `folder` is the tree or holds it as `raw` or `webkb`. Most files begin with the head of the server's
    answer, without its status line; the collectors' client did not follow redirects, so a head that
    names a location is one. Each page is labelled `<class>.<university>`; one that stands in two classes
    is yielded twice.
    """

    def __init__(self, folder: Path) -> None:
        self._root = _root(folder)
        self._classes = [name for name in CLASSES if (self._root / name).is_dir()]
        self.name = f"WebKB {path_text(folder)}"
        self.size = sum(1 for _ in self._files())
        self.done = 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        self.done = 0
        for path in self._files():
            item = self._item(path)
            self.done += 1
            yield item

    def _files(self) -> Iterator[Path]:
        for name in self._classes:
            for path in sorted((self._root / name).rglob("*")):
                if not path.is_dir():
                    yield path

    def _item(self, path: Path) -> Answer | Unread:
        place = path_text(path.relative_to(self._root))
        folders = place.split("/")[:-1]
        if len(folders) != 2 or not _URL.match(path.name):
            return Unread("no URL for a name", place)
        if not path.is_file():
            return Unread("unreadable", place)
        try:
            with path.open("rb") as file:
                block = file.read(MAX_BLOCK)
        except OSError:
            return Unread("unreadable", place)
        head, body = split(block) or (_NO_HEAD, block)
        answer = to_answer(path.name.replace("^", "/"), head, body, labels=(".".join(folders),))
        # All who experimented on this collection took its two dozen plain texts for no pages.
        is_text = head.fields.get("content-type", "").lower().startswith("text/plain")
        return replace(answer, html=None) if is_text else answer


def _root(folder: Path) -> Path:
    for root in _ROOTS:
        if any((folder / root / name).is_dir() for name in CLASSES):
            return folder / root
    cause = f"it has no folder {', '.join(CLASSES)}" if folder.is_dir() else "there is no such folder"
    raise UserError(f"{folder} is no WebKB tree: {cause}; name the folder that holds raw/<class>/...")

"""The CMU "4 Universities" pages (WebKB, January 1997) as the source of a world.

M. Craven, D. DiPasquo, D. Freitag, A. McCallum, T. Mitchell, K. Nigam, S. Slattery: Learning to
extract symbolic knowledge from the World Wide Web, AAAI 1998.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from salticid.errors import UserError
from salticid.worlds.answers import Answer, Unread, path_text
from salticid.worlds.http import MAX_BLOCK, Head, split, to_answer

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

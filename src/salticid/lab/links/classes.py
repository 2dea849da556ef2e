"""What labels say about pages: a class, and in WebKB a university."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from salticid.worlds import webkb

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
ELSEWHERE = "misc"
HOMEPAGE = "homepage"
_PEOPLE = ("faculty", "staff", "student")


class Kind(NamedTuple):
    """The class a label puts a page in, and the university it names, if any."""

    label: str
    university: str


def kinds(labels: Iterable[str]) -> dict[str, Kind]:
    """What each label means.

    Labels of WebKB are `<class>.<university>`, and the pages of people are one class. Any other label is a
    path, whose first step is the class; a root that all paths share is left out.

    >>> kinds(["student.texas", "course.misc"])["student.texas"]
    Kind(label='homepage', university='texas')
    >>> kinds(["subject.Art.Opera", "subject.Law"])["subject.Art.Opera"]
    Kind(label='Art', university='')
    """
    paths = {label: label.split(".") for label in labels}
    if paths and all(_is_webkb(path) for path in paths.values()):
        return {label: Kind(HOMEPAGE if a in _PEOPLE else a, b) for label, (a, b) in paths.items()}
    roots = {path[0] for path in paths.values()}
    first = int(len(roots) == 1 and all(len(path) > 1 for path in paths.values()))
    return {label: Kind(path[first], "") for label, path in paths.items()}


def kinds_by_url(labels: Mapping[str, Sequence[str]]) -> dict[str, list[Kind]]:
    """What the labels of each URL say; `labels` has the URLs of each label, as `worlds.labels` reads them."""
    meaning = kinds(labels)
    by_url: dict[str, list[Kind]] = {}
    for label, urls in labels.items():
        for url in urls:
            by_url.setdefault(url, []).append(meaning[label])
    return by_url


def _is_webkb(path: Sequence[str]) -> bool:
    return len(path) == 2 and path[0] in webkb.CLASSES and path[1] in (*UNIVERSITIES, ELSEWHERE)

"""Public collections of pages: where each comes from, under which licence, and how it is read.

Checksums are written down of the files that were at hand; what comes from an address without one is unverified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from salticid.errors import UserError, unknown
from salticid.worlds.answers import WorldSource
from salticid.worlds.html_folder import HtmlFolder
from salticid.worlds.warc_source import WarcFiles
from salticid.worlds.webkb import WebKB


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that holds a collection; size and checksum as far as they are known."""

    name: str
    size: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """A public collection.

    `files` are the names under which it goes about, of which `labels` is not one; a file from its `address` has
    the name that it has there. Without an address nobody can fetch it. `read` makes a source of the file itself, or of
    the folder that it was unpacked to.
    """

    name: str
    what: str
    licence: str
    files: tuple[KnownFile, ...]
    read: Callable[[Path], WorldSource]
    address: str | None = None
    labels: KnownFile | None = None

    @property
    def public_file(self) -> KnownFile | None:
        """The file that its address leads to."""
        if self.address is None:
            return None
        name = Path(urlsplit(self.address).path).name
        return next((file for file in self.files if file.name == name), KnownFile(name))

    def file_in(self, folder: Path) -> Path | None:
        """Its file in a folder, if that holds one."""
        return next((folder / file.name for file in self.files if (folder / file.name).is_file()), None)

    def known(self, file: Path) -> KnownFile:
        """What is known of a file, by its name."""
        names = [*self.files, *([self.labels] if self.labels else [])]
        return next((known for known in names if known.name == file.name), KnownFile(file.name))


def collection(name: str) -> Collection:
    """The collection of that name; a UserError names the nearest."""
    if name not in COLLECTIONS:
        raise unknown("collection", name, COLLECTIONS)
    return COLLECTIONS[name]


def _html_at(base_url: str, mark: str) -> Callable[[Path], WorldSource]:
    """Reads a folder of HTML, or the one folder in it that holds `mark`, as it was served at `base_url`."""

    def read(folder: Path) -> WorldSource:
        for root in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
            if (root / mark).exists():
                return HtmlFolder(root, base_url)
        raise UserError(f"{folder} is another collection: it holds no {mark}; name the right one with --from")

    return read


_ALL = (
    Collection(
        "webkb",
        "computer science departments of four universities and others, January 1997; 8,281 pages on 631 hosts, each in "
        "one of seven classes",
        "none named; for research, by the CMU text learning group",
        (
            KnownFile(
                "webkb.tar.xz", 7_982_900, "bfe285ed56c232849c6ddc4cb52238996ae86f2f5d37e0169570559f190cf7df"
            ),
            KnownFile("webkb-data.gtar.gz"),
        ),
        WebKB,
        "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz",
    ),
    Collection(
        "schools-wikipedia",
        "the Wikipedia selection for schools of 2007, about 5,000 articles on one host; labels with our own file alone",
        "GFDL",
        (
            KnownFile(
                "schools-wikipedia.tar.xz",
                30_455_788,
                "f01867aec8ff4e69150086b5f481228b171909bc39a2352b4161354fa0825f60",
            ),
            KnownFile("wikispeedia_articles_html.tar.gz"),
        ),
        _html_at("http://schools-wikipedia.org/", "wp"),
        "https://snap.stanford.edu/data/wikispeedia/wikispeedia_articles_html.tar.gz",
        KnownFile(
            "schools-wikipedia.labels.tsv",
            169_290,
            "c7025a2652e076827689470c50bd2ef74dff83dd0eb07962323a921a612fb237",
        ),
    ),
    Collection(
        "scidocs",
        "documentation of scientific Python, 26,122 pages on 34 hosts in 11 subjects, as Debian and two sites have it",
        "the free licences of its projects",
        (
            KnownFile(
                "scidocs.warc.xz",
                43_192_480,
                "5716e1b44abfe9b959118d9906569ce67766e20d54f53884bfbb4f8c11a1841b",
            ),
        ),
        lambda file: WarcFiles([file]),
        None,
        KnownFile(
            "scidocs.labels.tsv", 537_488, "40946c8657a8ca11686de1f2693aa0d58fcb47da1e00320dd1c9e4a2550e0f66"
        ),
    ),
    Collection(
        "python-docs",
        "the documentation of Python 3.13, on one host",
        "PSF-2.0",
        (KnownFile("python-3.13.2-docs-html.tar.bz2"),),
        _html_at("https://docs.python.org/3.13/", "library"),
        "https://www.python.org/ftp/python/doc/3.13.2/python-3.13.2-docs-html.tar.bz2",
    ),
    Collection(
        "php-manual",
        "the manual of PHP as it is today, more than ten thousand short pages on one host",
        "CC-BY-3.0",
        (KnownFile("php_manual_en.tar.gz"),),
        _html_at("https://www.php.net/manual/en/", "index.html"),
        "https://www.php.net/distributions/manual/php_manual_en.tar.gz",
    ),
)

COLLECTIONS = {each.name: each for each in _ALL}
"""All of them, by name."""

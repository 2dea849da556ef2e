"""Public collections of pages, and sentence encoders: where each comes from, its license, and how it is read.

Checksums are written down of the files that were at hand; what comes from an address without one is unverified.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from salticid.errors import SalticidError, UserError, unknown
from salticid.version import __version__
from salticid.worlds.answers import WorldSource
from salticid.worlds.sources import HtmlFolder, WebKB
from salticid.worlds.warc_source import WarcFiles


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
            KnownFile("webkb.tar.xz", 7_982_900, "bfe285ed56c232849c6ddc4cb52238996ae86f2f5d37e0169570559f190cf7df"),
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
        KnownFile("scidocs.labels.tsv", 537_488, "40946c8657a8ca11686de1f2693aa0d58fcb47da1e00320dd1c9e4a2550e0f66"),
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


@dataclass(frozen=True, slots=True)
class PublicModel:
    """A public sentence encoder: a model in one of several forms, its tokenizer, and its license as files.

    The addresses are those of the last form of the model and of the tokenizer; without them nobody can fetch it.
    """

    name: str
    version: str
    what: str
    license: str
    models: tuple[KnownFile, ...]
    tokenizer: KnownFile = KnownFile("tokenizer.json")
    more: tuple[KnownFile, ...] = ()
    addresses: tuple[str, ...] = ()

    @classmethod
    def of_somebody(cls, name: str) -> PublicModel:
        """One that is not listed, in a folder of a person."""
        return cls(name, "", "a model of your own", "not known", (KnownFile("model.onnx"),))

    def files_in(self, folder: Path) -> list[tuple[KnownFile, Path]]:
        """Its files in a folder, the model first; a UserError if it lacks one."""
        models = [known for known in self.models if (folder / known.name).is_file()] or [
            KnownFile(file.name) for file in sorted(folder.glob("*.onnx"))
        ]
        if not models or not (folder / self.tokenizer.name).is_file():
            raise UserError(f"{folder} holds no model; it should hold {self.tokenizer.name} and a file *.onnx")
        more = [known for known in self.more if (folder / known.name).is_file()]
        return [(known, folder / known.name) for known in (models[0], self.tokenizer, *more)]


_HUB = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main"
MODELS = {
    "minilm": PublicModel(
        "minilm",
        "all-MiniLM-L6-v2",
        "small English sentence encoder: 6 layers, vectors of 384 numbers",
        "Apache-2.0",
        (
            KnownFile(
                "model.int8.onnx",
                23_524_775,
                "483bd2f09d138e9fd7ef37804736dd5ac70f3811c84f4f0ed346393299ad7c2b",
            ),
            KnownFile("model.onnx"),
        ),
        KnownFile("tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
        (
            KnownFile("LICENSE", 11_358, "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"),
            KnownFile("NOTICE", 428, "4f65cddc0412b1ed91222a97f1dca8437f0fcc361bc70ef18ce2c637c1302309"),
        ),
        (f"{_HUB}/onnx/model.onnx", f"{_HUB}/tokenizer.json"),
    )
}
"""Sentence encoders by name."""


# One large file from its public address, fetched in as many runs as it takes.

_BLOCK = 1 << 16
_TIMEOUT = 60.0
"""Seconds without a byte."""
PARTIAL, MARK = ".partial", ".partial.mark"
"""What a file is called until it is whole, and where it is noted which edition of it that is."""

Watch = Callable[[int, int], None]
"""Hears of the bytes that are there, and of all; 0 if nobody said how many that are."""


def download(address: str, file: Path, watch: Watch) -> None:
    """Fetch a file; what an earlier run has fetched of it is kept, if the server still has the same one.

    Whoever interrupts it finds it gone on with in the next run. The proxy of the environment is used, if it names one.
    """
    partial, mark = (file.with_name(file.name + ending) for ending in (PARTIAL, MARK))
    file.parent.mkdir(parents=True, exist_ok=True)
    edition = mark.read_text() if mark.exists() and partial.exists() else ""
    there = partial.stat().st_size if edition else 0
    try:
        with _ask(address, there, edition) as answer:
            goes_on = answer.status == 206 and _start(answer) == there
            if answer.status == 206 and not goes_on:
                raise SalticidError(f"{address} sent another part than it was asked for; try again")
            there = there if goes_on else 0
            mark.write_text(_edition(answer))
            total = there + int(answer.headers.get("Content-Length") or 0)
            with partial.open("ab" if goes_on else "wb") as out:
                while block := answer.read(_BLOCK):
                    out.write(block)
                    there += len(block)
                    watch(there, total)
    except (OSError, HTTPException) as error:
        raise _broken(address, there, error) from None
    if there < total:
        raise _broken(address, there, None)
    os.replace(partial, file)  # noqa: PTH105 - it replaces what is there
    mark.unlink()


def sha256(file: Path, watch: Watch) -> str:
    """The checksum of a file."""
    digest, there, total = hashlib.sha256(), 0, file.stat().st_size
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            digest.update(block)
            there += len(block)
            watch(there, total)
    return digest.hexdigest()


def _ask(address: str, there: int, edition: str) -> HTTPResponse:
    """Ask for a file, or for what is missing of an edition of it."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise SalticidError(f"{address} is no address of the web")
    fields = {"User-Agent": f"Salticid/{__version__}", "Accept-Encoding": "identity"}
    if there:
        fields |= {"Range": f"bytes={there}-", "If-Range": edition}
    request = Request(address, headers=fields)  # noqa: S310 - of the web, as was checked
    try:
        return cast(HTTPResponse, urlopen(request, timeout=_TIMEOUT))  # noqa: S310
    except HTTPError as error:
        error.close()
        raise SalticidError(
            f"{address} answers {error.code}; the file may have moved: fetch it by hand, and name it with --from"
        ) from None


def _edition(answer: HTTPResponse) -> str:
    """What tells this edition of a file from others; empty if nothing does, so that nobody goes on with it."""
    tag = answer.headers.get("ETag", "")
    return (tag if tag.startswith('"') else "") or answer.headers.get("Last-Modified", "")


def _start(answer: HTTPResponse) -> int:
    """The first byte of a part, by its Content-Range; -1 if that says nothing."""
    first = answer.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdecimal() else -1


def _broken(address: str, there: int, error: Exception | None) -> SalticidError:
    cause = error.reason if isinstance(error, URLError) else error
    why = f" ({cause})" if cause else ""
    return SalticidError(
        f"{address} broke off after {there:,} bytes{why}; type the same command again, and it goes on from there"
    )


# Archives of pages, unpacked.


def unpack(archive: Path, folder: Path) -> Path:
    """The new folder, with the plain files of a tar archive in it, whatever it is compressed with.

    Links, devices and names that lead outside are left out. The folder appears only when it is whole, and stays
    as it is if it is there.
    """
    if folder.exists():
        return folder
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with tarfile.open(archive) as tar:
            # Debian's Python 3.11.2 knows no filters: what they would refuse is refused here.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            for member in tar:
                if member.isfile() and _stays_inside(member.name):
                    member.mode = 0o644
                    tar.extract(member, partial, set_attrs=False)
    except (tarfile.TarError, EOFError, OSError) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise UserError(f"cannot unpack {archive}: {error}; fetch it again, or name another") from None
    partial.rename(folder)
    return folder


def _stays_inside(name: str) -> bool:
    """Whether a name in an archive is one inside the folder.

    >>> _stays_inside("./raw/course/x"), _stays_inside("../x"), _stays_inside("/etc/x")
    (True, False, False)
    """
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts

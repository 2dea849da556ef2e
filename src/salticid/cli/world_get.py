"""`salticid world get`: a public collection as a recorded world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli.console import err, out, print_json, print_table, safe
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.errors import SalticidError, UserError

if TYPE_CHECKING:
    from salticid.worlds.build import WorldSummary
    from salticid.worlds.public_collections import Collection, KnownFile


def get_world(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A collection; without one, all are listed.")
    ] = None,
    world: Annotated[Path | None, typer.Argument(metavar="OUT", help="The new folder of the world.")] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="A file that is there already, or a folder that holds it, or its pages.",
            metavar="FILE|DIR",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, or one a collection.")] = False,
    quiet: Quiet = False,
) -> None:
    """Fetch a public collection of pages, and make a recorded world of it. Nothing is fetched that is not asked for.

    Example: salticid world get webkb collections/webkb
    """
    from salticid.worlds.public_collections import (  # here: they take their time to import
        COLLECTIONS,
        collection,
    )

    if name is None:
        return _list(list(COLLECTIONS.values()), json)
    wanted = collection(name)
    if world is None:
        raise UserError(
            f"name a new folder for the world, as in: salticid world get {name} collections/{name}"
        )
    if world.exists():
        raise UserError(f"{world} is there already; name a new folder for the world")
    file = _fetched(wanted, world.parent) if source is None else _found(wanted, source)
    verified = file.is_file() and _verified(wanted, file)
    labels = None if wanted.labels is None else file.parent / wanted.labels.name
    if labels is not None and (not labels.is_file() or not _verified(wanted, labels)):
        labels = None
    result = _built(wanted, file, world, labels)
    if json:
        facts = {"collection": name, "world": str(world), "file": str(file), "verified": verified}
        manifest = result.manifest
        counts = {"pages": result.pages, "labels": result.label_count, "left_out": manifest.left_out}
        print_json({**facts, **counts, "digest": manifest.digest})
        return None
    sentence = f"{world}: {result.pages} pages, {result.label_count} labels, digest {result.manifest.digest}"
    out.print(safe(sentence), soft_wrap=True)
    out.print(safe(f"Licence: {wanted.licence}. Read from {file}"), soft_wrap=True)
    out.print(safe(f"Make topics of it with: salticid world topics {world} --out topics"), soft_wrap=True)
    return None


def _list(collections: list[Collection], json: bool) -> None:
    if json:
        for each in collections:
            files = [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in each.files]
            facts = {"name": each.name, "what": each.what, "licence": each.licence}
            print_json({**facts, "address": each.address, "files": files})
        return
    rows = [
        (each.name, each.what, each.licence, each.address or "no address", "; ".join(map(_told, each.files)))
        for each in collections
    ]
    print_table("", ("name", "what", "licence", "address", "files"), rows)


def _told(file: KnownFile) -> str:
    size = "size not known" if file.size is None else f"{file.size / 1e6:.0f} MB"
    return f"{file.name}: {size}, {'unverified' if file.sha256 is None else 'held to its checksum'}"


def _fetched(wanted: Collection, folder: Path) -> Path:
    """Its file in a folder: one that is there already, or the one from its address, which is kept there."""
    from salticid.worlds.download import download

    if (there := wanted.file_in(folder)) is not None:
        return there
    known = wanted.public_file
    if wanted.address is None or known is None:
        raise UserError(f"{wanted.name} has no public address; name its file with --from")
    err.print(safe(f"Fetching {wanted.address} into {folder}"), soft_wrap=True)
    file = folder / known.name
    with Work("kB fetched", 0, err) as work:
        download(wanted.address, file, _in_kilobytes(work, "kB fetched"))
    return file


def _in_kilobytes(work: Work, what: str) -> Callable[[int, int], None]:
    """Shows how far it is with bytes, in numbers that can be read."""
    return lambda there, total: work.part(what, there // 1000, total // 1000)


def _found(wanted: Collection, source: Path) -> Path:
    """What a person names: a file, or the file of the collection in a folder, or else the folder as its pages."""
    if source.is_file():
        return source
    if not source.is_dir():
        raise UserError(f"there is no {source}; name the file of {wanted.name}, or a folder, with --from")
    return wanted.file_in(source) or source


def _verified(wanted: Collection, file: Path) -> bool:
    """Whether a file is the one whose checksum is written down; it must not be another of the same name."""
    from salticid.worlds.download import sha256

    known = wanted.known(file)
    if known.sha256 is None:
        err.print(safe(f"{file.name} is unverified: no checksum of it is written down"), soft_wrap=True)
        return False
    with Work("kB checked", 0, err) as work:
        found = sha256(file, _in_kilobytes(work, "kB checked"))
    if found != known.sha256:
        raise SalticidError(
            f"{file} is damaged, or another file of that name: its checksum is {found[:16]}..., not "
            f"{known.sha256[:16]}...; fetch it again, or rename it"
        )
    return True


def _built(wanted: Collection, file: Path, world: Path, labels: Path | None) -> WorldSummary:
    """The world; what has to be unpacked for it is gone afterwards."""
    from tempfile import TemporaryDirectory

    from salticid.worlds.archives import unpack
    from salticid.worlds.build import build

    world.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".unpacked-", dir=world.parent) as folder:
        is_archive = file.is_file() and ".warc" not in file.name
        pages = wanted.read(unpack(file, Path(folder) / "pages") if is_archive else file)
        pages.name = f"{wanted.name} {file.name}"
        with Work("building", pages.size, err) as work:
            return build(world, pages, labels, lambda count, done: work.at(count, f"{done} pages"))

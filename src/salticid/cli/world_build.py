"""`salticid world build`, `world get` and `model get`: recorded worlds, public collections and sentence encoders."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from salticid.cli.console import Work, err, out, print_json, print_table, safe
from salticid.cli.options import Quiet, moment
from salticid.errors import SalticidError, UserError, unknown
from salticid.world_sources import At, Option, Source, WorldPlan, world_sources

if TYPE_CHECKING:
    from salticid.worlds import Collection, KnownFile, PublicModel, WorldSummary

_SOURCES = {name: world_sources.make(name) for name in world_sources.names()}


def build_world(
    world: Annotated[Path, typer.Argument(metavar="OUT", help="The new folder of the world.")],
    at: Annotated[
        str | None,
        typer.Option(
            help="The day of the generated web, a number; or the date at which a crawl's pages are wanted.",
            metavar="DAY|DATE",
        ),
    ] = None,
    context_paths: Annotated[
        bool, typer.Option("--context-paths", help="Keep the headings and list items above links beside it.")
    ] = False,
    labels: Annotated[Path | None, typer.Option(help="Lines of URL, tab, label.", metavar="TSV")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Make a recorded world, on which any strategy can crawl.

    Example: salticid world build world/ --html pages/ --base-url http://example.org/ --labels labels.tsv
    """
    source = _chosen(options)
    if context_paths and not source.has_html:
        raise UserError("--context-paths are read from HTML, which this source has not; leave them out")
    result = source.build(WorldPlan(world, options, _at(source, at), labels, context_paths, _watching))
    for remark in result.remarks:
        err.print(safe(remark), soft_wrap=True)
    digest, left_out = result.manifest.digest, result.manifest.left_out
    if json:
        facts = {"world": str(world), "pages": result.pages, "labels": result.label_count}
        print_json({**facts, "left_out": left_out, "digest": digest})
        return
    out.print(f"{world}: {result.pages} pages, {result.label_count} labels, digest {digest}", highlight=False)
    for why, count in left_out.items():
        out.print(f"  left out: {count} x {why}", highlight=False)
    out.print(f"Look into it with: salticid world info {world}", highlight=False)


def _chosen(options: dict[str, Any]) -> Source:
    given = [source for name, source in _SOURCES.items() if options[name]]
    if len(given) != 1:
        *names, last = (f"--{_dashed(name)}" for name in _SOURCES)
        raise UserError(f"give exactly one source: {', '.join(names)} or {last}")
    return given[0]


def _at(source: Source, text: str | None) -> float | None:
    """The moment or the day that a person named."""
    if text is None:
        return None
    if source.at is At.NOTHING:
        raise UserError("--at says nothing to this source, which is of one day; leave it out")
    if source.at is At.DATE:
        return moment(text)
    if not text.isdecimal():
        raise UserError(f"no --at {text!r}: days of a generated web are counted from 0; write a number, as in --at 30")
    return int(text)


@contextmanager
def _watching(size: int) -> Iterator[Callable[[int, int], None]]:
    with Work("building", size, err) as work:
        yield lambda count, pages: work.at(count, f"{pages} pages")


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _parameter(name: str, option: Option) -> inspect.Parameter:
    about = typer.Option(f"--{_dashed(name)}", help=option.help, metavar=option.metavar, min=option.min)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[option.kind, about]
    )


def _signature() -> inspect.Signature:
    """The signature of the command with the options of all sources, behind the folder."""
    first, *others, _ = inspect.signature(build_world, eval_str=True).parameters.values()
    added: dict[str, Option] = {}
    for name, source in _SOURCES.items():
        added |= {name: source.option, **source.more}
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in others]
    return inspect.Signature([first, *(_parameter(*pair) for pair in added.items()), *own])


build_world.__signature__ = _signature()  # type: ignore[attr-defined]


# `salticid world get`: a public collection as a recorded world.


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
    from salticid.worlds import COLLECTIONS, collection  # here: they take their time to import

    if name is None:
        return _list(list(COLLECTIONS.values()), json)
    wanted = collection(name)
    if world is None:
        raise UserError(f"name a new folder for the world, as in: salticid world get {name} collections/{name}")
    if world.exists():
        raise UserError(f"{world} is there already; name a new folder for the world")
    file = _fetched(wanted, world.parent) if source is None else _found(wanted, source)
    verified = file.is_file() and _verified(wanted.known(file), file)
    labels = None if wanted.labels is None else file.parent / wanted.labels.name
    if labels is not None and (not labels.is_file() or not _verified(wanted.known(labels), labels)):
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
    from salticid.worlds import download

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


def _verified(known: KnownFile, file: Path) -> bool:
    """Whether a file is the one whose checksum is written down; it must not be another of the same name."""
    from salticid.worlds import sha256

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

    from salticid.worlds import build, unpack

    world.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".unpacked-", dir=world.parent) as folder:
        is_archive = file.is_file() and ".warc" not in file.name
        pages = wanted.read(unpack(file, Path(folder) / "pages") if is_archive else file)
        pages.name = f"{wanted.name} {file.name}"
        with Work("building", pages.size, err) as work:
            return build(world, pages, labels, lambda count, done: work.at(count, f"{done} pages"))


# `salticid model get`: a sentence encoder, for the hunter.


def get_model(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A model; without one, all are listed.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="A folder that holds it, or an archive of one.", metavar="FILE|DIR"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, or one a model.")] = False,
    quiet: Quiet = False,
) -> None:
    """Install a sentence encoder, which the strategy hunter then uses.

    Example: salticid model get minilm
    """
    from salticid.encoders import models_folder
    from salticid.worlds import MODELS, PublicModel

    if name is None:
        for each in MODELS.values():
            facts = {"name": each.name, "version": each.version, "what": each.what, "license": each.license}
            if json:
                print_json({**facts, "addresses": each.addresses, "installed": (models_folder() / each.name).is_dir()})
            else:
                print_table("", tuple(facts), [tuple(facts.values())])
        return
    if name not in MODELS and source is None:
        raise unknown("model", name, MODELS)
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name) or name == "none":
        raise UserError(f"{name!r} cannot be the name of a model; use lower-case letters, digits, '-', '_' and '.'")
    folder = models_folder() / name
    if folder.exists():
        raise UserError(f"{folder} is there already; delete it first to install {name} again")
    _install_model(MODELS.get(name) or PublicModel.of_somebody(name), source, folder, json)


def _install_model(wanted: PublicModel, source: Path | None, folder: Path, json: bool) -> None:
    """Put the files of a model into its folder, which appears only when all of it works."""
    from tempfile import TemporaryDirectory

    from salticid.encoders import MODEL, OnnxEncoder, can_run, write_facts
    from salticid.worlds import download, unpack

    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".model-", dir=folder.parent) as temporary:
        found = Path(temporary) / "found" if source is None else source
        if source is None:
            for address in wanted.addresses:
                err.print(safe(f"Fetching {address}"), soft_wrap=True)
                with Work("kB fetched", 0, err) as work:
                    download(address, found / address.rpartition("/")[2], _in_kilobytes(work, "kB fetched"))
        elif source.is_file():
            found = unpack(source, Path(temporary) / "found")
            found = next((file.parent for file in sorted(found.rglob(wanted.tokenizer.name))), found)
        elif not source.is_dir():
            raise UserError(f"there is no {source}; name a folder that holds {wanted.name}, with --from")
        files = wanted.files_in(found)
        checked = [_verified(known, file) for known, file in files]
        whole = Path(temporary) / "whole"
        whole.mkdir()
        for place, (_, file) in enumerate(files):
            shutil.copyfile(file, whole / (file.name if place else MODEL))
        write_facts(whole, wanted.name, wanted.version, wanted.license)
        encoder = OnnxEncoder(whole) if can_run() else None
        whole.rename(folder)
    if json:
        digest = None if encoder is None else encoder.digest
        facts = {"model": wanted.name, "version": wanted.version, "license": wanted.license, "folder": str(folder)}
        print_json({**facts, "verified": all(checked), "digest": digest})
        return
    out.print(safe(f"{folder}: {wanted.version or wanted.name}, license: {wanted.license}"), soft_wrap=True)
    if encoder is None:
        out.print(safe("To use it, install what runs it: pip install 'salticid[semantic]'"), soft_wrap=True)

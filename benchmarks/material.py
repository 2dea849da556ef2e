"""The page collections benchmarks run on: the shared ones where they are, else the generated web."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

from tests.support.generated_site import GeneratedWeb

from benchmarks.report import say
from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder
from salticid.worlds.topics import TopicPlan, make_topics

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "bench"
SITE = "http://schools-wikipedia.org/"


def schools() -> Path:
    """A folder of HTML to be served at SITE: schools-wikipedia, or as many generated pages, which is said."""
    archive = _archive()
    if not archive.exists():
        say(f"  {archive} is absent: measured on generated pages instead, figures do not compare")
        return generated()
    return _made("schools", _unpack)


def generated() -> Path:
    """A folder of generated HTML."""
    return _made("generated", _generate)


def collections() -> dict[str, Path]:
    """All folders of HTML at hand, by name: real pages first."""
    real = {"schools-wikipedia": schools()} if _archive().exists() else {}
    return real | {"generated": generated()}


def _archive() -> Path:
    shared = Path(os.environ.get("SALTICID_SHARED") or ROOT.parent / "shared")
    return shared / "data" / "schools-wikipedia.tar.xz"


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that is made once, whole or not at all."""
    folder = CACHE / name
    if not folder.exists():
        partial = folder.with_name(f".{folder.name}.partial")
        partial.mkdir(parents=True, exist_ok=True)
        make(partial)
        partial.rename(folder)
    return folder


def world() -> Path:
    """The world of `schools`, built once per version of the program's world format."""
    folder = CACHE / f"world-{schools().name}"
    if not folder.exists():
        labels = Path(os.environ.get("SALTICID_SHARED") or ROOT.parent / "shared") / "data"
        tsv = labels / "schools-wikipedia.labels.tsv"
        build(folder, HtmlFolder(schools(), SITE), tsv if tsv.exists() else None)
    return folder


def topics(task: str) -> list[Path]:
    """The topic files of `world` for a task; none without labels."""
    folder = CACHE / f"topics-{task}"
    plan = TopicPlan(task="neighbours" if task == "neighbours" else "examples")
    return make_topics(world(), folder, plan).files


def _unpack(folder: Path) -> None:
    with tarfile.open(_archive()) as tar:
        tar.extractall(folder)  # noqa: S202 - our own archive


def _generate(folder: Path) -> None:
    for number, page in enumerate(GeneratedWeb(pages=5000)):
        (folder / f"{number}.html").write_bytes(page.html)

"""The page collections benchmarks run on: the shared ones where they are, else the generated web."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from benchmarks.report import say
from salticid.testing.site import GeneratedWeb
from salticid.worlds.build import build
from salticid.worlds.html_folder import HtmlFolder
from salticid.worlds.topics import TopicPlan, make_topics

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "bench"
SITE = "http://schools-wikipedia.org/"


def schools() -> Path:
    """A folder of HTML to be served at SITE: schools-wikipedia, or as many generated pages, which is said."""
    shared = Path(os.environ.get("SALTICID_SHARED") or ROOT.parent / "shared")
    archive = shared / "data" / "schools-wikipedia.tar.xz"
    folder = CACHE / ("schools" if archive.exists() else "generated")
    if not folder.exists():
        partial = folder.with_name(f".{folder.name}.partial")
        partial.mkdir(parents=True, exist_ok=True)
        if archive.exists():
            with tarfile.open(archive) as tar:
                tar.extractall(partial)  # noqa: S202 - our own archive
        else:
            _generate(partial)
        partial.rename(folder)
    if not archive.exists():
        say(f"  {archive} is absent: measured on generated pages instead, figures do not compare")
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


def _generate(folder: Path) -> None:
    for number, page in enumerate(GeneratedWeb(pages=5000)):
        (folder / f"{number}.html").write_bytes(page.html)

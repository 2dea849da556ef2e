"""Builds what is released, and tries it as those who install it will: all that is told here was done.

python -m tools.release [TAG]

What is built lies in `dist` when nothing is wrong with it.
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from tools.container import check_container
from tools.environments import Environment, pythons
from tools.smoke import try_extras, try_plain

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 15 << 20
ENOUGH = ["pytest", "hypothesis"]
"""What the contract's tests need besides the program."""
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


class NotReleasable(Exception):
    """Something is wrong with it; the sentence says what."""


def main(tag: str = "") -> None:
    """Build, check, and try with every Python that is here; NotReleasable at the first thing that is wrong."""
    began = time.monotonic()
    version = _VERSION.findall((ROOT / "src/salticid/version.py").read_text())[0]
    with tempfile.TemporaryDirectory(prefix="salticid-release-") as name:
        folder = Path(name)
        with _step(f"version {version}"):
            check_changelog((ROOT / "CHANGELOG.md").read_text(), version, tag)
        with _step("built twice, and once from the source distribution: the same bytes"):
            sdist, wheel = build(folder)
        with _step(f"contents: {_sized(sdist)}, {_sized(wheel)}"):
            check_contents(sdist, wheel, tracked())
        with _step("twine check"):
            tools = Environment(folder / "tools", Path(sys.executable))
            tools.install("twine")
            tools.run("python", "-m", "twine", "check", "--strict", sdist, wheel)
        with _step("container file") as told:
            told(check_container(ROOT, tools))
        found = pythons()
        for number in (number for number, python in found.items() if python is None):
            _say(f"Python {number}: not on this machine, not tried")
        with ThreadPoolExecutor(os.cpu_count()) as side_by_side:
            tries = [
                side_by_side.submit(way, number, python, wheel, folder)
                for way in (_try_all_extras, _try_without)
                for number, python in found.items()
                if python is not None
            ]
            try:
                for each in as_completed(tries):
                    each.result()
            finally:
                side_by_side.shutdown(cancel_futures=True)
        dist = ROOT / "dist"
        shutil.rmtree(dist, ignore_errors=True)
        dist.mkdir()
        for file in (sdist, wheel):
            shutil.copy2(file, dist)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = f"{time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} of processor time"
    _say(f"in dist after {spent}: {sdist.name}, {wheel.name}")


def check_changelog(text: str, version: str, tag: str = "") -> None:
    """The newest section is `[Unreleased]`, or that of the version, with its day; for a tag it is the latter."""
    newest = re.findall(r"^## (.+)$", text, re.MULTILINE)[0]
    is_dated = re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", newest) is not None
    if tag and tag != f"v{version}":
        raise NotReleasable(f"the tag is {tag}, and the version of src/salticid/version.py is {version}")
    if not is_dated and (tag or newest != "[Unreleased]"):
        raise NotReleasable(f"CHANGELOG.md begins with '{newest}'; it should be '[{version}] - YYYY-MM-DD'")


def tracked() -> list[str]:
    """The files that belong to the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name]


def build(folder: Path) -> tuple[Path, Path]:
    """The source distribution and the wheel, each built twice, in folders of different names, with the same bytes."""
    moment = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True)
    os.environ["SOURCE_DATE_EPOCH"] = moment.stdout.strip()
    pairs = []
    for name in ("first", "another-name"):
        source = folder / name
        for file in tracked():
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, source / file)
        pairs.append(_built(source))
    (sdist, wheel), others = pairs
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    for one, other in [(sdist, others[0]), (wheel, others[1]), (wheel, _built(unpacked)[1])]:
        if (one.name, _digest(one)) != (other.name, _digest(other)):
            raise NotReleasable(f"{one.name} was built again as {other.name}, and differs")
    return sdist, wheel


def _built(source: Path) -> tuple[Path, Path]:
    command = [sys.executable, "-m", "hatchling", "build", "-d", "dist"]
    subprocess.run(command, cwd=source, check=True, capture_output=True, text=True)
    (sdist,), (wheel,) = (source / "dist").glob("*.tar.gz"), (source / "dist").glob("*.whl")
    return sdist, wheel


def check_contents(sdist: Path, wheel: Path, files: list[str]) -> None:
    """Both are small; the one holds what is tracked, the other our modules with their library, and no more."""
    for file in (sdist, wheel):
        if file.stat().st_size > MOST_BYTES:
            raise NotReleasable(f"{file.name} has {file.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
    _same("the source distribution", in_sdist, set(files))
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name for name in archive.namelist() if ".dist-info/" not in name}
    ours = {name.removeprefix("src/") for name in files if name.startswith("src/")}
    library = (
        set() if wheel.stem.endswith("none-any") else {"salticid/native/kernels.bin", "salticid/native/kernels.abi"}
    )
    _same("the wheel", in_wheel, ours | library)


def _same(what: str, found: set[str], wanted: set[str]) -> None:
    if found != wanted:
        raise NotReleasable(f"{what} lacks {sorted(wanted - found)[:9]} and has also {sorted(found - wanted)[:9]}")


def _try_without(number: str, python: Path, wheel: Path, folder: Path) -> None:
    with _step(f"Python {number}, without extras") as told:
        plain = Environment(folder / f"plain-{number}", python)
        plain.install(str(wheel))
        told(try_plain(plain, folder / f"plain-work-{number}"))


def _try_all_extras(number: str, python: Path, wheel: Path, folder: Path) -> None:
    with _step(f"Python {number}, with all extras"):
        full = Environment(folder / f"full-{number}", python)
        full.install(f"{wheel}[all]")
        try_extras(full, folder / f"full-work-{number}")
    with _step(f"Python {number}, the contract's tests against what is installed"):
        full.install(*ENOUGH)
        tests = folder / f"contract-{number}"
        shutil.copytree(ROOT / "tests", tests / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        (tests / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\npythonpath = .\n")
        full.run("python", "-m", "pytest", "-q", "tests/core/test_contract.py", cwd=tests)


@contextmanager
def _step(what: str) -> Iterator[Callable[[str], None]]:
    began = time.monotonic()
    lines: list[str] = []
    yield lines.append
    _say("; ".join([f"{what} ({time.monotonic() - began:.0f} s)", *lines]))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _sized(file: Path) -> str:
    return f"{file.name} {file.stat().st_size / 1e6:.1f} MB"


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except NotReleasable as error:
        sys.exit(f"not releasable: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"not releasable: {' '.join(map(str, error.cmd))}\n{error.stdout or ''}{error.stderr or ''}")

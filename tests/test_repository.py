"""What the repository promises about itself: its commands exist, and it names no machine."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DEFINED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
COMMAND = re.compile(r"^\s*(?:\$ )?make ([a-z-]+)\s*(?:#.*)?$|`make ([a-z-]+)`", re.MULTILINE)
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|opt)/|/tmp/(?:lab)\b")
REGISTRY = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs\.org)\b")


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


def _files() -> list[Path]:
    """Tracked files, and those about to be."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode:
        pytest.skip(f"not a git checkout: {listing.stderr.strip()}")
    return [ROOT / name for name in listing.stdout.split("\0") if (ROOT / name).is_file()]


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_every_make_target_a_document_names_exists(document: str) -> None:
    named = {first or second for first, second in COMMAND.findall((ROOT / document).read_text())}
    assert named, f"{document} names no make target"
    assert named <= _targets()


def test_each_row_of_the_trust_table_has_a_test() -> None:
    rows = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("| ")][1:]
    tests = {
        name for file in (ROOT / "tests").rglob("test_*.py") for name in DEFINED.findall(file.read_text())
    }
    named = [re.findall(r"`(test_\w+)` \|$", row) for row in rows]
    assert len(rows) > 10
    assert [row for row, found in zip(rows, named, strict=True) if not {*found} & tests] == []


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY], ids=["path of a machine", "registry host"])
def test_no_file_names_a_machine(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in _files()
        for match in pattern.finditer(path.read_text(errors="replace"))
    ]
    assert not found


def test_nothing_that_was_built_or_packed_is_part_of_it() -> None:
    packed = (".whl", ".egg", ".gz", ".xz", ".zip", ".so", ".pyc")
    assert [str(path.relative_to(ROOT)) for path in _files() if path.suffix in packed] == []

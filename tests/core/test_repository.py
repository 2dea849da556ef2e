"""What the repository promises about itself: its commands exist, and it names no machine."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEFINED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
COMMAND = re.compile(r"^\s*(?:\$ )?make ([a-z-]+)\s*(?:#.*)?$|`make ([a-z-]+)`", re.MULTILINE)
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|opt)/|/tmp/(?:lab)\b")
REGISTRY = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs\.org)\b")


FOREIGN = {"connector._factory"}
"""Attributes of other libraries, which their constructors do not take."""


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
    tests = {name for file in (ROOT / "tests").rglob("test_*.py") for name in DEFINED.findall(file.read_text())}
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


def _set_from_outside(code: str) -> Iterator[str]:
    """Attributes that code sets on other objects than `self`, unless a class of the same file declares them."""
    tree = ast.parse(code)
    own = {
        field.target.id
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for field in kind.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr not in own:
            text = ast.unparse(node)
            if text != f"self.{node.attr}" and text not in FOREIGN:
                yield text


def test_nothing_is_set_on_an_object_that_others_made() -> None:
    assert [*_set_from_outside("self.a = b.c = 1; b.d += 1")] == ["b.c", "b.d"]
    rooms = [ROOT / "src" / "salticid" / room for room in ("runs", "drivers", "webs")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    assert len(files) > 40
    assert {
        f"{file.relative_to(ROOT)}: {what}" for file in files for what in _set_from_outside(file.read_text())
    } == set()

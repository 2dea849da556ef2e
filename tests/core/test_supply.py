"""What others made and we build on: pinned, held to its hashes, under licences that fit, and named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.conftest import ROOT
from tools.licences import allowed, installed, licence
from tools.sbom import EXTRAS, bill

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
DEVELOPING = EXTRAS | {"dev"}
"""The extras that `make setup` installs."""


def pins() -> list[Requirement]:
    """Every package of the lock, with its version and where it is for."""
    return [Requirement(line.rstrip("\\ ")) for line in LOCK.splitlines() if line[0] not in " #"]


def asked() -> Iterator[Requirement]:
    """What pyproject.toml asks for, with what builds us."""
    project = PROJECT["project"]
    lists = [project["dependencies"], PROJECT["build-system"]["requires"]]
    lists += [project["optional-dependencies"][extra] for extra in sorted(DEVELOPING)]
    yield from (Requirement(line) for lines in lists for line in lines)


def test_the_lock_pins_every_package_and_every_file_of_it() -> None:
    entries = re.split(r"\n(?! )", LOCK.strip())
    assert len(entries) == len(pins()) > 100
    shape = re.compile(r"[a-z0-9.-]+==[^ ]+( ; [^\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+")
    assert [entry.splitlines()[0] for entry in entries if not shape.fullmatch(entry)] == []


def test_the_lock_names_no_address() -> None:
    assert not re.search(r"://|^ *-(?!-hash)", LOCK, re.MULTILINE)


def test_the_lock_is_in_step_with_what_we_ask_for() -> None:
    for need in asked():
        found = [pin for pin in pins() if canonicalize_name(pin.name) == canonicalize_name(need.name)]
        assert found, f"{need} is not in requirements.lock: make lock"
        for pin in found:
            (pinned,) = pin.specifier
            assert need.specifier.contains(pinned.version), f"{pin} does not fit {need}: make lock"


def test_what_is_tested_is_what_is_locked() -> None:
    locked = {pin.name: str(pin.specifier) for pin in pins() if pin.marker is None or pin.marker.evaluate()}
    here = installed("salticid", frozenset(DEVELOPING))
    del here["salticid"]
    assert {name: f"=={version(name)}" for name in here} == {name: locked.get(name) for name in here}


def test_actions_and_base_images_are_pinned_by_hash_and_kept_up_to_date() -> None:
    folder = ROOT / ".github"
    workflows = "".join(file.read_text() for file in sorted((folder / "workflows").iterdir()))
    actions = re.findall(r"uses: (.+)", workflows)
    assert len(actions) > 4
    assert [each for each in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each)] == []
    images = re.findall(r"^FROM (\S+)", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    assert images
    assert [each for each in images if not re.search(r"@sha256:[0-9a-f]{64}$", each)] == []
    kinds = re.findall(r"package-ecosystem: ([\w-]+)", (folder / "dependabot.yml").read_text())
    assert kinds == ["github-actions", "docker", "pip"]
    said = [line.rpartition(":: ")[2] for line in PROJECT["project"]["classifiers"] if " 3." in line]
    assert re.findall(r'"(3\.\d+)"', workflows) == said


def test_every_licence_is_allowed() -> None:
    parts = installed("salticid", EXTRAS)
    refused = {name: licence(part.package) for name, part in parts.items() if name != "salticid"}
    assert {name: words for name, words in refused.items() if not allowed(words)} == {}
    assert {"numpy", "aiodns", "ray", "uvicorn", "llvmlite"} <= parts.keys(), "with what they need"


def test_the_bill_of_materials_names_every_part_with_its_licence_and_its_needs() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "tools.sbom"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said = json.loads(printed.stdout)
    assert said == bill(), "the same packages, the same bill"
    names = {part["name"] for part in said["components"]}
    assert names == installed("salticid", EXTRAS).keys() - {"salticid"}
    refs = {part["bom-ref"] for part in said["components"]} | {said["metadata"]["component"]["bom-ref"]}
    assert {need["ref"] for need in said["dependencies"]} == refs
    assert {ref for need in said["dependencies"] for ref in need["dependsOn"]} <= refs
    assert all(part["licenses"] for part in said["components"])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and a source archive."""
    folder: Path = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, timeout=120)
    return folder


def test_the_notice_goes_wherever_we_go(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in wheel.namelist() if ".dist-info/" in name}
    with tarfile.open(next(built.glob("*.tar.gz"))) as source:
        top = {Path(name).name for name in source.getnames() if Path(name).parent.parent == Path()}
    assert {"LICENSE", "NOTICE", "SECURITY.md", "requirements.lock", "Makefile"} <= top


@pytest.mark.parametrize("package", ["stopwordsiso", "publicsuffixlist"])
def test_the_notice_names_whose_data_has_a_licence_of_its_own(package: str) -> None:
    assert re.search(rf"^{package}\b", (ROOT / "NOTICE").read_text(), re.MULTILINE)
    assert package in {need.name for need in asked()}, "it is needed no longer"

"""What a release consists of, as far as that can be said without building it; `make release` does the rest."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatch_build import platform_of
from tests.conftest import ROOT
from tools import release, smoke
from tools.environments import SUPPORTED, pythons

from salticid.cli import COMMANDS
from salticid.version import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OF_DEVELOPERS = {"all", "bench", "compiler", "dev", "docs", "fuzz"}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONTAINER = (ROOT / "Containerfile").read_text()


def test_the_version_is_in_one_place() -> None:
    assert "version" not in PROJECT
    assert PROJECT["dynamic"] == ["version"]
    told = re.findall(rf"\b{re.escape(__version__)}\b", (ROOT / "CITATION.cff").read_text())
    assert told == []


def test_all_extras_are_those_that_people_may_use() -> None:
    (own,) = EXTRAS["all"]
    named = re.fullmatch(r"salticid\[([a-z,]+)\]", own)
    assert named is not None
    assert set(named[1].split(",")) == EXTRAS.keys() - OF_DEVELOPERS
    assert {"lab", "ui", "export", "ray", "mcp", "scrapy", "pdf", "browser", "semantic"} <= EXTRAS.keys()


@pytest.mark.parametrize(
    ("text", "tag", "refused"),
    [
        ("## [Unreleased]\n", "", None),
        ("## [1.2.0] - 2026-11-16\n\n## [1.1.0] - 2026-01-01\n", "v1.2.0", None),
        ("## [Unreleased]\n", "v1.2.0", "begins with"),
        ("## [1.1.0] - 2026-01-01\n", "", "begins with"),
        ("## [1.2.0] - 2026-11-16\n", "v1.3.0", "the tag is v1.3.0"),
    ],
)
def test_a_tag_needs_its_section_in_the_changelog(text: str, tag: str, refused: str | None) -> None:
    if refused is None:
        release.check_changelog(text, "1.2.0", tag)
    else:
        with pytest.raises(release.NotReleasable, match=refused):
            release.check_changelog(text, "1.2.0", tag)


def test_the_changelog_has_the_usual_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    release.check_changelog(text, __version__)
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert all(re.fullmatch(r"\[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d\d-\d\d)?", line) for line in sections)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= kinds


def test_whom_to_cite_is_told_with_the_five_papers() -> None:
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert told["authors"] == [{"name": "The Salticid developers"}]
    assert " AND ".join(told["license"]) == PROJECT["license"]
    first = [(paper["authors"][0]["family-names"], paper["year"]) for paper in told["references"]]
    assert first == [
        ("Menczer", 2001),
        ("Passerini", 2001),
        ("Menczer", 2003),
        ("Pant", 2002),
        ("Johnson", 2003),
    ]
    assert "@" not in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_needs_no_secret_and_may_do_no_more_than_it_must(path: Path) -> None:
    told = yaml.safe_load(path.read_text())
    assert told["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text()
    for job in told["jobs"].values():
        assert job.get("permissions", {}) in ({}, {"id-token": "write"})
        for step in job["steps"]:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", f"a/b@{'0' * 40}")), "a tag can be moved"
            assert re.findall(r"make ([a-z]+)", step.get("run", ""))[:1] in ([], ["test"], ["release"])


def test_the_workflows_test_what_is_supported_and_publish_what_was_tried() -> None:
    jobs: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text())["jobs"] for path in WORKFLOWS}
    tested = jobs["test"]["test"]["strategy"]["matrix"]["python"]
    classified = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert tested == classified == [version for version in SUPPORTED if version in tested]
    assert PROJECT["requires-python"] == f">={tested[0]}"
    publish = jobs["release"]["publish"]
    assert (publish["needs"], publish["permissions"]) == ("build", {"id-token": "write"})
    assert any("make release" in step.get("run", "") for step in jobs["release"]["build"]["steps"])


def test_the_container_has_no_rights_and_its_crawls_are_in_a_volume() -> None:
    lines = re.sub(r"\\\n", " ", CONTAINER).splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    bases = [rest.split()[0] for word, rest in steps if word == "FROM"]
    assert all(re.search(r":\d+(\.\d+)+-[a-z-]+@sha256:[0-9a-f]{64}$", base) for base in bases), "no tag moves"
    assert len(set(bases)) == 1
    installs = [rest for _, rest in steps if "pip install" in rest]
    assert len(installs) == 1
    assert "--require-hashes" in installs[0], "nothing is installed that the lock does not name"
    assert "--no-index --find-links /wheels" in installs[0]
    last = steps[max(at for at, (word, _) in enumerate(steps) if word == "FROM") :]
    told = {word: rest for word, rest in last if word != "RUN"}
    user = told["USER"].partition(":")[0]
    assert user.isdecimal()
    assert int(user) > 0
    assert told["VOLUME"] == told["WORKDIR"] == "/crawls"
    assert told["ENTRYPOINT"] == '["salticid"]'
    assert "HOME=/tmp" in told["ENV"], "nothing is written outside /tmp and the volume"
    assert not any(word == "ADD" for word, _ in steps)
    assert all("--no-cache-dir" in rest for _, rest in steps if "pip install" in rest)


def test_what_the_smoke_test_does_are_commands() -> None:
    tried = {**smoke.PLAIN, **smoke.LIVE, **smoke.WITH_EXTRAS}
    assert COMMANDS.keys() >= smoke.TRIED
    assert all(line.startswith(f"{command} ") or line == command for command, line in tried.items())


def test_this_python_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    version = "{}.{}".format(*sys.version_info)
    (tmp_path / f"python{version}").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pythons()[version] == tmp_path / f"python{version}"


def test_a_wheel_is_for_the_machines_its_library_runs_on(tmp_path: Path) -> None:
    library = tmp_path / "kernels.bin"
    tags = {b"GLIBC_2.2.5\0GLIBC_2.14\0": "manylinux_2_17_", b"GLIBC_2.2.5\0GLIBC_2.34": "manylinux_2_34_"}
    for data, tag in tags.items():
        library.write_bytes(data)
        assert platform_of(library).startswith(tag) == sys.platform.startswith("linux")
    library.write_bytes(b"no library for glibc")
    assert "manylinux" not in platform_of(library)


def test_what_is_not_tracked_is_not_released(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("src/salticid/__init__.py", "src/salticid/version.py", "LICENSE", "NOTICE", "README.md"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    text = (ROOT / "pyproject.toml").read_text()
    (source / "pyproject.toml").write_text(
        text.replace('[tool.hatch.build.targets.wheel.hooks.custom]\npath = "hatch_build.py"\n', "")
    )
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", "."], cwd=source, check=True, capture_output=True)
    (sdist,), (wheel,) = source.glob("*.tar.gz"), source.glob("*.whl")
    files = [
        "src/salticid/__init__.py",
        "src/salticid/version.py",
        "LICENSE",
        "NOTICE",
        "README.md",
        "pyproject.toml",
    ]
    release.check_contents(sdist, wheel, files)
    with pytest.raises(release.NotReleasable, match=r"has also \['NOTICE'\]"):
        release.check_contents(sdist, wheel, [name for name in files if name != "NOTICE"])
    with pytest.raises(release.NotReleasable, match=r"the source distribution lacks \['src/salticid/new.py'\]"):
        release.check_contents(sdist, wheel, [*files, "src/salticid/new.py"])

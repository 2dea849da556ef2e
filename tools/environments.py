"""Clean environments to install into, one for each Python that is on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
"""The Pythons that a release is tried with, where they are; the first is the oldest that it works with."""
_PATIENCE = 3600.0
"""Seconds that a program may take on a machine however busy."""
_ASK = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


class Environment:
    """A virtual environment with nothing in it but what is installed into it."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.bin = folder / "bin"
        subprocess.run([python, "-m", "venv", folder], check=True, capture_output=True)

    def install(self, *requirements: str) -> None:
        """Install with uv, which is many times faster, or with pip, which may reach an index that uv does not."""
        uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(self.bin / "python")]
        if subprocess.run([*uv, *requirements], check=False, capture_output=True).returncode:
            self.run("python", "-m", "pip", "install", "--quiet", *requirements)

    def run(self, program: str, *words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run one of its programs, and nothing of ours is seen by it; CalledProcessError if that fails."""
        done = self.start(program, *words, cwd=cwd)
        try:
            out, err = done.communicate(timeout=_PATIENCE)
        except BaseException:
            done.kill()
            raise
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, [program, *words], out, err)
        return subprocess.CompletedProcess([program, *words], 0, out, err)

    def start(self, program: str, *words: str | Path, cwd: Path | None = None) -> subprocess.Popen[str]:
        """The same, and do not wait for its end."""
        here = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        command, pipe = [str(self.bin / program), *map(str, words)], subprocess.PIPE
        return subprocess.Popen(command, cwd=cwd, env=here, text=True, stdout=pipe, stderr=pipe)


def pythons() -> dict[str, Path | None]:
    """By version the interpreters of this machine that can make environments; None where there is none."""
    return {
        version: next((python for python in _places(version) if _is(python, version)), None) for version in SUPPORTED
    }


def _places(version: str) -> list[Path]:
    """Where an interpreter may be: on the path, or where pyenv and uv keep theirs."""
    homes = [
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions",
        Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local/share/uv/python")),
    ]
    on_path = shutil.which(f"python{version}")
    kept = [path for home in homes for path in sorted(home.glob(f"*{version}.*/bin/python{version}"))]
    return [*([Path(on_path)] if on_path else []), *kept]


def _is(python: Path, version: str) -> bool:
    """Whether it runs, for what stands for a Python may only say that it is not there."""
    asked = subprocess.run([python, "-c", _ASK], check=False, capture_output=True, text=True)
    return asked.stdout.strip() == version

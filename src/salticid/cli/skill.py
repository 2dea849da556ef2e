"""`salticid skill`: the skill file."""

from __future__ import annotations

from importlib.resources import files


def skill() -> None:
    """Print the skill file, which teaches an agent this command line.

    Example: salticid skill > skills/salticid/SKILL.md
    """
    print(files("salticid.agents").joinpath("skill.md").read_text(encoding="utf-8"), end="")

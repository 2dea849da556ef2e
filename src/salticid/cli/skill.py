"""`salticid skill`: the skill file."""

from __future__ import annotations

from pathlib import Path

import salticid

FILE = Path(salticid.__file__).parent / "agents" / "skill.md"


def skill() -> None:
    """Print the skill file, which teaches an agent this command line.

    Example: salticid skill > skills/salticid/SKILL.md
    """
    print(FILE.read_text(encoding="utf-8"), end="")

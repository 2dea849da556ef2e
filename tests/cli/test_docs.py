"""Docs that lie fail here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.running import salticid

from salticid.cli import COMMANDS
from salticid.formats import formats
from salticid.judges import judges
from salticid.metrics import metrics
from salticid.strategies import LeagueShare, league_shares, strategies

ROOT = Path(__file__).resolve().parents[2]


def page_of(command: str) -> str:
    return (ROOT / "docs" / "commands" / f"{command.replace(' ', '-')}.md").read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_page_names_all_options_and_no_others(command: str) -> None:
    told = set(re.findall(r"--[a-z][a-z-]+", salticid(*command.split(), "--help").out)) - {"--help"}
    own = re.sub(rf"salticid (?!{command}\b)(?:world )?[a-z]+ [^`\n]*", "", page_of(command))
    documented = set(re.findall(r"--[a-z][a-z-]+", own))
    assert told - documented == set(), "in the program, not in its page"
    assert documented - told == set(), "in its page, not in the program"


def test_every_command_has_a_page_and_every_page_a_command() -> None:
    first = "|".join(command for command in COMMANDS if " " not in command)
    listed = set(re.findall(rf"^\W*({first})\b", salticid("--help").out, re.MULTILINE))
    for group in sorted({command.split()[0] for command in COMMANDS if " " in command}):
        listed |= {
            f"{group} {name}" for name in re.findall(r"^\W*(\w+)  ", salticid(group, "--help").out, re.MULTILINE)
        }
    pages = {path.stem.replace("-", " ") for path in (ROOT / "docs" / "commands").glob("*.md")}
    assert pages == set(COMMANDS)
    assert set(COMMANDS) <= listed


def test_every_strategy_and_every_judge_is_in_the_docs() -> None:
    parts = page_of("strategies").split("## Judges")
    told = [set(re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)) for part in parts]
    assert told == [set(strategies.names()), set(judges.names())]


def test_the_shares_that_the_page_shows_are_those_in_the_docs() -> None:
    table = (ROOT / "docs" / "hunter.md").read_text().partition("that the prior never saw:")[2]
    rows = re.findall(r"^\| `(\w+)[^`]*` \| ([\d.]+) \|[^|]*\| ([\d.]+) \|", table, re.MULTILINE)
    assert {name: LeagueShare(float(near), float(far)) for name, near, far in rows} == league_shares()


def test_every_format_is_in_the_docs_with_the_extra_it_needs() -> None:
    told = page_of("export").split("## Formats")[1].split("## Notes")[0]
    paragraphs = {name: part for part in told.split("\n\n") for name in re.findall(r"\*\*(\w+)\*\*", part)}
    assert set(paragraphs) == set(formats.names())
    lacking = {name: formats.find(name).extra for name in paragraphs if formats.find(name).extra}
    assert all(f"salticid[{extra}]" in paragraphs[name] for name, extra in lacking.items())


def test_every_measure_is_in_the_docs() -> None:
    table = page_of("compare").split("## Measures")[1]
    rows = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(metrics.names())


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")), ids=str)
def test_links_between_docs_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_architecture_names_every_room() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text()
    source = ROOT / "src" / "salticid"
    rooms = [room for room in source.iterdir() if room.suffix == ".py" or (room / "__init__.py").exists()]
    missing = [room.name for room in rooms if not room.name.startswith("__") and f"`{room.name}" not in told]
    assert not missing


def test_the_readme_lists_every_command() -> None:
    told = (ROOT / "README.md").read_text()
    listed = set(re.findall(r"^\| \[`salticid ([a-z ]+)`\]", told, re.MULTILINE))
    assert listed == set(COMMANDS)

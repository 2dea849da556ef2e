"""The skill file teaches what the program does, and nothing else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import yaml
from tests.support.generated_site import GeneratedSource
from tests.support.running import salticid

from salticid.cli import COMMANDS
from salticid.model import StopReason
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def skill() -> str:
    said = salticid("skill")
    assert (said.status, said.err) == (0, "")
    return said.out


def options_of(command: str) -> set[str]:
    return set(OPTION.findall(salticid(*command.split(), "--help").out))


def command_of(words: list[str]) -> str:
    """The longest command that a line begins with."""
    names = [name for name in COMMANDS if name.split() == words[1 : 1 + len(name.split())]]
    assert names, f"no such command: {shlex.join(words)}"
    return max(names, key=len)


def test_it_says_what_it_is_for_and_is_short() -> None:
    text = skill()
    head = yaml.safe_load(text.split("---\n")[1])
    assert set(head) == {"name", "description"}
    assert re.fullmatch(r"[a-z0-9-]{1,64}", head["name"])
    assert 0 < len(head["description"]) <= 1024
    assert len(text.splitlines()) < 200
    assert max(map(len, text.partition("# Hunting")[2].splitlines())) < 160


def test_every_command_and_option_in_it_is_real() -> None:
    text = skill()
    lines = re.findall(r"^ {4,}(salticid .+)$|`(salticid [^`]+)`", text, re.MULTILINE)
    commands = [shlex.split(one or other) for one, other in lines]
    assert len(commands) > 15
    used: dict[str, set[str]] = {}
    for words in commands:
        mine = words[: words.index("|")] if "|" in words else words
        used.setdefault(command_of(mine), set()).update(word for word in mine if word.startswith("--"))
    for command, options in used.items():
        assert options <= options_of(command), command
    elsewhere = set(OPTION.findall(text)) - {option for options in used.values() for option in options}
    assert elsewhere <= options_of("crawl") | {"--help"}, "in a sentence an option is one of crawl"
    reasons = re.findall(r"^ +- `([a-z ]+)`:", text, re.MULTILINE)
    assert set(reasons) <= {reason.value for reason in StopReason}


def test_its_python_runs(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(60, seed=3))
    web = RecordedWeb(tmp_path / "world")
    block = skill().partition("## From Python\n")[2].partition("\n## ")[0]
    code = "\n".join(line.strip() for line in block.splitlines())
    for written, here in (
        ('"live"', repr(str(tmp_path / "world"))),
        ("https://example.org/spiders", web.urls[web.page(0).url]),
        ("crawls/courtship", str(tmp_path / "crawl")),
    ):
        assert written in code
        code = code.replace(written, here)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["hunt"].pages > 0
    assert len(names["best"]) == 10

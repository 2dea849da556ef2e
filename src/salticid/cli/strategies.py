"""`salticid strategies`: the ways to crawl."""

from __future__ import annotations

import inspect
import re
from typing import Annotated, Any

import typer

from salticid.cli.console import out, print_json
from salticid.registry import paper_of
from salticid.strategies import strategies


def list_strategies(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Tell about this one only.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Tell what strategies there are, where they come from and what can be set.

    Example: salticid strategies best_n_first
    """
    if name is not None:
        strategies.find(name)
    for each in [name] if name else strategies.names():
        facts = _facts(each)
        if json:
            print_json(facts)
            continue
        out.print(f"[bold]{each}[/bold]  {facts['summary']}", highlight=False, soft_wrap=True)
        if name:
            out.print(f"\n{facts['text']}\n", highlight=False, markup=False)
        if facts["paper"]:
            out.print(f"    Paper: {facts['paper']}", highlight=False, markup=False, soft_wrap=True)
        for setting in facts["settings"]:
            out.print(
                f"    {setting['name']} = {setting['default']}  ({setting['allowed']})",
                highlight=False,
                markup=False,
            )


def _facts(name: str) -> dict[str, Any]:
    strategy = strategies.find(name)
    text = inspect.cleandoc(strategy.__doc__ or "")
    prose = re.sub(r"(?m)^(>>>|\.\.\.).*\n(?:(?!$|>>>).*\n?)*", "", text).partition("\nPaper:")[0].strip()
    return {
        "name": name,
        "summary": text.partition("\n")[0],
        "text": prose,
        "paper": paper_of(strategy) or None,
        "settings": [
            {"name": setting.name, "default": setting.default, "allowed": setting.allowed}
            for setting in strategies.settings(name)
        ],
    }

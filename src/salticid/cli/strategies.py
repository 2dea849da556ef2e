"""`salticid strategies`: the ways to crawl, and the judges of pages."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from salticid.cli.console import out, print_json

if TYPE_CHECKING:
    from salticid.registry import Registry


def list_strategies(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Tell about this strategy or judge only.")] = None,
    only_judges: Annotated[bool, typer.Option("--judges", help="The judges only.")] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object per line, a strategy each; with --judges, a judge."),
    ] = False,
) -> None:
    """Tell what strategies and judges there are, where they come from and what can be set.

    Example: salticid strategies best_n_first
    """
    from salticid.judges import judges  # here, as what follows: it takes its time to import
    from salticid.strategies import strategies

    if name is not None:
        is_judge = only_judges or (name not in strategies.names() and name in judges.names())
        _tell(judges if is_judge else strategies, [name], json, in_full=True)
        return
    if not only_judges:
        _tell(strategies, strategies.names(), json)
    if only_judges or not json:
        if not json:
            out.print("\nJudges, which score pages while a crawl runs (--judge):\n", highlight=False)
        _tell(judges, judges.names(), json)


def _tell(registry: Registry[Any], names: list[str], json: bool, in_full: bool = False) -> None:
    for name in names:
        facts = _facts(registry, name)
        if json:
            print_json(facts)
            continue
        _say(Text.assemble((name, "bold"), f"  {facts['summary']}"))
        for paragraph in facts["text"].split("\n\n")[1:] if in_full else ():
            _say(Text(f"\n{paragraph}"))
        if facts["paper"]:
            _say(Text(f"Paper: {facts['paper']}"), 4)
        for setting in facts["settings"]:
            _say(Text(f"{setting['name']} = {setting['default']}  ({setting['allowed']})"), 4)


def _say(text: Text, indent: int = 0) -> None:
    """A paragraph, wrapped to the terminal; on one line where the output goes elsewhere."""
    if out.is_terminal:
        out.print(Padding(text, (0, 0, 0, indent)), highlight=False)
    else:
        out.print(Text(" " * indent) + text, highlight=False, soft_wrap=True)


def _facts(registry: Registry[Any], name: str) -> dict[str, Any]:
    from salticid.registry import paper_of, settings_in

    kind = registry.find_code(name) if ":" in name else registry.find(name)
    text = inspect.cleandoc(kind.__doc__ or "")
    prose = re.sub(r"(?m)^(>>>|\.\.\.).*\n(?:(?!$|>>>).*\n?)*", "", text).partition("\nPaper:")[0].strip()
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n{2,}", prose)]
    return {
        "name": name,
        "summary": paragraphs[0],
        "text": "\n\n".join(paragraphs),
        "paper": paper_of(kind) or None,
        "settings": [
            {"name": setting.name, "default": setting.default, "allowed": setting.allowed}
            for setting in settings_in(kind)
        ],
    }

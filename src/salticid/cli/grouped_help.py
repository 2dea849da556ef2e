"""Help in which the options of a command stand in titled groups."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class GroupedCommand(TyperCommand):
    """A command whose help shows each option under the title of its `rich_help_panel`, in the order they come."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
        groups["Options"] = groups.pop("Options", [])  # last, behind all that have a title of their own
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

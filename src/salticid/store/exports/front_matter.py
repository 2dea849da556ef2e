"""The front matter of a Markdown file: what is said about it, as YAML that no text from outside can leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from salticid.store.exports.reference import one_line

Value = str | float | bool | datetime | None | Sequence["Value"] | Mapping[str, "Value"]


def front_matter(values: Mapping[str, Value]) -> str:
    """Names and values between two rules; those that are None are left out.

    >>> front_matter({"title": 'an "eye"', "score": 0.5, "tags": ["x"], "date": None}).splitlines()
    ['---', 'title: "an \\\\"eye\\\\""', 'score: 0.5', 'tags:', '- "x"', '---']
    """
    return f"---\n{_lines(values, '')}---\n"


def _lines(values: Mapping[str, Value], indent: str) -> str:
    lines = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            lines.append(f"{indent}{name}:\n{_lines(value, indent + '  ')}")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            lines.append(
                f"{indent}{name}:\n{''.join(_item(each, indent) for each in value)}" if value else ""
            )
        elif value is not None:
            lines.append(f"{indent}{name}: {_scalar(value)}\n")
    return "".join(lines)


def _item(value: Value, indent: str) -> str:
    if isinstance(value, Mapping):
        return f"{indent}- {_lines(value, indent + '  ').lstrip()}"
    return f"{indent}- {_scalar(value)}\n"


def _scalar(value: Value) -> str:
    """A value on one line. A text is always in quotes, where nothing but a quote and a backslash has a meaning."""
    if isinstance(value, str):
        text = one_line(value).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else repr(value)

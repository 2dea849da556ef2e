"""Line charts as SVG text: no library, no script, good in light and dark and on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 360, 56, 130, 16, 44
_COLOURS = ("#2a8fbd", "#d9591c", "#5f9a17", "#8f5cf0", "#c27a0e", "#6b7a90")

_STYLE = """
.chart { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; }
.chart { color: #333; }
.chart text { fill: currentColor; }
.chart .grid { stroke: currentColor; stroke-opacity: 0.2; }
@media (prefers-color-scheme: dark) { .chart { color: #ccc; } }
.chart polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
"""


def line_chart(lines: Mapping[str, Sequence[float]], x_title: str, y_title: str) -> str:
    """Curves over 1, 2, 3, ..., named at their right end; the y axis shows shares from 0 to 100 %.

    >>> svg = line_chart({"a <b>": [0.5, 1.0]}, "pages", "share")
    >>> svg.startswith("<svg"), "a &lt;b&gt;" in svg
    (True, True)
    """
    longest = max(map(len, lines.values()), default=0) or 1
    parts = [_axes(longest, x_title, y_title)]
    labels = _spread([_y(values[-1]) if values else _y(0) for values in lines.values()])
    for number, ((name, values), at) in enumerate(zip(lines.items(), labels, strict=True)):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(f"{_x(n, longest):.1f},{_y(value):.1f}" for n, value in enumerate(values, start=1))
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        end = _x(len(values), longest) + 6
        parts.append(f'<text x="{end:.1f}" y="{at + 4:.1f}" style="fill:{colour}">{escape(name)}</text>')
    name = escape(f"{y_title} against {x_title}: {', '.join(lines)}", quote=True)
    body = "".join(parts)
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" {box} role="img" aria-label="{name}">'
    return f"{head}<style>{_STYLE}</style>{body}</svg>"


def _axes(longest: int, x_title: str, y_title: str) -> str:
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = _y(share)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for n in range(0, longest + 1, _round_step(longest)):
        x = _x(n, longest)
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{n}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(x_title)}</text>')
    turn = f"rotate(-90 14 {(_TOP + _HEIGHT - _BOTTOM) / 2})"
    y_middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    parts.append(
        f'<text x="14" y="{y_middle}" text-anchor="middle" transform="{turn}">{escape(y_title)}</text>'
    )
    return "".join(parts)


def _x(n: float, longest: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * n / longest


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share


def _round_step(longest: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that makes about five ticks."""
    step = 1
    while longest / step > 6:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step


def _spread(at: list[float], gap: float = 16) -> list[float]:
    """The same heights, moved apart until no two labels touch."""
    order = sorted(range(len(at)), key=at.__getitem__)
    heights = list(at)
    for before, after in pairwise(order):
        heights[after] = max(heights[after], heights[before] + gap)
    return heights

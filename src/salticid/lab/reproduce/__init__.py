"""Reproductions of the five papers: each finding, what came out here, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.reproduce.findings import counts, effect, paper
    from salticid.lab.reproduce.page import (
        FIGURES,
        REPORT,
        data_of,
        file_of,
        markdown,
        markdown_table,
        render,
        strip_of,
        verdict_strip,
    )
    from salticid.lab.reproduce.reproduction import MOST_TOPICS, FigureTable, Reproduction, Setup, draw
    from salticid.lab.reproduce.systems import run
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

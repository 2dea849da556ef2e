"""The report of a comparison: one HTML file that opens offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.report.page import Figure, report_templates, write_report
    from salticid.lab.report.tables import LEVEL, Cell, Findings, ReportTable, Row
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

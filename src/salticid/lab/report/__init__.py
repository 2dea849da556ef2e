"""The report of a comparison: one HTML file that opens offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.report.page import Figure, report_templates, write_report
    from salticid.lab.report.tables import LEVEL, Cell, Findings, ReportTable, Row
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = ["LEVEL", "Cell", "Figure", "Findings", "ReportTable", "Row", "report_templates", "write_report"]

"""What `make fuzz` found once stays fixed; the seeds of each target are read as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.fuzz import TARGETS, check


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_findings_are_read_or_refused(name: str) -> None:
    findings = sorted((Path(__file__).parents[1] / "fuzz_findings" / name).glob("*"))
    for data in [*TARGETS[name].seeds(), *(file.read_bytes() for file in findings)]:
        check(name, data)

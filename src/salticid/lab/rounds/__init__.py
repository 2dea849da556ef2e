"""Revisit policies compared on a generated web that changes from day to day."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.rounds.race import (
        FIGURE,
        PolicyRace,
        figure,
        policy_markdown,
        policy_table,
        policy_terms,
        race_policies,
    )
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = ["FIGURE", "PolicyRace", "figure", "policy_markdown", "policy_table", "policy_terms", "race_policies"]

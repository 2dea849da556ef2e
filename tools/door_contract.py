"""An import-linter contract: a package is entered by its door.

The door is the package's `__init__`. Modules of other packages import a package, or one of its sub-packages, and never
a module in it. Packages whose modules are found by name are exempt: their modules are named by others.
"""

from __future__ import annotations

from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class DoorContract(Contract):
    """Keep imports from one package to another on `__init__` modules."""

    by_name = fields.SetField(subfield=fields.StringField(), required=False, default=set())
    """Packages whose own modules may be imported by others."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find all imports around a door."""
        around, by_name = [], cast(set[str], self.by_name)
        for target in sorted(graph.modules):
            parts = target.split(".")
            if len(parts) < 3 or graph.find_children(target) or (len(parts) == 3 and parts[1] in by_name):
                continue
            for importer in sorted(graph.find_modules_that_directly_import(target)):
                if importer.split(".")[:2] != parts[:2]:
                    around.append((importer, target))
        return ContractCheck(kept=not around, metadata={"around": around})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import, and the package to import from instead."""
        for importer, target in check.metadata["around"]:
            door = target.rpartition(".")[0]
            output.print_error(f"- {importer} imports {target}; name what it needs in {door} and import it from there")

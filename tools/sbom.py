"""A bill of materials: what an installation consists of, in CycloneDX's JSON, the same for the same packages.

python -m tools.sbom > salticid.cdx.json
"""

from __future__ import annotations

import json
import sys

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from tools.licences import Part, installed, licence

EXTRAS = frozenset({"export", "lab", "ray", "scrapy", "ui"})
"""What runs with Salticid; the tools of those who develop it are no part of it."""


def bill(name: str = "salticid", extras: frozenset[str] = EXTRAS) -> dict[str, object]:
    """The package as it is installed here, its parts with their licences, and who needs whom."""
    parts = installed(name, extras)
    address = {part: f"pkg:pypi/{part}@{known.package.version}" for part, known in parts.items()}
    described = {part: _described(part, known, address[part]) for part, known in parts.items()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", **described.pop(name)}},
        "components": [{"type": "library", **known} for known in described.values()],
        "dependencies": [
            {"ref": address[part], "dependsOn": sorted(address[other] for other in known.needs)}
            for part, known in parts.items()
        ],
    }


def _described(name: str, part: Part, address: str) -> dict[str, object]:
    told = {"bom-ref": address, "name": name, "version": part.package.version, "purl": address}
    return {**told, "licenses": [_licence(licence(part.package))]}


def _licence(words: str) -> dict[str, object]:
    try:
        return {"expression": str(canonicalize_license_expression(words))}
    except InvalidLicenseExpression:
        return {"license": {"name": words}}


if __name__ == "__main__":
    json.dump(bill(), sys.stdout, indent=2)
    sys.stdout.write("\n")

"""The documentation as a static site: `make docs` writes it to build/site, a folder a version.

The pages are README and what is in docs; the reference is made from the docstrings of what `import salticid` names.
They are copied to a stage that has the places of the repository, so that their links lead where they lead there; a link
that leads nowhere ends the build.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import salticid

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""What is shown besides docs."""
_CODE_IN_TABLE = re.compile(r"(?<=[| ])`[^`\n]*\\\|[^`\n]*`")
"""Where others want a backslash before a | so that it does not end the cell, this one shows it."""
_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={0}/index.html">
<title>Salticid</title>
<a href="{0}/index.html">Salticid {0}</a>
"""


def main() -> int:
    """Build the site of this version, and say where it is."""
    try:
        site = build(ROOT / "build" / "docs", ROOT / "build" / "site")
    except subprocess.CalledProcessError as error:
        return error.returncode
    sys.stdout.write(f"{site / 'index.html'}: {sum(1 for _ in site.rglob('*.html'))} pages\n")
    return 0


def build(stage: Path, sites: Path, root: Path = ROOT) -> Path:
    """The site of this version, among those of others; CalledProcessError if a link is broken."""
    version = salticid.__version__
    shutil.rmtree(stage, ignore_errors=True)
    (stage / "pages").mkdir(parents=True)
    for name in PAGES:
        if (root / name).exists():
            shutil.copy(root / name, stage / "pages")
    shutil.copytree(root / "docs", stage / "pages" / "docs")
    for page in (stage / "pages").rglob("*.md"):
        page.write_text(_CODE_IN_TABLE.sub(lambda match: match[0].replace(r"\|", "|"), page.read_text()))
    (stage / "pages" / "docs" / "reference.md").write_text(reference())
    settings = (root / "zensical.toml").read_text().replace("VERSION", version)
    (stage / "zensical.toml").write_text(settings)
    shutil.copytree(root / "src", stage / "src", ignore=shutil.ignore_patterns("__pycache__", "*.bin"))
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict"], cwd=stage, check=True)
    site = sites / version
    shutil.rmtree(site, ignore_errors=True)
    site.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(stage / "site", site)
    versions = sorted((each.name for each in sites.iterdir() if each.is_dir()), reverse=True)
    listing = [{"version": name, "title": name, "aliases": []} for name in versions]
    (sites / "versions.json").write_text(json.dumps(listing))
    (sites / "index.html").write_text(_REDIRECT.format(version))
    return site


def reference() -> str:
    """The page of what `import salticid` names, and of the checks for those who write strategies."""
    names = [name for name in salticid.__all__ if not name.startswith("_")]
    homes = {name: f"{getattr(salticid, name).__module__}.{name}" for name in names}
    parts = [
        "# Python reference",
        "What `import salticid` names; [From Python](python.md) shows how it is used.",
        *(f"## salticid.{name}\n\n::: {home}" for name, home in homes.items()),
        "# For those who write strategies\n\n::: salticid.testing.check_strategy",
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())

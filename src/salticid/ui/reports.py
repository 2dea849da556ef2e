"""The laboratory's reports that lie in the folder of data."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from salticid.ui.untrusted_files import is_plain, read_plain

FILE = "report.html"
_FOLDER = "reports"
_LARGEST = 64 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_TITLE = re.compile(r"<title>([^<]*+)</title>", re.IGNORECASE)
_INLINE = re.compile(r"<(script|style)\b[^>]*+>(.*?)</\1", re.IGNORECASE | re.DOTALL)


class Reports:
    """Reports by name: the folders of DATA, and of DATA/reports, that hold a report.html."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def all(self) -> list[dict[str, Any]]:
        """Those there are, newest first."""
        files = [(file.stat().st_mtime, name, file) for name, file in self._files().items()]
        files.sort(key=lambda each: -each[0])
        return [
            {"id": name, "title": _title(file) or name, "made": datetime.fromtimestamp(at, UTC).isoformat()}
            for at, name, file in files
        ]

    def find(self, name: str) -> bytes | None:
        """A report as it lies there; None if there is none of that name, OSError if it cannot be read."""
        file = self._files().get(name)
        return None if file is None else read_plain(file, _LARGEST)

    def _files(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        for parent in (self._data / _FOLDER, self._data):
            for folder in sorted(parent.iterdir()) if parent.is_dir() else ():
                if _NAME.fullmatch(folder.name) and is_plain(folder / FILE):
                    files.setdefault(folder.name, folder / FILE)
        return files


def fields(html: bytes) -> dict[str, str]:
    """The headers of a report: the browser may run its own inline parts, known by their hashes, and no others.

    Sandboxed, it has an origin of its own and opens no windows, so that it cannot get at the page, its token or its
    requests, whoever wrote it. To a sandboxed document no opener policy may be given; it has no opener either.
    """
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _INLINE.findall(html.decode("utf-8", "replace")):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        hashes[kind.lower()].append(f"'sha256-{digest}'")
    script = " ".join(hashes["script"]) or "'none'"
    style = " ".join(hashes["style"]) or "'none'"
    policy = (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data:; font-src data:; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-scripts"
    )
    return {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "unsafe-none"}


def _title(file: Path) -> str:
    """What a report calls itself, if it does and can be read."""
    try:
        with file.open("rb") as stream:
            match = _TITLE.search(stream.read(4096).decode("utf-8", "replace"))
    except OSError:
        return ""
    return match[1].strip() if match else ""

"""The browser of the person at this machine, if there is one."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from tempfile import NamedTemporaryFile


def has_browser() -> bool:
    """Whether a window can be expected to open: one was named, or there is a screen to show it on."""
    named = any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    if not (named or sys.platform in ("darwin", "win32")):
        return False
    with suppress(webbrowser.Error):
        return webbrowser.get() is not None
    return False


@contextmanager
def opening_page(folder: Path, address: str) -> Iterator[Path | None]:
    """A file that leads a browser to an address, while the context lasts; None if it cannot be written.

    The arguments of a program can be read by everybody at this machine, and the address holds a secret. So the browser
    is given the name of a file that only its owner can read.
    """
    try:
        stream = NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=".open-", suffix=".html")  # noqa: SIM115
    except OSError:
        yield None
        return
    with stream:
        stream.write(
            "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer><title>Salticid</title>"
            f'<meta http-equiv=refresh content="0; url={escape(address)}"><a href="{escape(address)}">Salticid</a>\n'
        )
        stream.flush()
        yield Path(stream.name)


def show(file: Path) -> None:
    """Open a file in the browser; one that takes its time keeps nobody waiting."""
    threading.Thread(target=webbrowser.open, args=(file.absolute().as_uri(),), daemon=True).start()

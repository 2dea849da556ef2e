"""A real browser for the page: windows that hold against it whatever it complains of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
KEEP_IMAGES = "SALTICID_PAGE_IMAGES"
"""Set, and the pictures of the documentation are taken anew."""
PATIENCE = 120_000.0
"""Milliseconds after which a page that has not done what a test waits for never will, on a machine however busy."""

expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium without a window; where there is none the test fails and says what to install."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("program absent: chromium; apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(
    browser: Browser, width: int = 1280, height: int = 900, *, strict: bool = True, **options: Any
) -> Iterator[Page]:
    """A new window of its own cookies; a strict one must not complain of anything until it is closed."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints = watched(page)
    try:
        yield page
        assert not (strict and complaints), complaints
    finally:
        context.close()


def watched(page: Page) -> list[str]:
    """What a page complains of from now on: errors, warnings, broken rules of its policy."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None,
    )
    return complaints


def grave_findings(page: Page) -> list[str]:
    """What axe-core calls serious or critical about the page as it is now."""
    found = Axe().run(page).response["violations"]
    return [
        f"{finding['id']}: {node['html'][:120]} {node['any'][:1]}"
        for finding in found
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"]
    ]


def picture(page: Page, name: str) -> None:
    """Keep what the page looks like for the documentation, if somebody asked for it."""
    if os.environ.get(KEEP_IMAGES):
        page.mouse.move(0, 0)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=IMAGES / f"page-{name}.png")


def text(page: Page, place: str) -> str:
    """The text at a selector."""
    return page.locator(place).first.inner_text()

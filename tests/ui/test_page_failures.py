"""What could not be read, as the page shows it: in words, in its place, and without moving anything."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect
from tests.support.page_browser import chromium, grave_findings, window
from tests.support.page_stub import MadeUpCrawl, stub_server

TOP = "row => row.getBoundingClientRect().top"
STARTS = [
    {"url": "good.example", "state": "read", "cause": None, "advice": None},
    *(
        {
            "url": f"bad{n}.example",
            "state": "failed",
            "cause": "nobody answers there",
            "advice": "try again later",
        }
        for n in range(7)
    ),
]


def failures(hosts: int) -> dict[str, Any]:
    host = "a-host-with-a-rather-long-name-{}.example"
    told = [
        {
            "host": host.format(n),
            "cause": "it answered 503",
            "count": n + 1,
            "url": f"http://{host.format(n)}/x",
        }
        for n in range(hosts)
    ]
    return {"starts": STARTS, "hosts": told, "left_off": 4}


def test_failures_are_told_and_the_row_under_the_pointer_stays_where_it_is() -> None:
    crawl = MadeUpCrawl(1, 300, 200)
    with chromium() as browser, stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        row = page.locator("article").nth(3)
        row.hover()
        step = row.get_attribute("data-key")
        held = page.locator(f"article[data-key='{step}']")
        before = held.evaluate(TOP)
        crawl.failures, crawl.state = failures(9), "ended"

        fates = page.get_by_role("region", name="Start points")
        expect(fates.get_by_role("heading")).to_have_text("7 of 8 start points could not be read")
        expect(fates.locator("li").first).to_have_text("bad0.example: nobody answers there; try again later.")
        expect(page.locator(".ending")).to_be_visible()
        panel = page.get_by_role("region", name="Could not be read")
        expect(panel.locator("summary")).to_have_text("7 more lines")
        assert abs(held.evaluate(TOP) - before) < 1
        assert grave_findings(page) == []

        fates.get_by_role("button", name="Understood").click()
        expect(fates).to_be_hidden()
        page.reload()
        expect(panel).to_be_visible()
        expect(fates).to_be_hidden()

        page.set_viewport_size({"width": 390, "height": 844})
        page.get_by_role("button", name="The hunt").click()
        panel.locator("summary").click()
        assert page.evaluate("document.documentElement.scrollWidth") == 390

"""Challenges, captchas, consent, log-in, payment and parked domains are told from pages, and from pages about them."""

from __future__ import annotations

import pytest
from tests.support.walls import PAGES_ABOUT, WALLS, Told

from salticid.model import Wall
from salticid.parse import wall_by_head, wall_of

LONG = b"<p>" + b"spiders jump " * 200


@pytest.mark.parametrize("told", WALLS, ids=lambda told: told.name)
def test_walls_are_known(told: Told) -> None:
    assert told.wall_found() is told.wall


@pytest.mark.parametrize("told", WALLS, ids=lambda told: told.name)
def test_a_long_page_with_the_same_marks_is_a_page(told: Told) -> None:
    """As the widget of a comment form, or a script that a service puts into every page."""
    if told.status == 200 and not told.fields:
        assert wall_of(told.url, told.html + LONG, 420) is None


@pytest.mark.parametrize("told", PAGES_ABOUT, ids=lambda told: told.name)
def test_pages_about_walls_are_pages(told: Told) -> None:
    assert told.wall_found() is None


def test_a_refusal_alone_is_no_wall() -> None:
    assert [wall_by_head(status, {"server": "cloudflare"}) for status in (403, 404, 429, 451, 503)] == [None] * 5
    assert wall_by_head(200, {"x-datadome": "protected"}) is None
    assert wall_by_head(403, {"x-datadome": "protected"}) is Wall.CAPTCHA

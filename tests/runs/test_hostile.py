"""The crawler can be left alone with the worst of the web: the real program, over real sockets, a row a behaviour.

All rows of a table are crawled at once, linked from one page, with an honest host among them. Each must become what
the table says, in its time; the memory of the program and its parsers stays within bounds; the honest pages keep
coming.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import pytest
from tests.support.worst_web.content import content
from tests.support.worst_web.network import network
from tests.support.worst_web.pdfs import pdfs
from tests.support.worst_web.row import NEVER, Row
from tests.support.worst_web.run import INTERRUPTED, TIMEOUT, Survived, survive

from salticid.webs.live.failures import REMEDIES, Failure

NETWORK, CONTENT, PDFS = network(), content(), pdfs()
MOST_MEMORY = 300 << 20
"""Bytes beyond what it takes when only the honest host is there."""
TRIES = 2
LONGEST_GAP = 5.0
"""Seconds that an honest host may have to wait at the worst, besides those that others take from us; as a rule, one."""


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Survived:
    return survive(NETWORK, tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Survived:
    """Without browsers, whose bounds are others (`test_browser_bounds.py`)."""
    return survive(CONTENT, tmp_path_factory.mktemp("content"), "--sitemaps", "--feeds", "--render", "never")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Survived:
    return survive(PDFS, tmp_path_factory.mktemp("pdfs"))


@pytest.mark.parametrize("row", NETWORK, ids=lambda row: row.name)
def test_what_is_done_to_a_connection(met: Survived, row: Row) -> None:
    check(met, row)


@pytest.mark.parametrize("row", CONTENT, ids=lambda row: row.name)
def test_what_is_put_into_a_page(read: Survived, row: Row) -> None:
    check(read, row)


@pytest.mark.parametrize("row", PDFS, ids=lambda row: row.name)
def test_what_is_put_into_a_pdf(printed: Survived, row: Row) -> None:
    check(printed, row)


def check(survived: Survived, row: Row) -> None:
    """It became one of the outcomes, in time, and was not asked for more often than is polite."""
    visit = survived.of(row)
    assert (visit.outcome if visit else None) in row.outcomes
    times = [asked.at for asked in survived.server.requests if (asked.host, asked.path) == (row.host, "/")]
    # On a busy machine the crawl lasts longer than the pause after "come back later": then it asks again.
    may_ask_again = NEVER in row.outcomes and all(b - a >= REMEDIES[Failure.LATER].wait for a, b in pairwise(times))
    assert len(times) <= row.most_asked or (row.most_asked and may_ask_again)
    if visit is not None:
        # Redirects are requests of their own; a busy machine notices the end of a second late.
        assert visit.seconds <= (TRIES * TIMEOUT + 3) * max(1, row.most_asked / TRIES)


@pytest.mark.parametrize("crawl", ["met", "read", "printed"])
def test_the_crawl_lives_and_others_are_served(crawl: str, request: pytest.FixtureRequest) -> None:
    survived: Survived = request.getfixturevalue(crawl)
    assert survived.status == INTERRUPTED, f"it had to be ended from outside: {survived.err}"
    assert "Traceback" not in survived.err
    assert "nobody can be reached" not in survived.err
    assert survived.tree.peak - survived.idle <= MOST_MEMORY
    assert len(survived.gaps) > 20
    assert median(survived.gaps) < 0.5, "others are not slowed: the honest host is asked every 0.1 s"
    assert max(survived.gaps) < LONGEST_GAP


def test_there_are_as_many_behaviours_as_promised() -> None:
    assert len(NETWORK) + len(CONTENT) + len(PDFS) >= 150

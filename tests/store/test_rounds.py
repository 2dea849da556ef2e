"""The rounds of a watched crawl, as the log has them."""

from __future__ import annotations

from pathlib import Path

from salticid.messages import Round, RoundEnd
from salticid.model import Outcome, Response
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.store.news.changes import rounds
from salticid.tables.texts import Urls, Words


def test_a_round_holds_what_was_found_up_to_the_next(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path / "crawl", Urls(), Words(), own_tables=True)
    log.begin({"version": "1"})
    same = Response(0, 0, Outcome.OK)
    log.add_message(Round(1, 10.0, 0, 1))
    log.add_recheck(0, "same", same)
    log.add_recheck(1, "gone", same)
    log.add_message(RoundEnd(1, 11.0, "done"))
    log.add_message(Round(2, 20.0, 0, 3, 5))
    log.add_recheck(0, "same", same)
    log.close()
    folder = CrawlFolder(tmp_path / "crawl")
    first, second = rounds(folder.database)
    folder.close()
    assert (first.first_recheck, first.end_recheck, first.ended, first.stopped) == (1, 3, 11.0, "done")
    assert (second.first_recheck, second.end_recheck, second.ended, second.fetches) == (3, 4, None, 5)

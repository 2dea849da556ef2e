"""A crawl that was watched a thousand times: what a round reads before it asks for anything, and to tell its news."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._written import Size, make
from benchmarks.report import cpu_seconds, figure, say
from salticid.messages import Extension, Round, RoundEnd
from salticid.model import Outcome, Response
from salticid.runs.round_plan import HeardBefore, round_start
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.store.news.changes import rounds
from salticid.store.news.round_news import what_came
from salticid.store.news.versions import NOTE, looks_before
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits
from salticid.watching import ByWorth

SIZE = Size(visits=500, tokens=200, links=20, new_links=10, new_words=5, hosts=50, max_buffer=100_000)
FEW, MANY = 10, 1_000
DAY = 86_400.0


def run() -> None:
    """Rounds over one small crawl, each of which asks for every page; one page in a hundred has changed."""
    with TemporaryDirectory() as kept:
        folder = Path(kept) / "crawl"
        make(folder, SIZE)
        say(f"  {SIZE.visits} pages, all of them asked for again in every round")
        few = _after(folder, FEW)
        many = _after(folder, MANY)
        shutil.rmtree(folder)
    figure(f"until round {FEW + 1:,} knows what to ask for", 1000 * few[0], "CPU-ms")
    figure(f"until round {MANY + 1:,} does", 1000 * many[0], "CPU-ms", target=500, at_most=True)
    figure(f"what round {FEW:,} brought", 1000 * few[1], "CPU-ms")
    figure(f"what round {MANY:,} brought", 1000 * many[1], "CPU-ms", target=1000, at_most=True)


def _after(folder: Path, number: int) -> tuple[float, float]:
    """After so many rounds: the CPU seconds of the start of the next one, and of the news of the last one."""
    urls, words = Urls(), Texts()
    with closing(CrawlLog(folder, urls, words, own_tables=True)) as log:
        log.open()
        log.go_on()
        done = len(rounds(log.database))
        steps = [row.step for row in CrawlFolder(folder, log.database).rows(-1)]
        for each in range(done + 1, number + 1):
            _write_round(log, each, steps)
        crawl = CrawlFolder(folder, log.database)
        log.add_message(Round(number + 1, DAY * (number + 1), len(steps), log.next_recheck))
        log.commit()

        def start() -> None:
            stored = rounds(log.database)[-1]
            heard = HeardBefore.read(log.database, stored.number)
            looks = looks_before(log.database, stored.first_recheck)
            ByWorth().plan(round_start(crawl, urls, stored, heard, looks).brief)

        times = cpu_seconds(start), cpu_seconds(lambda: what_came(crawl, number))
        log.add_message(RoundEnd(number + 1, DAY * (number + 1), "done"))
        return times


def _write_round(log: CrawlLog, number: int, steps: list[int]) -> None:
    """What a round leaves in the log."""
    log.session(float(len(steps)), {}, DAY * number)
    log.add_message(Round(number, DAY * number, len(steps), log.next_recheck))
    for step in steps:
        finding = "changed" if (step + number) % 100 == 0 else "same"
        log.add_recheck(step, finding, Response(step, step, Outcome.DEAD, 304))
    log.add_message(Extension(Limits(max_pages=number)))
    log.commit()
    log.remember(NOTE, looks_before(log.database, log.next_recheck).packed())
    log.add_message(RoundEnd(number, DAY * number, "done"))
    log.commit()

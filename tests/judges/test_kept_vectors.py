"""A judge that changes its mind keeps what it has read, and scores as if it had read it again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from salticid.judges.profile import Profile
from salticid.learning import keyword_match
from salticid.model import Page
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits

NOTICE = "All rights are reserved by the society of friends of spiders and their silk, who ask you to tell others"


def test_a_page_is_recalled_only_when_its_site_has_come_to_repeat_other_words_of_it() -> None:
    words = {letter: " ".join(f"{word}{letter}" for word in NOTICE.split()) for letter in "bcdefghijklm"}
    sheets = {f"a.example/{letter}": f"<p>Spider. {words[letter]}<p>{NOTICE}" for letter in words}
    sheets |= {f"b.example/{letter}": f"<p>Spider. {words[letter]}" for letter in words}
    web = SmallWeb(sheets)
    judge, recalled = Profile(), list[int]()
    judge.start(prepare(web.topic, web, Limits(), seed=0))

    def recall(url: int) -> Page:
        recalled.append(url)
        return web.page(url)

    changes = 0
    pages = [web.page(web.id(name)) for name in sheets]
    for count, page in enumerate(pages, 1):
        judge.watch(page, judge.score(page))
        recalled.clear()
        before = [judge.score_again(seen.url, recall) for seen in pages[:count]]
        assert before == [judge.score(replace(seen)) for seen in pages[:count]]
        changes += bool(recalled)
        assert set(recalled) <= {web.id(name) for name in sheets if name.startswith("a.")}
        recalled.clear()
        assert [judge.score_again(seen.url, recall) for seen in pages[:count]] == before
        assert not recalled, "what was read again is kept"
    assert 1 <= changes <= 4, "the notice is found once, and then known"


@pytest.mark.parametrize("most", [0, 20_000])
def test_how_much_is_kept_changes_no_score(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def scores() -> tuple[list[object], list[float], int]:
        web, judge = random_web(pages=150, hosts=5, seed=5), Profile(refresh=4)
        recipe = Recipe(strategies.make("hunter"), judge, Limits(max_pages=120), arrivals="window:4")
        crawl, visits = RecordedCrawl(web.topic, web, recipe, MemoryLog()), list[object]()
        crawl.run(lambda visit: visits.append((visit.url, visit.score, visit.choice.score)))
        return visits, list(crawl.crawl._scores), len(judge._kept)

    visits, by_end, kept = scores()
    monkeypatch.setattr(keyword_match, "MOST_BYTES", most)
    fewer = scores()
    assert fewer[:2] == (visits, by_end)
    assert fewer[2] < kept == 120
    assert bool(fewer[2]) is bool(most)

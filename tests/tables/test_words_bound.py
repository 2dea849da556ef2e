"""Words that are made up without end do not fill the memory: beyond a bound they say nothing."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.support.killing import Program, Site, check_calls, live, served

from salticid.store.crawl_folder import CrawlFolder
from salticid.tables.texts import Texts, Words

MOST = 600
SITE = Site(pages=60)
_FEW_WORDS = f"""
from salticid.tables import Words
Words.most = {MOST}
from salticid.cli import main
main()
"""


class Few(Words):
    most = 5


@given(st.lists(st.lists(st.sampled_from("abcdefgh"))))
def test_up_to_its_bound_it_is_the_table_it_was_and_then_it_grows_no_more(batches: list[list[str]]) -> None:
    bounded, table = Few(), Texts()
    for batch in batches:
        encoded = [text.encode() for text in batch]
        given_ids, ids = bounded.intern_all(encoded), table.intern_all(encoded)
        for text, at, usual in zip(batch, given_ids, ids, strict=True):
            assert (at, bounded[at]) in {(usual, text), (4, "")}
            assert at == usual or usual >= 4
        assert len(bounded) == min(len(table), 5)
        again = Few()
        again.extend(bounded.between(0, len(bounded)))
        assert again.intern_all(encoded) == bounded.intern_all(encoded), "and the same when it is filled again"


def test_a_crawl_keeps_to_the_bound_and_goes_on_with_it(tmp_path: Path) -> None:
    folder, topic = tmp_path / "c", SITE.write_topic(tmp_path / "topic.toml")
    with served(SITE) as port:
        for pages in (40, SITE.pages):
            order = ("crawl", topic, "--out", folder, "--max-pages", pages, "--json", *live(port))
            with Program(*order, by=(sys.executable, "-c", _FEW_WORDS)) as program:
                assert program.ends() == 0, program.err
                assert json.loads(program.out)["pages"] == pages
    check_calls(folder)
    numbers = SITE.all_urls()
    with closing(CrawlFolder(folder)) as crawled:
        assert len(crawled.words) == MOST
        left_out = []
        for visit in crawled.visits():
            page = crawled.page(visit.step)
            assert page is not None
            read = [crawled.words[at] for at in page.tokens.tolist()]
            served_words = SITE.tokens(numbers[visit.url])
            assert len(read) == len(served_words)
            assert all(word in (there, "") for word, there in zip(read, served_words, strict=True))
            assert page.text == SITE.text(numbers[visit.url]), "the text of a page stays whole"
            left_out.append(read.count(""))
        assert left_out[0] == 0
        assert min(left_out[-10:]) > 0

"""Near-duplicates: found when pages say all but the same, and not when they only look alike."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.generated_site import GeneratedSource

from salticid.model import Links, Page
from salticid.parse.html import Parser
from salticid.store.database import Database, connect
from salticid.store.near_duplicates import ALIKE, MOST_COMPARISONS, MOST_TOKENS, SHORT, Twins, _alike
from salticid.store.packing import pack_page
from salticid.store.schema import PAGE, SCRIPT
from salticid.tables.texts import Texts, Urls
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build

ARTICLE = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n * 7 % 26)}" for n in range(400))
NAVIGATION = " ".join(f"<a href=/{c}>section {c} of our site</a>" for c in "abcdefghijklmnopqrstuvw")


class Crawled:
    """A crawl's database, and the batches that come into it."""

    def __init__(self, file: Path | str = ":memory:") -> None:
        self.db = connect(file)
        if not self.db.execute("SELECT 1 FROM sqlite_master").fetchone():
            self.db.executescript(SCRIPT)
        self.twins = Twins(Database(self.db, Path(file)))
        self._zstd = zstandard.ZstdCompressor(level=1)

    def take(self, *pages: Page, step: int = 0) -> list[int | None]:
        """A batch as the log writes it: twins first, then the rows, then the commit."""
        batch = list(enumerate(pages, step))
        found = self.find(batch)
        rows = [PAGE.with_checksum((step, *pack_page(page, self._zstd))) for step, page in batch]
        self.db.executemany(PAGE.insert, rows)
        self.db.commit()
        return found

    def find(self, batch: list[tuple[int, Page]]) -> list[int | None]:
        """The twin of each page, or None."""
        pages = [(step, page, f"http://a.example/{step}") for step, page in batch if len(page.tokens)]
        alike = self.twins.find(pages)
        return [alike.twins.get(step) for step, _ in batch]


@pytest.fixture
def crawled() -> Iterator[Crawled]:
    crawled = Crawled()
    yield crawled
    crawled.db.close()


def page_of(tokens: Sequence[int]) -> Page:
    none = np.zeros(0, np.int32)
    return Page(0, "", np.array(tokens, np.int32), none, none.astype(np.uint8), Links.to([]), b"")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> list[Page]:
    """Different pages of generated sites; those of one site share their navigation."""
    folder = tmp_path_factory.mktemp("twins") / "world"
    build(folder, GeneratedSource(300, seed=3))
    web = RecordedWeb(folder)
    answers = (web.fetch(url) for url in range(len(web.urls)))
    return [response.page for response in answers if response.page is not None and response.url == response.final]


def parsed(*documents: str) -> list[Page]:
    parser = Parser(Urls(), Texts())
    return [parser.parse(html.encode(), f"http://a.example/{n}") for n, html in enumerate(documents)]


@pytest.mark.parametrize(
    "other",
    [
        f"<p>{ARTICLE}<p>Printed on Monday the 5th of March",
        f"<p>Buy our shoes now, they are very cheap and good!<p>{ARTICLE}",
        f"<a href=/x>Home</a> <a href=/y>Contact</a> <p>{ARTICLE}",
        f"<p>{ARTICLE}<p>1234 readers, 17 online",
    ],
    ids=["timestamp", "advertisement", "navigation", "numbers"],
)
def test_the_same_article_with_another_line_is_a_twin(crawled: Crawled, other: str) -> None:
    assert crawled.take(*parsed(f"<p>{ARTICLE}", other)) == [None, 0]


def test_articles_in_the_same_frame_are_no_twins(crawled: Crawled) -> None:
    first, second = ARTICLE[: len(ARTICLE) // 2], ARTICLE[len(ARTICLE) // 2 :]
    assert crawled.take(*parsed(f"{NAVIGATION}<p>{first}", f"{NAVIGATION}<p>{second}")) == [None, None]


def test_different_pages_of_generated_sites_are_no_twins(crawled: Crawled, generated: list[Page]) -> None:
    assert len(generated) == 300
    assert crawled.take(*generated) == [None] * 300


def test_generated_pages_with_a_few_words_changed_are_twins_across_batches(
    crawled: Crawled, generated: list[Page]
) -> None:
    rng = np.random.default_rng(1)
    for start in range(0, 300, 50):
        crawled.take(*generated[start : start + 50], step=start)
    changed = []
    for page in generated:
        tokens = page.tokens.copy()
        at = int(rng.integers(len(tokens) - 2))
        tokens[at : at + 2] = rng.permutation(tokens)[:2]
        changed.append(page_of(tokens.tolist()))
    found = crawled.take(*changed, step=300)
    long = [step for step, page in enumerate(generated) if len(page.tokens) >= 150]
    assert len(long) > 200
    assert [found[step] for step in long] == long


def test_nine_tenths_is_the_line(crawled: Crawled) -> None:
    page = page_of(range(1000))
    near, far = page_of([*range(960), *range(2000, 2040)]), page_of([*range(930), *range(3000, 3070)])
    assert [len(set(range(998)) & set(range(n - 2))) / (998 + 1000 - n) > ALIKE for n in (960, 930)] == [
        True,
        False,
    ]
    assert crawled.take(page, near, far) == [None, 0, None]


def test_the_twin_of_a_twin_names_the_first(crawled: Crawled) -> None:
    base = list(range(1000))
    second = base[:970] + list(range(5000, 5030))
    third = second[20:]
    assert crawled.take(page_of(base), page_of(second), page_of(third)) == [None, 0, 0]
    assert crawled.take(page_of(second), page_of(base), step=3) == [0, 0]


def test_a_short_page_is_a_twin_only_of_the_same_text(crawled: Crawled) -> None:
    words = list(range(SHORT - 1))
    pages = [page_of(words), page_of(words[:-1]), page_of(words[::-1]), page_of(words)]
    assert crawled.take(*pages) == [None, None, None, 0]
    titled = parsed("<title>Task 1</title>Hand in", "<title>Task 2</title>Hand in", "<title>Task 1</title>Hand in")
    assert crawled.take(*titled, step=4) == [None, None, 4]
    assert crawled.take(titled[1], step=7) == [5]


def test_an_empty_page_is_nobodys_twin(crawled: Crawled) -> None:
    assert crawled.take(page_of([]), page_of([]), page_of([1]), page_of([])) == [None] * 4
    assert crawled.take(page_of([]), step=4) == [None]
    assert crawled.take() == []


def test_a_crawl_goes_on_with_what_it_knew(tmp_path: Path, generated: list[Page]) -> None:
    first = Crawled(tmp_path / "crawl.db")
    first.take(*generated[:100])
    first.db.close()
    resumed = Crawled(tmp_path / "crawl.db")
    assert resumed.take(*generated[50:150], step=100) == [*range(50, 100), *[None] * 50]
    resumed.db.close()


def test_batches_of_any_size_find_the_same(generated: list[Page]) -> None:
    pages = [*generated[:60], *generated[20:80], *generated[:10]]
    found = []
    for size in (1, 7, len(pages)):
        crawled = Crawled()
        found.append([t for at in range(0, len(pages), size) for t in crawled.take(*pages[at : at + size], step=at)])
        crawled.db.close()
    assert found[0] == found[1] == found[2]
    assert found[0] == [*[None] * 60, *range(20, 60), *[None] * 20, *range(10)]


def test_a_batch_that_could_not_be_kept_is_given_again(crawled: Crawled, generated: list[Page]) -> None:
    crawled.take(*generated[:10])
    batch = list(enumerate(generated[5:20], 10))
    once = crawled.find(batch)
    crawled.db.rollback()
    assert crawled.find(batch) == once == [*range(5, 10), *[None] * 10]


def test_it_never_commits(crawled: Crawled, generated: list[Page]) -> None:
    crawled.find(list(enumerate(generated[:5])))
    assert crawled.db.in_transaction
    crawled.db.rollback()
    assert crawled.db.execute("SELECT count(*) FROM band").fetchone() == (0,)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 12), max_size=60), min_size=1, max_size=25), st.data())
def test_the_same_words_are_always_found(streams: list[list[int]], data: st.DataObject) -> None:
    again = data.draw(st.lists(st.sampled_from(streams), max_size=25))
    crawled = Crawled()
    first = crawled.take(*map(page_of, streams))
    second = crawled.take(*map(page_of, again), step=len(streams))
    crawled.db.close()
    for stream, twin in zip(again, second, strict=True):
        at = streams.index(stream)
        assert twin == (None if not stream else at if first[at] is None else first[at])


def test_the_same_words_are_found_among_many_pages_that_are_nearly_twins(crawled: Crawled) -> None:
    rng = np.random.default_rng(2)
    template = rng.integers(0, 9000, 500)
    crowd = []
    for _ in range(150):
        tokens = template.copy()
        tokens[rng.choice(500, 14, replace=False)] = rng.integers(9000, 99_999, 14)
        crowd.append(page_of(tokens.tolist()))
    found = crawled.take(*crowd)
    again = crawled.take(*crowd, step=150)
    assert found.count(None) > 100
    assert again == [step if twin is None else twin for step, twin in enumerate(found)]


def test_a_huge_page_is_looked_at_in_part(crawled: Crawled) -> None:
    tokens = np.random.default_rng(0).integers(0, 100_000, 500_000)
    other = np.concatenate((tokens[:MOST_TOKENS], tokens[:1000]))
    began = time.process_time()
    assert crawled.take(page_of(tokens.tolist())) == [None]
    assert crawled.find([(1, page_of(other.tolist()))]) == [0]
    assert time.process_time() - began < 2


def test_pages_made_to_share_bands_cost_few_comparisons(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    common = rng.integers(0, 2**31 - 1, 4000)
    pages = [page_of([*common, *rng.integers(0, 2**31 - 1, 500)]) for _ in range(120)]
    compared: list[int] = []

    def counted(some: npt.NDArray[np.uint64], others: npt.NDArray[np.uint64]) -> bool:
        compared.append(1)
        return _alike(some, others)

    monkeypatch.setattr("salticid.store.near_duplicates._alike", counted)
    assert crawled.take(*pages) == [None] * 120
    assert 120 < len(compared) <= MOST_COMPARISONS * 120

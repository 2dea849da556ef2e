"""The scale benchmark in small: what a crawl that has seen many URLs takes, by URL, and that it goes on."""

from pathlib import Path

import pytest
from benchmarks._written import Made, Size, WentOn, made_apart, went_on_apart
from benchmarks.scale import WIDE, tables_on_disk

SIZE = Size(visits=2_000, tokens=60, links=80, new_links=75, new_words=5, hosts=500, max_buffer=1_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scale") / "crawl"


@pytest.fixture(scope="module")
def made(folder: Path) -> Made:
    return made_apart(folder, SIZE)


@pytest.fixture(scope="module")
def went_on(folder: Path, made: Made) -> WentOn:
    return went_on_apart(folder, SIZE)


def test_the_crawl_goes_on_where_it_was(made: Made, went_on: WentOn) -> None:
    assert made.visits == went_on.visits == SIZE.visits
    assert made.urls > SIZE.visits * SIZE.new_links


def test_ten_million_urls_would_fit(folder: Path, made: Made, went_on: WentOn) -> None:
    many = WIDE.visits * WIDE.new_links / made.urls
    assert tables_on_disk(folder) * many < 2e9
    young = 75  # MB, which do not grow: the newest texts are kept where they are found quickest
    assert (went_on.tables - young) * many < 600 - young


def test_going_on_costs_less_than_having_gone(made: Made, went_on: WentOn) -> None:
    assert went_on.cpu < made.cpu

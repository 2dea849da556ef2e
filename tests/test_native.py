"""The compiled loops and what stands beside them: the same numbers, in every bit."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from salticid import native
from salticid.drivers.soft_404s import Soft404s
from salticid.judges import judges
from salticid.learning.rarity import Rarity
from salticid.learning.stem_vectors import Stack, StemVector, dense_product
from salticid.model import Glimpse, Limits, Page
from salticid.native import lib
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.memory_log import MemoryLog
from salticid.strategies import strategies
from salticid.strategies.parts.hunter.topic_profile import TopicProfile
from salticid.strategies.parts.hunter.url_parts import UrlParts
from salticid.tables import Texts, Urls
from salticid.tables.translation import page_of_glimpse
from salticid.testing.small import SmallWeb, random_web
from salticid.text.link_lists import link_lists
from salticid.text.own_words import OwnWords
from salticid.text.page_bags import PageBags
from salticid.text.pieces import Pieces
from salticid.text.stems import Stems

T = TypeVar("T")

pytestmark = pytest.mark.skipif(
    lib is None, reason="program absent: a C compiler when the package was installed"
)

WORDS = [
    "spider",
    "web",
    "silk",
    "prey",
    "the",
    "and",
    "of",
    "venom",
    "eyes",
    "insects",
    "hunting",
    "Spinne",
    "und",
    "die",
    "8",
    "-",
    "naïve",
]
GERMAN = "die Spinne ist nicht so gross wie das Netz in dem sie wohnt und wartet aber sie hat acht Augen und Seide. "


@contextmanager
def no_library() -> Iterator[None]:
    """As if the library had not been built."""
    rooms = [
        room for name, room in sys.modules.items() if name.startswith("salticid.") and hasattr(room, "lib")
    ]
    try:
        for room in rooms:
            room.lib = None  # type: ignore[attr-defined]
        yield
    finally:
        for room in rooms:
            room.lib = lib  # type: ignore[attr-defined]


def both(work: Callable[[], T]) -> tuple[T, T]:
    """What comes of it compiled, and with numpy."""
    compiled = work()
    with no_library():
        return compiled, work()


def many_pages(seed: int) -> tuple[SmallWeb, list[Page]]:
    """Pages with headings, menus, slogans and links in the text, of a few words and of thousands, one with none."""
    dice = np.random.default_rng(seed)

    def words(most: int) -> str:
        return " ".join(dice.choice(WORDS, int(dice.integers(0, most))).tolist())

    def page(number: int) -> str:
        menu = "".join(f"<li><a href='/{at}'>{words(3)}</a>" for at in range(int(dice.integers(0, 12))))
        links = "".join(f"<p>{words(40)} <a href='/{at}'>{words(4)}</a>" for at in dice.integers(0, 40, 6))
        body = GERMAN * 20 if number % 11 == 5 else words(6000) if number % 7 == 3 else words(300)
        return f"<title>{words(5)}</title><h1>{words(9)}</h1>{menu}{links}<p>{body}<p>All rights are reserved by us"

    sheets = {f"{'ab'[number % 2]}.example/{number}": page(number) for number in range(40)} | {"c": ""}
    web = SmallWeb(sheets)
    return web, [web.page(web.id(name)) for name in sheets]


def test_what_a_page_says_of_its_own_and_how_often() -> None:
    web, pages = many_pages(1)

    def read() -> list[object]:
        own_words, stems = OwnWords(web.urls, web.words, "en"), Stems(web.words, "en")
        spider, silk, prey = stems.terms("spider silk prey")
        phrases = {(spider, silk): stems.phrase(spider, silk), (silk, prey): stems.phrase(silk, prey)}
        bags, rarity = PageBags(stems, 3, phrases), Rarity(stems, "en")
        said: list[object] = []
        for page in pages:
            own, code = own_words.of(page), own_words.language(page)
            bag = bags.of(page, own)
            vector = rarity.vector(bag, code, 0.7, np.array(list(phrases.values()), np.int32), 0.5)
            whole = PageBags(stems).of(page)
            said += [page.in_headings.tolist(), link_lists(page).tolist(), own.tolist(), code, bag.norm]
            said += [bag.terms.tolist(), bag.counts.tolist(), whole.terms.tolist(), whole.counts.tolist()]
            said += [vector.stems.tolist(), vector.weights.tolist(), PageBags(stems).cosine(bag, page)]
            own_words.read([page])
        return said

    compiled, with_numpy = both(read)
    assert compiled == with_numpy
    languages, own_marks = compiled[3::12], compiled[2::12]
    assert {"en", "de"} <= set(map(str, languages))
    assert any(isinstance(marks, list) and {True, False} <= set(marks) for marks in own_marks)


def test_sums_are_those_of_fsum() -> None:
    dice = np.random.default_rng(2)

    def vector(size: int) -> StemVector:
        weights = dice.standard_normal(size) * 10.0 ** dice.integers(-12, 12, size)
        return StemVector(dice.permutation(5000)[:size].astype(np.int32), weights)

    vectors = [vector(int(size)) for size in dice.integers(0, 3000, 30)]
    dense = dice.standard_normal(4000) * 10.0 ** dice.integers(-12, 12, 4000)
    opposite = StemVector(np.arange(3000, dtype=np.int32), np.repeat([1e100, 1.0, -1e100], 1000))
    times = dice.standard_normal(31).tolist()
    stack = [*vectors, opposite]

    def sums() -> list[object]:
        return [
            [each.product(dense) for each in stack],
            [each.length for each in vectors],
            Stack(stack).products(dense),
            Stack(vectors).total(5000).tolist(),
            Stack(stack).total(5000, times).tolist(),
            Stack([]).products(dense),
            dense_product(dense, np.roll(dense, 1)),
        ]

    compiled, with_numpy = both(sums)
    assert compiled == with_numpy
    assert opposite.product(np.ones(3000)) == 1000.0


def test_pieces_of_text_get_their_codes() -> None:
    def codes(text: bytes) -> list[int]:
        known: dict[bytes, int] = {}
        pieces = Pieces(lambda news: [known.setdefault(piece, len(known) - 3) for piece in news])
        return [
            *pieces.codes(text).tolist(),
            *pieces.codes(text).tolist(),
            *pieces.codes(text[::-1]).tolist(),
        ]

    dice = np.random.default_rng(3)
    for size in (0, 1, 2, 50, 5000):
        text = bytes(dice.choice(list(b"  ab\xc3\xa9\x01 xyzabcdefghijklmno"), size).tolist())
        compiled, with_numpy = both(lambda text=text: codes(text))  # type: ignore[misc]
        assert compiled == with_numpy


def test_what_urls_say_by_themselves() -> None:
    dice = np.random.default_rng(7)
    parts = [
        "/", "//", "Login", "cart", "cart2", "?", "&", ";", "=", "action=", "do=", "printable=x", "http://",
        "HTTPS%3A%2F%2f", "http:/", "spider-silk", "Orb_Weavers", "the", "of", "2024", ".html", "%20", "a", "ü",
        "x" * 210, "://",
    ]  # fmt: skip
    texts = [
        f"{dice.choice(['http', 'https'])}://{dice.choice(['a.example', 'b.example:80', 'é.example'])}"
        f"{dice.choice(['', '/'])}{''.join(dice.choice(parts, int(dice.integers(0, 9))).tolist())}"
        for _ in range(3000)
    ]
    web = SmallWeb({"home": "spider silk"})

    def read() -> list[object]:
        urls = Urls()
        ids = np.array(urls.intern_all([text.encode() for text in dict.fromkeys(texts)]), np.int32)
        told = UrlParts(urls, TopicProfile(replace(prepare(web.topic, web, Limits(), seed=0), urls=urls)))
        for some in np.array_split(ids, 600):
            told.read(some)
        return [told.words(ids).tolist(), told.places(ids).tolist(), told.hosts(ids).tolist()]

    compiled, with_python = both(read)
    assert compiled == with_python
    assert len({tuple(words) for words in compiled[0]}) > 50  # type: ignore[attr-defined]


def test_pages_that_look_alike_do_so_for_both() -> None:
    web, pages = many_pages(4)

    def looks() -> list[int]:
        soft_404s = Soft404s(web.urls, web.words)
        return [soft_404s._look(page) for page in [*pages, *pages]]

    compiled, with_numpy = both(looks)
    assert compiled == with_numpy
    assert len(set(compiled)) == len({tuple(sorted(set(page.tokens.tolist()))) for page in pages})


@pytest.mark.parametrize("strategy", ["hunter", "best_first", "shark_search"])
def test_a_crawl_makes_the_same_visits(strategy: str) -> None:
    web = random_web(pages=150, hosts=5, seed=5)

    def visits() -> list[tuple[object, ...]]:
        recipe = Recipe(
            strategies.make(strategy),
            judges.make("profile"),
            Limits(max_pages=120, max_buffer=60),
            arrivals="window:4",
        )
        seen: list[tuple[object, ...]] = []
        RecordedCrawl(web.topic, web, recipe, MemoryLog()).run(
            lambda visit: seen.append((visit.url, visit.score, visit.choice.score, visit.choice.why))
        )
        return seen

    compiled, with_numpy = both(visits)
    assert compiled == with_numpy
    assert len(compiled) >= 50


def test_a_page_that_others_told_of_is_read_like_any_other() -> None:
    links = tuple((f"http://a.example/{at}", at, at + 2) for at in range(0, 30, 2))
    words = tuple(WORDS * 3)
    glimpse = Glimpse(0, 0, "http://b.example/", "told", words, links, score=0.5, positive=True, depth=1)
    urls, table = Urls(), Texts()
    page = page_of_glimpse(glimpse, urls, table)
    compiled, with_numpy = both(lambda: OwnWords(urls, table, "en").of(page).tolist())
    assert compiled == with_numpy
    assert sum(compiled) == len(words) - 30, "the links are a list"


def test_a_library_of_other_declarations_is_left_alone(tmp_path: Path) -> None:
    for name in (native.FILE, "kernels.h"):
        shutil.copy(Path(str(native.__file__)).parent / name, tmp_path)
    assert native._load(tmp_path)[0] is not None
    (tmp_path / "kernels.h").write_text((tmp_path / "kernels.h").read_text() + "\n")
    assert native._load(tmp_path)[0] is None
    (tmp_path / native.FILE).unlink()
    (tmp_path / native.FILE).write_bytes(b"no library")
    assert native._load(tmp_path)[0] is None

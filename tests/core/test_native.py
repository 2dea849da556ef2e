"""The compiled loops and what stands beside them: the same numbers, in every bit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from math import fsum
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np
import pytest

from salticid import native
from salticid.columns import Column
from salticid.drivers.same_pages import SamePages
from salticid.judges import judges
from salticid.learning.rarity import Rarity
from salticid.learning.stem_vectors import Stack, StemVector, dense_product
from salticid.model import Bools, Glimpse, Links, Page
from salticid.native import lib
from salticid.parse.precheck import _open_at_once
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.store.near_duplicates import Sketch
from salticid.strategies import strategies
from salticid.strategies.hunter import evidence, waiting
from salticid.strategies.hunter.topic_profile import TopicProfile
from salticid.strategies.hunter.url_parts import UrlParts
from salticid.tables.texts import CHOSEN, Texts, Urls, UrlStates
from salticid.tables.translation import IdMap, Translation, page_of_glimpse
from salticid.testing.small import SmallWeb, random_web
from salticid.text.boilerplate import Boilerplate, WordMarks
from salticid.text.own_words import OwnWords, link_lists
from salticid.text.stems import PageBags, Stems
from salticid.text.tokens import Pieces
from salticid.topic import Limits

T = TypeVar("T")

pytestmark = pytest.mark.skipif(lib is None, reason="program absent: a C compiler when the package was installed")

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
    rooms = [room for name, room in sys.modules.items() if name.startswith("salticid.") and hasattr(room, "lib")]
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


def test_what_a_site_repeats_is_the_same_for_both() -> None:
    dice = np.random.default_rng(8)
    stock = " ".join(dice.choice(WORDS, 400).tolist()).split()
    starts = [dice.integers(0, 380, 12).tolist() for _ in range(150)]
    web = SmallWeb({f"page{at}": " ".join(" ".join(stock[a : a + 9]) for a in some) for at, some in enumerate(starts)})

    def repeated() -> list[list[int]]:
        boilerplate, told = Boilerplate(web.urls, WordMarks(web.words, "en")), []
        for number in range(len(starts)):
            page = web.page(web.id(f"page{number}"))
            held = boilerplate.basis(page)[1]
            boilerplate.read(page)
            (site,) = boilerplate._sites.values()
            told += [site.repeated.tolist(), site._counts.tolist(), [boilerplate.holds(held)]]
        return told

    compiled, with_numpy = both(repeated)
    assert compiled == with_numpy
    assert any(compiled[0::3])
    assert {True, False} == {held for (held,) in compiled[2::3]}


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


def test_sums_are_rounded_right_where_a_hair_decides() -> None:
    dice = np.random.default_rng(6)
    hairs = [
        1.0,
        -1.0,
        2.0**-53,
        -(2.0**-53),
        2.0**-54,
        2.0**-52,
        2.0**-105,
        1.0 + 2.0**-52,
        0.0,
        -0.0,
        5e-324,
    ]
    for many in dice.integers(0, 40, 2000).tolist():
        numbers = dice.choice(hairs, many)
        wild = np.concatenate((dice.standard_normal(many), numbers)) * 2.0 ** dice.integers(-60, 60)
        for some in (numbers, np.concatenate((wild, numbers, -wild)), wild):
            assert dense_product(some, np.ones(len(some))) == fsum(some.tolist())


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


def test_the_same_links_are_fresh() -> None:
    dice = np.random.default_rng(5)
    pages = [dice.integers(0, 200 * size, size, np.int32) for size in (0, 1, 5, 40, 900)]

    def fresh() -> list[list[int]]:
        states, found = UrlStates(0), []
        for number, urls in enumerate(pages):
            nofollow = np.arange(len(urls)) % 5 == number
            states[7] = states[int(urls[0]) if len(urls) else 3] = CHOSEN
            found.append(states.learn_fresh(Links(urls, urls, urls, nofollow)).tolist())
            found.append(states.unseen(np.arange(1000, dtype=np.int32)).tolist())
        return found

    compiled, with_numpy = both(fresh)
    assert compiled == with_numpy
    assert 0 < len(compiled[-2]) < 900


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
        same_pages = SamePages(web.urls, web.words)
        return [same_pages._look(page) for page in [*pages, *pages]]

    compiled, with_numpy = both(looks)
    assert compiled == with_numpy
    assert len(set(compiled)) == len({tuple(sorted(set(page.tokens.tolist()))) for page in pages})


def visits_by(strategy: str, web: SmallWeb) -> list[tuple[object, ...]]:
    """What a crawl visits, with the scores, the choices and the reasons for them."""
    limits = Limits(max_pages=120, max_buffer=60)
    recipe = Recipe(strategies.make(strategy), judges.make("profile"), limits, arrivals="window:4")
    seen: list[tuple[object, ...]] = []
    RecordedCrawl(web.topic, web, recipe, MemoryLog()).run(
        lambda visit: seen.append((visit.url, visit.score, visit.choice.score, visit.choice.why))
    )
    return seen


def test_open_elements_are_counted_alike_by_both() -> None:
    random = Random(8)
    parts = b"< </ <div </div> <B </b> <p > h1 x \xff @ { / \0 <longest_of_names </longest_of <a ='<'".split(b" ")
    pages = [b"".join(random.choices(parts, k=random.randrange(80))) for _ in range(1000)]
    names = ["".join(letters) for letters in product("abcdefghij", repeat=3)]
    pages += ["".join(f"<{name}>" for name in names[:many]).encode() for many in (512, 513, 1000)]

    compiled, with_numpy = both(lambda: [_open_at_once(page) for page in pages])
    assert compiled == with_numpy
    assert len(set(compiled)) > 200
    assert compiled[-1] == (1000, 1000, 1), "<big> among them"


def test_texts_get_the_same_ids() -> None:
    rng = Random(5)
    batches = [[b"%d" % rng.randrange(3000) for _ in range(rng.randrange(60))] for _ in range(200)]

    def given() -> tuple[list[list[int]], list[str]]:
        table = Texts()
        ids = [table.intern_all(batch) for batch in batches]
        return ids, table.spell(range(len(table)))

    compiled, with_python = both(given)
    assert compiled == with_python
    assert len(compiled[1]) == len({text for batch in batches for text in batch}) > 1024


def test_a_table_goes_on_with_and_without() -> None:
    table = Texts()
    before = table.intern_all([b"%d" % number for number in range(2000)])
    with no_library():
        assert table.intern_all([b"%d" % number for number in range(4000)]) == [*before, *range(2000, 4000)]
    assert table.intern_all([b"%d" % number for number in range(5000)]) == list(range(5000))


def test_pages_are_translated_alike_and_unknown_ids_refused() -> None:
    web, pages = many_pages(6)

    def translated() -> list[list[int]]:
        urls, words = Urls(), Texts()
        into = Translation(web.urls.__getitem__, web.words.__getitem__)
        others = [into.page(page, urls, words) for page in pages]
        return [[page.url, page.canonical, *page.tokens.tolist(), *page.links.url.tolist()] for page in others]

    compiled, with_numpy = both(translated)
    assert compiled == with_numpy
    for unknown in (5000, -5000):
        with pytest.raises(IndexError):
            IdMap().to(np.array([unknown], np.int32), Texts())


def test_pages_are_compared_by_the_same_numbers() -> None:
    _, pages = many_pages(7)

    def sketches() -> list[tuple[int, list[int], list[int]]]:
        told = [Sketch.of(page) for page in pages]
        return [(sketch.whole, sketch.shingles.tolist(), sketch.least) for sketch in told]

    compiled, with_numpy = both(sketches)
    assert compiled == with_numpy
    assert sum(len(shingles) for _, shingles, _ in compiled) > 1000


@pytest.mark.parametrize("strategy", ["hunter", "best_first", "shark_search"])
def test_a_crawl_makes_the_same_visits(strategy: str) -> None:
    web = random_web(pages=150, hosts=5, seed=5)
    compiled, with_numpy = both(lambda: visits_by(strategy, web))
    assert compiled == with_numpy
    assert len(compiled) >= 50


def test_a_hunt_that_forgets_and_looks_only_at_the_highest_makes_the_same_visits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forgot: list[int] = []
    keep = Column.keep

    def keep_and_tell(column: Column, which: Bools) -> None:
        keep(column, which)
        forgot.append(int((~which).sum()))

    monkeypatch.setattr(Column, "keep", keep_and_tell)
    monkeypatch.setattr(evidence, "FEWEST_ROWS", 150)
    monkeypatch.setattr(evidence, "ROWS_A_LINK", 1)
    monkeypatch.setattr(waiting, "_MANY", 8)
    web = random_web(pages=150, hosts=5, seed=6)
    compiled, with_numpy = both(lambda: visits_by("hunter", web))
    assert compiled == with_numpy
    assert max(forgot) > 0


def test_the_best_of_many_links() -> None:
    def chosen() -> list[int]:
        dice, links = np.random.default_rng(8), waiting.Waiting(limit=None, width=1)
        taken: list[int] = []
        for turn in range(12):
            urls = dice.integers(0, 40_000, 4000).astype(np.int32)
            links.enter(urls, (urls % 50).astype(np.int32), turn, np.arange(4000, dtype=np.int32))
            slots = links.new_slots() if turn % 4 else links.living()
            links.margin.held[slots] = dice.integers(0, 500, len(slots)).astype(np.float64)
            links.has_scored(slots)
            for _ in range(30):
                shut = dice.random(50) < dice.choice([0.0, 0.5, 0.98])
                best = links.best_one(shut)
                taken.append(int(links.url.held[best]))
                links.discard(taken[-1])
        return taken

    compiled, with_numpy = both(chosen)
    assert compiled == with_numpy
    assert len(set(compiled)) > 300


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
    assert native._load(tmp_path)[0] is not None, "the header is parsed where kernels.abi is missing"
    (tmp_path / "kernels.abi").write_text("{'header': 1}")
    assert native._load(tmp_path)[0] is not None, "an old one is ignored"
    (tmp_path / "kernels.h").write_text((tmp_path / "kernels.h").read_text() + "\n")
    assert native._load(tmp_path)[0] is None
    (tmp_path / native.FILE).unlink()
    (tmp_path / native.FILE).write_bytes(b"no library")
    assert native._load(tmp_path)[0] is None


def test_a_start_parses_no_declarations() -> None:
    code = "import sys, salticid.native as native; print(native.lib is not None, 'cffi' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "True False\n"
    )

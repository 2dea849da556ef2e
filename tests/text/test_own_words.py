"""What a page says of its own: told from menus, from what its site repeats, and in its own language."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.judging import PAGES, briefed

from salticid.judges.cosine import Cosine
from salticid.judges.profile import Profile
from salticid.model import Page
from salticid.runs.brief import prepare
from salticid.testing.small import SmallWeb
from salticid.text.boilerplate import EDGE, LEAST_PAGES, MOST_PAGES, MOST_SITES, Boilerplate, WordMarks
from salticid.text.own_words import OwnWords
from salticid.topic import Limits

SLOGAN = "<p>Welcome to the quiet house of wooden trains and tin soldiers</p>"
NOTICE = "<p>This page was printed with care on recycled paper by our own hands</p>"
GERMAN = "<p>Der Garten ist nicht so gross wie das Haus, in dem wir wohnen, aber er hat einen Baum und viele Rosen</p>"


def own_text(web: SmallWeb, own_words: OwnWords, page: Page) -> str:
    return " ".join(web.words.spell(page.tokens[own_words.of(page)].tolist()))


def read(web: SmallWeb, names: list[str]) -> OwnWords:
    own_words = OwnWords(web.urls, web.words, "en")
    own_words.read([web.page(web.id(name)) for name in names])
    return own_words


def test_what_a_site_repeats_is_not_its_pages_own() -> None:
    web = SmallWeb({name: f"<title>{name}</title>{SLOGAN}{text}{NOTICE}" for name, text in PAGES.items()})
    names = list(PAGES)
    page = web.page(web.id(names[-1]))
    before = read(web, names[: LEAST_PAGES - 1])
    after = read(web, names[:LEAST_PAGES])
    assert "tin soldiers" in own_text(web, before, page)
    for repeated in ("quiet house of wooden", "care on recycled paper"):
        assert repeated not in own_text(web, after, page)
    assert "flour water yeast and salt are baked in an oven" in own_text(web, after, page)


def test_another_site_may_say_the_same() -> None:
    pages = {f"one.example/{n}": f"<p>{n}</p>{SLOGAN}" for n in range(6)}
    web = SmallWeb({**pages, "two.example/": f"<title>Toys</title>{SLOGAN}"})
    own_words = read(web, list(pages))
    assert "wooden trains" not in own_text(web, own_words, web.page(web.id("one.example/0")))
    assert "wooden trains" in own_text(web, own_words, web.page(web.id("two.example/")))


def test_what_few_pages_of_a_site_say_is_theirs() -> None:
    pages = {f"{n}": f"<p>{'abcdefghijklmnopqrst'[n]}</p>{SLOGAN if n < 5 else NOTICE}" for n in range(20)}
    web = SmallWeb(pages)
    own_words = read(web, list(pages))
    assert "wooden trains" in own_text(web, own_words, web.page(web.id("0"))), "a quarter of the pages"
    assert "recycled paper" not in own_text(web, own_words, web.page(web.id("9"))), "three quarters"


def test_long_sites_and_many_sites_take_bounded_memory() -> None:
    pages = {f"{host}.example/{n}": f"<p>{host} {n}</p>{SLOGAN}" for host in ("one", "two") for n in range(5)}
    web = SmallWeb(pages)
    boilerplate = Boilerplate(web.urls, WordMarks(web.words, "en"))
    page, rng = web.page(web.id("one.example/0")), np.random.default_rng(1)
    for _ in range(3 * MOST_PAGES):
        tokens = np.append(rng.integers(len(web.words), size=4 * EDGE), page.tokens).astype(np.int32)
        boilerplate.read(Page(page.url, "", tokens, page.area_start, page.area, page.links, b""))
    (site,) = boilerplate._sites.values()
    assert len(site._rows) <= MOST_PAGES * 2 * EDGE
    assert boilerplate.repeated(page).any()
    for host in range(MOST_SITES + 9):
        other = web.urls.intern(f"http://host{host}.example/")
        boilerplate.read(Page(other, "", page.tokens, page.area_start, page.area, page.links, b""))
    assert len(boilerplate._sites) == MOST_SITES
    assert not boilerplate.repeated(page).any(), "the site read longest ago is forgotten"


def test_which_words_were_met_first_does_not_matter() -> None:
    texts = {f"{n}": f"<p>{'abcdefgh'[n]}</p>{SLOGAN}" for n in range(8)}
    forwards, backwards = SmallWeb(texts), SmallWeb(dict(reversed(texts.items())))
    said = [own_text(web, read(web, list(texts)), web.page(web.id("3"))) for web in (forwards, backwards)]
    assert said[0] == said[1]
    assert forwards.words.find("tin") != backwards.words.find("a")


def test_examples_of_one_site_do_not_make_the_site_the_topic() -> None:
    """Five examples share a slogan; a page with the slogan on another topic is no more like them than without it."""
    examples = {f"{n}": f"<title>Spiders</title>{SLOGAN}{PAGES['spiders']}" for n in range(5)}
    others = {"bread": PAGES["bread"], "sloganed": f"{SLOGAN}{PAGES['bread']}"}
    web, brief = briefed(tuple(examples), pages={**examples, **others})
    judge = Profile()
    judge.start(brief)
    plain, sloganed = (judge.score(web.page(web.id(name))) for name in others)
    assert sloganed == pytest.approx(plain, abs=0.02)


def test_pages_of_several_languages_are_read_each_in_its_own() -> None:
    web = SmallWeb({"de": f"<title>Rosen</title>{GERMAN}", "en": PAGES["bread"]})
    own_words = OwnWords(web.urls, web.words, "en")
    german, english = web.page(web.id("de")), web.page(web.id("en"))
    assert (own_words.language(german), own_words.language(english)) == ("de", "en")
    assert own_text(web, own_words, german) == "rosen garten haus wohnen baum rosen"


def test_the_language_of_a_crawl_is_that_of_most_examples() -> None:
    pages = {"a": GERMAN, "b": GERMAN.replace("Garten", "Acker"), "c": PAGES["bread"]}
    web, _ = briefed(("a", "b", "c"), keywords="roses", pages=pages)
    assert prepare(replace(web.topic, language=None), web, Limits(), seed=0).language == "de"
    english = replace(web.topic, language=None, examples=web.topic.examples[2:])
    assert prepare(english, web, Limits(), seed=0).language == "en"


def test_a_topic_named_by_stop_words_alone_has_its_words() -> None:
    pages = {"c": "<p>Pointers in C and C structs: a C compiler", "other": PAGES["bread"]}
    for judge in (Profile(), Cosine()):
        web, brief = briefed((), keywords="c and c++", pages=pages)
        judge.start(brief)
        assert judge.score(web.page(web.id("c"))) > judge.score(web.page(web.id("other")))


def test_a_name_of_several_words_is_more_than_its_words() -> None:
    """Two pages use the same words as often; that comes first which says them side by side."""
    pages = {
        "named": "<p>Symmetries are studied by group theory, and group theory began with equations",
        "apart": "<p>Symmetries group, are studied by theory, and equations group, began with theory",
        "other": PAGES["bread"],
    }
    web, brief = briefed((), keywords="group theory", pages=pages)
    judge = Profile()
    judge.start(brief)
    named, apart, other = (judge.score(web.page(web.id(name))) for name in pages)
    assert named > apart > other


def test_keywords_that_are_stop_words_elsewhere_count() -> None:
    pages = {
        "both": "<p>Numbers drawn at random: a random generator of numbers",
        "one": "<p>Random walks, random trees",
    }
    web, brief = briefed((), keywords="random numbers", pages=pages)
    judge = Profile()
    judge.start(brief)
    both, one = (judge.score(web.page(web.id(name))) for name in pages)
    assert both > one

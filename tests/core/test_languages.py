"""A crawl stays in the languages that it is about: links to others come last, and with --language their pages count
for nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.running import salticid

from salticid.languages import OtherLanguages
from salticid.model import Links
from salticid.tables import Urls

TEXTS = {
    "en": "The jumping spiders of this page are small and they see very well with the eyes that they have in front",
    "fr": "Les jumping spiders de cette page sont petites et elles voient très bien avec les yeux qui sont devant",
    "tr": "Bu sayfanın jumping spiders örümcekleri çok küçük ve onlar için gözleri ile daha iyi görmek bir şey gibi",
    "zh-cn": "这个 页面 的 jumping spiders 很 小 它们 可以 用 前面 的 眼睛 看 得 很 好 我们 都 知道 这个 是 这样 的",
}
PAGES = 8
SITE = "http://docs.example"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in four languages, each page with links to its translations and to the next pages in all languages."""
    folder = tmp_path_factory.mktemp("languages")
    for code, text in TEXTS.items():
        (folder / "html" / code).mkdir(parents=True)
        for page in range(PAGES):
            links = "".join(
                f'<a href="/{other}/{(page + step) % PAGES}.html">jumping spiders {page + step}</a> '
                for step in (0, 1, 2)
                for other in ("fr", "zh-cn", "en", "tr")
            )
            html = f"<meta charset=utf-8><title>jumping spiders {page}</title><p>{text} {page}.</p>{links}"
            (folder / "html" / code / f"{page}.html").write_text(html)
    built = salticid("world", "build", folder / "world", "--html", folder / "html", "--base-url", f"{SITE}/")
    assert built.status == 0, built.err
    return folder / "world"


def visited(world: Path, out: Path, *options: str | int) -> list[dict[str, object]]:
    what = ("--query", "jumping spiders", "--web", world, "--out", out, "--json")
    said = salticid("crawl", *what, "--seed-url", f"{SITE}/en/0.html", *options)
    assert said.status == 0, said.err
    return [json.loads(line) for line in salticid("visits", out, "--json").out.splitlines()]


def languages(rows: list[dict[str, object]]) -> list[str]:
    return [str(row["final_url"]).split("/")[3] for row in rows]


@pytest.mark.parametrize("strategy", ["hunter", "breadth_first"])
def test_links_to_other_languages_come_last(world: Path, tmp_path: Path, strategy: str) -> None:
    read = languages(visited(world, tmp_path / "c", "--strategy", strategy, "--max-pages", 20, "--max-fetches", 60))
    assert read[:PAGES] == ["en"] * PAGES
    assert len(read) == 20
    assert set(read[PAGES:]) <= {"fr", "tr", "zh-cn"}


def test_a_language_that_is_named_restricts(world: Path, tmp_path: Path) -> None:
    rows = visited(world, tmp_path / "c", "--language", "fr", "--max-pages", 30)
    by_language = dict[str, list[float]]()
    for code, row in zip(languages(rows), rows, strict=True):
        by_language.setdefault(code, []).append(float(str(row["current_score"])))
    assert languages(rows)[1 : 1 + PAGES] == ["fr"] * PAGES, "the start page leads to them"
    assert set(by_language["en"]) == {0.0}
    assert min(by_language["fr"]) > 0


def test_several_languages_may_be_named_in_a_topic_file(world: Path, tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text(
        f'name = "t"\nkeywords = "jumping spiders"\nseeds = ["{SITE}/en/0.html"]\nlanguage = ["en", "tr"]\n'
    )
    said = salticid("crawl", topic, "--web", world, "--out", tmp_path / "c", "--max-pages", 2 * PAGES)
    assert said.status == 0, said.err
    rows = [json.loads(line) for line in salticid("visits", tmp_path / "c", "--json").out.splitlines()]
    assert sorted(languages(rows)) == ["en"] * PAGES + ["tr"] * PAGES


def test_a_crawl_that_goes_on_makes_the_same_visits(world: Path, tmp_path: Path) -> None:
    visited(world, tmp_path / "whole", "--max-pages", 20, "--strategy", "best_first")
    for pages in (6, 12, 20):
        visited(world, tmp_path / "parts", "--max-pages", pages, "--strategy", "best_first")
    digests = [salticid("visits", tmp_path / name, "--digest").out for name in ("whole", "parts")]
    assert digests[0] == digests[1]


def test_an_unknown_language_is_named(world: Path, tmp_path: Path) -> None:
    what = ("--query", "spiders", "--web", world, "--out", tmp_path / "c", "--seed-url", f"{SITE}/en/0.html")
    said = salticid("crawl", *what, "--language", "xq")
    assert said.status == 2
    assert "xq" in said.err


@pytest.mark.parametrize(
    ("here", "link", "is_other"),
    [
        ("http://a.example/en/x", "http://a.example/fr/y", True),
        ("http://a.example/en-US/docs/x", "http://a.example/pt-br/docs/y", True),
        ("http://a.example/en/x", "http://a.example/en-gb/y", False),
        ("http://a.example/docs/x", "http://a.example/fr/docs/x", True),
        ("http://a.example/docs/x", "http://a.example/fr/docs/y", False),
        ("http://a.example/", "http://a.example/it/", False),
        ("http://www.a.example/staff", "http://cs.a.example/people", False),
        ("http://en.wiki.example/Paris", "http://fr.wiki.example/Araigne", True),
        ("http://www.a.example/index.html", "http://cs.a.example/index.html", False),
        ("http://cs.a.example/x", "http://cs.a.example/x", False),
        ("http://a.example/x/", "http://a.example/x/tr/", False),
        ("http://a.example/x", "http://a.example/y?lang=fr", True),
        ("http://a.example/x", "http://a.example/y?lang=en", False),
        ("http://a.example/en/x", "http://b.example/fr/x", False),
    ],
)
def test_which_links_lead_to_another_language(here: str, link: str, is_other: bool) -> None:
    urls = Urls()
    page, links = urls.intern(here), Links.to([urls.intern(link)])
    assert OtherLanguages(urls, ["en"]).among(page, links.url).tolist() == [is_other]


def test_what_lies_beside_a_translation_is_another_language_too() -> None:
    urls = Urls()
    here, same, more = map(urls.intern, (f"{SITE}/a/x", f"{SITE}/fr/a/x", f"{SITE}/fr/b"))
    other = OtherLanguages(urls, ["en"])
    links = Links.to([more, same, more]).url
    assert other.among(here, links).tolist() == [False, True, True]
    assert other.among(here, links).tolist() == [True, True, True]

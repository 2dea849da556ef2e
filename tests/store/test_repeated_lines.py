"""What a site repeats on its pages is left out of their main texts; what they say themselves never is."""

from __future__ import annotations

from typing import Any

from tests.support.made_crawl import Made, documents

from salticid.parse.main_text import without_edges
from salticid.store.exports.readings import MOST_PAGES, repeated_lines

MENU = "<p><a href=/1>Prev</a> <a href=/>Up</a> <a href=/2>Next</a></p>"
SLOGAN = "Small. Fast. Spun by hand in the garden."
FOOTER = "All webs are reserved by the society of weavers."
CODE = "<pre>import web\nspin(web)</pre>"
KINDS = ("oak", "ash", "elm", "fir", "yew", "box", "bay", "fig")


def own(kind: str) -> list[str]:
    """What a page says of its own; its code is that of all the others."""
    before = [
        f"Spiders in the {kind}",
        *(f"The {kind} has {many} webs, each of them wide." for many in "234"),
    ]
    after = [f"In the {kind} the {day} web is the last." for day in ("first", "second", "third")]
    return [*before, "import web", "spin(web)", *after]


def page(kind: str) -> str:
    title, *texts = own(kind)
    before, after = ("".join(f"<p>{text}</p>" for text in part) for part in (texts[:3], texts[5:]))
    body = f"{MENU}<p>{SLOGAN}</p><h1>{title}</h1>{before}{CODE}{after}<p>{FOOTER}</p>{MENU}"
    return f"<title>{title}</title><main>{body}</main>"


def add(made: Made, kind: str, html: str | None = None, **values: Any) -> None:
    html = html or page(kind)
    made.add(f"http://a.example/{kind}", html, raw=html, **values)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def test_a_main_text_has_neither_menu_nor_slogan_nor_footer_of_its_site(made: Made) -> None:
    for kind in KINDS:
        add(made, kind)
    told = documents(made.commit())
    assert [lines(document["text"]) for document in told] == [own(kind) for kind in KINDS]
    for document, kind in zip(told, KINDS, strict=True):
        markdown = document["markdown"]
        assert markdown.startswith(f"# Spiders in the {kind}\n")
        assert "import web\nspin(web)" in markdown
        assert not any(text in markdown for text in ("Prev", SLOGAN, FOOTER))


def test_three_pages_of_a_site_lose_nothing_but_their_menu(made: Made) -> None:
    for kind in KINDS[:3]:
        add(made, kind)
    for document, kind in zip(documents(made.commit()), KINDS, strict=False):
        title, *texts = own(kind)
        assert lines(document["text"]) == [SLOGAN, title, *texts, FOOTER]


def test_a_page_that_is_nothing_but_slogan_keeps_it(made: Made) -> None:
    for kind in KINDS[:-1]:
        add(made, kind)
    add(made, KINDS[-1], f"<title>empty</title><main><p>{SLOGAN}</p></main>")
    assert documents(made.commit())[-1]["text"] == SLOGAN


def test_what_two_pages_share_is_theirs(made: Made) -> None:
    shared = "Both trees stand at the wall."
    for kind in KINDS:
        more = f"<main><p>{shared}</p>" if kind in KINDS[:2] else "<main>"
        add(made, kind, page(kind).replace("<main>", more))
    told = [shared in document["text"] for document in documents(made.commit())]
    assert told == [True, True, *[False] * 6]


def test_copies_of_a_page_do_not_make_it_a_repetition(made: Made) -> None:
    for at in range(6):
        add(made, f"copy-{at}", page("oak"), duplicate_of=0 if at else None)
    add(made, "ash")
    told = {document["title"]: document["text"] for document in documents(made.commit())}
    assert FOOTER in told["Spiders in the ash"], "two pages are no site that repeats itself"
    assert {*own("oak")} <= {*lines(told["Spiders in the oak"])}


def test_the_language_is_that_of_the_text_without_what_is_repeated(made: Made) -> None:
    slogan = "Alle Netze sind von Hand gesponnen, und keines davon gehört der Katze. " * 8
    for kind in KINDS:
        text = f"<p>The {kind} is where the spiders of this garden have hung their webs for years.</p>"
        add(made, kind, f"<title>{kind}</title><main><p>{slogan}</p><h1>{kind}</h1>{text}</main>")
    assert {document["language"] for document in documents(made.commit())} == {"en"}


def test_half_of_the_pages_looked_at_is_enough_and_less_is_not() -> None:
    texts = [f"page {at}" for at in range(MOST_PAGES)]
    half = MOST_PAGES // 2
    assert repeated_lines([f"{text}\nWebs" for text in texts[:half]] + texts[half:]) == ["Webs"]
    assert repeated_lines([f"{text}\nWebs" for text in texts[: half - 1]] + texts[half - 1 :]) == []


def test_a_menu_of_many_lines_goes_whole_and_its_entries_in_the_text_stay() -> None:
    menu = [f"Part {at}" for at in range(40)]
    text = ["First of all,", "then the second,", "Part 3", "the next to last", "and the last."]
    stays = ["So", "it", "begins.", *text, "So", "it", "ends."]
    assert without_edges("\n".join([*menu, *stays, *menu]), menu).split("\n") == stays

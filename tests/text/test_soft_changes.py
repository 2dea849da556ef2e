"""What is no news of a page: dates, counters, links; and what is."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from salticid.model import Page
from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls
from salticid.text.changes import CALENDAR, JOINING, SoftChanges

WORDS = st.text("bcdefghklm", min_size=4, max_size=8).filter(lambda word: word not in CALENDAR | JOINING)
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
TIMES = st.integers(0, 4_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
FORMS = (
    "%A, %d %B %Y", "%B %d, %Y", "%a %d %b %Y %H:%M", "%Y-%m-%d", "%d.%m.%Y %H:%M:%S", "%I:%M %p on %A",
    "the %dth of %B",
)  # fmt: skip
_urls, _words = Urls(), Texts()
_parser = Parser(_urls, _words)
SOFT = SoftChanges(_words)


def read(text: str, title: str = "A title") -> Page:
    return _parser.parse(f"<title>{title}</title><p>{text}".encode(), "http://site.example/")


@given(SENTENCES, st.sampled_from(FORMS), TIMES, TIMES, SENTENCES)
def test_a_date_is_no_news(before: str, form: str, old: datetime, new: datetime, after: str) -> None:
    pages = [read(f"{before} {time.strftime(form)} {after}") for time in (old, new)]
    assert SOFT.is_soft(*pages)


@given(SENTENCES, st.integers(2, 10**9), st.integers(2, 10**9), WORDS)
def test_a_number_is_no_news(text: str, old: int, new: int, things: str) -> None:
    assert SOFT.is_soft(*(read(f"{text} {many:,} {things}s", f"({many}) A title") for many in (old, new)))
    assert SOFT.is_soft(read(f"1 {things}. {text}"), read(f"{new} {things}s. {text}"))


@given(SENTENCES, SENTENCES, st.integers(0, 5))
def test_links_are_no_news(text: str, anchor: str, many: int) -> None:
    linked = read(f"{text} {f'<a href=/x>{anchor}</a> ' * many}")
    assert SOFT.is_soft(read(text), linked)
    assert SOFT.is_soft(read(f"{text} {anchor}"), read(f"{text} <a href=/y>{anchor}</a>"))


@given(st.lists(SENTENCES, max_size=5), SENTENCES, st.integers(0, 5))
def test_a_new_sentence_is_news_wherever_it_stands(text: list[str], sentence: str, place: int) -> None:
    longer = [*text[:place], sentence, *text[place:]]
    old, new = read(". ".join(text)), read(". ".join(longer))
    assert not SOFT.is_soft(old, new)
    assert not SOFT.is_soft(new, old), "nor is it soft when it goes"
    assert not SOFT.is_soft(read("", "A title"), read("", f"A title {sentence}"))


@given(st.permutations(["they jump", "they dance", "they see"]))
def test_the_order_of_what_is_said_is_no_news(sentences: list[str]) -> None:
    assert SOFT.is_soft(read("they jump. they dance. they see"), read(". ".join(sentences)))

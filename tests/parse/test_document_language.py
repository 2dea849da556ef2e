"""The language of a document: the detector, its stop words and what it says of itself, weighed."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from salticid.parse.reading import document_language, read_answer, stated_language

TEXTS = {
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají "
    "spolu jednat v duchu bratrství.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geist der Brüderlichkeit begegnen.",
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
    "and should act towards one another in a spirit of brotherhood.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja "
    "omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di "
    "coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを"
    "授けられており、互いに同胞の精神をもって行動しなければならない。",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en "
    "geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i "
    "sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и "
    "должны поступать в отношении друг друга в духе братства.",
    "sv": "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och "
    "bör handla gentemot varandra i en anda av broderskap.",
}
"""The first article of the Universal Declaration of Human Rights."""
STAFF = "Ragland, Kenneth. Martin, Jay. Foster, David. Rutland, Christopher. Borman, Gary. Phone and office."
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


@pytest.mark.parametrize("code", TEXTS)
def test_a_text_shows_its_language(code: str) -> None:
    assert document_language(TEXTS[code]) == code


@pytest.mark.parametrize("code", TEXTS)
def test_what_a_document_says_of_itself_does_not_outweigh_its_text(code: str) -> None:
    """A site's software says "en" wherever nobody told it otherwise."""
    wrong = "en" if code != "en" else "de"
    assert document_language(TEXTS[code], wrong) == code


def test_what_is_said_counts_where_the_text_alone_leaves_it_open() -> None:
    told = {stated: document_language(STAFF, stated) for stated in ("en", "ja", None)}
    assert told == {"en": "en", "ja": None, None: None}


@pytest.mark.parametrize("text", ["", "Spiders", "1 2 3 4 5 6 7 8 9 0 " * 20, "ok " * 30, "\u202e\ufffd" * 99])
def test_a_text_that_tells_nothing_has_none(text: str) -> None:
    assert document_language(text) is None


@pytest.mark.parametrize(
    ("html", "field", "code"),
    [
        ("<html lang=de-AT><body lang=fr>", "en", "de"),
        ("<html xml:lang='pt-BR'>", "", "pt"),
        ("<html lang=''><body lang=FR>", "en", "fr"),
        ("<meta http-equiv=Content-Language content='sv, en'>", "en", "sv"),
        ("<p>", "nb-NO, en", "no"),
        ("<p>", "", None),
        ("<html lang=english>", "", None),
        ("<html lang='x-default'>", "de", "de"),
        (f"<html lang='{'e' * 100_000}'>", "*", None),
    ],
)
def test_a_document_says_its_language_here_and_there(html: str, field: str, code: str | None) -> None:
    assert stated_language(LexborHTMLParser(html), {"content-language": field}) == code


def test_a_page_is_read_with_its_language() -> None:
    for fields, code in ((b"Content-Language: en\r\n", "en"), (b"", None)):
        reading = read_answer(HEAD + fields + b"\r\n<p>" + STAFF.encode(), "http://a.example/", False)
        assert reading is not None
        assert (reading.text, reading.language) == (STAFF, code)

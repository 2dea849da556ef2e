"""The language of a document: what its text looks like, weighed with what it says of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from resiliparse.parse.lang import detect_fast
from selectolax.lexbor import LexborHTMLParser

from salticid.text.language import code_of_tag, language_codes, stop_word_places
from salticid.text.tokens import letter_runs

LOOKED_AT = 5_000
"""Characters of a text that tell its language, the first."""
FEWEST_LETTERS = 30
"""A text of fewer tells nothing."""
FEWEST_WORDS = 20
"""So many words are needed to believe stop words alone."""
CLEARLY, LEAST_SHARE = 2.0, 0.2
"""Stop words alone are believed: so many times as many as of any other language, and at least such a share of all."""
SOME, FEW = 0.1, 0.05
"""The share of stop words that bears out the detector, and what the document says of itself."""

_STATED = "html[lang], html[xml\\:lang], body[lang], meta[http-equiv=content-language i][content]"
_LATIN_ENDS = "\u024f"


def stated_language(tree: LexborHTMLParser, fields: Mapping[str, str]) -> str | None:
    """The language that a document says it is in, or else the head's fields that came with it; the first one named.

    >>> stated_language(LexborHTMLParser("<html lang=de-AT>"), {"content-language": "en"})
    'de'
    >>> stated_language(LexborHTMLParser("<p>"), {"content-language": "nb, en"})
    'no'
    """
    texts = (
        node.attributes.get(name) or ""
        for node in tree.css(_STATED)
        for name in ("lang", "xml:lang", "content")
    )
    for text in (*texts, fields.get("content-language", "")):
        if code := code_of_tag(text):
            return code
    return None


def document_language(text: str, stated: str | None = None) -> str | None:
    """The language of a text as a code, None when that is not sure.

    Three are asked: the detector, which goes by runs of letters; the stop words; and what is `stated`, which is often
    what the makers of a site's software speak. Two of them have to agree, or the stop words be clear.

    >>> document_language("Die Springspinne sieht mit acht Augen, zwei davon groß"), document_language("hot air")
    ('de', None)
    >>> names = "Hotel Adria, Villa Carina, Casa Mia, Palazzo Dora, Pension Erika"
    >>> document_language(names), document_language(names, "sv")
    (None, None)
    """
    start = text[:LOOKED_AT]
    letters = [each for each in start if each.isalpha()]
    if len(letters) < FEWEST_LETTERS:
        return None
    looks: str = detect_fast(start)[0]
    votes, words = _votes(start)
    (best, most), (_, next_most) = votes
    if looks == best and most > max(SOME * words, next_most):
        return looks
    if stated is not None and (stated == looks or (stated == best and most > FEW * words)):
        return stated
    if looks == "unknown":
        return None
    if words >= FEWEST_WORDS and most >= max(LEAST_SHARE * words, CLEARLY * next_most):
        return best
    has_own_letters = 2 * sum(each > _LATIN_ENDS for each in letters) > len(letters)
    is_contradicted = most >= LEAST_SHARE * words
    return looks if has_own_letters and not is_contradicted else None


def _votes(text: str) -> tuple[list[tuple[str, int]], int]:
    """The two languages of which most words are stop words, with their numbers; and the number of all words.

    Latin letters alone are no words: lists of stop words have them, and so has everything.
    """
    codes = tuple(language_codes())
    places = stop_word_places(codes)
    words = [word for word in letter_runs(text) if len(word) > 1 or word > _LATIN_ENDS]
    counts = Counter(place for word in words for place in places.get(word, ()))
    first = [(codes[place], many) for place, many in counts.most_common(2)]
    return [*first, ("", 0), ("", 0)][:2], len(words)

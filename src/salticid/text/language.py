"""Languages: which one a text is in, its stop words, its stemmer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from unicodedata import normalize

import Stemmer
import stopwordsiso
from resiliparse.parse.lang import detect_fast

from salticid.errors import unknown

DEFAULT = "en"

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "porter",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""ISO 639-1 code -> Snowball algorithm; English by Porter's own, as the papers have it."""


def language_codes() -> list[str]:
    """The codes a topic file may name under `language`."""
    return sorted({*_STEMMERS, *stopwordsiso.langs()})


def check_code(code: str) -> str:
    """The code itself, or a UserError that names the nearest one.

    >>> check_code("de")
    'de'
    """
    if code not in language_codes():
        raise unknown("language", code, language_codes())
    return code


def detect(text: str) -> str:
    """The language of a text as a code; English when it is too short to tell.

    >>> detect("Der Luftballon und seine Geschichte in den Jahren nach dem Krieg"), detect("hot air")
    ('de', 'en')
    """
    code, _distance = detect_fast(text[:100_000])
    return code if code in language_codes() else DEFAULT


@cache
def stop_words(code: str) -> frozenset[str]:
    """Words too common to mean anything; a contraction counts by its pieces, as tokens do."""
    entries = stopwordsiso.stopwords(code) if code in stopwordsiso.langs() else set()
    words = (normalize("NFC", word.lower()).replace("’", "'") for word in entries)
    return frozenset(piece for word in words for piece in word.split("'"))


@cache
def rules(code: str) -> str:
    """What decides the stems of a language, as text: equal texts, equal stems."""
    return f"{code}: PyStemmer {version('PyStemmer')}, stopwordsiso {version('stopwordsiso')}"


def stemmer(code: str) -> Callable[[list[str]], list[str]]:
    """A function from tokens to their stems; for a language without a stemmer, the tokens themselves."""
    name = _STEMMERS.get(code)
    if name is None:
        return list
    snowball = Stemmer.Stemmer(name)
    snowball.maxCacheSize = 0  # each word is asked for once, so that its cache only costs
    stems: Callable[[list[str]], list[str]] = snowball.stemWords
    return stems

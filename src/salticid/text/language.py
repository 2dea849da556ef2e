"""Languages: which one a text is in, its stop words, its stemmer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from types import MappingProxyType
from unicodedata import normalize

import msgspec
import numpy as np
import Stemmer
import stopwordsiso
import zstandard
from resiliparse.parse.lang import detect_fast

from salticid.errors import unknown
from salticid.text.tokens import letter_runs

# How frequent the words of a language are: a packed list for each language, made by `tools/words.py`.

_FOLDER = files("salticid.text") / "words"
_ENDING = ".zst"


@cache
def word_lists() -> frozenset[str]:
    """The codes of the languages that have a list."""
    return frozenset(file.name.removesuffix(_ENDING) for file in _FOLDER.iterdir())


def word_shares(code: str) -> Iterator[tuple[str, float]]:
    """The usual words of a language, the commonest first, each with its share of all text.

    >>> next(word_shares("en"))
    ('the', 0.05370317963702527)
    """
    return unpacked((_FOLDER / f"{code}{_ENDING}").read_bytes())


def unpacked(data: bytes) -> Iterator[tuple[str, float]]:
    """The words of a packed list, with their shares: those of a place n have 10 ** (-n / 100) of all text.

    A list holds, for its words in alphabetical order, three columns: how many characters each has in common with
    the word before it, the rest of each on a line, and the places, low bytes first, then high bytes.
    """
    shared, endings, bytes_of_places = msgspec.msgpack.decode(zstandard.decompress(data), type=tuple[bytes, str, bytes])
    words: list[str] = []
    word = ""
    for same, ending in zip(shared, endings.split("\n"), strict=True):
        word = word[:same] + ending
        words.append(word)
    low, high = np.frombuffer(bytes_of_places, np.uint8).astype(np.int64).reshape(2, -1)
    places = low + 256 * high
    order = np.argsort(places, kind="stable")
    shares = [10 ** (-place / 100) for place in range(int(places.max()) + 1)]
    return zip(map(words.__getitem__, order.tolist()), map(shares.__getitem__, places[order].tolist()), strict=True)


DEFAULT = "en"
MOST_USUAL = 0.0015
"""Words that are so large a part of all text or more say nothing, also where nothing else is said."""

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "porter",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""ISO 639-1 code -> Snowball algorithm; English by Porter's own, as the papers have it."""
_OTHER_NAMES = {"no": "nb", "hr": "sh", "tl": "fil"}
"""Codes whose word list is kept under another one."""
_TAG = re.compile(r"\s*([a-z]{2,3})(?![a-z])", re.IGNORECASE)
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "fil": "tl", "cmn": "zh", "yue": "zh"}
"""Codes of tags, and those under which we know the same."""


def language_codes() -> list[str]:
    """The codes a topic file may name under `language`."""
    return sorted({*_STEMMERS, *stopwordsiso.langs()})


def stemmed_languages() -> list[str]:
    """The codes of the languages that have a stemmer."""
    return list(_STEMMERS)


def check_code(code: str) -> str:
    """The code itself, or a UserError that names the nearest one.

    >>> check_code("de")
    'de'
    """
    if code not in language_codes():
        raise unknown("language", code, language_codes())
    return code


def code_of_tag(tag: str) -> str | None:
    """The code of the language that a tag names, the first of several; None if it names none.

    >>> code_of_tag("de-AT, en"), code_of_tag("nb"), code_of_tag("x-default")
    ('de', 'no', None)
    """
    match = _TAG.match(tag)
    code = match[1].lower() if match else None
    return _SAME.get(code, code) if code else None


def detect(text: str) -> str:
    """The language of a text as a code; English when it is too short to tell.

    >>> detect("Der Luftballon und seine Geschichte in den Jahren nach dem Krieg"), detect("hot air")
    ('de', 'en')
    """
    code, _distance = detect_fast(text[:100_000])
    return code if code in language_codes() else DEFAULT


SHORT_LIST = ", function words"
"""Behind the code of a language it asks for its function words in place of all its stop words."""


@cache
def stop_words(code: str) -> frozenset[str]:
    """Words too common to mean anything; a contraction counts by its pieces, as tokens do.

    >>> "course" in stop_words("en"), "course" in stop_words("en" + SHORT_LIST), "the" in stop_words("en" + SHORT_LIST)
    (True, False, True)
    """
    if code.endswith(SHORT_LIST):
        return function_words(code.removesuffix(SHORT_LIST))
    entries = stopwordsiso.stopwords(code) if code in stopwordsiso.langs() else set()
    words = (normalize("NFC", word.lower()).replace("’", "'") for word in entries)
    return frozenset(piece for word in words for piece in word.split("'"))


@cache
def stop_word_places(codes: tuple[str, ...]) -> Mapping[str, list[int]]:
    """Stop word -> where those languages stand that have it.

    >>> stop_word_places(("en", "de"))["in"]
    [0, 1]
    """
    places: dict[str, list[int]] = {}
    for place, code in enumerate(codes):
        for word in stop_words(code):
            places.setdefault(word, []).append(place)
    return places


def telling_words(words: Collection[str], code: str) -> frozenset[str]:
    """Those of some stop words that may yet be what a person looks for: "c" and "group", but not "and" or "who".

    >>> sorted(telling_words(["c", "and", "group"], "en"))
    ['c', 'group']
    """
    return frozenset(word for word in words if word_frequencies(code).get(word, 0.0) < MOST_USUAL)


_FUNCTION_WORDS = """
a an the this that these those each every either neither both all any some no none such other another same own few
many much more most less least several enough
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself
it its itself they them their theirs themselves one ones who whom whose which what whatever whoever whichever
somebody someone something anybody anyone anything everybody everyone everything nobody nothing
am is are was were be been being have has had having do does did doing done will would shall should can could
may might
must ought cannot isn aren wasn weren hasn haven hadn doesn don didn won wouldn shouldn couldn mustn ain s t d
ll m re ve
and or but nor so yet if unless although though because since until till while whereas whether than as
of in on at by for from to into onto upon with within without about above below over under between among across along
around against toward towards through throughout during before after behind beside besides beyond near off out up down
per via except
not never ever always often sometimes already still just only even also too very quite rather almost again once
then thus
hence therefore however here there where when why how wherever whenever now perhaps maybe else instead
"""


@cache
def function_words(code: str) -> frozenset[str]:
    """Words that hold sentences together and have no subject: far fewer than `stop_words`.

    For English a list of articles, pronouns, auxiliaries, conjunctions, prepositions and adverbs. For other languages
    the stop words that are the most usual of all words.

    >>> [word in function_words("en") for word in ("between", "course", "home", "research", "system")]
    [True, False, False, False, False]
    """
    stop = stop_words(code)
    return frozenset(_FUNCTION_WORDS.split()) if code == "en" else stop - telling_words(stop, code)


@cache
def word_frequencies(code: str) -> Mapping[str, float]:
    """The share of a language's text that each of its usual words has; the English ones, if it has no list."""
    shares: dict[str, float] = {}
    for entry, frequency in word_shares(_list_name(listed(code))):
        is_word = entry.isascii() and entry.isalpha() and entry.islower()
        for word in (entry,) if is_word else letter_runs(entry):
            shares[word] = shares.get(word, 0.0) + frequency
    return MappingProxyType(shares)


@cache
def listed(code: str) -> str:
    """The language itself if there is a list of its usual words, else the default one."""
    return code if _list_name(code) in word_lists() else DEFAULT


def _list_name(code: str) -> str:
    return _OTHER_NAMES.get(code, code)


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

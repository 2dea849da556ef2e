"""Words: tokens, stems, stop words, languages, boilerplate, sentences, templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.text.boilerplate import LEAST_PAGES, LEAST_SHARE, ROW
    from salticid.text.changes import SoftChanges, plain_text, sentences, stretches, telling, words_before_text
    from salticid.text.language import (
        DEFAULT,
        SHORT_LIST,
        check_code,
        code_of_tag,
        detect,
        function_words,
        language_codes,
        listed,
        rules,
        stemmer,
        stop_word_places,
        stop_words,
        telling_words,
        word_frequencies,
    )
    from salticid.text.own_words import OwnWords, link_lists
    from salticid.text.stems import STOP, Bag, PageBags, Stems
    from salticid.text.templating import content_hash, templates
    from salticid.text.tokens import LONGEST, MARKS, MarkedTokens, Pieces, Tokenizer, letter_runs, tokens_of
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "DEFAULT",
    "LEAST_PAGES",
    "LEAST_SHARE",
    "LONGEST",
    "MARKS",
    "ROW",
    "SHORT_LIST",
    "STOP",
    "Bag",
    "MarkedTokens",
    "OwnWords",
    "PageBags",
    "Pieces",
    "SoftChanges",
    "Stems",
    "Tokenizer",
    "check_code",
    "code_of_tag",
    "content_hash",
    "detect",
    "function_words",
    "language_codes",
    "letter_runs",
    "link_lists",
    "listed",
    "plain_text",
    "rules",
    "sentences",
    "stemmer",
    "stop_word_places",
    "stop_words",
    "stretches",
    "telling",
    "telling_words",
    "templates",
    "tokens_of",
    "word_frequencies",
    "words_before_text",
]

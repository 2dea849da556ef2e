"""What a person looks for: words, phrases, and words that must not be there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from salticid.errors import UserError
from salticid.store.search_words import in_letters, search_words

MOST_WORDS = 64

_QUOTES = str.maketrans("“”„‟«»", '""""""')
_TERM = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')

Term = tuple[str, ...]
"""Words that stand side by side. What a person writes as one may be several: x-ray, 3.8, 蜘蛛网."""


@dataclass(frozen=True, slots=True)
class Query:
    """Terms that a page must hold, and `excluded` ones that it must not.

    >>> query = Query.of('jumping spiders "eight eyes" -flies')
    >>> query.terms, query.excluded
    ((('jumping',), ('spiders',), ('eight', 'eyes')), (('flies',),))
    """

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()

    @classmethod
    def of(cls, text: str) -> Query:
        """Read what a person typed; letters and digits count, and no punctuation but quotes and a leading minus."""
        signed_terms = [
            (sign, tuple(search_words(phrase or word)))
            for sign, phrase, word in _TERM.findall(text.translate(_QUOTES))
        ]
        terms = tuple(term for sign, term in signed_terms if term and not sign)
        excluded = tuple(term for sign, term in signed_terms if term and sign)
        if not terms:
            raise UserError(f"nothing to look for in {text[:80]!r}; name a word or a number")
        if sum(map(len, terms + excluded)) > MOST_WORDS:
            raise UserError(f"too much to look for; name at most {MOST_WORDS} words")
        return cls(terms, excluded)

    def expression(self, any_term: bool = False) -> str:
        """The query as FTS5 reads it: all terms, or any of them.

        >>> Query.of("web -fly").expression(), Query.of("x-ray eyes").expression(any_term=True)
        ('("web") NOT ("fly")', '("x ray" OR "eyes")')
        """
        terms = (" OR " if any_term else " AND ").join(map(_quote, self.terms))
        excluded = " OR ".join(map(_quote, self.excluded))
        return f"({terms}) NOT ({excluded})" if excluded else f"({terms})"


def _quote(term: Term) -> str:
    # Words are letters or digits and nothing else: no quote, no operator of FTS5 can hide in them.
    return f'"{in_letters(" ".join(term)).strip()}"'

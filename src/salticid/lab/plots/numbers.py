"""Numbers as a reader wants them: no more decimals than their error allows."""

from __future__ import annotations

import math
from collections.abc import Iterable

from salticid.lab.results import Score

MOST_DECIMALS = 5
MISSING = "–"
MINUS = "−"


def finite(value: float | None) -> float | None:
    """The value, or None where there is no number."""
    return value if value is not None and math.isfinite(value) else None


def decimals(errors: Iterable[float | None], significant: int, otherwise: int) -> int:
    """How many decimals show the smallest error that is not zero with so many significant digits.

    >>> decimals([0.02, 0.11, 0.0], 1, otherwise=3), decimals([12.3], 2, otherwise=3), decimals([None], 1, otherwise=3)
    (2, 0, 3)
    """
    sizes = [error for error in map(finite, errors) if error is not None and error > 0]
    if not sizes:
        return otherwise
    return min(max(significant - 1 - math.floor(math.log10(min(sizes))), 0), MOST_DECIMALS)


def number(value: float | None, digits: int) -> str:
    """A number with so many decimals, thousands apart; a dash for none.

    >>> number(1234.5678, 1), number(-0.25, 2), number(-0.001, 2), number(None, 2)
    ('1,234.6', '−0.25', '0.00', '–')
    """
    value = finite(value)
    if value is None:
        return MISSING
    text = f"{abs(value):,.{digits}f}"
    return MINUS + text if value < 0 and any(digit in text for digit in "123456789") else text


def mean_and_error(score: Score, digits: int) -> str:
    """Mean ± standard error; the mean alone where one topic knows no error.

    >>> mean_and_error(Score(0.4312, 0.0187, 33), 2), mean_and_error(Score(0.5, None, 1), 2)
    ('0.43 ± 0.02', '0.50')
    """
    mean, error = finite(score.mean), finite(score.se)
    if mean is None or error is None:
        return number(mean, digits)
    return f"{number(mean, digits)} ± {number(error, digits)}"


def p_value(p: float | None) -> str:
    """The number alone, for a table: two significant digits, and no more than three decimals.

    >>> p_value(0.00001), p_value(0.0316), p_value(0.314), p_value(None)
    ('< 0.001', '0.032', '0.31', '–')
    """
    p = finite(p)
    if p is None:
        return MISSING
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.0995 else f"{p:.2f}"


def p_text(p: float | None) -> str:
    """The number in a sentence.

    >>> p_text(0.00001), p_text(0.0316), p_text(None)
    ('p < 0.001', 'p = 0.032', 'not tested')
    """
    text = p_value(p)
    if text == MISSING:
        return "not tested"
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def unbroken(text: str) -> str:
    """The text with spaces that no line breaks at within "0.43 ± 0.02" and "p < 0.001".

    >>> unbroken("a 0.43 ± 0.02 (p < 0.001)")
    'a 0.43\\xa0±\\xa00.02 (p\\xa0<\\xa00.001)'
    """
    for sign in ("± ", "p < ", "p = "):
        text = text.replace(sign, sign.replace(" ", "\u00a0"))
    return text.replace(" ±", "\u00a0±")


def shorten(name: str, most: int) -> str:
    """A name that fits: the middle of a long one goes, for settings at its end tell it from others.

    >>> shorten("best_n_first:n=256,admit=always", 20), shorten("opic", 20)
    ('best_n_fi…mit=always', 'opic')
    """
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"

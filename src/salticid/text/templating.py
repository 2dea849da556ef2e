"""Pages made from templates, in which everything that the web wrote is text and never markup."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

_NO_CHARACTERS = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")
"""What XML forbids or discourages."""


def templates(*packages: str) -> Environment:
    """The templates of these packages; of two files of one name that of the first is taken.

    >>> templates("salticid.lab").from_string("<p>{{ text }}").render(text="a < b \\0")
    '<p>a &lt; b '
    """
    # Here: it takes its time to import.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package, ".") for package in packages]),
        autoescape=True,
        finalize=_without_odd_characters,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def content_hash(environment: Environment, name: str) -> str:
    """By which a Content-Security-Policy knows a file of ours that stands in the page."""
    text = environment.get_template(name).render()
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _without_odd_characters(value: Any) -> Any:
    return _NO_CHARACTERS.sub("", value) if type(value) is str else value

"""The main text of a page: what it says, without the menus, boxes and footers around it."""

from __future__ import annotations

from resiliparse.extract.html2text import extract_plain_text


def main_text(html: str) -> str | None:
    """The main text of a document that a parser may see (`prescan`); None where there is none.

    Paragraphs, headings and items of lists stand on lines of their own.

    >>> main_text("<nav><a href=/>Home</a></nav><main><h1>Eyes</h1><p>Four of them look ahead.</main>")
    'Eyes\\n\\nFour of them look ahead.'
    """
    text: str = extract_plain_text(html, main_content=True, links=False)
    return text.strip() or None

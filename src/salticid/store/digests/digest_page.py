"""The digest of a round as a page that opens offline: no script, nothing from elsewhere."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from xml.etree.ElementTree import Element

from salticid.model import Page
from salticid.store.digests.markup import element, html, link
from salticid.store.digests.news_sections import day, section
from salticid.store.round_news import GonePage, RoundNews
from salticid.text.sentences import stretches


def digest_page(news: RoundNews, topic: str, copied: Collection[int]) -> bytes:
    """What a round brought; the last copies of pages that are gone lie beside it where their steps are `copied`."""
    body = [
        element("h1", f"What is new: {topic}"),
        element("p", f"Round {news.round}, {day(news.began)}: {in_short(news)}."),
        *section("New", news.new),
        *section("Changed", news.changed),
        *section("Gone", news.gone, copied),
        *section("Back again", news.back),
    ]
    return _document(f"What is new: {topic}, round {news.round}", body)


def kept_page(about: GonePage, page: Page) -> bytes:
    """The last copy of a page that is gone: its text, paragraph by paragraph."""
    title = about.title.strip() or about.url
    body = [
        element("h1", title),
        element(
            "p", "The text of ", link(about.url, about.url), f", read {day(about.before)}.", class_="soft"
        ),
        *(element("p", " ".join(stretch.sentences)) for stretch in stretches(page)),
    ]
    return _document(title, body)


def in_short(news: RoundNews) -> str:
    """A round in a line."""
    counts = news.counts
    told = [f"{counts['new']} new", f"{counts['changed']} changed", f"{counts['gone']} gone"]
    told += [f"{counts['back']} back again"] if counts["back"] else []
    told.append(f"{counts['same']} the same")
    told += [f"{counts['still_gone']} still gone"] if counts["still_gone"] else []
    told += [f"{counts['unknown']} unknown"] if counts["unknown"] else []
    return ", ".join(told)


def _document(title: str, body: list[Element]) -> bytes:
    style, policy = _style()
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", style),
    )
    whole = element("html", head, element("body", element("main", *body)), lang="en")
    return f"<!DOCTYPE html>\n{html(whole)}\n".encode()


@lru_cache(maxsize=1)
def _style() -> tuple[str, str]:
    """The style sheet, and a policy that allows it and nothing else."""
    style = Path(__file__).with_name("digest.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    rules = ("default-src 'none'", f"style-src 'sha256-{digest}'", "base-uri 'none'", "form-action 'none'")
    return style, "; ".join(rules)

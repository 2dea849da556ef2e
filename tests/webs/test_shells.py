"""Which pages are empty shells, and need a browser to say anything."""

from __future__ import annotations

import time

import pytest

from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls
from salticid.webs.live.browser.rendering import LITTLE_TEXT, MUCH_SCRIPT, is_shell

FILE = "<script src=/main.js></script>"
WITHIN = f"<script>{'x = 1;' * (MUCH_SCRIPT // 6 + 1)}</script>"
SHELLS = {
    "react": f"<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div>{FILE}",
    "vue": f'<body><div id="app"><!-- built files will be injected --></div>{FILE}',
    "angular": f"<app-root _nghost-abc></app-root><script type=module src=main.js></script>{FILE}",
    "next": f'<div id="__next"><div class=spinner>Loading...</div></div>{FILE}',
    "within": f"<div id=page-content>\n</div>{WITHIN}",
    "loud": f"<DIV CLASS=x ID=root></DIV><SCRIPT SRC=/main.js></SCRIPT>{'<meta name=description content=a>' * 9}",
    "own element": f"<my-app></my-app>{FILE}",
}
OTHERS = {
    "says something": f"<div id=root><p>{'eight eyes ' * (LITTLE_TEXT // 11 + 1)}</div>{FILE}",
    "no script": "<div id=root></div>",
    "data alone": "<div id=root></div><script type='application/ld+json' src=x>{}</script>",
    "a few lines of script": "<div id=root></div><script>count()</script>",
    "no root": f"<p>Gone fishing</p>{FILE}",
    "empty without a name": f"<div class=clear></div><p>Gone fishing</p>{FILE}",
    "sends on": f"<meta http-equiv=refresh content='0; url=/en/'><div id=root></div>{FILE}",
    "nothing": "",
}


def tried(html: str) -> bool:
    return is_shell(html.encode(), Parser(Urls(), Texts()).parse(html.encode(), "http://a.example/"))


@pytest.mark.parametrize("kind", SHELLS)
def test_a_shell_is_known(kind: str) -> None:
    assert tried(SHELLS[kind])


@pytest.mark.parametrize("kind", OTHERS)
def test_no_other_page_is_taken_for_one(kind: str) -> None:
    assert not tried(OTHERS[kind])


@pytest.mark.parametrize(
    "part",
    [
        "<script",
        "<script ",
        "<script>",
        "<div id=x>",
        "<div id=x> ",
        "<a-",
        "<a-b ",
        "<!--",
        " id=",
        "<div id",
        "<div ",
    ],
)
def test_a_page_made_to_keep_it_busy_does_not(part: str) -> None:
    """A megabyte of anything takes one walk; a quadratic one would take minutes."""
    page = Parser(Urls(), Texts()).parse(b"", "http://a.example/")
    html = (part * (1_000_000 // len(part))).encode()
    start = time.process_time()
    is_shell(html, page)
    is_shell(html + b"<script src=x></script>", page)
    assert time.process_time() - start < 5

"""Hrefs: whatever way is taken, they mean what `canonical` says they mean."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.model import NO_URL
from salticid.native import lib
from salticid.parse import document
from salticid.parse.document import Document
from salticid.parse.hrefs import Hrefs
from salticid.tables.texts import Urls
from salticid.tables.translation import Newcomers
from salticid.urls import canonical

_PIECES = [
    "../", "/", "//", "./", "..", ".", "a", "B_2", "-x.htm", "~ann", "%7e", "%2e", "#", "?q=1", ";jsessionid=1",
    " ", "\t", "é", ":", "http://", "https://", "HTTP://", "h.example", "h.example.", "127.1", "h.example:80", "@",
    "\u2003", "\\",
]  # fmt: skip
_hrefs = st.lists(st.sampled_from(_PIECES), max_size=7).map("".join)
_bases = st.sampled_from(
    [
        "http://h.example/", "http://h.example/a", "https://h.example:8443/a/b/c.htm?x=/../", "http://h.example/a//b/",
        "http://127.0.0.1/%2F/;x/", "http://h.example/a/" + "b" * 2030 + "/", "no URL", "http://h.example",
    ]
)  # fmt: skip


@given(st.lists(_hrefs, max_size=5), st.lists(_bases, min_size=1, max_size=4))
@example(
    ["../../../a/B_2#x y", "", "#", "..", "../", "a/", "/", "//a/a", "https://127.1/a"],
    ["http://h.example/a//b/"],
)
@example(["a" * 20, "aaa"], ["http://h.example/a/" + "b" * 2030 + "/"])
def test_an_href_means_the_same_with_and_without_a_memory(hrefs: list[str], bases: list[str]) -> None:
    urls, newcomers = Urls(), Newcomers()
    written = "".join(f"{href}\0" for href in hrefs).encode()
    remembering, compiled = Hrefs(urls), Hrefs(newcomers)
    told: list[str] = []
    for base in bases:
        expected = [None if href.lstrip().startswith("#") else canonical(href, base) for href in hrefs]
        found = remembering.resolve(written, base).tolist()
        assert [None if url == NO_URL else urls[url] for url in found] == expected
        assert compiled.resolve(written, base).tolist() == found
        told += newcomers.tell()[1].decode().split()
    assert told == urls.spell(range(len(urls)))


@pytest.mark.skipif(lib is None, reason="program absent: a C compiler when the package was installed")
def test_a_lexbor_with_other_functions_is_left_to_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    names = list(document._FUNCTIONS)
    first, following = names.index("lxb_dom_node_first_child_noi"), names.index("lxb_dom_node_next_noi")
    names[first] = names[following]
    monkeypatch.setattr(document, "_FUNCTIONS", tuple(names))
    document._lexbor.cache_clear()
    try:
        with pytest.warns(UserWarning, match="parses more slowly"):
            read = document.DocumentReader().read(b"<p>See <a href=b>all")
        assert isinstance(read, Document)
        assert read.hrefs == b"b\0"
    finally:
        document._lexbor.cache_clear()

"""Tables of texts: ids that stay, heaps that agree, hosts, and a world's tables with what a crawl adds."""

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.tables import heaps, texts
from salticid.tables.heaps import FileHeap, MemoryHeap
from salticid.tables.texts import Texts, Urls
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer
from salticid.worlds.writer import WorldWriter

# The last ones share their bytes in memory pairwise, and with them the value of hash().
_words = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(["", "a", "\x00", "慢", "ba", "慢慢", "baba", "é", "éa", "慩", "\U00016261", "ab\x01\x00"]),
)
_names = st.sampled_from(["a.example", "b.example", "b.example:8080", "c.example"])
_urls = st.builds("http://{}/{}".format, _names, st.integers(0, 9))


@given(st.lists(_words))
@example(["慢", "ba"])
@example(["baba", "慢慢"])
def test_ids_count_from_0_in_order_of_arrival_and_stay(texts: list[str]) -> None:
    table = Texts()
    expected: dict[str, int] = {}
    for text in texts:
        assert table.find(text) == expected.get(text, -1)
        assert table.intern(text) == expected.setdefault(text, len(expected))
        assert table.find(text) == expected[text]
        assert len(table) == len(expected)
    assert [table[at] for at in range(len(table))] == list(expected)
    assert table.spell([expected[text] for text in texts]) == texts
    assert table.stems("any") is None


@pytest.fixture(scope="module")
def quickly_old() -> Iterator[None]:
    """Texts need more slots, and are packed, when there are a few of them, not many thousands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "_FEW", 3)
        patch.setattr(texts, "_FIRST_SLOTS", 4)
        patch.setattr(heaps, "IN_A_BLOCK", 4)
        patch.setattr(heaps, "LEFT_OPEN", 5)
        yield


@given(st.lists(st.lists(_words, max_size=9), max_size=9), st.randoms(use_true_random=False))
def test_old_texts_are_found_and_spelled_like_new_ones(
    quickly_old: None, batches: list[list[str]], luck: random.Random
) -> None:
    table = Texts()
    expected: dict[str, int] = {}
    for batch in batches:
        if luck.random() < 0.5:
            given_ids = table.intern_all([text.encode() for text in batch])
        else:
            given_ids = [table.intern(text) for text in batch]
        assert given_ids == [expected.setdefault(text, len(expected)) for text in batch]
        assert [table.find(text) for text in expected] == list(range(len(expected)))
        first, last = sorted(luck.choices(range(len(expected) + 1), k=2))
        assert table.between(first, last) == [text.encode() for text in list(expected)[first:last]]
    assert [table[at] for at in range(len(table))] == list(expected)
    assert table.spell(list(expected.values())[::-1]) == list(expected)[::-1]


@given(st.lists(_urls, unique=True), st.lists(_urls))
def test_a_table_filled_again_goes_on_as_the_one_it_was_made_of(
    quickly_old: None, before: list[str], after: list[str]
) -> None:
    one, other = Urls(), Urls()
    for url in before:
        one.intern(url)
    for begin in range(0, len(before), 7):
        other.extend([url.encode() for url in before[begin : begin + 7]])
    assert [one.intern(url) for url in after] == [other.intern(url) for url in after]
    everywhere = range(len(one))
    assert one.spell(list(everywhere)) == other.spell(list(everywhere))
    assert [one.host(at) for at in everywhere] == [other.host(at) for at in everywhere]


def test_an_id_that_was_never_given_is_an_error() -> None:
    table = Texts()
    table.intern("spider")
    for at in (-1, 1):
        with pytest.raises(IndexError):
            table[at]


@given(st.lists(st.tuples(st.binary(max_size=50), st.booleans())))
def test_heaps_in_memory_and_in_a_file_agree(steps: list[tuple[bytes, bool]]) -> None:
    with TemporaryDirectory() as folder:
        memory, file = MemoryHeap(), FileHeap(Path(folder, "heap"))
        for count, (text, look_back) in enumerate(steps, start=1):
            memory.append(text)
            file.append(text)
            if look_back:  # reading must not disturb what is written next
                for at in (0, count // 2, count - 1):
                    assert file.read(at) == memory.read(at) == steps[at][0]
        assert file.between(0, len(steps)) == memory.between(0, len(steps)) == [text for text, _ in steps]
        assert list(file) == [text for text, _ in steps]
        assert list(file) == [memory.read(at) for at in range(len(steps))]
        file.close()
        assert Path(folder, "heap").read_bytes() == b"".join(text for text, _ in steps)


def test_a_file_is_read_while_it_is_written(tmp_path: Path) -> None:
    heap = FileHeap(tmp_path / "heap")
    table = Urls(heap)
    urls = [f"http://a.example/{'x' * (at % 300)}{at}" for at in range(3000)]
    reading = None
    for at, url in enumerate(urls):
        assert table.intern(url) == at
        assert table[at // 3] == urls[at // 3]
        if at == 1500:
            reading = iter(heap)
            assert next(reading) == urls[0].encode()
    assert reading is not None
    assert [text.decode() for text in reading][:1500] == urls[1:1501]
    assert [text.decode() for text in heap] == urls
    heap.close()


@given(st.lists(_urls))
def test_hosts(texts: list[str]) -> None:
    table = Urls()
    ids = [table.intern(text) for text in texts]
    assert [table.host_name(table.host(at)) for at in ids] == [text.split("/")[2] for text in texts]
    for a in ids:
        for b in ids:
            assert (table.host(a) == table.host(b)) is (table[a].split("/")[2] == table[b].split("/")[2])


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    """A world whose pages hold the words a, ba, 慢 and naïve, and link to a.example/0 ... b.example/4."""
    folder = tmp_path_factory.mktemp("tables") / "world"
    writer = WorldWriter(folder)
    links = "".join(f"<a href=http://{name}.example/{at}>ba 慢 naïve a</a>" for name in "ab" for at in range(5))
    writer.add(Answer("http://a.example/", html=f"<meta charset=utf-8>{links}".encode()))
    writer.close("test")
    return RecordedWeb(folder)


def test_a_world_finds_what_it_spells(web: RecordedWeb) -> None:
    for table in (web.urls, web.words):
        every = list(range(len(table.disk)))
        texts = [table[at] for at in every]
        assert len(set(texts)) == len(texts) > 3
        assert [table.find(text) for text in texts] == every
        assert table.spell(every[::-1]) == texts[::-1]
        assert table.spell([]) == []
        assert table.find("nothing of the kind") == -1
    assert sorted(web.words.disk.spell(range(len(web.words.disk)))) == ["a", "ba", "naïve", "慢"]


@given(st.lists(_urls))
def test_a_world_grows_in_memory(web: RecordedWeb, texts: list[str]) -> None:
    table = RecordedWeb(web.folder).urls
    known = len(table)
    ids = [table.intern(text) for text in texts]
    new = list(dict.fromkeys(text for text in texts if web.urls.disk.find(text) < 0))
    assert len(table) == known + len(new)
    assert [table.find(text) for text in new] == list(range(known, len(table)))
    assert table.spell(ids) == [table[at] for at in ids] == texts
    assert [table.host_name(table.host(at)) for at in ids] == [text.split("/")[2] for text in texts]
    hosts = {table.host(at) for at in ids}
    assert len(hosts) == len({text.split("/")[2] for text in texts})
    assert {table.host(table.find("http://a.example/1"))} & hosts == (
        {table.host(table.find("http://a.example/"))} if any("//a.example/" in text for text in texts) else set()
    )

"""Public collections by name: listed, read from files at hand, fetched from a server that stands in for theirs."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.http_stub import Answer, http_stub
from tests.support.running import salticid
from tests.worlds.test_webkb_source import webkb_tree

from salticid.errors import SalticidError, UserError
from salticid.worlds.public_collections import COLLECTIONS, MARK, PARTIAL, download, unpack

WEBKB = COLLECTIONS["webkb"]


def packed(folder: Path) -> bytes:
    """A folder as the public file has it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        tar.add(folder, "webkb")
    return data.getvalue()


@pytest.fixture
def archive(tmp_path: Path) -> bytes:
    return packed(webkb_tree(tmp_path / "tree"))


class Shop:
    """A server of one file, which it may cut short; `asked` are the ranges that it was asked for."""

    def __init__(self, file: bytes, cut: int | None = None, tag: str = '"one"') -> None:
        self.file, self.cut, self.tag = file, cut, tag
        self.asked: list[tuple[str, str | None]] = []

    def answer(self, request: BaseHTTPRequestHandler) -> Answer:
        wanted, edition = request.headers.get("Range"), request.headers.get("If-Range")
        self.asked.append((request.path, wanted))
        fields, start, status = {"ETag": self.tag}, 0, 200
        if wanted and edition == self.tag:
            start, status = int(wanted.removeprefix("bytes=").rstrip("-")), 206
            fields["Content-Range"] = f"bytes {start}-{len(self.file) - 1}/{len(self.file)}"
        if self.cut is None:
            return Answer(self.file[start:], status, "application/gzip", fields)
        fields["Content-Length"] = str(len(self.file) - start)  # more than comes
        return Answer(self.file[start : self.cut], status, "application/gzip", fields)


@contextmanager
def as_proxy(shop: Shop) -> Iterator[int]:
    """The shop, asked for every http address of the world."""
    with http_stub(shop.answer) as port, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.lower() in ("http_proxy", "no_proxy")]:
            patch.delenv(name)
        patch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        yield port


def test_a_collection_is_fetched_once_and_goes_on_where_it_broke_off(archive: bytes, tmp_path: Path) -> None:
    shop, folder = Shop(archive, cut=len(archive) // 2), tmp_path / "collections"
    with as_proxy(shop):
        said = salticid("world", "get", "webkb", folder / "webkb")
        assert said.status == 1
        assert f"broke off after {len(archive) // 2:,} bytes" in said.err
        assert "type the same command again" in said.err
        assert not (folder / "webkb").exists()
        shop.cut = None
        said = salticid("world", "get", "webkb", folder / "webkb", "--json")
        assert said.status == 0, said.err
        assert "unverified" in said.err
        assert shop.asked == [(WEBKB.address, None), (WEBKB.address, f"bytes={len(archive) // 2}-")]
        again = salticid("world", "get", "webkb", folder / "again", "--json", "-q")
        assert len(shop.asked) == 2, "it is there already"
    told = json.loads(said.out)
    assert (folder / "webkb-data.gtar.gz").read_bytes() == archive
    assert (told["collection"], told["verified"], told["pages"]) == ("webkb", False, 2)
    assert json.loads(again.out)["digest"] == told["digest"]
    assert sorted(path.name for path in folder.iterdir()) == ["again", "webkb", "webkb-data.gtar.gz"]


def test_another_edition_is_fetched_from_its_beginning(archive: bytes, tmp_path: Path) -> None:
    shop, file = Shop(archive, cut=100), tmp_path / "file"
    with http_stub(shop.answer) as port:
        address = f"http://127.0.0.1:{port}/file"
        with pytest.raises(SalticidError, match="broke off after 100 bytes"):
            download(address, file, lambda there, total: None)
        assert file.with_name(file.name + PARTIAL).read_bytes() == archive[:100]
        shop.file, shop.tag, shop.cut = b"new" * 100, '"two"', None
        seen = []
        download(address, file, lambda there, total: seen.append((there, total)))
    assert file.read_bytes() == shop.file
    assert seen[-1] == (300, 300)
    assert not file.with_name(file.name + MARK).exists()


def test_what_has_moved_is_said(tmp_path: Path) -> None:
    moved = pytest.raises(SalticidError, match="answers 404; the file may have moved")
    with http_stub(lambda request: Answer(status=404)) as port, moved:
        download(f"http://127.0.0.1:{port}/x", tmp_path / "x", lambda there, total: None)
    with pytest.raises(SalticidError, match="no address of the web"):
        download(f"file://{tmp_path}/x", tmp_path / "y", lambda there, total: None)


def test_they_are_listed() -> None:
    rows = [json.loads(line) for line in salticid("world", "get", "--json").out.splitlines()]
    assert [row["name"] for row in rows] == list(COLLECTIONS)
    table = salticid("world", "get").out
    for row in rows:
        assert row["name"] in table
        assert (row["address"] or "no address") in table
        assert row["licence"] in table


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("webkd",), "did you mean 'webkb'"),
        (("webkb",), "salticid world get webkb collections/webkb"),
        (("webkb", "there"), "there is there already"),
        (("scidocs", "new"), "no public address; name its file with --from"),
        (("webkb", "new", "--from", "gone"), "there is no gone"),
    ],
)
def test_a_mistake_is_one_line(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    said = salticid("world", "get", *words, cwd=tmp_path)
    assert (said.status, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert told in said.err


def test_a_file_of_a_known_name_is_held_to_its_checksum(archive: bytes, tmp_path: Path) -> None:
    file = tmp_path / WEBKB.files[0].name
    file.write_bytes(archive)
    said = salticid("world", "get", "webkb", tmp_path / "world", "--from", tmp_path)
    assert said.status == 1
    assert f"its checksum is {hashlib.sha256(archive).hexdigest()[:16]}" in said.err
    file.rename(tmp_path / "mine.tar.gz")
    said = salticid("world", "get", "webkb", tmp_path / "world", "--from", tmp_path / "mine.tar.gz")
    assert said.status == 0
    assert "mine.tar.gz is unverified" in said.err


def test_the_files_at_hand_are_those_whose_checksums_are_written_down(shared: Callable[[str], Path]) -> None:
    for each in COLLECTIONS.values():
        for known in (*each.files, *([each.labels] if each.labels else [])):
            if known.sha256 is not None:
                content = shared(f"data/{known.name}").read_bytes()
                assert (len(content), hashlib.sha256(content).hexdigest()) == (known.size, known.sha256)


def test_nothing_is_unpacked_outside(tmp_path: Path) -> None:
    file = tmp_path / "bad.tar"
    with tarfile.open(file, "w") as tar:
        for name, kind in (
            ("../out", tarfile.REGTYPE),
            ("in/link", tarfile.SYMTYPE),
            ("in/page", tarfile.REGTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member)
    folder = unpack(file, tmp_path / "new" / "folder")
    assert [path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()] == [Path("in/page")]
    assert not list(tmp_path.rglob("out"))
    file.write_bytes(b"no archive")
    with pytest.raises(UserError, match="cannot unpack"):
        unpack(file, tmp_path / "other")
    assert not (tmp_path / "other").exists()

"""A crawl as WACZ: whole, indexed, and replayed by the programs of others."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import subprocess
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest
from tests.support.made_crawl import ESSAY, Made, article, exported
from tests.support.replaying import programs_of, replayed_at, replaying
from tests.support.running import salticid
from warcio.archiveiterator import ArchiveIterator

from salticid.errors import UserError
from salticid.formats import wacz
from salticid.formats.wacz import surt

NAMES = ("eyes", "Silk/", "q?b=2&a=1", "silk-2")


@pytest.fixture
def archived(made: Made) -> Path:
    """A crawl of a few pages, one of them behind a redirect; of one nothing was kept."""
    for number, name in enumerate(NAMES):
        page = article(name, f"{ESSAY} Page {name}.")
        made.add(f"http://www.a.example/{name}", page, raw=page, score=0.9 - number / 10)
    page = article("moved")
    made.add("http://a.example/old", page, to="http://b.example/new", raw=page, score=0.1)
    made.add("http://a.example/lost", article("lost"), score=0.05)
    return made.commit()


def packed(folder: Path) -> ZipFile:
    return ZipFile(io.BytesIO(exported(folder, "wacz")[0]))


def index_of(package: ZipFile) -> list[tuple[str, str, dict[str, Any]]]:
    lines = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
    return [(key, time, json.loads(about)) for key, time, about in (line.split(" ", 2) for line in lines)]


def test_every_file_is_listed_with_its_digest_and_nothing_is_packed_twice(archived: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages.wacz"
    said = json.loads(salticid("export", archived, "--to", "wacz", "--out", out, "--json").out)
    assert (said["pages"], said["skipped"]["no exchange"], said["bytes"]) == (5, 1, out.stat().st_size)
    with ZipFile(out) as package:
        described = package.read("datapackage.json")
        about = json.loads(described)
        assert (about["profile"], about["wacz_version"], about["title"]) == ("data-package", "1.1.1", "crawl")
        assert about["mainPageUrl"] == "http://www.a.example/eyes"
        assert {each["path"] for each in about["resources"]} == set(package.namelist()) - {
            "datapackage.json",
            "datapackage-digest.json",
        }
        for each in about["resources"]:
            data = package.read(each["path"])
            assert each["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert (each["bytes"], each["name"]) == (len(data), each["path"].rpartition("/")[2])
        digest = json.loads(package.read("datapackage-digest.json"))
        assert digest == {
            "path": "datapackage.json",
            "hash": f"sha256:{hashlib.sha256(described).hexdigest()}",
        }
        assert package.getinfo("archive/data.warc.gz").compress_type == ZIP_STORED
        assert package.getinfo("indexes/index.cdx.gz").compress_type == ZIP_STORED


def test_the_index_leads_to_every_answer(archived: Path) -> None:
    with packed(archived) as package:
        warc = package.read("archive/data.warc.gz")
        index = index_of(package)
    assert [key for key, *_ in index] == sorted(key for key, *_ in index)
    assert {about["url"]: about["status"] for _, _, about in index} == {
        **{f"http://www.a.example/{name}": "200" for name in NAMES},
        "http://a.example/old": "301",
        "http://b.example/new": "200",
    }
    for key, time, about in index:
        start, length = int(about["offset"]), int(about["length"])
        (record,) = ArchiveIterator(io.BytesIO(warc[start : start + length]), check_digests="raise")
        assert record.rec_headers["WARC-Target-URI"] == about["url"]
        assert record.rec_headers["WARC-Payload-Digest"] == about["digest"]
        assert record.rec_headers["WARC-Date"].replace("-", "").replace(":", "").replace("T", "").startswith(time)
        assert (key, about["filename"]) == (surt(about["url"]), "data.warc.gz")


def test_pages_have_titles_and_texts(archived: Path) -> None:
    with packed(archived) as package:
        head, *pages = map(json.loads, package.read("pages/pages.jsonl").decode().splitlines())
        times = {about["url"]: time for _, time, about in index_of(package)}
    assert (head["format"], head["hasText"]) == ("json-pages-1.0", True)
    assert [page["url"] for page in pages] == [f"http://www.a.example/{name}" for name in NAMES] + [
        "http://b.example/new"
    ]
    assert (pages[0]["title"], pages[0]["text"]) == ("eyes", f"eyes\n\n{ESSAY} Page eyes.")
    assert len({page["id"] for page in pages}) == len(pages)
    for page in pages:
        assert "".join(char for char in page["ts"] if char.isdigit()) == times[page["url"]]


def test_a_long_index_is_sorted_in_files_and_read_by_its_blocks(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wacz, "RUN", 7)
    monkeypatch.setattr(wacz, "_BLOCK_LINES", 4)
    numbers = list(range(30))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        made.add(f"http://a.example/{number:03}", article(str(number)), raw=article(str(number)))
    with packed(made.commit()) as package:
        keys = [key for key, *_ in index_of(package)]
        cdx = package.read("indexes/index.cdx.gz")
        head, *blocks = package.read("indexes/index.idx").decode().splitlines()
    assert keys == [f"example,a)/{number:03}" for number in range(30)]
    assert json.loads(head.split(" ", 2)[2]) == {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
    assert len(blocks) == 8
    for number, (key, _, about) in enumerate(block.split(" ", 2) for block in blocks):
        where = json.loads(about)
        block = cdx[where["offset"] : where["offset"] + where["length"]]
        assert where["digest"] == f"sha256:{hashlib.sha256(block).hexdigest()}"
        assert gzip.decompress(block).decode().split(" ", 1)[0] == key == keys[4 * number]


def test_a_crawl_without_exchanges_gives_none(made: Made) -> None:
    made.add("http://a.example/", article("a"))
    with pytest.raises(UserError, match="holds no WARC"):
        exported(made.commit(), "wacz")


def test_the_public_validator_finds_it_valid(archived: Path, tmp_path: Path) -> None:
    programs = programs_of("wacz")
    out = tmp_path / "pages.wacz"
    assert salticid("export", archived, "--to", "wacz", "--out", out).status == 0
    done = subprocess.run([programs / "wacz", "validate", "-f", out], capture_output=True, text=True, check=False)
    assert (done.returncode, "Validation succeeded" in done.stdout) == (0, True), done.stdout + done.stderr


def test_pywb_replays_every_page(archived: Path, tmp_path: Path) -> None:
    programs = programs_of("pywb")
    out = tmp_path / "pages.wacz"
    assert salticid("export", archived, "--to", "wacz", "--out", out).status == 0
    for command in (["init", "crawl"], ["add", "--unpack-wacz", "crawl", str(out)]):
        subprocess.run([programs / "wb-manager", *command], cwd=tmp_path, check=True, capture_output=True)
    with replaying(programs, tmp_path) as port:
        for name in NAMES:
            status, body = replayed_at(port, f"/crawl/2000id_/http://www.a.example/{name}")
            assert (status, f"Page {name}.".encode() in body) == (200, True), name

"""Worlds that were damaged, or made to do harm: one clear error, no crash, and none is read as intact."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from salticid.cli import main
from salticid.errors import UserError
from salticid.text.stems import Stems
from salticid.webs.arrays import ARRAYS, DERIVED_PREFIX, MANIFEST
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import belief_of, labels_of
from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder

BASE = "http://a.example/"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    (folder / "html").mkdir()
    (folder / "html" / "a.html").write_text("<title>Eyes</title><h1>Spiders</h1> see <a href=b.html>eight legs</a>")
    (folder / "html" / "b.html").write_text("<title>Legs</title>Spiders walk <a href=a.html>home</a> and away")
    build(folder / "world", HtmlFolder(folder / "html", BASE))
    return folder / "world"


@pytest.fixture
def world(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "world")


def without_checksums(world: Path) -> None:
    """As earlier versions wrote worlds, or as somebody does who changes an array on purpose."""
    _edit(world, lambda manifest: manifest.pop("checksums"))


def _edit(world: Path, change: Callable[[dict[str, object]], object]) -> None:
    manifest = json.loads((world / MANIFEST).read_bytes())
    change(manifest)
    (world / MANIFEST).write_text(json.dumps(manifest))


def _opened_in_full(world: Path) -> None:
    Stems(RecordedWeb(world).words, "en")


def _swap(world: Path) -> None:
    (world / "link.start.bin").rename(world / "x")
    (world / "link.stop.bin").rename(world / "link.start.bin")
    (world / "x").rename(world / "link.stop.bin")


def _grow(world: Path, name: str, more: int) -> None:
    data = (world / f"{name}.bin").read_bytes()
    (world / f"{name}.bin").write_bytes(data[:more] if more < 0 else data + b"\0" * more)


def _put(world: Path, name: str, number: int, at: int = -1) -> None:
    without_checksums(world)
    numbers = np.fromfile(world / f"{name}.bin", ARRAYS[name].dtype)
    numbers[at] = number
    numbers.tofile(world / f"{name}.bin")


def _link(world: Path) -> None:
    (world / "token.bin").rename(world.parent / "token.bin")
    (world / "token.bin").symlink_to(world.parent / "token.bin")


def _pipe(world: Path) -> None:
    (world / "token.bin").unlink()
    os.mkfifo(world / "token.bin")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "array cut": lambda world: _grow(world, "token", -4),
    "array cut within a number": lambda world: _grow(world, "token", -1),
    "array longer": lambda world: _grow(world, "link.url", 4),
    "array missing": lambda world: (world / "page.url.bin").unlink(),
    "array is a symlink": _link,
    "array is a pipe": _pipe,
    "arrays swapped": _swap,
    "other type": lambda world: _edit(world, lambda m: m["arrays"].update(token="<i8")),  # type: ignore[attr-defined]
    "array not named": lambda world: _edit(world, lambda m: m["arrays"].pop("token")),  # type: ignore[attr-defined]
    "checksum missing": lambda world: _edit(world, lambda m: m["checksums"].pop("token")),  # type: ignore[attr-defined]
    "checksum no number": lambda world: _edit(world, lambda m: m.update(checksums={"token": "1"})),
    "digest no text": lambda world: _edit(world, lambda m: m.update(digest=7)),
    "digest malformed": lambda world: _edit(world, lambda m: m.update(digest="../../x")),
    "counts wrong": lambda world: _edit(world, lambda m: m.update(left_out={"x": "many"})),
    "manifest not JSON": lambda world: (world / MANIFEST).write_bytes(b"\x00{"),
    "manifest nested": lambda world: (world / MANIFEST).write_text("[" * 100_000),
    "URL negative": lambda world: _put(world, "link.url", -5_000_000),
    "URL huge": lambda world: _put(world, "link.url", 2**31 - 1),
    "word huge": lambda world: _put(world, "token", 2**31 - 1),
    "anchor outside its page": lambda world: _put(world, "link.stop", 100),
    "anchor ends before it starts": lambda world: _put(world, "link.stop", 0),
    "area outside its page": lambda world: _put(world, "area.start", 100),
    "areas out of order": lambda world: _put(world, "area.start", 0, at=2),
    "area unknown": lambda world: _put(world, "area", 3),
    "end huge": lambda world: _put(world, "token.end", 2**63),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_world_gives_one_clear_error(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    DAMAGE[how](world)
    monkeypatch.setattr("sys.argv", ["salticid", "world", "info", str(world)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1), said.err
    assert str(world) in said.err


def test_a_flipped_bit_in_any_array_is_noticed(world: Path) -> None:
    _opened_in_full(world)
    for name in ARRAYS:
        file = world / f"{name}.bin"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        before = file.read_bytes()
        file.write_bytes(data)
        with pytest.raises(UserError, match=rf"{name}\.bin is damaged: its checksum is wrong"):
            _opened_in_full(world)
        file.write_bytes(before)
    _opened_in_full(world)
    without_checksums(world)
    _opened_in_full(world)


@pytest.mark.parametrize("number", [-1, 2**31 - 1])
def test_a_stem_out_of_range_is_refused(world: Path, number: int) -> None:
    _put(world, f"{DERIVED_PREFIX}stem_of", number)
    web = RecordedWeb(world)
    with pytest.raises(UserError, match=r"stem_of\.bin is damaged: a number is outside 0 to"):
        Stems(web.words, "en")


def test_labels_and_beliefs_behind_a_symlink_are_refused(world: Path) -> None:
    for name, read in (("labels.tsv", labels_of), ("believed.toml", belief_of)):
        (world / name).unlink(missing_ok=True)
        (world / name).symlink_to("/etc/passwd")
        with pytest.raises(UserError, match="is a symlink or not a regular file"):
            read(world)

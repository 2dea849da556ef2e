"""A crawl that goes on from a snapshot does what one does that plays its log again; an odd snapshot is no loss."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from tests.support import killing
from tests.support.killing import Offline, Program, Site, live, served, visits_in
from tests.support.running import salticid, salticid_anew
from tests.support.tampering import tampering
from tests.support.tiny_model import Synonyms

from salticid.crawl import Crawl
from salticid.judges import judges
from salticid.model import Feedback, Ints, Links, Visit
from salticid.protocols import Brief, Judge
from salticid.runs import snapshot
from salticid.snapshots import in_snapshot
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.store.schema import SNAPSHOT
from salticid.strategies import strategies
from salticid.strategies.best_first import BestFirst
from salticid.topic import Limits

SITE = Site(pages=60, hosts=6)
CRAWLERS: list[tuple[str, str, dict[str, int]]] = [(name, "cosine", {}) for name in strategies.names()] + [
    ("hunter", "profile", {"refresh": 5}),
    ("best_first", "naive_bayes", {"retrain": 10}),
    ("best_first", "rocchio", {"retrain": 10}),
    ("best_first", "tfidf", {}),
]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "LEAST_VISITS", 1)


def digest(folder: Path) -> str:
    with closing(CrawlFolder(folder)) as crawled:
        return crawled.digest()


def choices(folder: Path) -> list[tuple[object, ...]]:
    """What a crawl did, but for how long it took."""
    with closing(CrawlFolder(folder)) as crawled:
        visits = list(crawled.visits())
    return [(visit.url, visit.outcome, visit.score, visit.source_step, visit.why) for visit in visits]


class Cuts:
    """A crawl into a folder, left off in the middle again and again."""

    def __init__(
        self,
        folder: Path,
        strategy: str = "hunter",
        judge: str = "profile",
        settings: dict[str, int] | None = None,
    ) -> None:
        self.folder = folder
        self.left_at = 0
        """The visits that the last snapshot holds."""
        self._make: Callable[[], Offline] = lambda: Offline(
            SITE,
            folder,
            strategies.make(strategy),
            archive=False,
            judge=judges.make(judge, settings),
            encoder=Synonyms("spider") if judge == "profile" else None,
        )

    def run(self, visits: int | None, more: int = 0, speak: bool = False, leave: bool = False) -> int:
        """Go on for some visits, perhaps leave a snapshot, and for some more; how many were played again."""
        crawl = self._make()
        with closing(crawl.log):
            crawl.open()
            crawl.crawl.stalled_after = 30
            crawl.run(visits)
            if speak:
                _speak(crawl)
            if leave:
                assert crawl.leave_snapshot()
                self.left_at = crawl.crawl.step
            crawl.run(more)
        return crawl.played


def _speak(crawl: Offline) -> None:
    """Whatever a crawl hears besides answers."""
    crawl.crawl.offer(Links.to([crawl.urls.intern(SITE.url(47))]), 2)
    crawl.crawl.hear([Feedback(crawl.urls.find(SITE.url(0)), 1)])
    crawl.crawl.extend(Limits(max_pages=170))


@pytest.mark.parametrize(("strategy", "judge", "settings"), CRAWLERS)
def test_a_crawl_goes_on_from_a_snapshot_as_from_its_log(
    tmp_path: Path, strategy: str, judge: str, settings: dict[str, int]
) -> None:
    with_snapshots, without = (Cuts(tmp_path / name, strategy, judge, settings) for name in ("with", "without"))
    with_snapshots.run(20, leave=True, more=5)
    without.run(20, more=5)
    for visits, more in ((8, 3), (None, 0)):
        left_at = with_snapshots.left_at
        played = with_snapshots.run(visits, more, speak=more > 0, leave=True)
        assert 0 < left_at == without.run(visits, more, speak=more > 0) - played
    assert digest(tmp_path / "with") == digest(tmp_path / "without")


def _cut_short(folder: Path) -> None:
    data = (folder / SNAPSHOT).read_bytes()
    (folder / SNAPSHOT).write_bytes(data[: len(data) * 2 // 3])


def _changed(folder: Path) -> None:
    data = bytearray((folder / SNAPSHOT).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / SNAPSHOT).write_bytes(data)


def _empty(folder: Path) -> None:
    (folder / SNAPSHOT).write_bytes(b"")


def _longer(folder: Path) -> None:
    (folder / SNAPSHOT).write_bytes((folder / SNAPSHOT).read_bytes() * 2)


def _other_page(folder: Path) -> None:
    """As when a page was taken out of the log for good."""
    with tampering(folder) as db:
        db.execute("UPDATE page SET title = 'gone', sum = sum + 1 WHERE step = (SELECT max(step) FROM page)")


def _other_visit(folder: Path) -> None:
    with tampering(folder) as db:
        db.execute("UPDATE visit SET score = score * 0.999 WHERE step = 3")


POPEN: list[Any] = ["salticid.drivers.live", "asyncio.base_events.subprocess.Popen", ["touch", "owned"]]


class Forgery:
    """The content of a snapshot, to be changed and signed again; by default with the key of this machine."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / SNAPSHOT
        data = zstandard.ZstdDecompressor().decompressobj().decompress(self._file.read_bytes()[8:-40])
        parts: list[bytes] = []
        while len(parts) < 3:
            size = int.from_bytes(data[:8], "little")
            parts.append(data[8 : 8 + size])
            data = data[8 + size :]
        self.header, self.numbers = parts[0], data
        (_, self.arrays), self.objects = map(msgspec.msgpack.decode, parts[1:])

    def write(self, size: int | None = None, key: bytes | None = None) -> None:
        parts = (self.header, *map(msgspec.msgpack.encode, ([1, self.arrays], self.objects)))
        data = b"".join(len(part).to_bytes(8, "little") + part for part in parts) + self.numbers
        self.sign(zstandard.compress(data) + (size or len(data)).to_bytes(8, "little"), key)

    def sign(self, data: bytes, key: bytes | None = None) -> None:
        key = key or snapshot.machine_key()
        assert key is not None
        signature = blake2b(b"salticid" + data, key=key, digest_size=32).digest()
        self._file.write_bytes(b"salticid" + data + signature)


def _of_another_machine(folder: Path) -> None:
    Forgery(folder).write(key=bytes(32))


def _larger_than_it_says(folder: Path) -> None:
    Forgery(folder).write(size=100)


def _smaller_than_it_says(folder: Path) -> None:
    Forgery(folder).write(size=1 << 62)


def _of_a_huge_header(folder: Path) -> None:
    Forgery(folder).sign(zstandard.compress(b"\xff" * 7 + b"\0" + bytes(100)) + (1 << 63).to_bytes(8, "little"))


def _in_the_old_format(folder: Path) -> None:
    """As it was when a snapshot named classes."""
    graph = msgspec.msgpack.encode([["crawl"], [["salticid.drivers.live", POPEN[1], []]], 0])
    data = b"".join(len(part).to_bytes(8, "little") + part for part in (Forgery(folder).header, graph))
    (folder / SNAPSHOT).write_bytes(zstandard.compress(data))


def _a_pipe(folder: Path) -> None:
    """One that nobody writes to, so that opening it never ends."""
    (folder / SNAPSHOT).unlink()
    os.mkfifo(folder / SNAPSHOT)


def _a_symlink(folder: Path) -> None:
    (folder / SNAPSHOT).rename(folder.parent / "elsewhere")
    (folder / SNAPSHOT).symlink_to(folder.parent / "elsewhere")


ODD: list[Callable[[Path], None]] = [
    _cut_short, _changed, _empty, _longer, _other_page, _other_visit, _of_another_machine, _larger_than_it_says,
    _smaller_than_it_says, _of_a_huge_header, _in_the_old_format, _a_pipe, _a_symlink,
]  # fmt: skip


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("left") / "crawl"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(snapshot, "LEAST_VISITS", 1)
        Cuts(folder).run(20, leave=True)
    return folder


@pytest.fixture(scope="module")
def whole(left: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What comes of that crawl when its log is played."""
    folder = tmp_path_factory.mktemp("whole") / "crawl"
    shutil.copytree(left, folder)
    (folder / SNAPSHOT).unlink()
    assert Cuts(folder).run(None) == 20
    return digest(folder)


@pytest.mark.parametrize("damage", ODD)
def test_an_odd_snapshot_is_passed_over_and_the_log_played(
    left: Path, whole: str, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder = tmp_path / "crawl"
    shutil.copytree(left, folder)
    damage(folder)
    assert Cuts(folder).run(None) == 20
    assert digest(folder) == whole or damage in (_other_page, _other_visit)


def _forgeries(folder: Path) -> Iterator[None]:
    """Snapshots with the right signature that the schema does not allow, and others without it, one after the other."""
    for number, values in enumerate(Forgery(folder).objects):
        for at in range(number % 5, len(values) + 1, 5):
            forged = Forgery(folder)
            forged.objects[number][at : at + (number + at) % 2] = [POPEN if number % 3 else {"args": POPEN}]
            forged.write()
            yield
    for number, _ in enumerate(Forgery(folder).arrays):
        for wrong in (
            ["O", [1]],
            ["f4", [1 << 40]],
            ["i4", [-1]],
            ["f8", [2, 2, 2]],
            ["u1", [1 << 62, 1 << 62]],
        ):
            if number % 5 == len(wrong[0]) % 5:
                forged = Forgery(folder)
                forged.arrays[number][:2] = wrong
                forged.write()
                yield
    forged = Forgery(folder)
    forged.objects[0] = [[1 << 40] if type(value) is list else 1 << 62 for value in forged.objects[0]]
    forged.write()
    yield
    chance, data = random.Random(0), (folder / SNAPSHOT).read_bytes()
    for _ in range(100):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        (folder / SNAPSHOT).write_bytes(flipped)
        yield
        (folder / SNAPSHOT).write_bytes(data[: chance.randrange(len(data))])
        yield


def test_no_forgery_changes_anything(left: Path, whole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are tried on one crawl that has just begun; then the true one still makes it what it was."""
    folder, resume, tried = tmp_path / "crawl", snapshot.resume_from_snapshot, 0
    shutil.copytree(left, folder)

    def resume_from_all(crawl: Crawl, judge: Judge, log: CrawlLog, warn: Callable[[str], None]) -> object:
        nonlocal tried
        for _ in _forgeries(folder):
            said: list[str] = []
            assert resume(crawl, judge, log, warn=said.append) is None
            (line,) = said
            assert line.startswith("snapshot.zst is ignored and the log is replayed: ")
            shutil.copy(left / SNAPSHOT, folder / SNAPSHOT)
            tried += 1
        return resume(crawl, judge, log, warn=warn)

    monkeypatch.setattr(killing, "resume_from_snapshot", resume_from_all)
    assert Cuts(folder).run(None) == 0
    assert tried > 300
    assert digest(folder) == whole


def test_a_snapshot_that_is_whole_is_not(left: Path, whole: str, tmp_path: Path) -> None:
    shutil.copytree(left, tmp_path / "crawl")
    with tampering(tmp_path / "crawl") as db:  # as when its archive was written anew
        db.execute("UPDATE visit SET records = '[7]' WHERE step = 3")
    assert Cuts(tmp_path / "crawl").run(None) == 0
    assert digest(tmp_path / "crawl") == whole


@pytest.mark.parametrize("what", ["FORMAT", "__version__"])
def test_nor_is_one_of_another_program_believed(
    left: Path, whole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    shutil.copytree(left, tmp_path / "crawl")
    monkeypatch.setattr(snapshot, what, 99)
    assert Cuts(tmp_path / "crawl").run(None) == 20
    assert digest(tmp_path / "crawl") == whole


def test_nor_one_of_another_log(left: Path, tmp_path: Path) -> None:
    other = Cuts(tmp_path / "other", "best_first", "cosine")
    other.run(20)
    shutil.copy(left / SNAPSHOT, tmp_path / "other" / SNAPSHOT)
    assert other.run(None) == 20


def test_a_program_goes_on_from_what_another_left_and_a_kill_does_not_matter(tmp_path: Path) -> None:
    """The real program over real sockets: with its own hash seed, one request at a time."""
    site = Site(pages=500, hosts=40)
    folder, played, foreign, crafted = (tmp_path / name for name in ("crawl", "played", "foreign", "crafted"))
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml", examples=[site.url(1)], negatives=[site.url(2)])

        def words(where: Path, pages: int) -> tuple[str | int | Path, ...]:
            return "crawl", topic, *live(port, 1), "--max-pages", pages, "--out", where

        assert salticid(*words(folder, 310)).status == 0
        assert (folder / SNAPSHOT).stat().st_size > 0
        for copy in (played, foreign, crafted):
            shutil.copytree(folder, copy)
        (played / SNAPSHOT).unlink()
        forged = Forgery(crafted)
        forged.objects[1] = [POPEN for _ in forged.objects[1]]
        forged.write()
        with Program(*words(folder, 350)) as program:
            program.until(lambda: visits_in(folder) > 315, "five visits more")
            program.kill()
        there = {"XDG_STATE_HOME": str(tmp_path / "other machine")}
        runs = (
            salticid_anew(*words(folder, 350)),
            salticid(*words(played, 350)),
            salticid_anew(*words(foreign, 350), environment=there),
            salticid(*words(crafted, 350)),
        )
    assert [run.status for run in runs] == [0, 0, 0, 0]
    ignored = "snapshot.zst is ignored and the log is replayed: "
    assert [ignored in run.err for run in runs] == [False, False, True, True]
    assert f"{ignored}this machine did not sign it" in runs[2].err
    assert choices(folder) == choices(played) == choices(foreign) == choices(crafted)


class Undeclared(BestFirst):
    """A strategy of others that says nothing about snapshots."""


@in_snapshot("_host", _pages=dict[int, list[str]])
class Declared(BestFirst):
    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._host = brief.urls.host
        self._pages: dict[int, list[str]] = {}

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        self._pages[visit.url] = [visit.outcome.name]


@in_snapshot()
class Forgetful(Declared):
    """It keeps more than it declares."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._more = 1


@pytest.mark.parametrize(
    ("strategy", "warning"),
    [(Undeclared, []), (Forgetful, ["Forgetful._more is not declared"]), (Declared, None)],
)
def test_a_strategy_of_others_has_a_snapshot_if_it_declares_what_it_keeps(
    tmp_path: Path, strategy: type[BestFirst], warning: list[str] | None
) -> None:
    crawl = Offline(SITE, tmp_path / "crawl", strategy(), archive=False)
    with closing(crawl.log):
        crawl.open()
        crawl.run(20)
        assert crawl.leave_snapshot() is (warning is None)
    assert [said.partition("log: ")[2] for said in crawl.said] == (warning or [])
    again = Offline(SITE, tmp_path / "crawl", made := strategy(), archive=False)
    with closing(again.log):
        again.open()
    assert again.played == (0 if warning is None else 20)
    assert again.said == []
    if isinstance(made, Declared):
        assert len(made._pages) == 20


def test_the_key_belongs_to_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    key, file = snapshot.machine_key(), tmp_path / "salticid" / "snapshot.key"
    assert key == snapshot.machine_key() == file.read_bytes()
    assert (len(file.read_bytes()), file.stat().st_mode & 0o777) == (32, 0o600)
    assert [each.name for each in file.parent.iterdir()] == ["snapshot.key"]
    file.chmod(0o644)
    assert snapshot.machine_key() is None
    file.unlink()
    file.symlink_to(tmp_path / "another")
    (tmp_path / "another").write_bytes(bytes(32))
    assert snapshot.machine_key() is None


def test_without_a_key_there_is_no_snapshot(
    left: Path, whole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    shutil.copytree(left, tmp_path / "crawl")
    with pytest.raises(AssertionError):
        Cuts(tmp_path / "crawl").run(0, leave=True)
    assert Cuts(tmp_path / "crawl").run(None) == 20
    assert digest(tmp_path / "crawl") == whole

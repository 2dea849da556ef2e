"""A crawl that goes on from a snapshot does what one does that plays its log again; an odd snapshot is no loss."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.killing import Offline, Program, Site, live, served, visits_in
from tests.running import salticid, salticid_anew
from tests.tampering import tampering

from salticid.judges import judges
from salticid.model import Feedback, Limits, Links
from salticid.runs import snapshot
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.schema import SNAPSHOT
from salticid.strategies import strategies

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
            SITE, folder, strategies.make(strategy), archive=False, judge=judges.make(judge, settings)
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
    with_snapshots, without = (
        Cuts(tmp_path / name, strategy, judge, settings) for name in ("with", "without")
    )
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
        db.execute("UPDATE page SET title = 'gone', sum = sum + 1 WHERE step = 3")


def _other_visit(folder: Path) -> None:
    with tampering(folder) as db:
        db.execute("UPDATE visit SET score = score / 2 + 0.1 WHERE step = 3")


ODD: list[Callable[[Path], None]] = [_cut_short, _changed, _empty, _longer, _other_page, _other_visit]


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
    site, folder, played = Site(pages=500, hosts=40), tmp_path / "crawl", tmp_path / "played"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml", examples=[site.url(1)], negatives=[site.url(2)])

        def words(where: Path, pages: int) -> tuple[str | int | Path, ...]:
            return "crawl", topic, *live(port, 1), "--max-pages", pages, "--out", where

        assert salticid(*words(folder, 310)).status == 0
        assert (folder / SNAPSHOT).stat().st_size > 0
        shutil.copytree(folder, played)
        (played / SNAPSHOT).unlink()
        with Program(*words(folder, 350)) as program:
            program.until(lambda: visits_in(folder) > 315, "five visits more")
            program.kill()
        assert salticid_anew(*words(folder, 350)).status == salticid(*words(played, 350)).status == 0
    assert choices(folder) == choices(played)

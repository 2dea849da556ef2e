"""What every test may rely on: its signals, a process without the leaks of others, and data from outside.

Data lives outside the repository: where it is absent, tests skip and the end of the run names it.
"""

import atexit
import fcntl
import gc
import json
import os
import re
import shutil
import signal
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from pathlib import Path

import hypothesis
import pytest
from tests.support.leaks import held, left_since
from tests.support.made_crawl import Made
from tests.support.running import salticid

from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder

ROOT = Path(__file__).resolve().parents[1]
ABSENT = "shared data absent: "


def pytest_configure() -> None:
    """Programs under test hear Ctrl-C although a shell that starts the tests with `&` ignores it for all of them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    compile_once()
    own_state()
    hypothesis.settings.register_profile("busy machine", deadline=None)
    hypothesis.settings.load_profile("busy machine")
    resource_tracker.ensure_running()  # lives as long as this process, whichever test needs it first


def pytest_collection_finish() -> None:
    """Keep the imported modules out of later garbage collections, which then take milliseconds."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def collects_once_a_file() -> Iterator[None]:
    """Do the same after each file: without it, the search for leaks in late tests traverses a million old objects."""
    yield
    gc.collect()
    gc.freeze()


def compile_once() -> None:
    """The programs that tests start find our modules and those of others compiled, whatever the caller's shell says."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def own_state() -> None:
    """Programs under test keep their state, such as the key of snapshots, away from that of the user, and use
    no model of theirs."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        state = tempfile.TemporaryDirectory(prefix="salticid-state-")
        atexit.register(state.cleanup)
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_DATA_HOME"] = state.name


@pytest.fixture(autouse=True)
def closes_what_it_opens(request: pytest.FixtureRequest) -> Iterator[None]:
    """A leak fails the test that made it. A browser keeps connections, and its driver a loop, for the next page."""
    before = held()
    yield
    if request.node.get_closest_marker("keeps_open") is None and "browser" not in request.fixturenames:
        left = left_since(before)
        assert not left, f"left open: {', '.join(left)}"


def _shared(path: str) -> Path:
    folder = Path(os.environ.get("SALTICID_SHARED") or ROOT.parent / "shared")
    if not (folder / path).exists():
        pytest.skip(f"{ABSENT}{path}")
    return folder / path


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """`shared("data/webkb.tar.xz")` is that file under $SALTICID_SHARED, else ../shared; absent, it skips."""
    return _shared


@pytest.fixture(scope="session")
def schools_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds wp/<letter>/<Title>.htm."""
    tarball = _shared("data/schools-wikipedia.tar.xz")
    return _once_a_run(tmp_path_factory, "schools", lambda folder: _unpack(tarball, folder))


@pytest.fixture(scope="session")
def webkb_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds raw/<class>/<university>/<url with ^ for />."""
    tarball = _shared("data/webkb.tar.xz")
    return _once_a_run(tmp_path_factory, "webkb", lambda folder: _unpack(tarball, folder))


@pytest.fixture(scope="session")
def schools_world(schools_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded web of all those pages, with its labels."""
    labels = _shared("data/schools-wikipedia.labels.tsv")

    def make(folder: Path) -> None:
        built = build(folder, HtmlFolder(schools_dir, "http://schools-wikipedia.org/"), labels)
        assert (built.pages, built.label_count) == (5232, 1854)
        assert built.manifest.left_out == {}

    return _once_a_run(tmp_path_factory, "schools-world", make)


@pytest.fixture(scope="session")
def webkb_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded web of the four universities, as anybody gets it."""
    data = _shared("data/webkb.tar.xz").parent

    def make(folder: Path) -> None:
        said = salticid("world", "get", "webkb", folder, "--from", data, "--json")
        assert said.status == 0, said.err
        told = json.loads(said.out)
        assert (told["pages"], told["verified"], told["file"]) == (8112, True, str(data / "webkb.tar.xz"))

    return _once_a_run(tmp_path_factory, "webkb-world", make)


def _once_a_run(of_a_worker: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder for all tests to read: one worker makes it under a lock, the others wait and find it done."""
    here = of_a_worker.getbasetemp()
    of_the_run = here.parent if "PYTEST_XDIST_WORKER" in os.environ else here
    folder, partial = of_the_run / name, of_the_run / f"{name}.partial"
    with (of_the_run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(partial, ignore_errors=True)
            make(partial)
            partial.rename(folder)
    return folder


def _unpack(tarball: Path, folder: Path) -> None:
    with tarfile.open(tarball) as archive:
        # Python 3.11.2, as Debian 12 has it, knows neither this filter nor the keyword for it.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)


SLOW_FILES = (
    "test_cluster",
    "test_resume",
    "test_ui_crawls",
    "test_disk_full",
    "test_hunter_floor",
    "test_hostile",
    "test_soak",
    "test_outages",
    "test_page_list",
    "test_page_story",
    "test_contract",
    "test_watch",
    "test_doc_lines",
    "test_tutorials",
    "test_snapshot",
    "test_reproduce",
    "test_scrapy_requests",
    "test_browser_bounds",
    "test_agents",
    "test_thinning",
    "test_kill",
    "test_cli",
)
"""They come first: whoever ran one of them last would run alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"{name}.py": place for place, name in enumerate(SLOW_FILES)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each absent shared path once; the skips themselves may be many."""
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    absent = {path for reason in reasons for path in re.findall(rf"{ABSENT}([^\s'\"]+)", reason)}
    if absent:
        terminalreporter.section("shared data absent")
        for path in sorted(absent):
            terminalreporter.line(f"{path}: its tests were skipped; set SALTICID_SHARED to the folder that holds it")
    missing = {each for reason in reasons for each in re.findall(r"(?:program|right) absent: [^;'\"]+", reason)}
    if missing:
        terminalreporter.section("programs and rights absent")
        for each in sorted(missing):
            terminalreporter.line(f"{each}: its tests were skipped")


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """A crawl folder that a test fills by hand."""
    crawl = Made(tmp_path / "crawl")
    yield crawl
    crawl.db.close()

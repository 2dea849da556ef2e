"""What a person set up for the server, and the files of a data folder that anybody may have written."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from salticid.errors import UserError, unknown
from salticid.store import replace_in
from salticid.webs import MANIFEST
from salticid.webs.live import BRAVE_KEY, Engine, check

# Files that anybody may have put into the folder of data: whatever they are, reading them comes to an end.


def is_plain(file: Path) -> bool:
    """Whether there is a plain file; False if that cannot be found out."""
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def read_plain(file: Path, largest: int) -> bytes:
    """All of a file; OSError if it is no plain file, whose bytes may never come or never end, or a larger one."""
    with open(file, "rb", opener=_without_waiting) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(file))
        data = stream.read(largest + 1)
    if len(data) > largest:
        raise OSError(errno.EINVAL, f"it is larger than {largest >> 20} MB", str(file))
    return data


def _without_waiting(path: str, flags: int) -> int:
    """A pipe is opened although there is no writer; a symlink is not followed."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


FILE, PAGE_FILE = "settings.toml", "engines.toml"
_LARGEST = 1 << 20
_MOST_ENGINES = 20


class _File(msgspec.Struct, forbid_unknown_fields=True):
    engine: list[Engine] = []


class Engines(Mapping[str, Engine]):
    """The search engines by name: of the person's file, of the page, and Brave if its key is in the environment.

    Where two have one name, that of the person's own file is meant.
    """

    def __init__(self, data: Path) -> None:
        self._file = data / PAGE_FILE
        self._fixed = _engines_in(data / FILE)
        self._added = _engines_in(self._file)
        if key := os.environ.get(BRAVE_KEY):
            self._fixed.setdefault("brave", Engine("brave", "brave", key=key))

    def __getitem__(self, name: str) -> Engine:
        return self._fixed[name] if name in self._fixed else self._added[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._fixed, **self._added})

    def __len__(self) -> int:
        return len({**self._fixed, **self._added})

    def is_fixed(self, name: str) -> bool:
        """Whether it is in the person's own file or the environment, where the page changes nothing."""
        return name in self._fixed

    def add(self, engine: Engine) -> None:
        """Keep an engine that was set up on the page, in place of one of that name."""
        if self.is_fixed(engine.name):
            raise UserError(f"there is a search engine {engine.name!r} in {FILE} already; give another name")
        if len(self._added) >= _MOST_ENGINES and engine.name not in self._added:
            raise UserError(f"there are {_MOST_ENGINES} search engines already; forget one of them first")
        self._keep({**self._added, engine.name: check(engine)})

    def remove(self, name: str) -> None:
        """Forget an engine that was set up on the page."""
        if name not in self._added:
            raise UserError(f"the search engine {name!r} was not set up on the page; see {FILE}")
        self._keep({other: engine for other, engine in self._added.items() if other != name})

    def _keep(self, engines: dict[str, Engine]) -> None:
        replace_in(self._file.parent, self._file.name, msgspec.toml.encode(_File(list(engines.values()))))
        self._added = engines


def _engines_in(file: Path) -> dict[str, Engine]:
    """The search engines that a file names, none if there is no file; UserError if it cannot be used."""
    try:
        settings = msgspec.toml.decode(read_plain(file, _LARGEST), type=_File)
    except FileNotFoundError:
        settings = _File()
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}; mend it, or take it away") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}; each [[engine]] has name, kind, address and key") from None
    return {engine.name: check(engine) for engine in settings.engine}


# The recorded worlds that lie in the folder of data: a crawl of the page may hunt in one of them.

FOLDER = "worlds"


def world_names(data: Path) -> list[str]:
    """The names of the worlds in the folder of data, and in its folder `worlds`."""
    return sorted(_worlds(data))


def world_at(data: Path, name: str) -> Path:
    """The folder of a world; UserError if there is none of that name."""
    there = _worlds(data)
    if name not in there:
        raise unknown("world", name, there)
    return there[name]


def _worlds(data: Path) -> dict[str, Path]:
    manifests = [*data.glob(f"*/{MANIFEST}"), *data.glob(f"{FOLDER}/*/{MANIFEST}")]
    return {file.parent.name: file.parent for file in manifests if file.is_file()}

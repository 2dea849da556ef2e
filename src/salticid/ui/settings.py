"""What a person set up for the server: DATA/settings.toml by hand, DATA/engines.toml on the page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from salticid.errors import UserError
from salticid.store.files import replace_in
from salticid.ui.untrusted_files import read_plain
from salticid.webs.live.search_engines import BRAVE_KEY, Engine, check

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

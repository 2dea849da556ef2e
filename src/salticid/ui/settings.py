"""What a person set up for the server: DATA/settings.toml."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from salticid.errors import UserError
from salticid.ui.untrusted_files import read_plain
from salticid.webs.live.search_engines import BRAVE_KEY, Engine, check

FILE = "settings.toml"
_LARGEST = 1 << 20


class _File(msgspec.Struct, forbid_unknown_fields=True):
    engine: list[Engine] = []


def engines(data: Path) -> dict[str, Engine]:
    """The search engines by name: those of the file, and Brave if its key is in the environment."""
    file = data / FILE
    try:
        settings = msgspec.toml.decode(read_plain(file, _LARGEST), type=_File)
    except FileNotFoundError:
        settings = _File()
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}; mend it, or take it away") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}; each [[engine]] has name, kind, address and key") from None
    by_name = {engine.name: check(engine) for engine in settings.engine}
    if key := os.environ.get(BRAVE_KEY):
        by_name.setdefault("brave", Engine("brave", "brave", key=key))
    return by_name

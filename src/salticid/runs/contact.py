"""Whom the people behind servers may write to: said once in a file of the person who crawls, or nobody."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from salticid.errors import UserError
from salticid.runs.live_settings import USER_AGENT

EXAMPLE = 'contact = "you@example.org"'


class _File(msgspec.Struct, forbid_unknown_fields=True):
    contact: str | None = None


def settings_file() -> Path:
    """Where a person's own settings are, if there are any."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "salticid" / "settings.toml"


def own_user_agent() -> str:
    """Who we say we are: our name and, if the settings file names one, a contact."""
    file = settings_file()
    try:
        contact = msgspec.toml.decode(file.read_bytes(), type=_File).contact
    except (FileNotFoundError, NotADirectoryError):
        contact = None
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}; mend it, or take it away") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}; it may say {EXAMPLE}") from None
    if contact is None:
        return USER_AGENT
    if not re.fullmatch(r"[!-'*-~]+", contact):
        raise UserError(f"{file}: {contact!r} is no contact; give an address without spaces, as in {EXAMPLE}")
    return f"{USER_AGENT} (+{contact})"


def how_to_set_contact() -> str:
    """A sentence for those who have named none."""
    return f"Those who run the servers cannot reach you: write {EXAMPLE} to {settings_file()}, or say --user-agent."

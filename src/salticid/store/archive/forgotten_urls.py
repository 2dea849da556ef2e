"""The URLs that a crawl has forgotten, as its log has them: hashes, and the salt of these."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from salticid.errors import UserError
from salticid.store.database import Database, facts
from salticid.store.schema import ABOUT
from salticid.tables import Veil
from salticid.urls import typed

FORGOTTEN, UNFINISHED = "forgotten", "forgetting"
"""Facts about a crawl: what it has forgotten; and that files may still hold something of it."""


def veil_in(db: Database) -> Veil | None:
    """What hides the URLs that a crawl has forgotten; None if there are none."""
    return veil_of(db.facts())


def veil_of(about: Mapping[str, Any]) -> Veil | None:
    """The same, from the facts about a crawl."""
    told = about.get(FORGOTTEN)
    return None if told is None else Veil(bytes.fromhex(told["salt"]), told["hashes"])


def new_veil() -> Veil:
    """One that hides nothing yet."""
    return Veil(secrets.token_bytes(16))


def note(db: Database, veil: Veil) -> None:
    """Write down what is forgotten, and that not all of it is done; within a transaction."""
    about = {"salt": veil.salt.hex(), "hashes": list(veil.hashes)}
    db.insert(ABOUT, facts({FORGOTTEN: about, UNFINISHED: True}))


def without_urls(value: Any, veil: Veil) -> Any:
    """A topic or an order with stand-ins in its lists for hidden URLs, however they are typed."""
    if isinstance(value, dict):
        return {name: without_urls(each, veil) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    return [
        next((veil.stand_in(url) for url in typed(each) if veil.hides(url)), each)
        if isinstance(each, str)
        else without_urls(each, veil)
        for each in value
    ]


def is_unfinished(db: Database) -> bool:
    """Whether a forgetting was interrupted."""
    return bool(db.facts().get(UNFINISHED))


def check_finished(folder: Path, db: Database) -> None:
    """UserError if a forgetting was interrupted."""
    if is_unfinished(db):
        raise UserError(
            f"{folder} was about to forget pages when it was interrupted; end that first: salticid forget {folder}"
        )

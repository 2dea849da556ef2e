"""Revisit records: an answer that was the same as another, which stands elsewhere, perhaps in another file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from salticid.worlds.answers import Answer, Unread
from salticid.worlds.http import Head, split, to_answer
from salticid.worlds.warc_records import WarcRecord

_NOT_MODIFIED = 304
_OWN_FIELDS = ("content-type", "last-modified", "location")
"""Fields of an answer of its own that a revisit may have."""
_CODING_FIELDS = ("content-encoding", "transfer-encoding")


@dataclass(frozen=True, slots=True)
class _Revisit:
    """The URL that was asked, and what of the head is its own."""

    url: str
    head: Head | None


class Revisits:
    """Those that were met, and by what name each knows the record that holds its answer.

    That is the record's id, its URL and date, or the digest of its payload; the first record with any of them counts.
    """

    def __init__(self) -> None:
        self._revisits: dict[int, _Revisit] = {}
        self._by_name: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._revisits)

    def add(self, revisit: WarcRecord) -> None:
        """A revisit, whose answer is to be found."""
        number = len(self._revisits)
        self._revisits[number] = _Revisit(target(revisit), _own_head(revisit))
        fields = revisit.fields
        date = fields.get("warc-refers-to-date", "")
        uri = _bare(fields.get("warc-refers-to-target-uri", "")) or target(revisit)
        for name in _names(
            fields.get("warc-refers-to", ""), uri, date, fields.get("warc-payload-digest", "")
        ):
            self._by_name.setdefault(name, []).append(number)

    def answers(self, record: WarcRecord) -> Iterator[Answer]:
        """The answers of all revisits to this record that have none yet."""
        if record.fields.get("warc-type", "").lower() != "response":
            return
        fields = record.fields
        names = _names(
            fields.get("warc-record-id", ""),
            target(record),
            fields.get("warc-date", ""),
            fields.get("warc-payload-digest", ""),
        )
        numbers = sorted({number for name in names for number in self._by_name.get(name, ())})
        for number in numbers:
            parts = split(record.block) if number in self._revisits else None
            if parts is not None and parts[0].status is not None:
                yield _answer(self._revisits.pop(number), *parts)

    def unread(self) -> Iterator[Unread]:
        """Those whose answer was not found."""
        for revisit in self._revisits.values():
            yield Unread("revisit record", revisit.url)


def target(record: WarcRecord) -> str:
    """The URL of a record."""
    return _bare(record.fields.get("warc-target-uri", ""))


def _bare(uri: str) -> str:
    return uri.removeprefix("<").removesuffix(">")


def _names(identity: str, uri: str, date: str, digest: str) -> list[str]:
    """Names that a record may be referred to by, those that are known of it."""
    place_and_date = f"{uri} {date}" if uri and date else ""
    return [name for name in (identity, place_and_date, digest) if name]


def _own_head(revisit: WarcRecord) -> Head | None:
    """What the server said this time, if the record holds it and it is more than that nothing has changed."""
    parts = split(revisit.block)
    if parts is None or parts[0].status in (None, _NOT_MODIFIED):
        return None
    return Head(parts[0].status, _pick(parts[0], _OWN_FIELDS))


def _answer(revisit: _Revisit, head: Head, body: bytes) -> Answer:
    """The answer that a revisit stands for: its own head, if it has one, and the body of the other."""
    own = revisit.head or Head(head.status, _pick(head, _OWN_FIELDS))
    return to_answer(revisit.url, Head(own.status, {**own.fields, **_pick(head, _CODING_FIELDS)}), body)


def _pick(head: Head, names: tuple[str, ...]) -> dict[str, str]:
    return {name: head.fields[name] for name in names if name in head.fields}

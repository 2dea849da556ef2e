"""Parquet: columns, compressed, with types; what data frames read fastest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import msgspec

from salticid.extras import not_installed
from salticid.store.exports.documents import Document

GROUP_ROWS = 1_000
GROUP_CHARACTERS = 16 << 20
"""A row group, all of which is in memory once, ends with so many rows or so much text."""


def write(documents: Iterable[Document], out: BinaryIO) -> None:
    """Write documents, times as microseconds in UTC."""
    try:
        import pyarrow as arrow
        from pyarrow.parquet import ParquetWriter
    except ModuleNotFoundError as error:
        raise not_installed(error, "parquet") or error from None
    time, text = arrow.timestamp("us", tz="UTC"), arrow.string()
    number = arrow.float64()
    kinds = {"score": number, "current_score": number, "fetched": time, "last_modified": time}
    schema = arrow.schema([(name, kinds.get(name, text)) for name in Document.__struct_fields__])
    with ParquetWriter(out, schema, compression="zstd") as file:
        for group in _groups(documents):
            rows = [msgspec.structs.asdict(document) for document in group]
            file.write_table(arrow.Table.from_pylist(rows, schema), row_group_size=len(rows))


def _groups(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    characters = 0
    for document in documents:
        group.append(document)
        characters += len(document.text)
        if len(group) == GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group

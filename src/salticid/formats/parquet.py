"""Parquet: columns, compressed, with types; what data frames read fastest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import msgspec

from salticid.formats import Export, FileFormat
from salticid.store.exports import Document, DocumentStream

GROUP_ROWS = 1_000
GROUP_CHARACTERS = 16 << 20
"""A row group, all of which is in memory once, ends with so many rows or so much text."""


class Parquet(FileFormat):
    """Compressed by zstd, in groups of rows."""

    title = "Parquet"
    about = "for data tools"
    suffix = "parquet"
    is_text = False
    has_chunks = True
    extra = "export"

    def write(self, export: Export, out: BinaryIO) -> None:
        with export.documents() as documents:
            write_table(documents, out)


def write_table(documents: DocumentStream, out: BinaryIO) -> None:
    """Write documents, times as microseconds in UTC."""
    import pyarrow as arrow
    from pyarrow.parquet import ParquetWriter

    time, text, number, truth = (
        arrow.timestamp("us", tz="UTC"),
        arrow.string(),
        arrow.float64(),
        arrow.bool_(),
    )
    kinds = {
        "score": number, "current_score": number, "fetched": time, "last_modified": time, "noindex": truth,
        "noarchive": truth, "noai": truth, "tdm_reservation": truth, "headings": arrow.list_(text),
        "chunk": arrow.int32(), "chunks": arrow.int32(),
    }  # fmt: skip
    schema = arrow.schema([(name, kinds.get(name, text)) for name in documents.kind.__struct_fields__])
    with ParquetWriter(out, schema, compression="zstd") as file:
        for group in _groups(documents):
            rows = [msgspec.structs.asdict(document) for document in group]
            file.write_table(arrow.Table.from_pylist(rows, schema), row_group_size=len(rows))


def _groups(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    characters = 0
    for document in documents:
        group.append(document)
        characters += len(document.text) + len(document.markdown)
        if len(group) == GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group

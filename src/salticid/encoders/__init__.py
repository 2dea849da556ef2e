"""Sentence encoders: models that give a text a vector, so that texts of like meaning are near each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.encoders.kept import AbsentEncoder, KeptMeanings, VectorStore, cosines
    from salticid.encoders.onnx import MODEL, OnnxEncoder, can_run, find_encoder, models_folder, write_facts
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "MODEL",
    "AbsentEncoder",
    "KeptMeanings",
    "OnnxEncoder",
    "VectorStore",
    "can_run",
    "cosines",
    "find_encoder",
    "models_folder",
    "write_facts",
]

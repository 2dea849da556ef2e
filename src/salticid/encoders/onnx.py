"""A sentence encoder from a folder on this machine: an ONNX model and its tokenizer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from salticid.errors import UserError

MODEL, TOKENIZER, FACTS = "model.onnx", "tokenizer.json", "model.json"
LARGEST_MODEL, LARGEST_TOKENIZER, LARGEST_FACTS = 512 << 20, 64 << 20, 1 << 16
MOST_TOKENS = 64
"""Of a text so many tokens are encoded, the first."""
WIDEST = 1024
"""Numbers of a vector at most: `cosines` is exact up to there."""
AT_ONCE = 64
"""Texts of a batch."""
_QUIET = {"ORT_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}
"""From 1.29 on onnxruntime reports to its makers unless told not to; tokenizers takes all cores."""
WHERE = "SALTICID_MODEL"
"""Environment variable: the name of a model, a folder with one, or `none`."""


class _Facts(msgspec.Struct):
    """What `salticid model get` writes down beside a model."""

    name: str
    version: str
    license: str
    files: dict[str, str]


def models_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where `salticid model get` puts models."""
    data = environment.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "salticid" / "models"


def find_encoder(environment: Mapping[str, str] = os.environ) -> OnnxEncoder | None:
    """The encoder of this machine; None if there is no model, or nothing that runs one.

    The environment variable SALTICID_MODEL names it: a name in `models_folder`, a folder, or `none`. Without it the
    first model in that folder is taken, by name. A model that is named and cannot be used is a UserError.
    """
    wanted, home = environment.get(WHERE, ""), models_folder(environment)
    if wanted == "none":
        return None
    if wanted:
        folder = home / wanted
        return OnnxEncoder(folder if "/" not in wanted and folder.is_dir() else Path(wanted))
    installed = sorted(file.parent for file in home.glob(f"*/{TOKENIZER}"))
    if not installed or not can_run():
        return None
    return OnnxEncoder(installed[0])


def can_run() -> bool:
    """Whether the packages of the extra `semantic` are installed."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("onnxruntime", "tokenizers"))


class OnnxEncoder:
    """Texts to unit vectors by a model in a folder: `tokenizer.json` and one file `*.onnx`.

    The model takes `input_ids` and `attention_mask`, maybe `token_type_ids`, and gives a vector for each text, or one
    for each token, whose mean is taken. Sizes and shapes are checked, for anybody may have made the files. One thread
    does the work, so that a crawl takes one core.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.environ.update(_QUIET)  # both read it as they are imported
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError:
            raise UserError(
                "a sentence encoder needs onnxruntime and tokenizers; install them with: "
                "pip install 'salticid[semantic]'"
            ) from None
        model, tokenizer = _read(_model_file(folder), LARGEST_MODEL), _read(folder / TOKENIZER, LARGEST_TOKENIZER)
        checksums = {MODEL: sha256(model).hexdigest(), TOKENIZER: sha256(tokenizer).hexdigest()}
        facts = _facts(folder)
        for name, checksum in checksums.items():
            if facts is not None and facts.files.get(name, checksum) != checksum:
                raise _unusable(folder, f"{name} has another checksum than {FACTS} says")
        self.name, self.version = (facts.name, facts.version) if facts else (folder.resolve().name, "")
        self.digest = sha256("".join(checksums.values()).encode()).hexdigest()[:32]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what is wrong is raised
        try:
            self._tokenizer = Tokenizer.from_str(tokenizer.decode())
            self._tokenizer.enable_truncation(MOST_TOKENS)
            self._tokenizer.enable_padding()
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001 - both libraries raise what they like
            raise _unusable(folder, str(error).splitlines()[0][:200]) from None
        self._inputs = {each.name for each in self._session.get_inputs()}
        if not {"input_ids"} <= self._inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise _unusable(folder, f"the model takes {', '.join(sorted(self._inputs))[:200]}")
        self.width = 0
        self.width = self.vectors(["salticid"]).shape[1]

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """A row for each text, of length 1; texts of like length should stand together."""
        batches = [self._batch(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
        return np.concatenate(batches) if batches else np.zeros((0, self.width), np.float32)

    def _batch(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        encodings = self._tokenizer.encode_batch(list(texts))
        mask = np.array([each.attention_mask for each in encodings], np.int64)
        given: dict[str, Any] = {
            "input_ids": np.array([each.ids for each in encodings], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        try:
            outcome = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        except Exception as error:  # noqa: BLE001 - onnxruntime raises what it likes
            raise _unusable(self.folder, str(error).splitlines()[0][:200]) from None
        rows = np.asarray(outcome)
        if rows.dtype != np.float32 or rows.ndim not in (2, 3) or rows.shape[0] != len(texts):
            raise _unusable(self.folder, f"it gives {rows.dtype} numbers of shape {rows.shape} for {len(texts)} texts")
        if rows.ndim == 3:
            if rows.shape[1] != mask.shape[1]:
                raise _unusable(self.folder, f"it gives {rows.shape[1]} vectors for {mask.shape[1]} tokens")
            rows = (rows * mask[:, :, None]).sum(axis=1)
        if not 2 <= rows.shape[1] <= WIDEST or self.width not in (0, rows.shape[1]):
            raise _unusable(self.folder, f"its vectors have {rows.shape[1]} numbers; 2 to {WIDEST} can be used")
        if not np.isfinite(rows).all():
            raise _unusable(self.folder, "it gives numbers that are not finite")
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        unit: npt.NDArray[np.float32] = (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
        return unit


def write_facts(folder: Path, name: str, version: str, terms: str) -> None:
    """Write down beside a model what it is, and the checksums of its files."""
    files = {file.name: sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}
    facts = _Facts(name, version, terms, files)
    (folder / FACTS).write_bytes(msgspec.json.format(msgspec.json.encode(facts)) + b"\n")


def _facts(folder: Path) -> _Facts | None:
    if not (folder / FACTS).exists():
        return None
    try:
        return msgspec.json.decode(_read(folder / FACTS, LARGEST_FACTS), type=_Facts)
    except msgspec.DecodeError as error:
        raise _unusable(folder, f"{FACTS} is damaged: {error}") from None


def _model_file(folder: Path) -> Path:
    """The one model in a folder."""
    models = sorted(folder.glob("*.onnx"))
    if len(models) != 1:
        raise _unusable(folder, f"it holds {len(models) or 'no'} files *.onnx, and should hold one")
    return models[0]


def _read(file: Path, most: int) -> bytes:
    """The bytes of a plain file of at most so many."""
    try:
        if not S_ISREG(file.stat().st_mode):
            raise _unusable(file.parent, f"{file.name} is not a plain file")
        with file.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise _unusable(file.parent, f"{file.name}: {error.strerror}") from None
    if len(data) > most:
        raise _unusable(file.parent, f"{file.name} is larger than {most >> 20} MB")
    return data


def _unusable(folder: Path, why: str) -> UserError:
    return UserError(
        f"the sentence encoder in {folder} cannot be used: {why}; install one with: salticid model get minilm, "
        f"or crawl without: {WHERE}=none"
    )

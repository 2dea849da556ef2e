"""Word vectors from a folder, and words near a topic in meaning."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from salticid.errors import UserError
from salticid.judges.profile import Profile
from salticid.learning.topic_words import TopicWords
from salticid.learning.word_vectors import Meanings, StaticVectors
from salticid.runs.brief import prepare
from salticid.tables.texts import Texts
from salticid.testing.small import SmallWeb
from salticid.text.stems import Stems
from salticid.topic import Limits

WORDS = {
    "[UNK]": (0.0, 0.0, 1.0),
    "spider": (1.0, 0.0, 0.0),
    "tarantula": (0.9, 0.1, 0.0),
    "##s": (0.0, 0.0, 0.5),
    "train": (0.0, 1.0, 0.0),
    "wagon": (0.1, 0.9, 0.0),
    "cafe": (0.0, 0.6, 0.8),
}


def safetensors(tensors: dict[str, npt.NDArray[Any]]) -> bytes:
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64"}
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    body = b""
    for name, array in tensors.items():
        start = len(body)
        body += array.tobytes()
        header[name] = {
            "dtype": kinds[array.dtype.name],
            "shape": array.shape,
            "data_offsets": [start, len(body)],
        }
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + body


def written(folder: Path, kind: str = "float32", **more: npt.NDArray[Any]) -> Path:
    """A folder of vectors as model2vec writes it."""
    rows = np.array(list(WORDS.values()), kind)
    (folder / "model.safetensors").write_bytes(safetensors({"embeddings": rows, **more}))
    tokenizer = {
        "added_tokens": [{"id": 0, "content": "[UNK]", "special": True}],
        "model": {"type": "WordPiece", "vocab": {word: at for at, word in enumerate(WORDS)}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_a_word_has_the_vector_of_its_token_at_length_1(tmp_path: Path, kind: str) -> None:
    found = StaticVectors(written(tmp_path, kind)).of(["spider", "tarantula"])
    assert found[0].tolist() == [1.0, 0.0, 0.0]
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0, 1.0])
    assert found[0] @ found[1] == pytest.approx(0.9 / np.sqrt(0.82), abs=1e-3)


def test_a_word_that_is_no_token_is_the_mean_of_its_pieces(tmp_path: Path) -> None:
    (found,) = StaticVectors(written(tmp_path)).of(["spiders"])
    assert found == pytest.approx(np.array([0.5, 0.0, 0.25]) / np.sqrt(0.3125))


def test_words_nobody_knows_are_nowhere_and_accents_do_not_matter(tmp_path: Path) -> None:
    found = StaticVectors(written(tmp_path)).of(["xyz", "", "[UNK]", "s", "café"])
    assert not found[:4].any()
    assert found[4] == pytest.approx([0.0, 0.6, 0.8])


def test_weights_and_a_mapping_are_followed(tmp_path: Path) -> None:
    turned = np.arange(len(WORDS))[::-1].astype(np.int64)
    weights = np.full(len(WORDS), 2.0, np.float32)
    weights[3] = 0.0
    vectors = StaticVectors(written(tmp_path, mapping=turned, weights=weights))
    spider, spiders = vectors.of(["spider", "spiders"])
    assert spider == pytest.approx(spiders)  # "##s" weighs nothing
    assert spider == pytest.approx(np.array(WORDS["wagon"]) / np.linalg.norm(WORDS["wagon"]))


def test_tokens_may_be_listed_with_scores_and_marked_where_words_begin(tmp_path: Path) -> None:
    written(tmp_path)
    listed = [["<unk>", 0.0], ["▁spider", -1.0], ["▁tarantula", -2.0], ["s", -3.0]]
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"type": "Unigram", "vocab": listed}}))
    spider, spiders, s = StaticVectors(tmp_path).of(["spider", "spiders", "s"])
    assert spider.tolist() == [1.0, 0.0, 0.0]
    assert spiders == pytest.approx(np.array([0.5, 0.0, 0.25]) / np.sqrt(0.3125))
    assert s.any()


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read the word vectors in .*nowhere.*model2vec"):
        StaticVectors(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("target", ["/dev/zero", "pipe"])
def test_a_file_without_an_end_is_not_read(tmp_path: Path, name: str, target: str) -> None:
    file = written(tmp_path) / name
    file.unlink()
    os.mkfifo(tmp_path / "pipe")
    file.symlink_to(target)
    with pytest.raises(UserError, match="not a plain file"):
        StaticVectors(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 16,
        b"\x02\0\0\0\0\0\0\0{}",
        safetensors({"other": np.ones(3, np.float32)}),
        safetensors({"embeddings": np.ones(3, np.float32)}),
        safetensors({"embeddings": np.ones((3, 2), np.float32)})[:-4],
        safetensors({"embeddings": np.ones((3, 2), np.float32), "mapping": np.array([7], np.int64)}),
    ],
)
def test_a_broken_file_is_a_users_error(tmp_path: Path, content: bytes) -> None:
    (written(tmp_path) / "model.safetensors").write_bytes(content)
    with pytest.raises(UserError, match="model2vec"):
        StaticVectors(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"model": {"vocab": 3}}'])
def test_a_broken_tokenizer_is_a_users_error(tmp_path: Path, content: str) -> None:
    (written(tmp_path) / "tokenizer.json").write_text(content)
    with pytest.raises(UserError, match="model2vec"):
        StaticVectors(tmp_path)


PAGES = {
    "one": "<title>Spiders</title><p>The spider hunts.",
    "two": "<title>Tarantula</title><p>A hairy tarantula.",
    "three": "<title>Wagon</title><p>A heavy wagon.",
    "four": "<title>Both</title><p>A tarantula in a wagon on a train.",
}


def spider_topic(pages: dict[str, str]) -> SmallWeb:
    web = SmallWeb(pages)
    web.topic = replace(web.topic, keywords="spider", examples=())
    return web


def test_only_words_that_were_met_are_near_anything(tmp_path: Path) -> None:
    web = spider_topic(PAGES)
    stems = Stems(web.words, "en")
    meanings = Meanings(StaticVectors(written(tmp_path)), web.words, stems)
    spider, tarantula, wagon = stems.terms("spider tarantula wagon")

    def near() -> list[float]:
        topic = np.zeros(len(stems))
        topic[spider] = 1.0
        found = meanings.near(topic)
        return [float(found[stem]) for stem in (spider, tarantula, wagon)]

    assert near() == [0.0, 0.0, 0.0]
    meanings.meet_text("spider")
    meanings.meet(web.page(web.id("three")))
    assert near()[0] > 0
    assert near()[1:] == [0.0, 0.0]
    meanings.meet(web.page(web.id("two")))
    assert near()[0] > near()[1] > 0 == near()[2]


def test_a_judge_with_vectors_knows_related_words_it_was_never_told(tmp_path: Path) -> None:
    web = spider_topic(PAGES)
    brief = prepare(web.topic, web, Limits(), seed=0)
    pages = [web.page(web.id(name)) for name in ("two", "three", "four")]
    scores = []
    for folder in ("", str(written(tmp_path))):
        judge = Profile(vectors=folder, refresh=3)
        judge.start(brief)
        assert [judge.watch(page, 0.0) for page in pages] == [False, False, True]
        scores.append([judge.score(page) for page in pages])
    assert scores[0][0] == scores[0][1]
    assert scores[1][0] > scores[1][1]


def test_the_numbering_of_words_changes_not_a_bit(tmp_path: Path) -> None:
    vectors = StaticVectors(written(tmp_path))
    found = []
    for pages in (PAGES, dict(reversed(PAGES.items()))):
        web = spider_topic(pages)
        words = TopicWords(prepare(web.topic, web, Limits(), seed=0), vectors=vectors)
        shown = [web.page(web.id(name)) for name in PAGES]
        for page in shown:
            words.see(page)
        words.tell([words.vector(shown[0])], [])
        found.append([words.likeness(words.read(page)[0]) for page in shown])
    assert found[0] == found[1]


def test_an_empty_table_has_no_meanings(tmp_path: Path) -> None:
    words = Texts()
    stems = Stems(words, "en")
    meanings = Meanings(StaticVectors(written(tmp_path)), words, stems)
    meanings.meet_text("the of")
    assert not meanings.near(np.ones(len(stems))).any()

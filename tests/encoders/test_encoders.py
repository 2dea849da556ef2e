"""Sentence encoders: models in folders, what is kept of texts, and crawls that go on without their model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.support.generated_site import GeneratedSource
from tests.support.running import salticid
from tests.support.tiny_model import write_tiny_model

from salticid.encoders import AbsentEncoder, KeptMeanings, OnnxEncoder, cosines, find_encoder
from salticid.errors import UserError
from salticid.model import Ints, Visit
from salticid.protocols import Brief, Encoder
from salticid.runs import CrawlSpec, Onlooker, resolve, run
from salticid.store import CrawlFolder, CrawlLog
from salticid.strategies import QueueStrategy
from salticid.tables import Urls, Words
from salticid.topic import Limits, Topic
from salticid.webs import RecordedWeb
from salticid.worlds import build

WORDS, VECTORS = ("spider", "web", "bird"), ((1.0, 0.0), (0.8, 0.6), (0.0, 1.0))


class Sums:
    """A text is the sum of its letters, in three sorts; counts the texts it was given."""

    name, version, digest, width = "sums", "1", "d1", 3

    def __init__(self, off: float = 0.0) -> None:
        self.off, self.texts = off, list[str]()

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.texts += texts
        rows = np.array([[sum(ord(c) % 3 == k for c in text) + self.off for k in range(3)] for text in texts])
        unit: npt.NDArray[np.float32] = (rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True) + 1e-9)).astype(
            np.float32
        )
        return unit


class ByMeaning(QueueStrategy):
    """Links score by how near their URLs are to the keywords in meaning."""

    semantic = True

    def start(self, brief: Brief) -> None:
        super().start(brief)
        assert brief.meanings is not None
        self.meanings, self.urls = brief.meanings, brief.urls
        self.topic = brief.meanings.of([brief.topic.keywords])

    def score_links(self, visit: Visit, fresh: Ints) -> npt.NDArray[np.float64]:
        assert visit.page is not None
        texts = [self.urls[url][-8:] for url in visit.page.links.url[fresh].tolist()]
        return cosines(self.meanings.of(texts), self.topic)[:, 0]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    write_tiny_model(folder, WORDS, VECTORS)
    return folder


def test_a_folder_with_a_model_and_its_tokenizer_is_an_encoder(model: Path) -> None:
    encoder = OnnxEncoder(model)
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"  # it would write a database, and send that
    assert (encoder.name, encoder.version, encoder.width) == ("tiny", "", 2)
    rows = encoder.vectors(["spider", "Spider web", "bird bird bird bird"])
    assert np.allclose(rows, [[1.0, 0.0], [0.9487, 0.3162], [0.0, 1.0]], atol=1e-4)  # padding does not count
    assert np.array_equal(encoder.vectors(["spider web"])[0], rows[1])


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "model.onnx").write_bytes(b"\x08\x08nothing"), "cannot be used"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be used"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"tokenizer\.json: No such file"),
        (lambda folder: (folder / "other.onnx").write_bytes(b""), "holds 2 files"),
        (lambda folder: write_tiny_model(folder, WORDS, VECTORS, output="ids"), "int64 numbers of shape"),
        (lambda folder: write_tiny_model(folder, WORDS, [[1.0] * 1025] * 3), "vectors have 1025 numbers"),
        (lambda folder: write_tiny_model(folder, ["salticid"], [[float("nan"), 1.0]]), "not finite"),
        (
            lambda folder: (folder / "model.json").write_text(
                json.dumps({"name": "x", "version": "", "license": "", "files": {"model.onnx": "0" * 64}})
            ),
            "another checksum",
        ),
    ],
)
def test_an_odd_model_is_refused_with_what_to_do(tmp_path: Path, spoil: Callable[[Path], object], why: str) -> None:
    write_tiny_model(tmp_path / "odd", WORDS, VECTORS)
    spoil(tmp_path / "odd")
    with pytest.raises(UserError, match=rf"{why}.*salticid model get minilm"):
        OnnxEncoder(tmp_path / "odd")


def test_the_model_of_this_machine_is_found_by_name_by_folder_or_not_at_all(model: Path, tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path)}
    assert find_encoder(home) is None
    with pytest.raises(UserError, match="nowhere"):
        find_encoder({**home, "SALTICID_MODEL": "nowhere"})
    write_tiny_model(tmp_path / "salticid" / "models" / "mine", WORDS, VECTORS)
    for wanted in ({}, {"SALTICID_MODEL": "mine"}):
        found = find_encoder(home | wanted)
        assert found is not None
        assert found.name == "mine"
    found = find_encoder({**home, "SALTICID_MODEL": str(model)})
    assert found is not None
    assert found.name == "tiny"
    assert find_encoder({**home, "SALTICID_MODEL": "none"}) is None


def test_model_get_installs_what_was_checked(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    got = salticid("model", "get", "mine", "--from", model, "--json")
    assert got.status == 0, got.err
    told = json.loads(got.out)
    assert told["verified"] is False
    folder = tmp_path / "salticid" / "models" / "mine"
    assert told["folder"] == str(folder)
    assert told["digest"] == OnnxEncoder(model).digest
    assert OnnxEncoder(folder).name == "mine"
    assert "delete it first" in salticid("model", "get", "mine", "--from", model).err
    renamed = salticid("model", "get", "minilm", "--from", model)  # the tokenizer of minilm has a checksum
    assert renamed.status == 1
    assert "its checksum is" in renamed.err
    assert "did you mean 'minilm'?" in salticid("model", "get", "minlm").err
    assert [each.name for each in folder.parent.iterdir()] == ["mine"]


def test_the_real_model_knows_what_is_alike(shared: Callable[[str], Path]) -> None:
    encoder = OnnxEncoder(shared("data/minilm"))
    meanings = KeptMeanings(encoder)
    bird, sparrow, king, long = meanings.of(["bird", "sparrow", "king of England", "bird " * 200])
    near, far = cosines(bird[None], np.stack((sparrow, king)))[0].tolist()
    assert near > 0.6 > 0.4 > far
    assert cosines(bird[None], long[None])[0, 0] > 0.5  # cut to the first tokens
    alone, together = encoder.vectors(["sparrow"])[0], encoder.vectors(["sparrow", "a text that is much longer"])[0]
    assert float(alone @ together) > 0.9999  # padding does not count


def test_each_text_is_encoded_once_and_the_log_has_it(tmp_path: Path) -> None:
    encoder, web = Sums(), Path(tmp_path / "crawl")
    with closing(CrawlLog(web, *_tables())) as log:
        log.begin({"version": "1"})
        meanings = KeptMeanings(encoder, log)
        first = meanings.of(["spider", "web", "spider"])
        assert sorted(encoder.texts) == ["spider", "web"]
        assert np.array_equal(meanings.of(["spider"]), first[:1])
        assert np.array_equal(KeptMeanings(Sums(off=9.0), log).of(["spider"]), first[:1])
    with closing(CrawlLog(web, *_tables())) as log:
        log.open()
        log.go_on()
        silent = KeptMeanings(AbsentEncoder("sums", "1", "d1", 3), log)
        assert np.array_equal(silent.of(["web", "spider"]), first[[1, 0]])
        assert not silent.of(["bird"]).any()
        assert log.memory() == {}  # of the network, nothing


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    folder = tmp_path_factory.mktemp("encoders") / "world"
    build(folder, GeneratedSource(150, seed=5))
    return RecordedWeb(folder)


@pytest.mark.parametrize("later", [Sums(), AbsentEncoder("sums", "1", "d1", 3), Sums(off=5.0), None])
def test_a_crawl_goes_on_alike_without_its_model(world: RecordedWeb, tmp_path: Path, later: Encoder | None) -> None:
    """What the model said up to there comes from the log, whatever the machine would say now."""
    topic = Topic("all", "jumping spiders", (world.urls[0],))
    warnings: list[str] = []

    class Listening(Onlooker):
        def warn(self, sentence: str) -> None:
            warnings.append(sentence)

    def crawl(encoder: Encoder | None, pages: int, folder: Path) -> list[str]:
        spec = CrawlSpec(topic=topic, judge="cosine", limits=Limits(max_pages=pages))
        run(replace(resolve(spec, folder, web=world, strategy=ByMeaning()), encoder=encoder), Listening())
        with closing(CrawlFolder(folder)) as crawled:
            return [visit.url for visit in crawled.visits()]

    whole = crawl(Sums(), 60, tmp_path / "whole")
    assert len(whole) >= 60
    assert crawl(Sums(), 25, tmp_path / "crawl") == whole[: (begun := whole.index(whole[24]) + 1)]
    resumed = crawl(later, 60, tmp_path / "crawl")
    assert resumed[:begun] == whole[:begun]
    assert len(resumed) > begun
    assert any("salticid model get sums" in each for each in warnings) is not isinstance(later, Sums)
    assert (resumed == whole) is (isinstance(later, Sums) and later.off == 0.0)


def _tables() -> tuple[Urls, Words]:
    return Urls(), Words()

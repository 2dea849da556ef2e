"""A strategy that another package brings is one like ours: listed, set, crawled with, held to the contract."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from tests.running import PLUGIN, with_plugin

from salticid.testing import check_strategy


def test_it_is_listed_with_its_settings() -> None:
    listed = [json.loads(line) for line in with_plugin("strategies", "--json").out.splitlines()]
    magpie = next(strategy for strategy in listed if strategy["name"] == "magpie")
    assert magpie["summary"] == "Goes for pages with a short title, because they glitter."
    assert magpie["settings"] == [{"name": "glitter", "default": 20, "allowed": "int, 1 to 80"}]
    assert "best_first" in [strategy["name"] for strategy in listed]


def test_it_crawls_and_a_wrong_setting_is_named(tmp_path: Path) -> None:
    assert with_plugin("world", "build", tmp_path / "w", "--synthetic", "60").status == 0
    assert (
        with_plugin(
            "world", "topics", tmp_path / "w", "--out", tmp_path / "topics", "--min-pages", "1"
        ).status
        == 0
    )
    topic = min((tmp_path / "topics").glob("*.toml"))
    order = ("crawl", topic, "--web", tmp_path / "w", "--strategy", "magpie", "--max-pages", "20", "--json")
    said = with_plugin(*order, "--set", "glitter=5", "--out", tmp_path / "c")
    assert json.loads(said.out)["pages"] == 20, said.err
    wrong = with_plugin(*order, "--set", "glitter=500", "--out", tmp_path / "d")
    assert wrong.status == 2
    assert "glitter" in wrong.err


def test_it_keeps_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGIN))
    check_strategy(importlib.import_module("salticid_magpie").Magpie)

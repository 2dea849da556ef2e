"""The list a person sees when a hunt from words alone has ended: pages on topic come first, and strengths differ."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

import salticid
from salticid.metrics.texts import average_precision
from salticid.truth import Truth, load_topic
from salticid.urls import canonical
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

FLOORS = json.loads((Path(__file__).parents[1] / "floors.json").read_text())
HELD_OUT = slice(1, None, 8)
"""Odd places by file name: nothing was tuned on these subjects."""
BEST = 20


def ranked(world: Path, file: Path, pages: int = 200) -> tuple[list[tuple[float, str]], Truth]:
    """Current scores and addresses of what a hunt found from keywords alone, the best first; start pages left out."""
    topic, truth = load_topic(file)
    hunt = salticid.hunt(replace(topic, examples=()), web=world, max_pages=pages, progress=False)
    given = {canonical(url) for url in (*topic.seeds, *topic.examples)}
    found = [visit for visit in hunt.visits() if visit.outcome == "ok" and visit.final_url not in given]
    return sorted(((visit.current_score, visit.final_url) for visit in found), reverse=True), truth


def most_alike(scores: list[float]) -> float:
    """The largest share of scores that look the same at two decimals."""
    return max(Counter(f"{score:.2f}" for score in scores).values()) / len(scores)


def test_on_the_encyclopedia_pages_on_topic_come_first(schools_world: Path, tmp_path: Path) -> None:
    files = sorted(make_topics(schools_world, tmp_path, TopicPlan()).files)[HELD_OUT]
    precision = []
    for file in files:
        pages, truth = ranked(schools_world, file)
        targets = {canonical(url) for url in truth.targets}
        scores = [score for score, _ in pages]
        precision.append(average_precision(np.array(scores), np.array([url in targets for _, url in pages])) or 0.0)
        assert most_alike(scores[:BEST]) <= 1 / 3, file.stem
    assert float(np.mean(precision)) >= FLOORS["list by keywords"], "the floor is never lowered"


def test_on_a_generated_web_strengths_can_be_compared(tmp_path: Path) -> None:
    world = tmp_path / "world"
    build_generated(world, WebEdition(1500, seed=5))
    for file in sorted(make_topics(world, tmp_path / "topics", TopicPlan()).files)[:3]:
        assert most_alike([score for score, _ in ranked(world, file, 120)[0]][:BEST]) <= 1 / 3, file.stem

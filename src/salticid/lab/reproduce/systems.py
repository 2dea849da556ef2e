"""Which reproduction belongs to which system."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from salticid.lab.reproduce import evolved_strategies, explore_exploit, link_scores, online_agents, testbed
from salticid.lab.reproduce.findings import judged, paper
from salticid.lab.reproduce.reproduction import Reproduction, Setup, too_few_pages

_EXPERIMENTS: dict[int, Callable[[Setup], Reproduction]] = {
    1: testbed.reproduce,
    2: link_scores.reproduce,
    3: online_agents.reproduce,
    4: explore_exploit.reproduce,
    5: evolved_strategies.reproduce,
}


def run(system: int, setup: Setup) -> Reproduction:
    """The experiment of a system, run again: its findings judged together, with a caution where crawls are short."""
    outcome = _EXPERIMENTS[system](setup)
    caution = too_few_pages(setup.pages, paper(system).pages)
    return replace(outcome, findings=judged(outcome.findings), caution=caution)

"""The hunter from start pages of several hosts: one that runs dry takes turns with the others."""

from __future__ import annotations

from tests.strategies.test_hunter import Stepped, only

from salticid.strategies.hunter.hunter import Hunter
from salticid.testing.small import SmallWeb

NEVER = 1_000_000_000


def hunter(allotment: int) -> Hunter:
    """One that goes by the words of anchors, and learns no other weights."""
    return Hunter(prior=only(best_anchor_topic=1.0), pull=1e9, allotment=allotment)


def two_hosts(*seeds: str) -> SmallWeb:
    """The links of the host a promise more, those of the host b hold more."""
    a = "".join(f"<a href=/{n}>jumping spiders</a> of moss and fern " for n in range(6))
    b = "".join(f"<a href=/{n}>jumping</a> over moss and fern " for n in range(3))
    pages = {
        "a.example/seed": f"<p>jumping spiders {a}",
        "b.example/seed": f"<p>jumping spiders {b} <a href=http://a.example/seed>elsewhere</a>",
        **{f"a.example/{n}": "<p>moss" for n in range(6)},
        "b.example/0": "<p>jumping spiders",
        "b.example/1": "<p>moss",
        "b.example/2": "<p>fern",
    }
    return SmallWeb(pages, seeds=seeds)


def crawl(web: SmallWeb, allotment: int) -> list[str]:
    return [name.replace(".example/", "") for name in Stepped(web, hunter(allotment)).step(11)]


def test_a_host_that_brought_nothing_takes_turns_with_a_start_host_that_has_not_had_its_share() -> None:
    web = two_hosts("a.example/seed", "b.example/seed")
    patient = crawl(web, NEVER)
    assert patient == ["aseed", "bseed", "a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1", "b2"]
    # Two pages of moss, and a is dry: of the next two pages one is of b. It is of use, so that a may try again.
    in_turn = crawl(web, 2)
    assert in_turn == ["aseed", "bseed", "a0", "a1", "a2", "b0", "a3", "a4", "a5", "b1", "b2"]
    # With one page each the next turn comes sooner; then b is dry too, and its last page waits for those of a.
    assert crawl(web, 1) == ["aseed", "bseed", "a0", "a1", "b0", "a2", "a3", "b1", "a4", "a5", "b2"]


def test_start_pages_of_one_host_leave_the_order_to_the_links() -> None:
    web = two_hosts("b.example/seed")
    alone = crawl(web, NEVER)
    assert set(alone) > {"aseed", "bseed", "a0", "b0"}
    assert crawl(web, 1) == alone

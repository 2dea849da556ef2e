"""Hosts as the arms of a bandit."""

import numpy as np
from tests.support.scripted import Crawled

from salticid.strategies.host_bandit import HostBandit, HostQueues
from salticid.strategies.parts.frontier import Frontier
from salticid.tables.texts import Urls
from salticid.testing.small import SmallWeb
from salticid.topic import Limits

GOOD, POOR = "jumping spiders", "rain and more rain"


def two_hosts() -> SmallWeb:
    """A seed that links to three pages of a poor host, then to three of a good one."""
    poor, good = [f"poor.example/{n}" for n in range(3)], [f"good.example/{n}" for n in range(3)]
    pages = {"seed": (POOR, [*poor, *good])}
    pages |= {name: (POOR, []) for name in poor} | {name: (GOOD, []) for name in good}
    return SmallWeb(pages)


def asked(strategy: HostBandit, pages: int = 7) -> list[str]:
    done = Crawled(two_hosts(), strategy, Limits(max_pages=pages))
    done.to_the_end()
    return done.web.asked


def test_a_host_is_left_as_soon_as_its_record_is_the_worse_one() -> None:
    """Both begin at 1/2; the poor one falls to 1/3 with its first page, the good one rises to 2/3."""
    order = asked(HostBandit(explore=0))
    assert order[:2] == ["seed", "poor.example/0"]
    assert order[2:5] == [f"good.example/{n}" for n in range(3)]
    assert order[5:] == ["poor.example/1", "poor.example/2"]


def test_exploring_draws_any_host_that_has_a_link() -> None:
    orders = {tuple(asked(HostBandit(explore=1, decay=1_000_000), pages=4)) for _ in range(2)}
    assert len(orders) == 1, "the same seed draws the same hosts"
    assert set(asked(HostBandit(explore=1, decay=1_000_000))) == set(asked(HostBandit(explore=0)))


def test_a_busy_host_is_passed_over_and_keeps_its_place() -> None:
    web = two_hosts()
    done = Crawled(web, HostBandit(explore=0))
    done.deliver(*done.crawl.choices(1))
    poor = frozenset([web.urls.host(web.id("poor.example/0"))])
    [first] = done.crawl.choices(1, poor)
    [second] = done.crawl.choices(1)
    assert [web.name(choice.link.url) for choice in (first, second)] == ["good.example/0", "poor.example/0"]
    assert [name for name, _ in first.why] == ["host", "anchor"]


def test_queues_by_host_follow_the_frontier() -> None:
    urls = Urls()
    a, b, c = (urls.intern(f"http://{name}") for name in ("one.example/a", "one.example/b", "two.example/c"))
    frontier = Frontier(urls, limit=2)
    queues = HostQueues(frontier, urls.host)
    frontier.push([a, b, c], np.array([0.2, 0.9, 0.5]))
    queues.enter([a, b, c])
    assert a not in frontier
    frontier.rescore(b, 0.1)
    assert not queues.has(urls.host(a)), "until it is told, it does not know the new score"
    queues.enter([b])
    assert queues.take(urls.host(b)).score == 0.1
    assert queues.take(urls.host(c)).link.url == c
    assert len(frontier) == 0

"""A strategy that walks comes back to pages: nobody is asked again, nothing is charged again."""

import pytest
from tests.support.scripted import ENOUGH, Crawled, WalkingScript, star

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.errors import ContractBroken
from salticid.judges.cosine import Cosine
from salticid.model import Outcome
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.testing.small import SmallWeb


def test_a_revisit_is_answered_from_what_is_there() -> None:
    web = SmallWeb(star("a", "gone"), dead=["gone"])
    script = WalkingScript(web, "seed", "a", "gone", "seed", "gone")
    done = Crawled(web, script)
    done.to_the_end()
    again, dead_again = done.log.visits[3:]
    assert (again.revisit, again.outcome, again.score) == (True, Outcome.OK, done.log.visits[0].score)
    assert (dead_again.revisit, dead_again.outcome) == (True, Outcome.DEAD)
    assert [visit.revisit for visit in done.log.visits[:3]] == [False] * 3
    assert sum(visit.good for visit in done.log.visits) == done.crawl.pages
    assert (again.good, dead_again.good) == (False, False)
    assert web.asked == ["seed", "a", "gone"]
    assert (done.crawl.pages, done.crawl.fetches) == (2, 3)


def test_a_walker_meets_a_page_again_that_a_redirect_led_to() -> None:
    web = SmallWeb(star("old", "new"), redirects={"old": "new"})
    done = Crawled(web, WalkingScript(web, "seed", "old", "new"))
    done.to_the_end()
    assert (done.log.visits[2].revisit, done.log.visits[2].outcome) == (True, Outcome.OK)
    assert web.asked == ["seed", "old"]


@pytest.mark.parametrize(("dead", "outcome"), [([], Outcome.OK), (["seed"], Outcome.DEAD)])
def test_a_page_in_flight_lets_the_second_asker_wait(dead: list[str], outcome: Outcome) -> None:
    web = SmallWeb(star("a"), dead=dead)
    done = Crawled(web, WalkingScript(web, "seed", "seed"))
    (first,) = done.crawl.choices(2)
    assert done.crawl.choices(1) == []
    assert done.log.visits == []
    done.deliver(first)
    assert [(v.choice.agent, v.revisit, v.outcome) for v in done.log.visits] == [
        (1, False, outcome),
        (2, True, outcome),
    ]
    assert (web.asked, done.crawl.fetches) == (["seed"], 1)


def test_the_second_asker_waits_although_a_redirect_came_back_first() -> None:
    web = SmallWeb(star("new", "old"), redirects={"old": "new"})
    done = Crawled(web, WalkingScript(web, "seed", "new old", "new"))
    done.deliver(*done.crawl.choices(1))
    new, old = done.crawl.choices(2)
    done.deliver(old)
    assert done.crawl.choices(1) == []
    assert len(done.log.visits) == 2
    done.deliver(new)
    assert [(v.revisit, v.outcome) for v in done.log.visits[2:]] == [(False, Outcome.OK), (True, Outcome.OK)]


def test_a_walker_needs_a_web_that_can_show_a_page_again() -> None:
    web = SmallWeb(star("a"))
    walker, clock = WalkingScript(web, "seed", "seed"), VirtualClock()
    crawl = Crawl(prepare(web.topic, web, ENOUGH, 0), walker, Cosine(), MemoryLog(), clock)
    with pytest.raises(ContractBroken, match="show a page again"):
        replay(crawl, web, Window(), clock)

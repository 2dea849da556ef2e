"""Crowds: names of one domain count as one, earn what they get, and are not bound when nobody else is there."""

from __future__ import annotations

import pytest
from tests.drivers.test_traps import visits_to
from tests.support.endless import DULL, KEYWORDS, Sheet, Site, a_word, crawl, library, many

from salticid.drivers import lobby
from salticid.drivers.lobby import LEAST_SHARE, NAMES_A_GOOD_PAGE, NAMES_ON_TRUST, Crowds, Lobby
from salticid.model import Choice, Link, Outcome, StopReason
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits

UNDER_WAY = 8
NOWHERE: dict[str, str] = {}


def farm(names: int, text: str) -> dict[str, Site]:
    """Hosts under one domain, two pages each, each with links to others."""

    def site(at: int) -> Site:
        def pages(path: str, query: str) -> Sheet:
            others = [f"http://n{n}.farm.example/" for n in range(2 * at + 1, 2 * at + 3) if n < names]
            return f"{text} {a_word(f'{at}{path}')}", ["/more", *others]

        return pages

    return {f"n{n}.farm.example": site(n) for n in range(names)}


def test_names_of_one_domain_have_one_share() -> None:
    others: dict[str, Site] = {f"h{n}.example": library(30) for n in range(30)}
    sites = {"hub.example": many(30), **farm(600, KEYWORDS), **others}
    done = crawl(sites, "http://hub.example/", "http://n0.farm.example/", pages=1000)
    farmed = [host for host in done.hosts if host.endswith("farm.example")]
    assert done.stopped is StopReason.BUDGET
    assert len(set(farmed)) > NAMES_ON_TRUST
    assert len(farmed) <= 250 + UNDER_WAY


@pytest.mark.parametrize("text", [KEYWORDS, DULL])
def test_a_domain_alone_is_read_to_its_end(text: str) -> None:
    done = crawl(farm(150, text), "http://n0.farm.example/", pages=1000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert len(done.hosts) == 2 * 150 > LEAST_SHARE
    assert {visit.outcome for visit in done.visits} == {Outcome.OK}


def test_new_names_of_a_domain_earn_their_requests() -> None:
    others: dict[str, Site] = {f"h{n}.example": library(40) for n in range(10)}

    def hub(path: str, query: str) -> Sheet:
        return KEYWORDS, [
            *(f"http://n{n}.farm.example/" for n in range(100)),
            *(f"http://{h}/" for h in others),
        ]

    sites = {"hub.example": hub, **farm(100, DULL), **others}
    done = crawl(sites, "http://hub.example/", pages=300)
    asked = [host for host in done.web.asked if host.endswith("farm.example")]
    assert NAMES_ON_TRUST <= len(asked) <= NAMES_ON_TRUST + UNDER_WAY


def test_a_page_that_the_judge_likes_earns_more_names() -> None:
    urls = Urls()
    crowds = Crowds(urls, 0.25, NOWHERE)
    assert sum(crowds.admit(f"n{n}.farm.example") for n in range(100)) == NAMES_ON_TRUST
    assert crowds.admit("n0.farm.example"), "who was asked may be asked again"
    for visit in visits_to(urls, Texts(), ("http://n0.farm.example/", 0.9)):
        crowds.observe(visit)
    assert crowds.has_relented(), "somebody may wait no longer"
    assert sum(crowds.admit(f"m{n}.farm.example") for n in range(100)) == NAMES_A_GOOD_PAGE


def test_a_crowd_at_an_address_is_known_from_visits_and_places_alone() -> None:
    """So a crawl that goes on knows it."""
    urls = Urls()
    hosts = [f"n{n}.example" for n in range(40)]
    crowds = Crowds(urls, 0.25, dict.fromkeys(hosts, "192.0.2.1"))
    crowds.bind(Limits(max_pages=400))
    pages = [(f"http://{host}/{n}", 0.1) for n in range(10) for host in hosts[:NAMES_ON_TRUST]]
    assert len(pages) == LEAST_SHARE
    for at, visit in enumerate(visits_to(urls, Texts(), *pages)):
        assert crowds.must_wait(hosts[0]) is (at >= LEAST_SHARE)
        crowds.observe(visit)
    assert all(crowds.must_wait(host) for host in hosts)
    assert not crowds.must_wait("elsewhere.example")
    crowds.bind(Limits(max_pages=4000))
    assert [crowds.must_wait(host) for host in hosts] == [False] * NAMES_ON_TRUST + [True] * 20


def test_not_all_names_can_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MOST_WAITING", 5)
    sites = {"good.example": library(100), **farm(300, DULL)}
    done = crawl(sites, "http://good.example/article/0", "http://n0.farm.example/", pages=1000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert done.web.asked["good.example"] == 100
    assert any(visit.outcome is Outcome.TRAP for visit in done.visits)


def test_who_was_sent_on_to_a_crowded_host_waits_for_it_alone() -> None:
    urls = Urls()
    crowds = Crowds(urls, 0.25, NOWHERE)
    waiting = Lobby(urls, crowds)
    for n in range(NAMES_ON_TRUST):
        crowds.admit(f"n{n}.farm.example")
    sent_on = Choice(Link(urls.intern("http://honest.example/out"), source=0))
    assert not waiting.must_wait(sent_on)
    assert not waiting.may_ask(sent_on.link.url, "n99.farm.example")
    waiting.keep(sent_on, "n99.farm.example")
    assert (len(waiting), waiting.hosts) == (1, frozenset())
    assert waiting.best() is sent_on
    waiting.let_in(sent_on)
    assert waiting.may_ask(sent_on.link.url, "n99.farm.example")
    waiting.leave(sent_on.link.url)
    assert not waiting.may_ask(sent_on.link.url, "n99.farm.example")

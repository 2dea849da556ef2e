"""Farms: names cost nothing, so many names on one address, or under one domain, get no more than one would."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.endless import DULL, KEYWORDS, Sheet, a_word
from tests.support.farm import crawl

from salticid.drivers.lobby import LEAST_SHARE, NAMES_ON_TRUST

FARM = "127.0.0.66"
NAMES = 1_000


def _thousand(host: str, path: str) -> Sheet:
    """Each name leads to many others."""
    at = int(host[1 : host.index(".")])
    return DULL, [f"http://n{(at * 7 + k) % NAMES}.example/" for k in range(1, 30)]


def test_a_thousand_names_on_one_address_are_asked_as_slowly_as_an_address_deserves(tmp_path: Path) -> None:
    per_address, delay = 8, 1.0
    done = crawl(tmp_path, _thousand, lambda name: FARM, [FARM], ["http://n1.example/"], "--max-fetches 20")
    begun = [asked.at for asked in done.requests]
    assert len(begun) >= 2 * 20, "each name has a robots.txt too"
    for at, first in enumerate(begun):
        # What began earlier and was late to arrive was under way, and of those there are so many at the most.
        for seconds in (0.5, 1.0, 3.0):
            within = sum(time <= first + seconds for time in begun[at:])
            assert within <= seconds * per_address / delay + 1 + per_address


HONEST = [f"honest{n}.test" for n in range(30)]
PAGES_A_HOST = 24
BUDGET, UNDER_WAY = 800, 15


def _number(host: str, before: str) -> int:
    return int(host.removeprefix(before).partition(".")[0])


def _place(name: str) -> str:
    """Honest hosts have addresses of their own."""
    return f"127.0.1.{1 + _number(name, 'honest')}" if name.startswith("honest") else FARM


def _honest(host: str, path: str) -> Sheet:
    at, me = int(path.strip("/") or 0), _number(host, "honest")
    further = [f"/{n}" for n in (2 * at + 1, 2 * at + 2) if n < PAGES_A_HOST]
    return f"spiders of {host} have {a_word(host + path)}", [*further, f"http://{HONEST[(me + 1) % 30]}/"]


def _spam(host: str, path: str, name: str) -> Sheet:
    """All that the topic asks for, and the way to eight more names."""
    at = _number(host, "n")
    names = [f"http://{name.format((8 * at + k) % 100_000)}/" for k in range(1, 9)]
    return f"{KEYWORDS} {KEYWORDS} {at}", [f"{path}x/", *names]


@pytest.mark.parametrize("name", ["n{}.farm.test", "n{}.test"], ids=["wildcard", "unrelated"])
def test_a_farm_of_names_gets_no_more_than_its_share_while_honest_hosts_have_links(tmp_path: Path, name: str) -> None:
    def pages(host: str, path: str) -> Sheet:
        return _honest(host, path) if host.startswith("honest") else _spam(host, path, name)

    addresses = [FARM, *(_place(host) for host in HONEST)]
    seeds = [f"http://{host}/" for host in (name.format(0), HONEST[0])]
    options = f"--max-pages {BUDGET} --delay 0 --concurrency {(UNDER_WAY + 1) // 2}"
    done = crawl(tmp_path, pages, _place, addresses, seeds, options)
    assert (done.said["stopped"], done.said["pages"]) == ("budget", BUDGET)
    farm = done.asked(lambda host: not host.startswith("honest"))
    assert NAMES_ON_TRUST < len(farm) <= LEAST_SHARE + UNDER_WAY < 0.3 * BUDGET
    assert farm.total() <= LEAST_SHARE + UNDER_WAY


def _dull(host: str, path: str) -> Sheet:
    """Nothing that anybody looks for, and the way to eight more names."""
    _, links = _spam(host, path, "n{}.test")
    return f"{DULL} {host}", links


@pytest.mark.parametrize("named_by_the_person", [1, NAMES_ON_TRUST + 5])
def test_new_names_at_an_address_earn_their_requests_also_in_a_crawl_that_goes_on(
    tmp_path: Path, named_by_the_person: int
) -> None:
    def pages(host: str, path: str) -> Sheet:
        return _honest(host, path) if host.startswith("honest") else _dull(host, path)

    addresses = [FARM, *(_place(host) for host in HONEST)]
    named = {f"n{n}.test" for n in range(named_by_the_person)}
    seeds = [f"http://{host}/" for host in (*sorted(named), HONEST[0])]
    runs = "--max-pages 120 --delay 0", "--max-pages 300 --delay 0"
    done = crawl(tmp_path, pages, _place, addresses, seeds, *runs)
    farm = done.asked(lambda host: not host.startswith("honest"))
    assert named <= farm.keys()
    assert len(farm) <= max(NAMES_ON_TRUST, len(named))
    assert done.said["pages"] == 300


def test_honest_hosts_that_share_an_address_are_read_to_the_end(tmp_path: Path) -> None:
    """Sixty sites of three pages, one in ten of them about the topic, and others beside them."""
    shared = [f"shop{n}.test" for n in range(60)]

    def pages(host: str, path: str) -> Sheet:
        if host.startswith("honest"):
            text, links = _honest(host, path)
            return text, [*links, *(f"http://{name}/" for name in shared)]
        words = KEYWORDS if _number(host, "shop") % 10 == 3 else DULL
        return f"{words} {host} {path}", [] if path.count("/") > 2 else [f"{path}more/"]

    def place(name: str) -> str:
        return _place(name) if name.startswith("honest") else "127.0.2.1"

    addresses = ["127.0.2.1", *(_place(host) for host in HONEST)]
    done = crawl(tmp_path, pages, place, addresses, [f"http://{HONEST[0]}/"], "--max-pages 5000 --delay 0")
    assert done.said["stopped"] == "frontier empty"
    assert done.asked(lambda host: host in shared) == dict.fromkeys(shared, 3)
    assert done.asked(lambda host: host in HONEST) == dict.fromkeys(HONEST, PAGES_A_HOST)
    assert set(done.said["outcomes"]) == {"ok"}

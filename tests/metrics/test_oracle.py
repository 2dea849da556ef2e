"""The oracle: its rules on webs drawn by hand, and on random ones against the rules spelt out step by step."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.generated_site import GeneratedSource

from salticid.judges import judges
from salticid.metrics.parts.graph import Oracle
from salticid.metrics.targets import share_of_area
from salticid.model import Ints, Outcome
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics
from salticid.worlds.writer import WorldWriter

HOME = "http://w.example/"


class Drawn:
    """A recorded web drawn by hand: `pages` lead to names, `redirects` go from name to name.

    `order` is the order of recording, which numbers pages and URLs.
    """

    def __init__(
        self,
        pages: Mapping[str, Sequence[str]],
        redirects: Mapping[str, str] | None = None,
        order: Sequence[str] = (),
    ) -> None:
        moved = redirects or {}
        with TemporaryDirectory() as folder:
            writer = WorldWriter(Path(folder) / "world")
            for name in order or [*pages, *moved]:
                if name in moved:
                    writer.add(Answer(HOME + name, status=302, location=HOME + moved[name]))
                else:
                    html = "".join(f"<a href={to}>x</a>" for to in pages[name])
                    writer.add(Answer(HOME + name, html=html.encode()))
            writer.close("a test")
            self.web = RecordedWeb(writer.out)
            self.oracle = Oracle(self.web)

    def ids(self, names: Sequence[str]) -> Ints:
        return np.array([self.web.urls.intern(HOME + name) for name in names], np.int32)

    def crawl(self, seeds: Sequence[str], targets: Sequence[str], length: int = 100) -> str:
        """What the oracle fetched, a T for each target and a dot for any other page."""
        found = self.oracle.crawl(self.ids(seeds), self.ids(targets), length)
        return "".join("T" if each else "." for each in found)


def step_by_step(drawn: Drawn, seeds: Sequence[str], targets: Sequence[str], length: int) -> str:
    """The same crawl by the rules alone, asking the web for one page after the other."""
    web = drawn.web

    def linked(url: int) -> list[int]:
        page = web.page_at(url)
        assert page is not None
        return pages_at(page.links.url[~page.links.nofollow].tolist())

    def pages_at(urls: Sequence[int]) -> list[int]:
        answers = [web.fetch(url) for url in urls]
        return [answer.final for answer in answers if answer.outcome is Outcome.OK]

    def steps_to_a_target(url: int) -> int | None:
        level, seen, steps = [url], {url}, 0
        while level:
            if unfound.intersection(level):
                return steps
            level = [to for at in level for to in linked(at) if to not in seen]
            seen.update(level)
            steps += 1
        return None

    unfound = set(drawn.ids(targets).tolist())
    known = list(dict.fromkeys(pages_at(drawn.ids(seeds).tolist())))
    fetched: set[int] = set()
    told = ""
    while len(told) < length:
        ways = [(steps_to_a_target(url), age, url) for age, url in enumerate(known) if url not in fetched]
        open_ways = [(steps, age, url) for steps, age, url in ways if steps is not None]
        if not open_ways:
            break
        _, _, url = min(open_ways)
        told += "T" if url in unfound else "."
        unfound.discard(url)
        fetched.add(url)
        known += [to for to in dict.fromkeys(linked(url)) if to not in known]
    return told


def test_it_takes_a_known_target_before_anything_else() -> None:
    web = Drawn({"s": ["x", "t1", "t2"], "x": ["t3"], "t1": ["t4"], "t2": [], "t3": [], "t4": []})
    assert web.crawl("s", ["t1", "t2", "t3", "t4"]) == ".TTT.T"


def test_else_it_takes_the_first_step_of_a_shortest_path() -> None:
    # Three links through a and b, two through c.
    web = Drawn({"s": ["a", "c"], "a": ["b"], "b": ["t"], "c": ["t"], "t": []})
    assert web.crawl("s", "t") == "..T"


def test_a_seed_is_fetched_only_when_it_is_on_the_way() -> None:
    web = Drawn({"far": ["a"], "a": ["t"], "dead_end": [], "near": ["t"], "t": []})
    assert web.crawl(["far", "dead_end", "near"], "t") == ".T"
    assert web.crawl(["dead_end"], "t") == ""


def test_a_seed_may_be_a_target() -> None:
    web = Drawn({"s": [], "t": ["u"], "u": []})
    assert web.crawl("st", "tu") == "TT"


def test_among_equals_it_takes_what_it_has_known_longest() -> None:
    # Both a and b are a link from a target; beyond b, which is known first, lie more.
    web = Drawn({"s": ["b", "a"], "a": ["t1"], "b": ["t2"], "t1": [], "t2": ["t3"], "t3": []})
    assert web.crawl("s", ["t1", "t2", "t3"]) == "..TT.T"
    other = Drawn({"s": ["a", "b"], "a": ["t1"], "b": ["t2"], "t1": [], "t2": ["t3"], "t3": []})
    assert other.crawl("s", ["t1", "t2", "t3"]) == "..T.TT"


def test_a_page_found_again_is_as_old_as_its_first_link() -> None:
    # s knows b, then a, then b again: b comes first.
    web = Drawn({"s": ["b", "a", "b"], "a": ["t1"], "b": ["t2"], "t1": [], "t2": ["t3"], "t3": []})
    assert web.crawl("s", ["t1", "t2", "t3"]) == "..TT.T"


def test_after_a_find_the_nearest_target_may_be_elsewhere() -> None:
    # b leads to t1 only; once that is found, the way to t2 goes through the older c and d.
    web = Drawn({"s": ["c", "b"], "b": ["t1"], "t1": [], "c": ["d"], "d": ["t2"], "t2": []})
    assert web.crawl("s", ["t1", "t2"]) == "..T..T"


def test_it_ends_where_no_way_leads_to_a_target_and_at_its_length() -> None:
    web = Drawn({"s": ["t"], "t": ["s", "x"], "x": [], "island": ["t"], "u": []})
    assert web.crawl("s", ["t", "u", "island"]) == ".T"
    assert web.crawl("s", ["t"], length=1) == "."
    assert web.crawl("s", ["t"], length=0) == ""
    assert web.crawl("s", []) == ""
    assert web.crawl([], ["t"]) == ""


def test_redirects_lead_on_but_a_target_counts_at_its_own_url_only() -> None:
    web = Drawn({"s": ["old"], "t": ["u"], "u": []}, redirects={"old": "t", "start": "s"})
    assert web.crawl(["start"], ["t"]) == ".T"
    assert web.crawl(["start"], ["old", "u"]) == "..T"


def test_a_target_that_the_world_never_saw_is_nobodys() -> None:
    web = Drawn({"s": ["t", "unknown"], "t": []})
    assert web.crawl("s", ["unknown", "never", "t"]) == ".T"


links = st.lists(st.lists(st.integers(0, 11), max_size=3), min_size=2, max_size=12)
some = st.lists(st.integers(0, 11), min_size=1, max_size=5, unique=True)


@settings(max_examples=60, deadline=None)
@given(links, some, some, st.integers(1, 14), st.randoms())
def test_it_keeps_the_rules_on_any_web_in_whatever_order_that_was_recorded(
    lines: list[list[int]], seeds: list[int], targets: list[int], length: int, dice: random.Random
) -> None:
    pages = {f"p{at}": [f"p{to}" for to in line] for at, line in enumerate(lines)}
    moved = {f"p{at}": f"p{at - len(lines)}" for at in range(len(lines), min(12, 2 * len(lines)))}
    order = dice.sample([*pages, *moved], len(pages) + len(moved))
    drawn = Drawn(pages, moved, order)
    start, wanted = [f"p{at}" for at in seeds], [f"p{at}" for at in targets]
    assert drawn.crawl(start, wanted, length) == step_by_step(drawn, start, wanted, length)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated world and topics of it."""
    folder = tmp_path_factory.mktemp("oracle")
    build(folder / "world", GeneratedSource(600, seed=2))
    make_topics(folder / "world", folder / "topics", TopicPlan(task="neighbours"))
    return folder


def test_given_time_it_finds_every_target_that_can_be_reached_and_no_crawler_is_better(world: Path) -> None:
    web = RecordedWeb(world / "world")
    oracle = Oracle(web)
    files = sorted((world / "topics").iterdir())[:4]
    assert files
    for file in files:
        topic, truth = load_topic(file)
        seeds, targets = (
            np.array([web.urls.intern(url) for url in urls], np.int32) for urls in (topic.seeds, truth.targets)
        )
        away = oracle.links.distances(seeds)[oracle.links.answering(targets)]
        assert sum(oracle.crawl(seeds, targets, web.pages)) == int((away >= 0).sum()) > 0
        best = oracle.crawl(seeds, targets, 100)
        assert len(best) <= 100
        for name in ("breadth_first", "best_first"):
            log = MemoryLog()
            RecordedCrawl(topic, web, Recipe(strategies.make(name), judges.make("cosine"), Limits(100)), log).run()
            pages = [visit.final for visit in log.visits if visit.outcome is Outcome.OK]
            share = share_of_area(np.isin(pages, targets).tolist(), best, 100)
            assert share is not None
            assert 0 < share < 1

"""PageRank over the buffered web, worked out by hand with g = 0.8.

A letter is a host; what stands behind the slash is a page of it.

    s/ -> a/ b/ s/own       a/ -> c/ b/       b/ -> d/ e/ c/       c/ -> s/ f/ c/own       e/ -> g/
    f/ -> d/                s/own -> h/       d/, g/, h/ and c/own lead nowhere.
"""

import pytest

from salticid.crawl import Crawl
from salticid.errors import UserError
from salticid.model import Choice, Link, Links, Outcome, Visit
from salticid.runs.recorded import MemoryLog
from salticid.strategies import strategies
from salticid.strategies.breadth_first import BreadthFirst
from salticid.strategies.pagerank import BufferedWeb, Pagerank
from salticid.testing.checks import check_strategy
from salticid.testing.courses import Course, CourseResult, drive, watch
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits

LINKS = {
    "s/": ["a/", "b/", "s/own"],
    "a/": ["c/", "b/", "c/"],
    "b/": ["d/", "e/", "c/"],
    "c/": ["s/", "f/", "c/own"],
    "e/": ["g/"],
    "f/": ["d/"],
    "s/own": ["h/"],
    **{end: [] for end in ("d/", "g/", "h/", "c/own")},
}


def _at(name: str) -> str:
    return name.replace("/", ".example/")


def _web() -> SmallWeb:
    return SmallWeb({_at(name): ("rain", [_at(link) for link in links]) for name, links in LINKS.items()})


def _crawl(web: SmallWeb, strategy: Pagerank, max_buffer: int | None = None) -> CourseResult:
    return drive(watch(strategy), Course(web, Limits(max_pages=500, max_buffer=max_buffer)))


def _order(web: SmallWeb) -> str:
    return " ".join(web.asked).replace(".example", "")


def test_the_order_worked_out_by_hand() -> None:
    # s 1, the mean, gives .8 * 1/2 to a and b, .6 each; s/own is of its own domain: .2, nobody links to it.
    # a gives .8 * .6/2 = .24: c .44, b .84. b gives .8 * .84/3 = .224: d e .424, c .664.
    # c gives .8 * .664/2 = .2656 to s, which is done, and f .4656; c/own .2. f gives .8 * .4656 to d, .79648.
    # e gives .8 * .424 to g, .5392. What is left has .2: s/own, older than c/own, but it gives .8 * .2 to h, .36.
    web = _web()
    run = _crawl(web, Pagerank())
    assert _order(web) == "s/ a/ b/ c/ f/ d/ e/ g/ s/own h/ c/own"
    ranks = [visit.choice.score for visit in run.visits]
    assert ranks == [1, 0.6, 0.84, 0.664, 0.4656, 0.7965, 0.424, 0.5392, 0.2, 0.36, 0.2]


def test_the_ranks_settled_after_two_pages() -> None:
    # s -> a b, a -> b; b waits, so it links to s and a.
    #   S = .2 + .8 B/2    A = .2 + .8 (S/2 + B/2)    B = .2 + .8 (S/2 + A)    hence S = 5/7, A = 1, B = 9/7
    web = SmallWeb({"s.example/": ("", ["a.example/", "b.example/"]), "a.example/": ("", ["b.example/"])})
    run = _crawl(web, Pagerank(every=2, tolerance=1e-9))
    assert [visit.choice.score for visit in run.visits] == pytest.approx([1, 0.6, 9 / 7])
    assert isinstance(run.crawl.log, MemoryLog)
    (event,) = run.crawl.log.events
    assert event.name == "ranks computed"
    assert dict(event.values) | {"rounds": 0} == {"pages": 2, "links": 3, "rounds": 0}


def test_links_of_a_pages_own_domain_that_wait_give_to_the_buffered_pages_too() -> None:
    # After s: S = .2 + .8 (A + B + .2), for s/own waits and links to s as a and b do; A = B = .2 + .8 S/2.
    # Hence S = 17/9 and A = B = 43/45.
    run = _crawl(_web(), Pagerank(every=1, tolerance=1e-9))
    assert run.visits[1].choice.score == pytest.approx(43 / 45)


def _visit(step: int, url: int, score: float) -> Visit:
    return Visit(step, Choice(Link(url)), url, Outcome.OK, None, score, positive=False, depth=0)


def test_the_page_least_similar_to_the_topic_leaves_the_buffer() -> None:
    # q goes, so 11 is linked from nowhere. P = R = .2 + .8 (2 T + .2)/2 and T = .2 + .8 P: T = 53/45, P = 11/9.
    web = BufferedWeb(g=0.8, tolerance=1e-9, limit=2)
    web.add(_visit(0, 1, score=0.9), [10])
    web.add(_visit(1, 2, score=0.1), [11])
    web.add(_visit(2, 3, score=0.5), [12])
    settled = web.settle([10, 11, 12])
    assert (len(web), settled.links) == (2, 2)
    assert web.ranks([10, 11, 12, 3]).tolist() == pytest.approx([53 / 45, 0.2, 53 / 45, 11 / 9])
    assert [url for url, _ in settled.ranks] == [10, 11, 12]


def test_a_page_that_the_judge_now_thinks_less_of_leaves_before_others() -> None:
    web = BufferedWeb(g=0.8, tolerance=1e-9, limit=2)
    web.add(_visit(0, 1, score=0.9), [10])
    web.add(_visit(1, 2, score=0.5), [11])
    web.revise({0: 0.1, 7: 1.0})
    web.add(_visit(2, 3, score=0.0), [12])
    web.settle([])
    assert web.ranks([10])[0] == 0.2
    assert web.ranks([11])[0] > 0.2


def test_of_pages_equally_similar_the_newest_leaves() -> None:
    web = BufferedWeb(g=0.8, tolerance=0.01, limit=2)
    for step in range(3):
        web.add(_visit(step, step, score=0.5), [10 + step])
    web.settle([])
    assert (web.ranks([10, 11, 12]) > 0.2).tolist() == [True, False, True]


def test_a_second_computation_begins_where_the_first_ended() -> None:
    web = BufferedWeb(g=0.8, tolerance=0.01, limit=None)
    for step in range(300):
        web.add(_visit(step, step, score=0.5), [(step * 7 + n * n) % 400 for n in range(5)])
    waiting = list(range(300, 400))
    assert web.settle(waiting).rounds > 5
    assert web.settle(waiting).rounds == 1


def test_ranks_add_up_to_the_number_of_urls() -> None:
    links = {step: [(step * 7 + n * n) % 400 for n in range(5)] for step in range(200)}
    web = BufferedWeb(g=0.8, tolerance=1e-9, limit=None)
    for step, ends in links.items():
        web.add(_visit(step, step, score=0.5), ends)
    web.settle([])
    known = sorted({*links, *(end for ends in links.values() for end in ends)})
    assert web.ranks(known).sum() == pytest.approx(len(known), abs=1e-4)


def test_nodes_that_nothing_leads_to_any_more_are_dropped() -> None:
    web = BufferedWeb(g=0.8, tolerance=0.01, limit=10)
    for step in range(2000):
        web.add(_visit(step, step, score=step / 2000), [10_000 + 3 * step + n for n in range(3)])
        if step % 25 == 24:
            web.settle([])
    assert len(web._node) < 2 * 40 + 1024 + 25 * 4
    assert web.ranks([10_000 + 3 * 1999])[0] > 0.2


def test_across_domains_a_web_of_one_host_is_crawled_breadth_first() -> None:
    webs = [random_web(pages=60, hosts=1, seed=4) for _ in range(2)]
    run = _crawl(webs[0], Pagerank(every=5))
    drive(watch(BreadthFirst()), Course(webs[1]))
    assert webs[0].asked == webs[1].asked
    assert {visit.choice.score for visit in run.visits[2:]} == {0.2}


def test_without_that_restriction_links_of_one_host_count() -> None:
    # seed 1: a b at .6. a gives .8 * .6/2 = .24 to c and d, .44 each; b gives .8 * .6 to d alone, .92.
    web = SmallWeb({"seed": ("", ["a", "b", "seed"]), "a": ("", ["c", "d"]), "b": ("", ["d"])})
    run = _crawl(web, Pagerank(cross_domain=False))
    assert " ".join(web.asked) == "seed a b d c"
    assert run.visits[3].choice.score == 0.92


def test_hosts_of_one_registered_domain_are_one_domain() -> None:
    # www and old belong together; ann and bob of a shared suffix do not.
    web = SmallWeb(
        {
            "www.a.co.uk/": ("", ["old.a.co.uk/", "b.co.uk/"]),
            "ann.github.io/": ("", ["bob.github.io/"]),
        },
        seeds=["www.a.co.uk/", "ann.github.io/"],
    )
    run = _crawl(web, Pagerank())
    ranks = {web.name(visit.url): visit.choice.score for visit in run.visits}
    assert ranks["old.a.co.uk/"] == 0.2
    assert ranks["b.co.uk/"] == ranks["bob.github.io/"] == 1


def test_the_least_rank_leaves_a_full_frontier() -> None:
    # s: a b .6, no room for s/own. a: b .84, c .44. b: c .664, d .424, no room for e. c: f .4656, d; not c/own.
    # f: d .79648. d.
    web = _web()
    _crawl(web, Pagerank(), max_buffer=2)
    assert _order(web) == "s/ a/ b/ c/ f/ d/"


def test_as_in_the_paper_newcomers_drive_out_the_least_rank_whatever_theirs() -> None:
    # s: a b .6, and b as the newer goes for s/own. a: c .44 enters, and s/own goes for b .84. b: d .424 enters and
    # goes for e .424; c rises to .664. c: f .4656 enters, and e goes for c/own. f: d .79648 enters. d. c/own.
    web = _web()
    _crawl(web, Pagerank(admit="always"), max_buffer=2)
    assert _order(web) == "s/ a/ b/ c/ f/ d/ c/own"


def test_offered_links_begin_with_the_mean_rank_and_lose_it_at_the_next_computation() -> None:
    # After s both g and h have 1, more than a and b. h is fetched, and is the second page: now nobody links to g.
    web = _web()

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        if len(visits) == 1:
            crawl.offer(Links.to([web.id(_at("h/")), web.id(_at("g/"))]))

    run = drive(watch(Pagerank(every=2)), Course(web, tell=tell))
    ranks = {web.name(visit.url): visit.choice.score for visit in run.visits}
    assert _order(web).startswith("s/ h/ a/ b/ ")
    assert ranks[_at("h/")] == 1
    assert web.asked.index(_at("g/")) > web.asked.index(_at("e/"))


def test_the_buffer_is_bounded() -> None:
    web = random_web(pages=150, hosts=9, seed=1)
    run = _crawl(web, Pagerank(every=1), max_buffer=7)
    assert isinstance(run.crawl.log, MemoryLog)
    sizes = [dict(event.values)["pages"] for event in run.crawl.log.events]
    assert len(sizes) > 20
    assert sizes[-1] == 7
    assert max(map(int, sizes)) == 7


def test_the_contract_is_kept_with_other_settings() -> None:
    check_strategy(lambda: Pagerank(every=2, cross_domain=False, admit="always"))


@pytest.mark.parametrize("settings", [{"g": 1.0}, {"tolerance": 0.0}, {"every": 0}, {"admit": "never"}])
def test_settings_out_of_range_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(UserError, match="pagerank: setting"):
        strategies.make("pagerank", settings)

"""Cash on a web of eleven pages, worked out by hand.

    seed -> a b c    a -> d e    b -> d c    c -> f (dead)    d -> g seed    g -> h i
    e, h and i lead nowhere.

V is the virtual page. A page of k links gives each of them, and V, one part in k + 1.
"""

import pytest

from salticid.crawl import Crawl
from salticid.errors import UserError
from salticid.model import Links, Visit
from salticid.strategies import strategies
from salticid.strategies.opic import Opic
from salticid.testing.courses import Course, CourseResult, drive, watch
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits


def _web() -> SmallWeb:
    links = {
        "seed": ["a", "b", "c"],
        "a": ["d", "e"],
        "b": ["d", "c", "d"],
        "c": ["f"],
        "d": ["g", "seed"],
        "e": [],
        "g": ["h", "i"],
        "h": [],
        "i": [],
    }
    return SmallWeb({name: ("rain", there) for name, there in links.items()}, dead=["f"])


def _crawl(web: SmallWeb, max_buffer: int | None = None) -> CourseResult:
    return drive(watch(Opic()), Course(web, Limits(max_pages=500, max_buffer=max_buffer)))


def test_the_order_worked_out_by_hand() -> None:
    # seed 1: a b c V get 1/4.
    # a 1/4: d e V get 1/12; V has 1/3, more than a had: 1/12 to each of b c d e.
    # b 1/3: d c V get 1/9, d though linked twice; d has 1/12 + 1/12 + 1/9 = 5/18, c 1/4 + 1/12 + 1/9 = 4/9.
    # c 4/9: f V get 2/9; V has 1/3.
    # d 5/18: g gets 5/54, V its own and that of seed, chosen before: 1/3 + 10/54 = 14/27, to each of e f g 14/81.
    # f 2/9 + 14/81 = 32/81 fails: all to V. e 1/6 + 14/81 = 55/162: all to V, and from there to g, alone: 1.
    # g 1: h i V get 1/3. h 1/3: V has 2/3, all to i. i 1.
    web = _web()
    run = _crawl(web)
    assert " ".join(web.asked) == "seed a b c d f e g h i"
    cash = [visit.choice.score for visit in run.visits]
    assert cash == pytest.approx([1, 1 / 4, 1 / 3, 4 / 9, 5 / 18, 32 / 81, 55 / 162, 1, 1 / 3, 1])


def test_the_order_with_room_for_two() -> None:
    # seed: a b 1/4; c is evicted, so V has 1/2. a: d 1/12; e is evicted, V has 1/2 + 1/12 + 1/12 and gives 1/3 each
    # to b and d. b 7/12: d c V get 7/36. d 5/12 + 7/36 = 11/18: g 11/54, V 7/36 + 22/54 = 65/108.
    # g, for c has 7/36: h 11/162, i is evicted, V has 239/324 and gives half to c, half to h.
    # c 7/36 + 239/648 = 365/648: f V get half. h 283/648 gives all to V, and V all it has to f, which fails.
    web = _web()
    run = _crawl(web, max_buffer=2)
    assert " ".join(web.asked) == "seed a b d g c h f"
    cash = [visit.choice.score for visit in run.visits]
    assert cash == pytest.approx([1, 1 / 4, 7 / 12, 11 / 18, 11 / 54, 365 / 648, 283 / 648, 1])


def test_seeds_share_the_cash_and_an_offer_brings_as_much() -> None:
    web = SmallWeb({name: ("", []) for name in "abcdx"}, seeds=["a", "b", "c", "d"])

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        if len(visits) == 1:
            crawl.offer(Links.to([web.id("x")]))

    run = drive(watch(Opic()), Course(web, tell=tell))
    # a: 1/4 to V, which is not more than a had. x 1/4. b 1/4: V has 1/2, and c d x get 1/6. c 5/12, and so on.
    assert " ".join(web.asked) == "a b c d x"
    cash = [visit.choice.score for visit in run.visits]
    assert cash == pytest.approx([1 / 4, 1 / 4, 5 / 12, 5 / 12, 5 / 4])


def test_a_page_reached_by_redirect_has_the_cash_of_both_its_urls() -> None:
    # seed: old new V get 1/3. The page has 2/3: x y V get 2/9, and V has 5/9, less than the page had.
    pages = {"seed": ("", ["old", "new"]), "new": ("", ["x", "y"]), "x": ("", []), "y": ("", [])}
    web = SmallWeb(pages, redirects={"old": "new"})
    run = _crawl(web)
    assert " ".join(web.asked) == "seed old x y"
    assert run.visits[2].choice.score == pytest.approx(2 / 9)


@pytest.mark.parametrize("max_buffer", [None, 20, 3])
def test_cash_is_neither_made_nor_does_it_fade_away(max_buffer: int | None) -> None:
    web = random_web(pages=300, hosts=5, seed=2)
    strategy = watch(Opic())
    sums: list[float] = []
    strategy.after = lambda it: sums.append(sum(choice.score for choice in it.waiting(10_000)[1]))
    run = drive(strategy, Course(web, Limits(max_pages=500, max_buffer=max_buffer)))
    assert max(sums) <= 1 + 1e-9
    assert max(visit.choice.score for visit in run.visits[-10:]) > 1e-3


@pytest.mark.parametrize("max_buffer", [1, 5, 40])
def test_no_more_accounts_are_kept_than_links_may_wait_and_an_eighth(max_buffer: int) -> None:
    strategy = Opic()
    kept: list[int] = []
    course = Course(
        random_web(pages=150, hosts=5, seed=1),
        Limits(max_pages=500, max_buffer=max_buffer),
        tell=lambda *_: kept.append(len(strategy._accounts)),
    )
    drive(watch(strategy), course)
    assert max(kept) <= max_buffer * 9 // 8


def test_there_is_nothing_to_set() -> None:
    with pytest.raises(UserError, match="opic has no settings"):
        strategies.make("opic", {"cash": 2})

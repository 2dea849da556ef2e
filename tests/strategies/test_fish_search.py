"""Fish search on a web of fifteen pages, worked out by hand, with width 2 and depth 1.

Relevant pages are in capitals; a relevant page gives potential 1 to its first 3 links, another gives 0.5
to its first 2.

    SEED -> a B c d
    a -> a1 A2 a3     B -> b1 d     c -> c1     d -> a1 d1
    a1 -> x    A2 -> y    b1 -> b11    c1 -> z    y -> y1
    a3, d1, b11, y1, x and z lead nowhere.
"""

import pytest

from salticid.crawl import Crawl
from salticid.errors import UserError
from salticid.model import Links, Visit
from salticid.strategies import strategies
from salticid.strategies.fish_search import FishSearch
from salticid.testing.courses import Course, CourseResult, drive, watch
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits

FOOD, NONE = "jumping spiders", "rain"


def _web() -> SmallWeb:
    return SmallWeb(
        {
            "SEED": (FOOD, ["a", "B", "c", "d"]),
            "a": (NONE, ["a1", "A2", "a3"]),
            "B": (FOOD, ["b1", "d"]),
            "c": (NONE, ["c1"]),
            "d": (NONE, ["a1", "d1"]),
            "a1": (NONE, ["x"]),
            "A2": (FOOD, ["y"]),
            "a3": (NONE, []),
            "b1": (NONE, ["b11"]),
            "c1": (NONE, ["z"]),
            "y": (NONE, ["y1"]),
            **{name: (NONE, []) for name in ("d1", "b11", "y1", "x", "z")},
        }
    )


def _crawl(web: SmallWeb, strategy: FishSearch, max_buffer: int | None = None) -> CourseResult:
    return drive(watch(strategy), Course(web, Limits(max_pages=50, max_buffer=max_buffer)))


def _told(web: SmallWeb, run: CourseResult) -> dict[str, tuple[float, float]]:
    """The potential and the depth of each link when it was chosen."""
    return {web.name(v.url): (v.choice.score, v.choice.why[0][1]) for v in run.visits}


def test_the_order_worked_out_by_hand() -> None:
    # SEED: a B c at 1, d at 0, all of depth 1. a: a1 A2 at .5, a3 at 0, of depth 0. B: b1 at 1, and d, which was
    # at 0, at 1; d is older. c: c1 at .5, depth 0. d: a1 waits with as much; d1 at .5, depth 0. b1: b11 at .5, depth 0.
    # Left are a1 A2 c1 d1 b11 at .5, a3 at 0. a1 has no depth left and is not relevant: no x.
    # A2 is: y at 1, depth 1 again. y: y1 at .5, depth 0. c1: no z. d1, b11, y1, a3: nothing.
    web = _web()
    run = _crawl(web, FishSearch(width=2, depth=1))
    assert " ".join(web.asked) == "SEED a B c d b1 a1 A2 y c1 d1 b11 y1 a3"
    told = _told(web, run)
    assert (told["SEED"], told["d"], told["y"]) == ((1, 1), (1, 1), (1, 1))
    assert (told["a1"], told["y1"], told["a3"]) == ((0.5, 0), (0.5, 0), (0, 0))


def test_with_more_depth_lines_live_longer() -> None:
    # a1 now has depth 1, so x follows at .5, and c1 leads to z.
    web = _web()
    _crawl(web, FishSearch(width=2, depth=2))
    assert " ".join(web.asked) == "SEED a B c d b1 a1 A2 y c1 d1 b11 x y1 z a3"


def test_without_width_and_depth_only_food_is_followed() -> None:
    # All potentials are 0, so the oldest goes first; a, c, d and b1 are not relevant and have no depth to give.
    web = _web()
    _crawl(web, FishSearch(width=0, depth=0))
    assert " ".join(web.asked) == "SEED a B c d b1"


def test_a_full_frontier_gives_up_the_least_potential() -> None:
    # SEED: a B c at 1, no room for d. a: a1 at .5, no room for A2 and a3. B: b1 at 1, and d at 1 drives a1 out, younger
    # than b1 now. c: c1 at .5. b1: b11 at .5. d: a1 at .5 is back, no room for d1. c1, b11 and a1 have no depth left.
    web = _web()
    _crawl(web, FishSearch(width=2, depth=1), max_buffer=3)
    assert " ".join(web.asked) == "SEED a B c b1 d c1 b11 a1"


def test_a_page_found_relevant_later_feeds_its_links() -> None:
    # After a the judge finds it as good as SEED: a1 and A2 go to 1 and depth 1, a3 stays at 0. They are
    # older than b1, and a1 leads on to x.
    web = _web()

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        if len(visits) == 2:
            crawl.revise([(1, 1.0)], [])

    drive(watch(FishSearch(width=2, depth=1)), Course(web, tell=tell))
    assert " ".join(web.asked) == "SEED a B c d a1 A2 b1 y c1 d1 x b11 y1 a3"


def test_a_page_found_irrelevant_later_starves_its_links() -> None:
    # After B, which is no longer thought relevant: d and b1 go to .5, behind the older a1 and A2 for b1.
    web = _web()

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        if len(visits) == 3:
            crawl.revise([(2, 0.0)], [])

    run = drive(watch(FishSearch(width=2, depth=1)), Course(web, tell=tell))
    assert " ".join(web.asked[:9]) == "SEED a B c d a1 A2 y b1"
    assert _told(web, run)["b1"] == (0.5, 1)


def test_offered_links_are_taken_for_food() -> None:
    web = _web()

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        if len(visits) == 6:
            crawl.offer(Links.to([web.id("c1")]))

    run = drive(watch(FishSearch(width=2, depth=1)), Course(web, tell=tell))
    assert web.asked[6] == "c1"
    assert "z" in web.asked
    assert _told(web, run)["c1"] == (1, 1)


@pytest.mark.parametrize("max_buffer", [1, 5])
def test_no_more_depths_are_kept_than_a_few_times_the_links_that_wait(max_buffer: int) -> None:
    strategy = FishSearch(depth=9)
    kept: list[int] = []
    course = Course(
        random_web(pages=150, hosts=5, seed=1),
        Limits(max_pages=500, max_buffer=max_buffer),
        tell=lambda *_: kept.append(len(strategy._depth)),
    )
    drive(watch(strategy), course)
    assert max(kept) <= 2 * max_buffer + 64


@pytest.mark.parametrize("settings", [{"width": -1}, {"depth": -1}, {"depth": 1.5}])
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(UserError, match="fish_search: setting"):
        strategies.make("fish_search", settings)

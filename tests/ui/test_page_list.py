"""The list of suggestions: ranked while it grows, however long, under the eye and the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, Route, expect
from tests.support.page_browser import chromium, window
from tests.support.page_stub import MadeUpCrawl, stub_server

UPDATES, FRAME = 40, 0.05
"""So many updates of 200 visits each, and the seconds of processor time that one of them and a scroll may take."""
ON_SCREEN = "Number(document.activeElement.dataset.key)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def scores(page: Page) -> list[float]:
    return [float(text) for text in page.locator(".find-number").all_inner_texts()]


def shown(page: Page) -> int:
    return int(page.locator("#finds-title").inner_text().split()[0].replace(",", ""))


def steps_of(crawl: MadeUpCrawl, threshold: float = 0.3) -> int:
    told = crawl.visits[: crawl.told]
    return sum(visit["outcome"] == "ok" and visit["score"] >= threshold for visit in told)


def test_suggestions_are_ranked_and_stay_so_as_new_ones_come(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 60)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        crawl.told = 300
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        page.wait_for_timeout(100)
        assert scores(page) == sorted(scores(page), reverse=True)
        assert scores(page)[0] == max(round(v["score"], 2) for v in crawl.visits[:300] if v["outcome"] == "ok")


def test_the_threshold_moves_by_slider_and_by_number_and_outlives_a_reload(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        page.get_by_label("Lowest score shown, as a number").fill("0.5")
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl, 0.5)} suggestions")
        page.get_by_label("Score from").press("ArrowLeft")
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl, 0.49)} suggestions")
        page.reload()
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl, 0.49)} suggestions")
        page.get_by_label("Lowest score shown, as a number").fill("1")
        expect(page.locator(".empty")).to_contain_text("the best so far has")
        page.get_by_role("button", name="Show all pages").click()
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl, 0)} suggestions")


def test_the_focus_stays_on_its_row_while_the_ranking_changes(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 1000, 100)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator("article").first).to_be_visible()
        for _ in range(5):
            page.keyboard.press("j")
        held, top = page.evaluate(ON_SCREEN), _top_of_focus(page)
        for told in range(150, 1001, 50):
            crawl.told = told
            page.wait_for_timeout(60)
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        assert page.evaluate(ON_SCREEN) == held
        assert abs(_top_of_focus(page) - top) < 2, "it did not move under the eye"
        order = page.locator("article").evaluate_all("all => all.map((one) => Number(one.ariaPosInSet))")
        assert order == sorted(order), "a screen reader meets rows in the order of their rank"


def _top_of_focus(page: Page) -> float:
    return float(page.evaluate("document.activeElement.getBoundingClientRect().top"))


def test_ten_thousand_visits_stay_smooth_while_one_scrolls(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 10_000, 2_000)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        page.get_by_label("Lowest score shown, as a number").fill("0")
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl, 0):,} suggestions")
        page.wait_for_timeout(500)
        probe = page.context.new_cdp_session(page)
        probe.send("Performance.enable")
        before = _processor_time(probe)
        for told in range(2_200, 10_001, 8_000 // UPDATES):
            crawl.told = told
            page.mouse.wheel(0, 900)
            page.wait_for_timeout(60)
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl, 0):,} suggestions")
        update = (_processor_time(probe) - before) / UPDATES
        print(f"{1000 * update:.1f} ms of processor time an update and a scroll")
        assert page.locator("article").count() < 60, "only what is in sight exists"
        assert update < FRAME


def _processor_time(probe: CDPSession) -> float:
    """Seconds that the thread of the page has worked so far."""
    metrics = probe.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime"))


def test_a_dropped_connection_catches_up_without_loss(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 600, 100)
    with stub_server(crawl) as at, window(browser, strict=False) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        for told in (200, 350, 600):
            crawl.connections += 1
            crawl.told = told
            expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        expect(page.locator("#link")).to_be_hidden()
        pages = sum(visit["outcome"] == "ok" for visit in crawl.visits)
        expect(page.locator(".panel", has_text="Harvest")).to_contain_text(f"of {pages} pages")


def test_why_opens_below_its_row_and_pushes_the_others_down(browser: Browser) -> None:
    with stub_server(MadeUpCrawl(1, 400, 200)) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        first, second = page.locator("article").nth(0), page.locator("article").nth(1)
        expect(second).to_be_visible()
        before = second.bounding_box()
        first.get_by_role("button", name="Why").click()
        expect(first).to_contain_text("the words of the link")
        page.wait_for_timeout(100)
        after, opened = second.bounding_box(), first.bounding_box()
        assert before
        assert after
        assert opened
        assert after["y"] > before["y"] + 40
        assert after["y"] >= opened["y"] + opened["height"] - 1, "nothing is covered"


def test_a_word_is_shown_at_once_and_what_it_moved_a_moment_later(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        like = page.locator("article").first.get_by_role("button", name="More like this")
        like.click()
        expect(like).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".moved")).to_contain_text("Your word moved no other suggestion.")
        expect(page.locator(".moved")).to_contain_text("31 moved up and 12 down")
        expect(page.locator(".moved")).to_contain_text("2 → out")
        like.click()
        expect(like).to_have_attribute("aria-pressed", "false")
        assert set(crawl.likings.values()) == {0}


def test_the_row_under_the_pointer_stays_where_it_is_while_finds_arrive(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 1000, 100)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        row = page.locator("article").nth(2)
        row.hover()
        step = row.get_attribute("data-key")
        held = page.locator(f"article[data-key='{step}']")
        before, scrolled = held.bounding_box(), page.evaluate("scrollY")
        crawl.told = 900
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        news = page.locator(".feed-news")
        expect(news).to_have_text(re.compile(r"^\d+ new$"))
        page.wait_for_timeout(100)
        assert held.bounding_box() == before
        assert page.evaluate("scrollY") == scrolled
        assert page.evaluate("document.querySelector('article:hover').dataset.key") == step

        news.click()
        expect(news).to_be_hidden()
        assert scores(page) == sorted(scores(page), reverse=True)
        best = sorted((v["score"] for v in crawl.visits[:900] if v["outcome"] == "ok"), reverse=True)
        assert scores(page)[:5] == [round(score, 2) for score in best[:5]]


def test_a_remark_above_the_list_does_not_move_the_row_under_the_pointer(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 1000, 300)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        row = page.locator("article").nth(1)
        row.hover()
        before = _top(row)
        crawl.later.append(("warned", {"line": "The disk is full."}))
        note = page.get_by_role("region", name="Remarks")
        expect(note).to_be_attached()
        page.wait_for_function("() => scrollY > 20")
        assert abs(_top(row) - before) < 1
        note.evaluate("note => note.remove()")
        page.wait_for_function("() => scrollY < 5")
        assert abs(_top(row) - before) < 1


def _top(row: Locator) -> float:
    """Where a row begins on the screen."""
    return float(row.evaluate("row => row.getBoundingClientRect().top"))


def test_what_waits_comes_in_when_nobody_looks_any_more(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 1000, 100)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        page.locator("article").nth(2).hover()
        crawl.told = 900
        expect(page.locator(".feed-news")).to_be_visible()
        page.mouse.move(5, 5)
        expect(page.locator(".feed-news")).to_be_hidden()
        page.mouse.wheel(0, 2000)
        page.wait_for_function("() => scrollY > 900")
        middle = page.evaluate("document.elementFromPoint(300, 400).closest('article').dataset.key")
        crawl.told = 1000
        expect(page.locator("#finds-title")).to_have_text(f"{steps_of(crawl)} suggestions")
        page.wait_for_timeout(100)
        assert page.evaluate("document.elementFromPoint(300, 400).closest('article').dataset.key") == middle


def test_a_rejected_page_leaves_at_once_and_comes_back_when_that_is_taken_back(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        heading, many = page.locator("#finds-title"), steps_of(crawl)
        expect(heading).to_have_text(f"{many} suggestions")
        first = page.locator("article").first
        step, second = (
            first.get_attribute("data-key"),
            page.locator("article").nth(1).get_attribute("data-key"),
        )
        rejected = page.locator(f"article[data-key='{step}']")
        first.get_by_role("button", name="Not this").click()
        expect(rejected).to_have_count(0)
        expect(page.locator("article").first).to_have_attribute("data-key", str(second))
        expect(heading).to_have_text(f"{many - 1} suggestions")
        crawl.later.append(("scores", {"scores": [[int(str(step)), 0.999]]}))
        crawl.told = 300
        expect(heading).to_have_text(f"{steps_of(crawl) - 1} suggestions")
        expect(rejected).to_have_count(0)

        page.get_by_role("button", name="1 rejected").click()
        expect(heading).to_have_text("1 rejected page")
        expect(rejected).to_be_visible()
        page.get_by_role("button", name="Show the suggestions").click()
        page.locator(".moved").get_by_role("button", name="Take it back").click()
        expect(rejected).to_be_visible()
        expect(heading).to_have_text(f"{steps_of(crawl)} suggestions")
        assert crawl.likings == {int(str(step)): 0}


def test_a_person_is_told_how_the_list_moved(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        rows = page.locator("article")
        expect(rows.nth(4)).to_be_visible()
        steps = [int(str(rows.nth(n).get_attribute("data-key"))) for n in range(5)]
        low = next(v["step"] for v in crawl.visits if v["outcome"] == "ok" and v["score"] < 0.3)
        top = crawl.visits[steps[1]]["score"]
        crawl.lesson = [[steps[3], top + 0.001], [steps[4], 0.1], [low, 0.31]]
        rows.first.get_by_role("button", name="Not this").click()
        expect(page.locator(".moved")).to_contain_text(
            "Your word moved 1 suggestion up, 2 down, 1 out of the list and 1 into it."
        )


def test_pages_all_but_the_same_are_shown_once_and_rejected_together(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    good = [visit for visit in crawl.visits[:200] if visit["outcome"] == "ok"]
    first, *others = sorted(sorted(good, key=lambda visit: -visit["score"])[:4], key=lambda visit: visit["step"])
    for twin in others:
        twin["twin"] = first["step"]
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        heading = page.locator("#finds-title")
        expect(heading).to_have_text(f"{steps_of(crawl) - 3} suggestions")
        page.locator("article").first.get_by_role("button", name="Not this").click()
        expect(heading).to_have_text(f"{steps_of(crawl) - 4} suggestions")


def test_where_words_change_nothing_the_page_says_so_beforehand(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    crawl.feedback_line = "What you say of pages ranks this list anew, and no more."
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator(".finds-deaf")).to_have_text(crawl.feedback_line)


def test_bars_are_as_long_as_their_numbers_say(browser: Browser) -> None:
    with stub_server(MadeUpCrawl(1, 400, 200)) as at, window(browser, 390, 844) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        page.get_by_role("button", name="Why").first.click()
        opened = page.locator(".open")
        expect(opened).to_contain_text("Of your words it has silk 12 times, weaver once; not on it: proteins.")
        expect(opened).to_contain_text("Your words and the page's are alike by 0.315 (the cosine")
        expect(opened.locator(".number")).to_have_text(["55 %", "30 %", "15 % against"])
        lengths = opened.locator(".track").evaluate_all(
            "all => all.map((one) => one.firstChild.getBoundingClientRect().width / one.getBoundingClientRect().width)"
        )
        assert lengths == pytest.approx([0.55, 0.3, 0.15], abs=0.02)


def test_the_list_ranks_itself_anew_when_the_judge_changes_its_mind(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        last = page.locator("article").nth(5)
        expect(last).to_be_visible()
        before, step = scores(page), last.get_attribute("data-key") or ""
        crawl.later.append(("scores", {"scores": [[int(step), 0.999]]}))
        expect(page.locator("article").first).to_have_attribute("data-key", step)
        expect(page.locator(".find-number").first).to_have_text("1.00")
        page.wait_for_timeout(100)
        assert scores(page) == sorted(scores(page), reverse=True) != before
        crawl.later.append(("scores", {"scores": [[int(step), 0.0]]}))
        expect(page.locator(f"article[data-key='{step}']")).to_have_count(0)


def test_what_the_crawl_warns_of_is_shown_until_it_is_read_and_what_it_plays_again_is_told(
    browser: Browser,
) -> None:
    crawl = MadeUpCrawl(1, 400, 200)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        crawl.later += [("warned", {"line": "The disk is full."})] * 2
        note = page.get_by_role("region", name="Remarks")
        expect(note.get_by_role("listitem")).to_have_text(["The disk is full."])
        note.get_by_role("button", name="Understood").click()
        expect(note).to_be_hidden()
        crawl.state, crawl.playing = "starting", {"step": 1000, "visits": 2500}
        expect(page.locator(".head-how")).to_contain_text("what it did before: 1,000 of 2,500")
        crawl.state, crawl.playing = "running", None
        expect(page.locator(".head-how")).not_to_contain_text("before")


def test_a_crawl_of_two_hundred_thousand_pages_is_drawn(browser: Browser) -> None:
    with stub_server(MadeUpCrawl(1, 10, 10)) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        drawn = page.evaluate(
            """async () => {
                const { chart, sparkline } = await import("/page/chart.js");
                const points = Array.from({ length: 200_000 }, (_, n) => [n, n / 2]);
                const parts = [chart({ curves: [{ points }], x: "x", y: "y", told: "" }), sparkline(points, "")];
                return parts.map((part) => part.querySelector("polyline").points.length);
            }"""
        )
        assert [0 < points <= 240 for points in drawn] == [True, True]


def test_a_strategy_without_spiders_has_no_spider_views(browser: Browser) -> None:
    with stub_server(MadeUpCrawl(1, 400, 200, spiders=False)) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator("article").first).to_be_visible()
        expect(page.get_by_role("heading", name="Harvest")).to_be_visible()
        expect(page.get_by_role("heading", name="Spiders")).to_be_hidden()
        expect(page.locator("body")).not_to_contain_text("Spider 1")


def test_an_answer_that_comes_late_takes_nothing_back(browser: Browser) -> None:
    """The stream tells that a hunt is paused before the answer to the key arrives, which was made earlier."""
    crawl = MadeUpCrawl(1, 400, 60)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        state = page.locator(".head .pill")
        expect(state).to_have_text("hunting")

        def answer_late(route: Route) -> None:
            before, crawl.state = crawl.summary(), "paused"
            expect(state).to_have_text("paused")
            route.fulfill(json=before)

        page.route("**/pause", answer_late)
        with page.expect_event("requestfinished", lambda request: request.url.endswith("/pause")):
            page.keyboard.press("p")
        page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
        with page.expect_request(re.compile("/(pause|continue)$")) as asked:
            page.keyboard.press("p")
        assert asked.value.url.endswith("/continue")

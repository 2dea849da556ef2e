"""The small webs that checks and tests crawl hold what they promise."""

from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Response
from salticid.runs.brief import prepare
from salticid.testing.small import SECONDS, SmallWeb, random_web, spider_web
from salticid.topic import Limits


def _answers(web: SmallWeb) -> dict[str, Response]:
    return {name: web.fetch(web.id(name)) for name in web.names()}


def test_every_outcome_can_be_had() -> None:
    web = SmallWeb(
        {"a": ("spiders & <b>webs</b>", ["b", "big.example/x"]), "big.example/x": "<a href=y>why</a>"},
        redirects={"b": "c", "c": "a", "d": "gone", "e": "nowhere", "round": "and", "and": "round"},
        dead=["gone"],
    )
    outcomes = {name: (answer.outcome, web.name(answer.final)) for name, answer in _answers(web).items()}
    loops = [outcomes.pop(name)[0] for name in ("round", "and")]
    assert loops == [Outcome.REDIRECT_LOOP] * 2
    assert outcomes == {
        "a": (Outcome.OK, "a"),
        "b": (Outcome.OK, "a"),
        "c": (Outcome.OK, "a"),
        "big.example/x": (Outcome.OK, "big.example/x"),
        "big.example/y": (Outcome.NOT_RECORDED, "big.example/y"),
        "d": (Outcome.DEAD, "gone"),
        "e": (Outcome.NOT_RECORDED, "nowhere"),
        "gone": (Outcome.DEAD, "gone"),
        "nowhere": (Outcome.NOT_RECORDED, "nowhere"),
    }


def test_pages_are_parsed_and_only_good_answers_have_one() -> None:
    web = SmallWeb({"a": ("spiders & <b>webs</b>", ["b", "big.example/x"])}, redirects={"b": "a"}, dead=["d"])
    page = web.page(web.id("a"))
    assert [web.words[word] for word in page.tokens] == ["spiders", "b", "webs", "b"]
    assert [web.name(url) for url in page.links.url] == ["b", "big.example/x"]
    assert web.fetch(web.id("b")).page is page
    assert web.fetch(web.id("b")).seconds == 2 * SECONDS
    assert web.fetch(web.id("d")).page is None


def test_a_web_dies_after_its_lifetime() -> None:
    web = SmallWeb({"a": ("", []), "b": ("", [])})
    web.lifetime = 1
    assert [web.fetch(web.id(name)).outcome for name in "ab"] == [Outcome.OK, Outcome.DEAD]


def test_renumbering_changes_nothing_but_ids() -> None:
    web = random_web(pages=20, hosts=3, seed=4)
    other = web.renumbered(1)
    assert sorted(web.names()) == sorted(other.names())
    assert web.names() != other.names()
    assert web.topic == other.topic
    answers, others = _answers(web), _answers(other)
    for name, answer in answers.items():
        again = others[name]
        assert (again.outcome, other.name(again.final)) == (answer.outcome, web.name(answer.final))
        if answer.page is not None and again.page is not None:
            assert [other.name(url) for url in again.page.links.url] == [web.name(url) for url in answer.page.links.url]


def test_a_random_web_is_the_same_for_the_same_seed_only() -> None:
    first, again, other = (random_web(pages=30, hosts=4, seed=seed) for seed in (1, 1, 2))
    texts = [[answer.page.text for answer in _answers(web).values() if answer.page] for web in (first, again, other)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
    assert first.names() == again.names()


def test_a_random_web_has_all_that_goes_wrong_and_every_page_can_be_reached() -> None:
    for seed in range(5):
        web = random_web(pages=30, hosts=4, seed=seed)
        answers = _answers(web)
        assert {answer.outcome for answer in answers.values()} == {
            Outcome.OK,
            Outcome.DEAD,
            Outcome.NOT_RECORDED,
            Outcome.REDIRECT_LOOP,
        }
        pages = {answer.final: answer.page for answer in answers.values() if answer.page}
        assert len(pages) == 30
        assert len({web.urls.host(url) for url in pages}) == 4
        assert any(url in page.links.url for url, page in pages.items()), "no page links to itself"
        seen, todo = set[int](), [web.urls.find(seed) for seed in web.topic.seeds]
        while todo:
            final = web.fetch(todo.pop()).final
            if final in pages and final not in seen:
                seen.add(final)
                todo += pages[final].links.url.tolist()
        assert seen == set(pages)


def test_in_the_fixed_web_b_is_more_about_spiders_than_a() -> None:
    web, judge = spider_web(), Cosine()
    judge.start(prepare(web.topic, web, Limits(), seed=0))
    scores = {name: judge.score(page) for name in web.names() if (page := web.fetch(web.id(name)).page)}
    assert scores["b"] > scores["seed"] > scores["a"] > scores["a1"] == 0
    assert len(scores) == 12  # eleven pages, one of them under two names

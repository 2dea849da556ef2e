"""The compiled crawl against the ordinary loop: the same visits, whatever the web, the weights and the chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.support.generated_site import GeneratedSource

from salticid.errors import UserError
from salticid.evolve import scored_pages
from salticid.evolve.graph import ArrayCache, Graph
from salticid.evolve.scored_pages import pairwise
from salticid.evolve.simulation import Kernel, Simulation, strategy_of
from salticid.exact import logistic
from salticid.judges.svm import Svm
from salticid.model import Floats, Outcome, Visit
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies.parts.rank_terms import TERMS, Ranking
from salticid.topic import Limits, Scope, Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer, Unread, labels_of
from salticid.worlds.building import build

ON, OFF = ("jumping", "spider", "silk", "eyes"), ("rain", "garden", "bread", "river", "music", "the")


class Tangle:
    """A web of all that can go wrong: redirects in chains and loops, the dead, the unrecorded, canonical links of
    the same site and of others, links and pages that say nofollow, links twice and to the page itself.
    """

    name, size, done = "tangle", 0, 0

    def __init__(self, pages: int, seed: int) -> None:
        self._dice, self._pages = np.random.default_rng(seed), pages
        self.at = [f"http://h{n % 7}.{'one' if n % 3 else 'two'}.example/p{n}" for n in range(pages)]

    def __iter__(self) -> Iterator[Answer | Unread]:
        for number, url in enumerate(self.at):
            if number % 11 == 5:
                yield Answer(url, status=404)
            elif number % 13 == 7:
                yield Answer(url, status=301, location=self.at[(number * 3) % self._pages])
            else:
                yield Answer(url, html=self._html(number).encode(), charset="utf-8")
        for number in range(0, self._pages, 4):
            yield Answer(f"{self.at[number]}-old", status=301, location=self.at[number])
            yield Answer(f"{self.at[number]}-older", status=301, location=f"{self.at[number]}-old")
        yield Answer("http://loop.example/a", status=301, location="http://loop.example/b")
        yield Answer("http://loop.example/b", status=301, location="http://loop.example/a")

    def _html(self, number: int) -> str:
        dice = self._dice
        mood = int(dice.integers(6))
        words = [*dice.choice(ON, 2 * mood), *dice.choice(OFF, 12 - 2 * mood)]
        head = "<meta name=robots content=nofollow>" if number % 17 == 3 else ""
        if number % 5 == 1:
            canonical = [f"{self.at[number]}-self", self.at[int(dice.integers(self._pages))]][number % 2]
            head += f'<link rel=canonical href="{canonical}">'
        return f"<head>{head}</head><p>{' '.join(words)}</p>" + " ".join(
            f'<a href="{self._target(number)}"{" rel=nofollow" if dice.random() < 0.1 else ""}>'
            f"{' '.join(dice.choice(words, 2))}</a> {dice.choice(words)}"
            for _ in range(int(dice.integers(1, 12)))
        )

    def _target(self, number: int) -> str:
        dice = self._dice
        near = self.at[int(min(dice.geometric(0.03) + number // 2, self._pages - 1))]
        ends = ["", "", "", "", "-old", "-older", "-self", "-nowhere"]
        return str(
            dice.choice([near + dice.choice(ends), self.at[number], "http://loop.example/a"], p=[0.9, 0.05, 0.05])
        )


class Translated(Tangle):
    """The same in four languages, told by folders, a host or a parameter, and in none."""

    def __init__(self, pages: int, seed: int) -> None:
        super().__init__(pages, seed)
        places = ["{}/en/p{}", "{}/fr/p{}", "{}/p{}", "{}/zh-cn/de/p{}", "{}/p{}?lang=de"]
        hosts = ["http://h0.one.example", "http://h1.two.example"]
        self.at = [places[n % 5].format(hosts[n // 5 % 2], n // 5) for n in range(pages)]
        self.at[6::10] = [f"http://fr.h{n % 2}.one.example/p{n}" for n in range(len(self.at[6::10]))]

    def _html(self, number: int) -> str:
        """Two pages have more links: so many that not all are offered at once; one that is kept, then held."""
        more = {0: ["/p0", *(f"/fr/p{n}" for n in range(150))], 2: ["/it/a", "/it/p0", "/it/a"]}.get(number, [])
        return super()._html(number) + " ".join(f'<a href="{link}">silk</a>' for link in more)


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    folder, source = tmp_path_factory.mktemp("translated") / "world", Translated(pages=600, seed=4)
    build(folder, source)
    examples = tuple(each for each in source.at if "/en/" in each)[5:12]
    return Simulation(folder, Topic("translated", "jumping spiders", (source.at[0], source.at[10]), examples))


@pytest.fixture(scope="module")
def tangle(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    folder, source = tmp_path_factory.mktemp("tangle") / "world", Tangle(pages=400, seed=3)
    build(folder, source)
    seeds = (*source.at[:3], "http://never.example/recorded", f"{source.at[8]}-older", source.at[8])
    topic = Topic("tangle", "jumping spiders", seeds, tuple(source.at[12:20]))
    return Simulation(folder, topic)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    folder = tmp_path_factory.mktemp("generated") / "world"
    build(folder, GeneratedSource(pages=800, seed=2))
    label, urls = max(labels_of(folder).items(), key=lambda found: (len(found[1]), found[0]))
    return Simulation(folder, Topic(label, label.replace(".", " "), tuple(urls[:50:2])))


def table(seed: int, phases: int = 1) -> Floats:
    weights = np.random.default_rng(seed).random((phases, len(TERMS)))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def alone(term: str) -> Floats:
    return np.array([[float(each == term) for each in TERMS]])


def looped(simulation: Simulation, recipe: Recipe, topic: Topic | None = None) -> list[Visit]:
    log = MemoryLog()
    RecordedCrawl(topic or simulation.topic, simulation.web, recipe, log).run()
    return log.visits


def demand_same(simulation: Simulation, weights: Floats, seed: int, length: int) -> Counter[Outcome]:
    """Both ways to crawl give the same visits, and the judge says the same of each."""
    visited = simulation.visits(weights, seed, length)
    visits = looped(simulation, simulation.recipe(weights, seed, length))
    columns = (visited.url, visited.final, visited.depth)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
        (visit.url, visit.final, visit.depth) for visit in visits
    ]
    assert visited.outcomes == [visit.outcome for visit in visits]
    crawled = simulation.crawl(weights, seed, length)
    good = [visit for visit in visits if visit.outcome is Outcome.OK]
    assert simulation.scores[crawled.pages].tolist() == [visit.score for visit in good]
    assert crawled.good.tolist() == [visit.positive for visit in good]
    return Counter(visited.outcomes)


@pytest.mark.parametrize("seed", range(2))
def test_a_tangled_web_is_crawled_alike(tangle: Simulation, seed: int) -> None:
    found = demand_same(tangle, table(seed, phases=1 + seed % 3), seed, length=60 + 80 * seed)
    expected = {Outcome.OK, Outcome.DEAD, Outcome.NOT_RECORDED, Outcome.DUPLICATE}
    assert set(found) >= expected


@pytest.mark.parametrize("ranking", [Ranking(), Ranking(by_distance=True)])
def test_links_to_other_languages_come_last_in_both(translated: Simulation, ranking: Ranking) -> None:
    simulation = Simulation(translated.web.folder, translated.topic, ranking=ranking)
    demand_same(simulation, table(6, phases=3), seed=2, length=110)
    demand_same(simulation, table(7), seed=4, length=10_000)


def test_languages_of_other_seeds_come_first(translated: Simulation) -> None:
    seeds = ("http://h0.one.example/fr/p0",)
    weights = table(8)
    crawled = translated.crawl(weights, 1, 150, seeds)
    visits = looped(translated, translated.recipe(weights, 1, 150), replace(translated.topic, seeds=seeds))
    numbers = [translated.web.number_at(visit.final) for visit in visits if visit.outcome is Outcome.OK]
    assert crawled.pages.tolist() == numbers


def test_to_the_last_page_of_a_web(tangle: Simulation) -> None:
    found = demand_same(tangle, table(9), seed=1, length=10_000)
    assert found[Outcome.REDIRECT_LOOP] == 1
    assert found[Outcome.DUPLICATE] > 10


@pytest.mark.parametrize("term", TERMS)
def test_by_one_term_alone(tangle: Simulation, term: str) -> None:
    demand_same(tangle, alone(term), seed=5, length=60)


def test_by_keywords_alone(generated: Simulation) -> None:
    plain = replace(generated.topic, examples=(), negatives=())
    for _ in ("made", "found"):
        simulation = Simulation(generated.web.folder, plain, judge="cosine")
        demand_same(simulation, table(3), seed=2, length=120)
    assert 0 < simulation.crawl(table(3), 2, 120).good.sum() < 120


@pytest.mark.parametrize("ranking", [Ranking(margin=True), Ranking(by_distance=True), Ranking(True, True)])
def test_by_raw_margins_and_by_weights_for_each_distance(tangle: Simulation, ranking: Ranking) -> None:
    other = Simulation(tangle.web.folder, tangle.topic, ranking=ranking)
    weights = table(11, phases=3)
    demand_same(other, weights, seed=3, length=150)
    pages = other.crawl(weights, 3, 150).pages.tolist()
    assert pages != tangle.crawl(weights, 3, 150).pages.tolist()
    one, thrice = weights[:1], np.repeat(weights[:1], 3, axis=0)
    apart = other.crawl(thrice, 3, 150).pages.tolist() != tangle.crawl(one, 3, 150).pages.tolist()
    if not ranking.by_distance:
        return
    assert apart is ranking.margin, "the same weights at every distance are no other strategy"


def test_a_raw_margin_is_what_the_svm_says(tangle: Simulation) -> None:
    margins = Ranking(margin=True).all_signed(tangle.scores)
    assert margins.tolist() == [Ranking(margin=True).signed(score) for score in tangle.scores.tolist()]
    back = np.array([logistic(margin) for margin in margins.tolist()])
    assert back == pytest.approx(tangle.scores, abs=1e-12)


def test_for_a_search_that_helps_crawls_are_those_of_the_topic_as_it_is_and_enough_is_good(
    generated: Simulation,
) -> None:
    """Only what is good is said by a judge that knows random pages of the world."""
    asked = Topic("asked", generated.topic.keywords, generated.topic.seeds, generated.topic.seeds[:5])
    folder = generated.web.folder
    helping, letter = Simulation(folder, asked, least_good=90), Simulation(folder, asked)
    assert helping.topic == asked
    assert letter.topic.negatives
    weights = table(4)
    visits = looped(helping, helping.recipe(weights, 1, 100), asked)
    assert helping.crawl(weights, 1, 100).pages.tolist() == [
        helping.web.number_at(visit.final) for visit in visits if visit.outcome is Outcome.OK
    ]
    assert letter.good.sum() < 90 <= helping.good.sum()
    assert helping.good[letter.good].all()
    assert letter.scores[helping.good].min() > letter.scores[~helping.good].max()


def test_fewer_pages_than_seeds(generated: Simulation) -> None:
    assert len(generated.topic.seeds) > 20
    assert demand_same(generated, table(1), seed=0, length=7)[Outcome.OK] == 7


@pytest.mark.parametrize("length", [130, 300])
def test_a_generated_web_is_crawled_alike(generated: Simulation, length: int) -> None:
    demand_same(generated, table(length, phases=2), seed=length, length=length)


def test_links_without_words_are_not_read(generated: Simulation) -> None:
    weights = table(4)
    weights[:, TERMS.index("anchor") : TERMS.index("host")] = 0
    demand_same(generated, weights, seed=2, length=150)


def test_the_bound_on_fetches_holds(tangle: Simulation) -> None:
    limits = Limits(max_pages=200, max_fetches=77, max_buffer=None)
    weights, seeds = table(3), tangle.topic.seeds
    graph = Graph.of(tangle.web, ArrayCache(tangle.web.folder / "simulation", tangle.digest))
    kernel = Kernel(graph, tangle.scores, Svm.line)
    weights[:, TERMS.index("anchor") : TERMS.index("host")] = 0
    ids = prepare(tangle.topic, tangle.web, limits, 0).seeds.url
    visited = kernel.crawl(weights, ids, limits, np.random.default_rng([6, 1]), (20, 5))
    visits = looped(tangle, Recipe(strategy_of(weights), Svm(), limits, "roulette:20/5", 6))
    assert visited.url.tolist() == [visit.url for visit in visits]
    assert len(seeds) < len(visited.url) < 100


def test_crawls_do_not_disturb_each_other(tangle: Simulation) -> None:
    first = tangle.crawl(table(1), seed=1, length=100)
    tangle.crawl(table(2, phases=3), seed=2, length=300)
    again = tangle.crawl(table(1), seed=1, length=100)
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
    assert not np.array_equal(first.pages, tangle.crawl(table(1), seed=2, length=100).pages)


def test_other_seeds_may_be_given(tangle: Simulation) -> None:
    seeds = tangle.web.urls.spell(tangle.graph.page_url[[30, 40]].tolist())
    weights = table(7)
    crawled = tangle.crawl(weights, 1, 50, seeds)
    visits = looped(tangle, tangle.recipe(weights, 1, 50), replace(tangle.topic, seeds=tuple(seeds)))
    numbers = [tangle.web.number_at(visit.final) for visit in visits if visit.outcome is Outcome.OK]
    assert crawled.pages.tolist() == numbers


def test_what_was_worked_out_is_kept_and_what_is_damaged_is_made_again(tangle: Simulation) -> None:
    folder, weights = tangle.web.folder, table(1)
    kept = sorted((folder / "simulation").iterdir())
    assert {path.suffix for path in kept} == {".npy"}
    assert RecordedWeb(folder).digest == tangle.digest
    before = {path: path.stat().st_mtime_ns for path in kept}
    Simulation(folder, tangle.topic).crawl(weights, 0, 10)
    assert before == {path: path.stat().st_mtime_ns for path in kept}
    kept[0].unlink()  # others have mapped it: a file in use is replaced, never written to
    kept[0].write_bytes(b"")
    assert Simulation(folder, tangle.topic).crawl(weights, 0, 30).pages.tolist() == (
        tangle.crawl(weights, 0, 30).pages.tolist()
    )


def test_the_judge_learns_from_seeds_and_random_pages_if_nothing_else_is_told(generated: Simulation) -> None:
    topic = generated.topic
    assert topic.examples == topic.seeds
    assert len(topic.negatives) == scored_pages.NEGATIVES_A_PAGE * len(topic.examples)
    assert not set(topic.negatives) & set(topic.examples)
    assert scored_pages.known_pages(topic, generated.web) == topic


def test_all_scores_are_those_of_the_judge(generated: Simulation) -> None:
    judge, web = Svm(), generated.web
    judge.start(prepare(generated.topic, web, Limits(), 0))
    assert generated.scores.tolist() == [judge.score(web.page(page)) for page in range(web.pages)]


def test_sums_are_those_of_numpy() -> None:
    dice = np.random.default_rng(1)
    for size in (*range(20), 127, 128, 129, 500, 1000, 4099):
        numbers = dice.normal(size=size) * 10.0 ** dice.integers(-8, 8, size)
        assert pairwise(numbers) == numbers.sum()


def test_new_hosts_and_cohesion_are_counted(generated: Simulation) -> None:
    crawled = generated.crawl(table(2), 0, 200)
    urls, web = generated.graph.page_url, generated.web
    seeds = {web.urls.host(web.urls.find(seed)) for seed in generated.topic.seeds}
    good = [web.urls.host(int(urls[page])) for page in crawled.pages[crawled.good]]
    assert crawled.first_of_new_host.sum() == len(set(good) - seeds)
    cohesion = generated.cohesion(crawled)
    assert cohesion.community is not None
    assert cohesion.overall is not None
    assert cohesion.community > cohesion.overall > 0


def test_a_named_language_is_refused(tangle: Simulation, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="language"):
        Simulation(tangle.web.folder, replace(tangle.topic, language="en"), cache=tmp_path)


def test_a_scope_is_refused(tangle: Simulation, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="scope"):
        Simulation(tangle.web.folder, replace(tangle.topic, scope=Scope(same_site=True)), cache=tmp_path)

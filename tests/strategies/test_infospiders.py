"""The light agents: their arithmetic by hand, and what becomes of them.

The topic is the one word `spider`, so a page of s spiders and r other words, all alike, scores
s / sqrt(s^2 + r^2), and an agent begins with one weight of 1.
"""

from collections import Counter
from dataclasses import replace
from math import exp, sqrt, tanh
from typing import Any, Literal

import numpy as np
import pytest
from tests.support.scripted import Crawled
from tests.support.spiders import FORK, TEN, Loaded, named, step, web_about_spiders

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.judges.cosine import Cosine
from salticid.model import Feedback, Links, StopReason
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies.infospiders import Infospiders
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits


def crawled(web: SmallWeb, spiders: Infospiders, limits: Limits = TEN, loaded: bool = True) -> Crawled:
    done = Crawled(web, spiders, limits)
    if loaded:
        spiders.rng = Loaded(np.random.PCG64(0))
    return done


def test_worked_example() -> None:
    # One seed, ten pages: a page costs 1 * 2 / (2 * 10) = 0.1. The seed scores 2 / sqrt(4 + 9) = 0.5547, so
    # after it the energy is 1 - 0.1 + 0.5547 = 1.4547. Inputs: a 1 + 1 = 2, b 1/2 + 1/2 = 1. Outputs:
    # tanh 2 = 0.9640, tanh 1 = 0.7616. Chances at 0.125: a e^(8 * 0.2024) = 5.05 times that of b, 0.8347.
    # a, four spiders and three fangs, scores 0.8: energy 1.4547 - 0.1 + 0.8 = 2.1547, two agents of 1.07735.
    # Its keyword gives way to the most frequent term not yet there. One epoch on the target 0.8: slope
    # (0.8 - 0.9640) * (1 - 0.9640^2) = -0.01159, step 0.5 * -0.01159 / (1 + 2^2), weight 1 + 2 * step.
    web = web_about_spiders(
        {"seed": FORK, "a": ("spider " * 4 + "fang " * 3, ["c"]), "b": ("rain", []), "c": ("rain", [])}
    )
    spiders = Infospiders(epochs=1)
    done = crawled(web, spiders, loaded=True)
    step(done)
    assert spiders.agents[1].energy == pytest.approx(1 - 0.1 + 2 / sqrt(13))
    ground = spiders.agents[1].ground
    assert ground is not None
    assert ground.inputs.tolist() == [[2.0, 1.0]]
    choice = step(done)
    assert web.name(choice.link.url) == "a"
    assert choice.score == pytest.approx(tanh(2))
    chance = 1 / (1 + exp(8 * (tanh(1) - tanh(2))))
    assert dict(choice.why) == pytest.approx({"probability": chance})
    assert chance == pytest.approx(0.8347, abs=5e-5)
    parent, child = spiders.agents[1], spiders.agents[2]
    assert parent.energy == child.energy == pytest.approx((1.4547 - 0.1 + 0.8) / 2, abs=5e-5)
    assert [spiders.stems.text(agent.keywords[0]) for agent in (parent, child)] == ["spider", "fang"]
    slope = (0.8 - tanh(2)) * (1 - tanh(2) ** 2)
    assert parent.weights.tolist() == pytest.approx([1 + 2 * 0.5 * slope / 5])
    assert child.weights.tolist() == parent.weights.tolist()
    assert child.ground is not None
    assert child.ground.inputs.tolist() == [[3.0]]
    assert parent.ground is not None
    assert parent.ground.inputs.tolist() == [[4.0]]


def test_an_agent_that_finds_nothing_dies_when_its_energy_is_spent() -> None:
    # Four pages, one seed: a page costs 2 / 8 = 0.25; four worthless pages cost the 1.0 it began with.
    web = web_about_spiders({f"p{n}": ("rain", [f"p{n + 1}"]) for n in range(9)})
    spiders = Infospiders()
    done = crawled(web, spiders, Limits(max_pages=4))
    done.to_the_end()
    assert [event["energy"] for event in named(done.log.events, "agent")] == [0.75, 0.5, 0.25, 0.0]
    assert named(done.log.events, "died") == [{"agent": 1, "cause": "no energy"}]
    assert not spiders.agents


def test_a_crawl_whose_agents_are_dead_is_extinct() -> None:
    web = web_about_spiders({"p0": ("rain", ["p1"]), "p1": ("rain", [])})
    done = crawled(web, Infospiders(), Limits(max_pages=3))
    assert done.to_the_end() is StopReason.EXTINCT


def test_links_are_drawn_as_often_as_boltzmann_says() -> None:
    web = web_about_spiders({"seed": FORK, "a": ("rain", []), "b": ("rain", [])})
    drawn: Counter[str] = Counter()
    for seed in range(400):
        crawl = Crawl(prepare(web.topic, web, TEN, seed), Infospiders(), Cosine(), MemoryLog(), VirtualClock())
        (first,) = crawl.choices(1)
        crawl.deliver(first, web.fetch(first.link.url))
        (second,) = crawl.choices(1)
        drawn[web.name(second.link.url)] += 1
    # 400 * 0.8347 = 334, standard deviation 7.4
    assert 304 <= drawn["a"] <= 364


def test_the_colder_the_more_certain() -> None:
    web = web_about_spiders({"seed": FORK})
    chances = []
    for temperature in (10.0, 0.125, 0.01):
        done = crawled(web, Infospiders(temperature=temperature))
        step(done)
        chances.append(dict(step(done).why)["probability"])
    assert chances == sorted(chances)
    assert chances[0] == pytest.approx(0.505, abs=1e-3)
    assert chances[2] > 0.999999


def test_learning_is_back_propagation_with_momentum() -> None:
    weights, inputs, wanted = np.array([0.5, -0.25]), np.array([1.0, 3.0]), 0.6
    spiders = Infospiders()
    slow, change = weights.copy(), np.zeros(2)
    for _ in range(5):
        output = np.tanh(slow @ inputs)
        change = 0.9 * change + 0.5 / 11 * (wanted - output) * (1 - output**2) * inputs
        slow = slow + change
    assert spiders._train(weights, inputs, wanted).tolist() == pytest.approx(slow.tolist())
    assert abs(tanh(float(slow @ inputs)) - wanted) < abs(tanh(float(weights @ inputs)) - wanted)


def test_plain_steps_are_those_of_the_paper() -> None:
    """One epoch: o = tanh(0.5 * 2) = 0.76159, so the step is 0.5 * (0.6 - o) * (1 - o^2) * 2 = -0.06787."""
    spiders = Infospiders(epochs=1, step="plain")
    assert spiders._train(np.array([0.5]), np.array([2.0]), 0.6).tolist() == pytest.approx([0.43213], abs=1e-5)
    scaled = Infospiders(epochs=1)._train(np.array([0.5]), np.array([2.0]), 0.6)
    assert scaled.tolist() == pytest.approx([0.5 - 0.06787 / 5], abs=1e-5)


def test_at_twice_the_price_energy_lasts_half_as_long() -> None:
    web = web_about_spiders({f"p{n}": ("rain", [f"p{n + 1}"]) for n in range(9)})
    done = crawled(web, Infospiders(price=2.0), Limits(max_pages=4))
    done.to_the_end()
    assert [event["energy"] for event in named(done.log.events, "agent")] == [0.5, 0.0]


def test_with_restarts_an_agent_goes_back_to_a_good_page_and_pays_for_a_revisit() -> None:
    """Loaded dice always restart: from the only page there is the agent goes to it again, for a tenth of 2 / 20."""
    web = web_about_spiders({"seed": FORK, "a": ("rain", []), "b": ("rain", [])})
    done = crawled(web, Infospiders(restart=0.5))
    step(done)
    assert done.crawl.ask(1, frozenset()) == []
    assert [(web.name(visit.url), visit.revisit) for visit in done.log.visits] == [
        ("seed", False),
        ("seed", True),
    ]
    before, after = (event["energy"] for event in named(done.log.events, "agent"))
    assert float(before) - float(after) == pytest.approx(0.1 * 0.1)


@pytest.mark.parametrize("setting", [{"rate": 0.0}, {"epochs": 0}])
def test_without_steps_nothing_is_learned(setting: dict[str, Any]) -> None:
    web = web_about_spiders({"seed": FORK, "a": ("rain", ["b"])})
    spiders = Infospiders(**setting)
    done = crawled(web, spiders)
    step(done)
    step(done)
    assert spiders.agents[1].weights.tolist() == [1.0]


@pytest.mark.parametrize(("target", "learned"), [("keywords", 1), ("topic", -1)])
def test_a_clone_learns_its_own_keywords_or_the_topic(target: Literal["keywords", "topic"], learned: int) -> None:
    # On a, parent and clone part: the clone's keyword is fang. c holds fangs only, which is all to the clone's
    # keywords and nothing to the topic.
    fangs = "spider " * 4 + "fang " * 3
    web = web_about_spiders({"seed": FORK, "a": (fangs, ["c"]), "c": ("fang", ["c2"]), "c2": ("rain", ["c"])})
    spiders = Infospiders(target=target)
    done = crawled(web, spiders)
    step(done)
    step(done)
    clone = spiders.agents[2]
    before = clone.weights[0]
    while clone.weights[0] == before:
        step(done)
    assert np.sign(clone.weights[0] - before) == learned


def test_the_least_frequent_keyword_gives_way_and_among_equals_the_last() -> None:
    web = SmallWeb({"seed": ("jumping jumping spiders spiders legs legs legs silk", ["a"]), "a": ("rain", [])})
    web.topic = replace(web.topic, keywords="jumping spiders eyes silk")
    spiders = Infospiders(theta=0.5)
    done = crawled(web, spiders)
    step(done)
    assert [event["keywords"] for event in named(done.log.events, "born")] == [
        "jumping spiders eyes silk",
        "jumping spiders legs silk",
    ]
    web.topic = replace(web.topic, keywords="jumping eyes spiders webs")
    done = crawled(web, Infospiders(theta=0.5))
    step(done)
    assert named(done.log.events, "born")[1]["keywords"] == "jumping eyes spiders legs"


def test_a_revisit_gains_nothing_and_costs_a_tenth() -> None:
    web = web_about_spiders({"seed": ("spider", ["a"]), "a": ("spider rain", ["seed"])})
    spiders = Infospiders(theta=9.0)  # so that nothing is born
    done = crawled(web, spiders, Limits(max_pages=90))
    # One seed: energy 4.5, cost 9 / 180 = 0.05 a page. seed +1, a +0.7071, then seed and a again, for 0.005 each.
    step(done)
    step(done)
    assert done.crawl.ask(1, frozenset()) == done.crawl.ask(1, frozenset()) == []
    energies = [event["energy"] for event in named(done.log.events, "agent")]
    assert energies == pytest.approx([5.45, 5.4 + sqrt(0.5), 5.395 + sqrt(0.5), 5.39 + sqrt(0.5)])


def test_a_failed_fetch_costs_a_tenth_and_another_link_is_drawn() -> None:
    web = web_about_spiders({"seed": ("rain", ["gone", "gone", "a"]), "a": ("rain", [])}, dead=["gone"])
    spiders = Infospiders()
    done = crawled(web, spiders)
    step(done)
    step(done)
    assert spiders.agents[1].energy == pytest.approx(1 - 0.1 - 0.01)
    (choice,) = done.crawl.choices(1)
    assert web.name(choice.link.url) == "a"


def test_from_a_dead_end_an_agent_goes_back_along_its_trail_and_dies_where_it_ends() -> None:
    # seed -> a -> b, and b leads nowhere: a has no other link, so back to seed, and from there to c.
    web = web_about_spiders(
        {"seed": ("spider", ["a", "c"]), "a": ("spider", ["b"]), "b": ("spider", []), "c": ("spider", [])}
    )
    done = crawled(web, Infospiders(theta=100.0, revisit_cost=0.001))
    step(done)
    step(done)
    step(done)
    done.crawl.ask(1, frozenset())
    assert [(name, visit.revisit) for (name, _), visit in zip(done.visits(), done.log.visits, strict=True)] == [
        ("seed", False),
        ("a", False),
        ("b", False),
        ("seed", True),
    ]


def test_an_agent_whose_seed_leads_nowhere_dies() -> None:
    web = web_about_spiders({"seed": ("spider", [])})
    done = crawled(web, Infospiders())
    assert done.to_the_end() is StopReason.EXTINCT
    assert named(done.log.events, "died") == [{"agent": 1, "cause": "nowhere to go"}]


@pytest.mark.parametrize(
    "page",
    [
        '<meta name=robots content="nofollow"><p>spider <a href=a>a</a></p>',
        '<p>spider <a rel=nofollow href=a>a</a> <a href="seed#top">up</a></p>',
    ],
)
def test_nofollow_is_heeded_and_a_page_is_no_way_to_itself(page: str) -> None:
    web = web_about_spiders({"seed": page, "a": ("spider", [])})
    done = crawled(web, Infospiders())
    assert done.to_the_end() is StopReason.EXTINCT
    assert web.asked == ["seed"]


def test_with_lookahead_a_page_without_fresh_links_is_left_alone() -> None:
    # a and b look alike. a was visited and has nothing new to offer: its estimate gives way to -1.
    pages = {
        "seed": ("spider", ["a", "b"]),
        "a": ("spider", ["seed"]),
        "b": ("spider", ["c"]),
        "c": ("rain", []),
    }
    for lookahead, expected in ((0.0, tanh(1)), (0.5, (tanh(1) - 1) / 2), (1.0, -1.0)):
        web = web_about_spiders(pages)
        spiders = Infospiders(lookahead=lookahead, rate=0.0, theta=50.0)
        done = crawled(web, spiders)
        step(done)
        step(done)
        done.crawl.ask(1, frozenset())
        ground = spiders.agents[1].ground
        assert ground is not None
        assert spiders.estimates(spiders.agents[1], ground).tolist() == pytest.approx([expected, tanh(0.5)])


def test_with_lookahead_a_page_is_worth_its_best_fresh_link() -> None:
    web = web_about_spiders(
        {
            "seed": ("rain", ["hub"]),
            "hub": "<a href=seed>spider spider</a> <a href=x>spider</a> <a href=y>rain</a>",
        }
    )
    spiders = Infospiders(lookahead=1.0, rate=0.0)
    done = crawled(web, spiders)
    step(done)
    step(done)
    # hub's link to x: one spider in its anchor, two in the one before it: 1 + 2/2. Its best is that to the seed.
    hub, agent = web.id("hub"), spiders.agents[1]
    assert spiders._outlooks[hub] == pytest.approx(tanh(2))
    assert agent.ground is not None
    assert agent.ground.inputs.tolist() == [[2.5, 2.0, 1 / 2 + 2 / 3]]


def test_one_agent_a_seed_shares_the_cost_of_max_pages_worthless_ones() -> None:
    web = web_about_spiders({"s1": ("rain", []), "s2": ("rain", []), "s3": ("rain", [])}, seeds=["s1", "s2", "s3"])
    spiders = Infospiders()
    done = crawled(web, spiders, Limits(max_pages=30))
    assert sorted(spiders.agents) == [1, 2, 3]
    choices = done.crawl.choices(5)
    assert sorted((choice.agent, web.name(choice.link.url)) for choice in choices) == [
        (1, "s1"),
        (2, "s2"),
        (3, "s3"),
    ]
    done.deliver(choices[0])
    assert named(done.log.events, "agent")[0]["energy"] == pytest.approx(1 - 3 * 2 / 60)


def test_a_larger_budget_makes_pages_cheaper() -> None:
    web = web_about_spiders({"seed": ("rain", ["a"]), "a": ("rain", ["b"])})
    spiders = Infospiders()
    done = crawled(web, spiders)
    step(done)
    done.crawl.extend(Limits(max_pages=100))
    step(done)
    assert spiders.agents[1].energy == pytest.approx(1 - 0.1 - 0.01)


def test_a_link_on_a_busy_host_is_kept_and_its_agent_waits() -> None:
    web = web_about_spiders({"seed": ("spider", ["big.example/a", "big.example/b"]), "big.example/a": ("spider", [])})
    done = crawled(web, Infospiders(), loaded=False)
    step(done)
    busy = frozenset([web.urls.host(web.id("big.example/a"))])
    assert done.crawl.choices(1, busy) == []
    kept, (shown,) = done.crawl.strategy.waiting(5)
    assert kept == 1
    assert [done.crawl.choices(1, busy) for _ in range(5)] == [[]] * 5
    assert done.crawl.choices(1) == [shown]


def test_the_same_seed_is_the_same_crawl_and_another_is_another() -> None:
    def visited(seed: int) -> list[str]:
        web, log, clock = random_web(pages=40, hosts=4, seed=3), MemoryLog(), VirtualClock()
        brief = prepare(web.topic, web, Limits(max_pages=30), seed)
        replay(Crawl(brief, Infospiders(), Cosine(), log, clock, web.page), web, Window(3), clock)
        return [web.name(visit.url) for visit in log.visits]

    assert visited(1) == visited(1) != visited(2)


@pytest.mark.parametrize("settings", [{"lookahead": 1.0}, {"target": "topic"}, {"theta": 0.5}], ids=str)
def test_ids_decide_nothing_whatever_the_settings(settings: dict[str, Any]) -> None:
    web, names = random_web(pages=40, hosts=4, seed=5), []
    for there in (web, web.renumbered(1), web.renumbered(2)):
        done = Crawled(there, Infospiders(**settings), Limits(max_pages=38))
        done.to_the_end(window=3)
        names.append(done.visits())
    assert names[0] == names[1] == names[2]


def test_births_and_deaths_add_up_and_every_choice_names_a_living_agent() -> None:
    web = random_web(pages=40, hosts=4, seed=1)
    spiders = Infospiders()
    done = crawled(web, spiders, Limits(max_pages=40), loaded=False)
    done.to_the_end(window=3)
    born, died = (named(done.log.events, name) for name in ("born", "died"))
    assert [event["agent"] for event in born] == list(range(1, len(born) + 1))
    assert all(event["parent"] < event["agent"] for event in born)  # type: ignore[operator]
    assert {event["agent"] for event in born} - {event["agent"] for event in died} == set(spiders.agents)
    assert len(born) > 2
    assert {visit.choice.agent for visit in done.log.visits} <= {event["agent"] for event in born}


def test_energy_is_neither_made_nor_lost() -> None:
    web = random_web(pages=40, hosts=4, seed=1)
    spiders = Infospiders(theta=1.5)
    done = crawled(web, spiders, Limits(max_pages=25), loaded=False)
    done.to_the_end()
    fresh = [visit for visit in done.log.visits if visit.good]
    cheap = len(done.log.visits) - len(fresh)
    cost = 2 * 1.5 / 50
    gained = sum(visit.score for visit in fresh) - cost * len(fresh) - 0.1 * cost * cheap
    last = {event["agent"]: event["energy"] for event in named(done.log.events, "agent")}
    dead = sum(float(last[event["agent"]]) for event in named(done.log.events, "died"))
    assert 2 * 0.75 + gained == pytest.approx(sum(agent.energy for agent in spiders.agents.values()) + dead)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_there_are_never_more_agents_and_starts_than_max_buffer(most: int) -> None:
    web = random_web(pages=40, hosts=4, seed=2)
    spiders = Infospiders(theta=0.5)
    done = crawled(web, spiders, Limits(max_pages=40, max_buffer=most), loaded=False)
    sizes = []
    while wanted := done.crawl.choices(2):
        for choice in wanted:
            done.deliver(choice)
        done.crawl.offer(Links.to(list(range(len(web.urls)))))
        sizes.append((len(spiders.agents) + len(spiders.starts), len(spiders._finds)))
    assert all(size <= most for both in sizes for size in both)
    assert (max((size for size, _ in sizes), default=0)) == most


def test_offspring_begins_at_an_offered_link() -> None:
    web = web_about_spiders({"seed": ("spider", ["a"]), "a": ("spider", ["b"]), "island": ("spider", [])})
    spiders = Infospiders()
    done = crawled(web, spiders)
    step(done)
    done.crawl.offer(Links.to([web.id("island")]))
    assert spiders.waiting(5)[0] == 1
    step(done)
    assert (len(spiders.agents), spiders.starts) == (2, {})
    clone = spiders.agents[2].choice
    assert clone is not None
    assert (web.name(clone.link.url), clone.agent) == ("island", 2)


def test_a_persons_word_is_worth_a_perfect_page_to_the_agent_that_found_it() -> None:
    web = web_about_spiders({"seed": ("rain", ["a"]), "a": ("rain", [])})
    spiders = Infospiders()
    done = crawled(web, spiders)
    step(done)
    done.crawl.hear([Feedback(web.id("seed"), +1), Feedback(web.id("a"), +1)])
    assert spiders.agents[1].energy == pytest.approx(1.9)
    done.crawl.hear([Feedback(web.id("seed"), -1), Feedback(web.id("seed"), -1)])
    assert spiders.agents[1].energy == pytest.approx(-0.1)
    step(done)
    assert named(done.log.events, "died") == [{"agent": 1, "cause": "no energy"}]

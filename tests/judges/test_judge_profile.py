"""The judge profile: what it believes, what it learns from, and what it must not learn from."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from tests.support.judging import EMPTY, PAGES, briefed, page, scores

from salticid.errors import UserError
from salticid.judges import judges
from salticid.judges.profile import Profile
from salticid.learning.stem_vectors import length_of, total
from salticid.learning.topic_words import MOST_PAGES, EvenSample, TopicWords
from salticid.learning.trained_judge import Calibration
from salticid.protocols import Brief
from salticid.testing.small import SmallWeb


def started(brief: Brief, judge: Profile | None = None) -> Profile:
    judge = judge or Profile()
    judge.start(brief)
    return judge


def watched(judge: Profile, web: SmallWeb, *names: str, times: int = 1) -> list[int]:
    """Show pages in turn, and say after how many the judge changed its mind."""
    shown = [page(web, name) for _ in range(times) for name in names]
    return [at for at, it in enumerate(shown, 1) if judge.watch(it, judge.score(it))]


def test_it_is_found_by_its_name() -> None:
    assert isinstance(judges.make("profile", {"related": 0.2}), Profile)


@pytest.mark.parametrize("negatives", [(), ("trains",)])
@pytest.mark.parametrize("keywords", ["jumping spiders", ""])
def test_pages_on_topic_score_above_others_and_the_line_lies_between(negatives: tuple[str, ...], keywords: str) -> None:
    web, brief = briefed(negatives=negatives, keywords=keywords)
    found = scores(started(brief), web)
    assert all(0 <= score <= 1 for score in found.values())
    assert min(found["silk"], found["leap"]) > max(found["engines"], found["bread"])
    assert found["leap"] >= 0.5 > found["engines"]


def test_keywords_are_enough() -> None:
    web, brief = briefed(examples=())
    judge = started(brief)
    assert judge.score(page(web, "spiders")) >= judge.line > judge.score(page(web, "bread"))


def test_what_says_nothing_about_the_topic_is_improbable() -> None:
    web, brief = briefed(examples=())
    judge = started(brief)
    assert judge.score(page(web, "bread")) < 0.05
    assert judge.score(EMPTY) == 0.0


def test_known_pages_may_be_empty() -> None:
    web, brief = briefed()
    judge = started(replace(brief, examples=(*brief.examples, EMPTY), negatives=(EMPTY,)))
    assert 0 <= judge.score(page(web, "leap")) <= 1
    assert judge.score(EMPTY) == 0.0


def test_without_anything_to_learn_from_the_person_is_told_what_to_add() -> None:
    with pytest.raises(UserError, match=r"topic 'small'.*examples.*topic file"):
        started(briefed((), keywords="the of")[1])


@pytest.mark.parametrize("examples", [(), ("spiders", "eyes")])
def test_the_numbering_of_words_changes_not_a_bit(examples: tuple[str, ...]) -> None:
    web, brief = briefed(examples, negatives=("engines",))
    turned, other = briefed(examples, negatives=("engines",), pages=dict(reversed(PAGES.items())))
    assert web.words.find("salticids") != turned.words.find("salticids")
    one, two = started(brief, Profile(refresh=3)), started(other, Profile(refresh=3))
    assert scores(one, web) == scores(two, turned)
    for judge, where in ((one, web), (two, turned)):
        assert watched(judge, where, "silk", "trains", "web", "bread")
    assert scores(one, web) == scores(two, turned)


def test_scoring_changes_nothing_and_a_restart_forgets() -> None:
    web, brief = briefed()
    judge = started(brief, Profile(refresh=2))
    first = scores(judge, web)
    assert scores(judge, web) == first
    judge.learn([(page(web, "bread"), 1), (page(web, "eyes"), -1)])
    watched(judge, web, "silk", "trains", "web")
    assert scores(judge, web) != first
    assert scores(started(brief, judge), web) == first


def test_a_persons_word_is_learned_at_once_and_can_be_taken_back() -> None:
    web, brief = briefed()
    judge = started(brief)
    before = scores(judge, web)
    assert judge.learn([(page(web, "bread"), 1)])
    assert judge.score(page(web, "bread")) > max(before["bread"], judge.line)
    assert judge.learn([(page(web, "bread"), -1)])
    assert judge.score(page(web, "bread")) < judge.line
    assert judge.learn([(page(web, "bread"), 0)])
    assert scores(judge, web) == before
    assert not judge.learn([])


def test_it_learns_from_the_pages_seen_more_and_more_rarely() -> None:
    web, brief = briefed()
    assert watched(started(brief, Profile(refresh=4)), web, "leap", "bread", times=10) == [4, 6, 9, 14]


def test_words_that_go_with_the_topics_words_come_to_count() -> None:
    web, brief = briefed(examples=(), keywords="spiders")
    judge = started(brief, Profile(refresh=6))
    assert judge.score(page(web, "web")) == judge.score(page(web, "bread"))  # neither says "spiders"
    watched(judge, web, "silk", "trains", "engines", "silk", "trains", "engines")
    assert judge.score(page(web, "web")) > judge.score(page(web, "bread"))  # silk, dragline


def test_without_related_words_only_what_was_told_counts() -> None:
    web, brief = briefed(examples=(), keywords="spiders")
    judge = started(brief, Profile(refresh=6, related=0.0))
    before = scores(judge, web)
    watched(judge, web, "silk", "trains", "engines", "silk", "trains", "engines")
    assert judge.score(page(web, "web")) == judge.score(page(web, "bread"))
    assert scores(judge, web).keys() == before.keys()


def test_what_is_said_on_every_page_seen_comes_to_count_less() -> None:
    footer = " Subscribe to our newsletter, cookies, imprint."
    pages = {name: text + footer for name, text in PAGES.items()} | {"footer": footer}
    web, brief = briefed(pages=pages)
    judge = started(brief, Profile(refresh=6))
    before = judge.score(page(web, "footer"))
    watched(judge, web, "trains", "bread", "engines", times=2)
    assert judge.score(page(web, "footer")) < before


def test_a_crawl_far_from_the_topic_cannot_talk_it_out_of_it() -> None:
    web, brief = briefed()
    judge = started(brief)
    watched(judge, web, "trains", "bread", "engines", times=100)
    found = scores(judge, web)
    assert found["leap"] >= judge.line > max(found["engines"], found["bread"])


def test_leaving_one_out_is_what_it_says() -> None:
    _, brief = briefed(("spiders", "eyes", "silk"), ("trains",))
    for at, left in enumerate(TopicWords(brief).left_out()):
        without = TopicWords(replace(brief, examples=brief.examples[:at] + brief.examples[at + 1 :]))
        assert left == pytest.approx(without.evidence_likeness(without.vector(brief.examples[at])))


def test_by_hand() -> None:
    pages = {"x": "silk moss", "y": "moss", "z": "<title>fern</title>silk"}
    web, brief = briefed(("x",), ("y",), "silk", pages)
    words = TopicWords(brief)
    silk, moss, fern = words.rarity.of(np.array(words.stems.terms("silk moss fern"), np.int32)).tolist()
    (at_silk,), (at_moss,), (at_fern,) = (words.stems.terms(word) for word in ("silk", "moss", "fern"))
    # silk is the keyword, 0.35; x, of two words and so of length 2/12, has both; the language takes its words off.
    by_hand = total([words._usual], len(words.stems)) * -0.2
    by_hand[at_silk] += 0.35 + silk / sqrt(silk**2 + moss**2) * 2 / 12
    by_hand[at_moss] += moss / sqrt(silk**2 + moss**2) * 2 / 12
    # y is moss, of length 1/11, of which as much is spared as the topic says itself.
    spared = by_hand * (by_hand[at_moss] / 11 / (by_hand @ by_hand))
    by_hand[at_moss] -= 0.5 / 11
    by_hand += 0.5 * spared
    # z has fern in its title, which counts three times but is one word, and silk.
    title = (1 + log(3)) * fern
    z = {
        at_silk: silk / sqrt(silk**2 + title**2) * 2 / 12,
        at_fern: title / sqrt(silk**2 + title**2) * 2 / 12,
    }
    # The only keyword is in the text of z once, of 1 word where 300 are usual: f = 1 / (0.5 + 0.5 / 300). f / (f + 3)
    # of the answer is given, which beside one example counts 0.2 / 2.
    times = 1 / (0.5 + 0.5 / 300)
    expected = sum(by_hand[stem] * weight for stem, weight in z.items()) / length_of(by_hand)
    expected += 0.1 * times / (times + 3)
    found, _ = words.read(page(web, "z"))
    assert dict(zip(found.vector.stems.tolist(), found.vector.weights.tolist(), strict=True)) == pytest.approx(z)
    assert words.likeness(found) == pytest.approx(expected)


def test_a_heading_counts_more_than_the_text() -> None:
    pages = {"above": "<h1>spiders</h1><p>bread oven", "below": "<h1>bread oven</h1><p>spiders"}
    web, brief = briefed((), keywords="spiders", pages=pages)
    judge = started(brief)
    assert judge.score(page(web, "above")) > judge.score(page(web, "below"))


def test_nearness_has_a_number_for_each_stem() -> None:
    _, brief = briefed(negatives=("trains",))
    words = TopicWords(brief)
    near = words.nearness()
    spider, train, moon = words.stems.terms("spiders trains moon")
    assert near[spider] > 0 > near[train]
    assert len(near) == len(words.weights) <= len(words.stems)
    assert near[spider] == words.weights[spider] * words.rarity.of(np.array([spider], np.int32))[0]
    assert moon >= len(near) or near[moon] <= 0


def test_of_many_pages_few_are_kept() -> None:
    _, brief = briefed()
    words = TopicWords(brief)
    for _ in range(3 * MOST_PAGES):
        words.see(brief.examples[0])
    assert MOST_PAGES // 2 <= len(words.sample) <= MOST_PAGES


def test_what_is_thinned_stays_spread_over_all_that_came() -> None:
    kept = EvenSample[int](10)
    for number in range(1000):
        kept.add(number)
    steps = np.diff(kept.items)
    assert len(set(steps.tolist())) == 1
    assert kept.items[0] == 0
    assert kept.items[-1] >= 1000 - 2 * steps[0]


def test_calibration_keeps_its_order_and_its_ends() -> None:
    calibration = Calibration.above(0.0, 0.27)
    found = [calibration.probability(x) for x in (-1.0, 0.0, 0.1, 0.27, 0.3, 1.0)]
    assert found == sorted(found)
    assert found[1] < 0.01
    assert found[3] == pytest.approx(0.5)
    assert Calibration.above(0.3, 0.1).probability(0.3) < 0.01
    assert calibration.carried_over([0.1, 0.1], [0.2, 0.2]) == calibration


def test_one_word_against_a_page_moves_what_is_like_it_and_not_the_topic() -> None:
    pages = {
        "planner": "The query planner chooses indexes for a query and estimates costs",
        "vacuum": "Vacuum removes dead rows so that the query planner has statistics and indexes stay small",
        "freeze": "Freezing dead rows is what vacuum does to statistics and small tables",
    }
    web, brief = briefed((), (), "query planner indexes", pages)
    judge = started(brief)
    before = {name: judge.score(page(web, name)) for name in pages}
    judge.learn([(page(web, "vacuum"), -1)])
    after = {name: judge.score(page(web, name)) for name in pages}
    assert after["planner"] >= judge.line
    assert before["planner"] - after["planner"] < before["vacuum"] - after["vacuum"]
    assert after["freeze"] < before["freeze"]


def test_a_page_that_is_all_links_comes_after_one_that_says_something() -> None:
    menu = " ".join(f'<a href="/{n}">query planner part</a>' for n in "abcdefgh")
    pages = {
        "contents": f"<title>Query planner</title>{menu}",
        "nothing else": menu,
        "planner": "<title>Query planner</title>It chooses which indexes to use, and this part says how it does that.",
    }
    web, brief = briefed((), (), "query planner", pages)
    judge = started(brief)
    assert judge.score(page(web, "planner")) >= judge.line
    assert judge.score(page(web, "planner")) > judge.score(page(web, "contents")) > 0
    assert judge.score(page(web, "nothing else")) == 0


def test_a_menu_on_every_page_changes_no_score() -> None:
    menu = " ".join(f'<a href="/{n}">spiders and trains</a>' for n in "abcdefgh")
    bare, brief = briefed()
    framed, other = briefed(pages={name: f"{text}<p>{menu}" for name, text in PAGES.items()})
    assert scores(started(brief), bare) == scores(started(other), framed)


def test_at_equal_words_a_stub_comes_after_a_page_that_says_something() -> None:
    stub = "The query planner chooses an index."
    web, brief = briefed((), (), "query planner", {"stub": stub, "page": stub * 8})
    judge = started(brief)
    assert judge.score(page(web, "page")) > judge.score(page(web, "stub")) > 0
    judge.learn([(page(web, "page"), 1)])
    assert judge.score(page(web, "page")) > judge.score(page(web, "stub")) > 0, "nor is a known page outdone"


def test_dull_start_pages_do_not_turn_it_against_what_nearly_all_pages_found_are_about() -> None:
    honest = {
        f"honest{n}": f"<title>Spiders of garden {n}</title><p>The spiders of this garden hunt by sight, have {n} legs"
        " and leap."
        for n in range(100)
    }
    dull = {
        f"dull{n}": f"<title>Offer {n}</title><p>Order today for {n} and pay when it suits you best; our friendly"
        " staff is looking forward to your call."
        for n in range(12)
    }
    web, brief = briefed((), (), "jumping spiders", honest | dull)
    judge = started(brief)
    for name in ("dull0", "honest0"):
        judge.start_page(page(web, name))
    watched(judge, web, *dull, *honest)
    found = {name: judge.score(page(web, name)) for name in honest | dull}
    lowest = min(found[name] for name in honest)
    assert max(found[name] for name in dull) < min(lowest, judge.line)


def test_start_pages_that_speak_of_the_keywords_count_as_examples_and_others_do_not() -> None:
    web, brief = briefed(examples=(), keywords="spiders")
    shown = ("spiders", "trains", "bread", "engines")
    told, alone = (started(brief, Profile(refresh=len(shown) * 10)) for _ in range(2))
    off = started(brief, Profile(refresh=len(shown) * 10))
    told.start_page(page(web, "spiders"))
    off.start_page(page(web, "trains"))
    for judge in (told, alone, off):
        watched(judge, web, *shown, times=10)
    (jumping,) = told._words.stems.terms("jumping")  # what the start page says besides
    assert told._words.evidence[jumping] > 0 == alone._words.evidence[jumping]
    assert off._words.evidence.tolist() == alone._words.evidence.tolist()
    told.learn([(page(web, "silk"), 1)])
    assert told._words.evidence[jumping] > 0, "a liked page does not take the place of what was given"


def test_however_like_the_topic_two_pages_are_their_scores_differ() -> None:
    calibration = Calibration.above(0.0, 0.06)
    shown = [round(calibration.probability(0.06 * times), 2) for times in range(1, 6)]
    assert len(set(shown)) == len(shown)

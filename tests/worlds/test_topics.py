"""Topics made from labels: the rules of both tasks and both queries, and that chance enters by the seed only."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.generated_site import GeneratedSource
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.metrics.parts.measure import harvest_curve, hits
from salticid.store.crawl_folder import CrawlFolder
from salticid.topic import Topic
from salticid.truth import Truth, load_topic, save_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer, Unread, labels_of
from salticid.worlds.backlinks import WorldBacklinks
from salticid.worlds.building import build
from salticid.worlds.topics import MIN_TARGETS, TopicPlan, make_topics

PAGES = 400


class Listed:
    """A source of answers given one by one."""

    name, size, done = "a list", 0, 0

    def __init__(self, answers: list[Answer | Unread]) -> None:
        self._answers = answers

    def __iter__(self) -> Iterator[Answer | Unread]:
        return iter(self._answers)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated world."""
    out = tmp_path_factory.mktemp("topics") / "world"
    build(out, GeneratedSource(PAGES, seed=1))
    return out


@pytest.fixture(scope="module")
def parents(world: Path) -> dict[str, set[str]]:
    """Of each URL the pages that link to it, read off the pages one by one."""
    web = RecordedWeb(world)
    found: dict[str, set[str]] = defaultdict(set)
    for number in range(web.pages):
        page = web.page(number)
        for url in web.urls.spell(page.links.url.tolist()):
            found[url].add(web.urls[page.url])
    return {url: linking - {url} for url, linking in found.items()}


def made(world: Path, out: Path, plan: TopicPlan) -> dict[str, tuple[Topic, Truth]]:
    """The topics by label."""
    files = make_topics(world, out, plan).files
    assert sorted(files) == sorted(out.iterdir())
    loaded = [load_topic(file) for file in files]
    assert [file.stem for file in files] == [topic.name for topic, _ in loaded]
    return {topic.name: (topic, truth) for topic, truth in loaded}


def test_backlinks_are_the_links_turned_round(world: Path, parents: dict[str, set[str]]) -> None:
    web = RecordedWeb(world)
    backlinks = WorldBacklinks(web)
    for url in range(len(web.urls)):
        assert set(web.urls.spell(backlinks.of(url).tolist())) == parents.get(web.urls[url], set())


@pytest.mark.parametrize("task", ["examples", "neighbours"])
@pytest.mark.parametrize("examples", [5, 3])
def test_examples_and_targets_share_out_the_pages(
    world: Path, tmp_path: Path, task: Literal["examples", "neighbours"], examples: int
) -> None:
    topics = made(world, tmp_path, TopicPlan(task=task, examples_per_topic=examples))
    labels = labels_of(world)
    assert set(topics) == {label for label, urls in labels.items() if len(urls) >= 20}
    assert len(topics) >= 6
    for label, (topic, truth) in topics.items():
        assert len(set(topic.examples)) == examples
        assert sorted([*topic.examples, *truth.targets]) == labels[label]
        assert (topic.seeds == topic.examples) is (task == "examples")
        assert list(truth.targets) == sorted(truth.targets)
        assert topic.negatives == ()
        assert topic.language is None


def test_without_examples_the_first_pages_are_seeds_and_nothing_is_told(world: Path, tmp_path: Path) -> None:
    plan = TopicPlan(examples_per_topic=0, seeds_per_topic=4)
    shuffled = made(world, tmp_path / "shuffled", TopicPlan(examples_per_topic=4))
    for label, (topic, truth) in made(world, tmp_path / "topics", plan).items():
        assert topic.examples == ()
        assert topic.seeds == shuffled[label][0].examples
        assert sorted([*topic.seeds, *truth.targets]) == labels_of(world)[label]
    plan = TopicPlan(task="neighbours", examples_per_topic=0)
    for label, (topic, truth) in made(world, tmp_path / "neighbours", plan).items():
        assert topic.examples == ()
        assert list(truth.targets) == labels_of(world)[label]


@pytest.mark.parametrize("seeds", [10, 3, 1000])
def test_neighbours_are_two_links_back_and_never_on_topic(
    world: Path, tmp_path: Path, parents: dict[str, set[str]], seeds: int
) -> None:
    plan = TopicPlan(task="neighbours", examples_per_topic=10, seeds_per_topic=seeds)
    for label, (topic, _) in made(world, tmp_path, plan).items():
        # With ten examples these are the very pages to go back from.
        once = {parent for url in topic.examples for parent in parents.get(url, ())}
        twice = {parent for url in once for parent in parents.get(url, ())}
        found = twice - set(labels_of(world)[label])
        assert set(topic.seeds) <= found
        assert len(set(topic.seeds)) == len(topic.seeds)
        assert len(topic.seeds) == seeds if seeds < 1000 else len(topic.seeds) > 10


def test_examples_can_be_what_is_to_be_found_and_then_nobody_is_told(world: Path, tmp_path: Path) -> None:
    told = made(world, tmp_path / "told", TopicPlan(task="neighbours", examples_per_topic=10))
    plan = TopicPlan(task="neighbours", examples_per_topic=10, targets="examples")
    for label, (topic, truth) in made(world, tmp_path / "untold", plan).items():
        assert topic.examples == ()
        assert truth.targets == tuple(sorted(told[label][0].examples))
        assert topic.seeds == told[label][0].seeds
    said = salticid("world", "topics", world, "--out", tmp_path / "none", "--targets", "examples")
    assert (said.status, "--task neighbours" in said.err) == (2, True)


def test_neighbours_may_be_on_topic_as_in_the_paper(world: Path, tmp_path: Path) -> None:
    said = salticid(
        "world",
        "topics",
        world,
        "--out",
        tmp_path / "t",
        "--task",
        "neighbours",
        "--on-topic",
        "--seeds-per-topic",
        1000,
    )
    assert said.status == 0, said.err
    topical = [set(load_topic(file)[0].seeds) & set(labels_of(world)[file.stem]) for file in (tmp_path / "t").iterdir()]
    assert any(topical)


def test_queries(world: Path, tmp_path: Path) -> None:
    web = RecordedWeb(world)
    path = made(world, tmp_path / "path", TopicPlan())
    text = made(world, tmp_path / "text", TopicPlan(query="text"))
    for label, (topic, truth) in path.items():
        assert topic.keywords == label.replace(".", " ")
        assert text[label][1] == truth
        assert text[label][0].keywords == truth.description
        first = web.page_at(web.urls.find(topic.examples[0]))
        assert first is not None
        assert truth.description.startswith(f"{first.title} {' '.join(first.text.split()[:50])}\n")
        assert len(truth.description.splitlines()) == 10


def test_labels_too_small_are_left_out_and_listed(world: Path, tmp_path: Path) -> None:
    sizes = {label: len(urls) for label, urls in labels_of(world).items()}
    told = make_topics(world, tmp_path / "a", TopicPlan(min_pages=40))
    small = {label: f"{size} pages, fewer than 40" for label, size in sizes.items() if size < 40}
    assert told.left_out == small
    assert {file.stem for file in told.files} == set(sizes) - set(small)
    told = make_topics(world, tmp_path / "b", TopicPlan(min_pages=1, examples_per_topic=5))
    few = {label: f"{n - 5} targets, fewer than {MIN_TARGETS}" for label, n in sizes.items() if n - 5 < MIN_TARGETS}
    assert told.left_out == few
    assert few
    assert {file.stem for file in told.files} == set(sizes) - set(few)
    assert min(len(load_topic(file)[1].targets) for file in told.files) == MIN_TARGETS


def test_topics_follow_from_the_seed(world: Path, tmp_path: Path) -> None:
    plans = [TopicPlan(task="neighbours", seed=seed) for seed in (0, 0, 1)]
    first, again, other = (made(world, tmp_path / str(n), plan) for n, plan in enumerate(plans))
    assert first == again
    for label, (topic, _) in first.items():
        assert topic.examples != other[label][0].examples
        assert topic.seeds != other[label][0].seeds
    fewer = made(world, tmp_path / "fewer", TopicPlan(task="neighbours", min_pages=40))
    assert fewer == {label: first[label] for label in fewer}  # no topic depends on which others there are


@pytest.mark.parametrize("task", ["examples", "neighbours"])
def test_topics_do_not_depend_on_the_order_of_recording(
    world: Path, tmp_path: Path, task: Literal["examples", "neighbours"]
) -> None:
    build(tmp_path / "world", Listed(list(GeneratedSource(PAGES, seed=1))[::-1]))
    assert RecordedWeb(tmp_path / "world").digest != RecordedWeb(world).digest
    plan = TopicPlan(task=task, query="text")
    topics = made(world, tmp_path / "a", plan)
    assert made(tmp_path / "world", tmp_path / "b", plan) == topics
    for label in topics:
        name = f"{label}.toml"
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def small(out: Path, labels: tuple[str, ...], pages: int = 12) -> Path:
    """A world of a few pages that all carry all labels and link to nothing."""
    html = b"<title>Page</title>spiders"
    build(out, Listed([Answer(f"http://a.example/{n}", html=html, labels=labels) for n in range(pages)]))
    return out


@pytest.mark.parametrize(
    ("labels", "keywords"),
    [
        (("subject.Art.Art", "subject.Hot_air.balloons2"), ["Art", "Hot air balloons"]),
        (("subject.Art", "Music"), ["Music", "subject Art"]),
        (("subject", "subject.Art"), ["subject", "subject Art"]),
        (("subject.Art",), ["subject Art"]),
        (("Größe/蜘蛛 42",), ["Größe 蜘蛛"]),
        (("a b", "a b-2", "a_b", "a/b"), ["a b", "a b", "a b", "a b"]),
    ],
)
def test_each_label_has_its_words_and_its_file(tmp_path: Path, labels: tuple[str, ...], keywords: list[str]) -> None:
    world = small(tmp_path / "world", labels)
    told = make_topics(world, tmp_path / "topics", TopicPlan(min_pages=1, examples_per_topic=1))
    topics = [load_topic(file)[0] for file in told.files]
    assert sorted(topic.name for topic in topics) == sorted(labels)
    assert sorted(topic.keywords for topic in topics) == sorted(keywords)
    assert len(set(told.files)) == len(labels)


def test_what_makes_no_topic(tmp_path: Path) -> None:
    world = small(tmp_path / "world", ("42", "spiders"))
    plan = TopicPlan(min_pages=1, examples_per_topic=1)
    assert make_topics(world, tmp_path / "a", plan).left_out == {"42": "no words to look for"}
    plan = TopicPlan(task="neighbours", min_pages=1, examples_per_topic=1)
    assert set(make_topics(world, tmp_path / "b", plan).left_out.values()) == {"nothing links to what links to it"}
    with pytest.raises(UserError, match="has no labels, and is made of no crawl"):
        make_topics(small(tmp_path / "bare", ()), tmp_path / "c", plan)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot write topics to .*file: File exists; name another folder"):
        make_topics(world, tmp_path / "file", plan)


_paths = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(_paths, _paths, _paths, _paths)
def test_a_crawl_is_judged_by_targets_alone(
    fetched: list[str], seeds: list[str], examples: list[str], targets: list[str]
) -> None:
    def urls(paths: list[str], suffix: str = "") -> tuple[str, ...]:
        return tuple(f"http://a.example/{path}{suffix}" for path in paths)

    topic = Topic("t", "k", urls(seeds, "#top"), urls(examples, "?utm_source=x"))
    relevant = hits(urls(fetched), topic, Truth(targets=urls(targets, "#x")))
    counted = [path for path in fetched if path not in seeds and path not in examples]
    assert relevant == [path in targets for path in counted]
    assert harvest_curve(relevant) == [sum(relevant[:n]) / n for n in range(1, len(counted) + 1)]


@pytest.fixture(scope="module")
def crawled(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a crawl of the world, and the world that the program made of it."""
    folder = tmp_path_factory.mktemp("crawled")
    topic, _ = next(iter(made(world, folder / "topics", TopicPlan(min_pages=30)).values()))
    save_topic(folder / "topic.toml", replace(topic, name="what I want", examples=()), Truth())
    for words in (
        ("crawl", folder / "topic.toml", "--web", world, "--max-pages", 120, "--out", folder / "crawl"),
        ("world", "build", folder / "world", "--crawl", folder / "crawl"),
    ):
        said = salticid(*words)
        assert said.status == 0, said.err
    return folder


def test_the_world_of_a_crawl_makes_a_topic_of_what_the_crawl_believed(crawled: Path, tmp_path: Path) -> None:
    said = salticid("world", "topics", crawled / "world", "--out", tmp_path)
    assert said.status == 0, said.err
    assert said.out.startswith(f"1 topic in {tmp_path}, from what the crawl believed")
    topic, truth = load_topic(tmp_path / "what_I_want.toml")
    asked, _ = load_topic(crawled / "topic.toml")
    assert (topic.name, topic.keywords) == (asked.name, asked.keywords)
    with closing(CrawlFolder(crawled / "crawl")) as crawl:
        believed = {crawl.visit(step).final_url for step in crawl.on_topic()}
    assert {*topic.examples, *truth.targets} == believed
    assert len(believed) < 120, "not simply all of them"


def test_labels_go_before_beliefs_and_searches_before_both(crawled: Path, tmp_path: Path) -> None:
    url = load_topic(crawled / "topic.toml")[0].seeds[0]
    (tmp_path / "labels.tsv").write_text(f"{url}\tspiders\n")
    world = tmp_path / "labelled"
    said = salticid("world", "build", world, "--crawl", crawled / "crawl", "--labels", tmp_path / "labels.tsv")
    assert said.status == 0, said.err
    told = make_topics(world, tmp_path / "a", TopicPlan())
    assert (told.basis, told.left_out) == ("labels", {"spiders": "1 pages, fewer than 20"})
    assert make_topics(world, tmp_path / "b", TopicPlan(), ["music"]).basis == "words"


def test_a_search_makes_a_topic_of_the_pages_that_hold_its_words(tmp_path: Path) -> None:
    texts = {
        "a": "A jumping spider dances.",
        "b": "Spiders dance.",
        "c": "A spider sleeps.",
        "d": "Bees dance.",
    }
    pages = [
        Answer(f"http://a.example/{name}{n}", html=f"<p>{text} And the bees too.</p>".encode())
        for name, text in texts.items()
        for n in range(6)
    ]
    build(tmp_path / "world", Listed([*pages]))
    plan = TopicPlan(min_pages=1, examples_per_topic=2)
    told = make_topics(tmp_path / "world", tmp_path / "topics", plan, ["the dancing spider", "zyzzyva"])
    topic, truth = load_topic(tmp_path / "topics" / "the_dancing_spider.toml")
    assert (topic.keywords, len(topic.examples)) == ("the dancing spider", 2)
    assert {*topic.examples, *truth.targets} == {f"http://a.example/{name}{n}" for name in "ab" for n in range(6)}
    assert told.left_out == {"zyzzyva": "0 pages, fewer than 1"}
    with pytest.raises(UserError, match="'the of' holds no word to search for"):
        make_topics(tmp_path / "world", tmp_path, plan, ["the of"])

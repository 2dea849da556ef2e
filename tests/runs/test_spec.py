"""One description of a crawl: every caller builds the same `CrawlSpec`, and each default is written once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from inspect import signature
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
import typer
from tests.support.generated_site import GeneratedSource
from tests.support.running import salticid

import salticid as salticid_package
from salticid.agents.server import HuntServer
from salticid.api.hunts import HuntOptions, hunt
from salticid.cli import program
from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.runs import order as orders
from salticid.runs.lifecycle import run
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import ForeignWeb, resolve, spec_in
from salticid.runs.spec import LIVE, CrawlSpec, changed, fields, keywords, plain_type, spec_of, takes_none
from salticid.service.wish import NewCrawl, Wish, new_wish
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies.best_first import BestFirst
from salticid.topic import Limits, Scope, Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build

TOPIC = Topic("spiders", "jumping spiders", ("http://a.example/",))
SPELLINGS = {"out", "progress", "stop_when", "max_time", "no_warc", "no_pdf", "no_traps"}
"""Keywords of a hunt that are no fields: other spellings of one, the folder, and what is shown."""


def options_of(command: str) -> dict[str, Any]:
    """The options of a command, by keyword, as typer has them."""
    group: Any = typer.main.get_command(program([command]))
    return {each.name: each for each in group.commands[command].params}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spec") / "world"
    build(folder, GeneratedSource(60, seed=1))
    return folder


@pytest.fixture
def topic(world: Path) -> Topic:
    web = RecordedWeb(world)
    return Topic("spiders", "jumping spiders", (web.urls[web.page(0).url],))


@pytest.mark.parametrize("command", ["crawl", "refresh", "watch", "serve", "mcp"])
def test_the_defaults_of_options_are_those_of_the_fields(command: str) -> None:
    options = options_of(command)
    own = {"max_fetches", "strategy", "judge"} if command == "watch" else {"max_pages", "max_time"}
    derived = {name: field for name, field in keywords().items() if name in options and field.option}
    if command != "crawl":
        derived = {name: field for name, field in derived.items() if name not in own}
    assert derived
    for name, field in derived.items():
        default = options[name].default
        meant = {} if default is None else spec_values(name, default)
        assert meant.get(field.name, field.default) == field.default, name


def spec_values(name: str, default: Any) -> dict[str, Any]:
    field = keywords()[name]
    return {field.name: field.read(default, name)}


def test_every_option_of_a_crawl_that_has_a_field_comes_from_it() -> None:
    options = options_of("crawl")
    for field in fields().values():
        assert (field.keyword in options) == (field.option is not None), field.name
    again = {field.keyword for field in fields().values() if field.option and field.option.again}
    for command in ("refresh", "watch"):
        assert again <= options_of(command).keys()


def test_without_options_a_spec_has_the_defaults_of_its_fields(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    spec = spec_of(TOPIC, {})
    assert changed(spec, workers=1) == CrawlSpec(topic=TOPIC)
    typed = {name: option.default for name, option in options_of("crawl").items() if name in keywords()}
    assert spec_of(TOPIC, typed) == spec


def without_text(hint: Any) -> set[Any]:
    """The types of a hint for a program, but for those that only spell a value."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return set(parts)


def test_the_keywords_of_a_hunt_are_the_fields_with_their_types() -> None:
    hints = get_type_hints(HuntOptions)
    positional = set(signature(hunt).parameters) - {"options"}
    assert positional == {"topic", "web", "strategy"}
    assert hints.keys() - SPELLINGS == fields().keys() - positional - {"hosts"}
    for name in hints.keys() - SPELLINGS:
        field, told = fields()[name], without_text(hints[name])
        kind = plain_type(field.type)
        if get_origin(kind) is tuple:
            assert Sequence[str] in told or Sequence[str | Path] in told, name
        elif get_origin(kind) is dict:
            assert told == {Mapping[str, Any]}
        else:
            assert kind in told, name
        assert (type(None) in told) == takes_none(field), name
        wider = {str, Path} if field.option and (field.option.reads or field.option.path) else set()
        if name != "judge" and get_origin(kind) not in (tuple, dict, Literal):
            assert told - {type(None)} - wider <= {kind}, name


def test_one_request_makes_one_spec_whoever_builds_it(
    world: Path, topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Command line, Python, page, agent and Scrapy: the same topic, world, strategy, judge and budget."""
    made: list[CrawlSpec] = []
    resolving = orders.resolve

    def spy(spec: CrawlSpec, *given: Any, **more: Any) -> orders.Order:
        order = resolving(spec, *given, **more)
        made.append(order.spec)
        return order

    monkeypatch.setattr("salticid.api.hunts.resolve", spy)
    web = RecordedWeb(world)
    for given in (web, str(world)):
        options: dict[str, Any] = {"max_pages": 5, "judge": "profile", "out": tmp_path / "a", "seed": 0}
        salticid_package.hunt(topic, given, "best_first:admit=always", **options)
    file = tmp_path / "t.toml"
    file.write_text(f'name = "spiders"\nkeywords = "jumping spiders"\nseeds = ["{topic.seeds[0]}"]\n')
    line = ("--web", world, "--strategy", "best_first", "--set", "admit=always", "--judge", "profile")
    said = salticid("crawl", file, *line, "--max-pages", 5, "--out", tmp_path / "b")
    assert said.status == 0, said.err
    for folder in ("a", "b"):
        with closing(CrawlFolder(tmp_path / folder)) as crawl:
            made.append(spec_in(crawl))
    built = CrawlSpec(
        topic=topic, web=str(world), strategy="best_first", strategy_settings={"admit": "always"}, judge="profile",
        limits=Limits(5),
    )  # fmt: skip
    made.append(resolve(built).spec)
    made.append(resolve(built, web=ForeignWeb("scrapy", "job"), strategy=BestFirst(admit="always")).spec)
    assert len(made) == 6
    alike = [changed(spec, web="", live=LiveSettings()) for spec in made]
    assert alike == [alike[0]] * len(made)


def test_the_page_and_an_agent_build_the_same(tmp_path: Path, world: Path, topic: Topic) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "live").symlink_to(world)
    form = NewCrawl(query=topic.keywords, urls=[*topic.seeds], max_pages=7, strategy="best_first", world="live")
    wish, _ = asyncio.run(new_wish(form, tmp_path, {}, [], "test"))
    limits = Limits(7)
    topic = replace(topic, name=topic.keywords)
    expected = CrawlSpec(topic=topic, web="world:live", strategy="best_first", judge="profile", limits=limits)
    assert wish.spec == expected
    assert isinstance(wish.order(tmp_path / "crawls" / "x", LiveSettings()).web, RecordedWeb)
    tool = signature(HuntServer.start_hunt).parameters
    for field in msgspec.structs.fields(NewCrawl):
        name = "from_hunts" if field.name == "from_crawls" else field.name
        if name in tool and field.default is not msgspec.NODEFAULT:
            assert tool[name].default == field.default, name


def test_a_wish_survives_and_takes_nothing_that_reaches_further_from_its_folder(tmp_path: Path) -> None:
    reach: dict[str, Any] = {
        "allow_net": ("10.0.0.0/8",),
        "proxy": "http://me:secret@p.example:1",
        "known": ("/",),
    }
    limits = Limits(9, max_seconds=60.0)
    wish = Wish(spec=CrawlSpec(topic=TOPIC, judge="cosine", limits=limits), began="2026-01-01", every=86_400)
    wish.but(allow_net=("10.0.0.0/8",), proxy=reach["proxy"]).save(tmp_path)
    text = (tmp_path / "wish.json").read_text()
    assert "secret" not in text
    assert "10.0.0.0" not in text
    assert Wish.load(tmp_path) == wish
    told = json.loads(text)
    told["spec"] |= {"live": {"allow_net": ["10.0.0.0/8"]}, "known": ["/etc"], "backlinks": "/etc"}
    (tmp_path / "wish.json").write_text(json.dumps(told))
    assert Wish.load(tmp_path) == wish
    told["spec"]["live"] = {"concurrency": 0}
    (tmp_path / "wish.json").write_text(json.dumps(told))
    assert Wish.load(tmp_path) is None


def test_a_wish_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    old = {
        "query": "spiders", "seeds": ["http://a.example/"], "origins": ["you"], "strategy": "best_first",
        "judge": "profile", "max_pages": 9, "began": "2026-01-01T00:00:00+00:00", "mood": "stop", "world": "small",
        "max_fetches": 50, "every": 604800, "max_seconds": 60.0, "hosts": ["a.example"],
    }  # fmt: skip
    (tmp_path / "wish.json").write_text(json.dumps(old))
    topic = Topic("spiders", "spiders", ("http://a.example/",), scope=Scope(hosts=("a.example",)))
    limits = Limits(9, 50, max_seconds=60.0)
    spec = CrawlSpec(topic=topic, web="world:small", strategy="best_first", judge="profile", limits=limits)
    assert Wish.load(tmp_path) == Wish(
        spec=spec, began="2026-01-01T00:00:00+00:00", origins=("you",), mood="stop", every=604_800
    )


def test_the_folder_says_what_it_always_said(world: Path, topic: Topic, tmp_path: Path) -> None:
    known = replace(topic, scope=Scope(max_depth=3))
    spec = CrawlSpec(topic=known, web=str(world), strategy="best_n_first:n=4", judge="cosine", limits=Limits(5))
    order = resolve(spec, tmp_path / "c")
    run(order)
    with closing(CrawlFolder(tmp_path / "c")) as crawl:
        about, read = crawl.about(), spec_in(crawl)
    assert about["strategy"] == {"name": "best_n_first", "n": 4, "admit": "compete", "score": "similarity"}
    assert about["judge"]["name"] == "cosine"
    assert about["web"] == {"world": RecordedWeb(world).digest}
    assert about["limits"] == {
        "max_pages": 5, "max_fetches": None, "max_buffer": 100_000, "max_seconds": None, "min_harvest": None,
        "timeout": 10.0, "min_remaining": None,
    }  # fmt: skip
    assert about["topic"]["scope"] == {
        "include": [], "exclude": [], "same_site": False, "max_depth": 3, "hosts": None
    }  # fmt: skip
    assert (about["arrivals"], about["seed"], about["backlinks"], "known_crawls" in about) == (
        "one",
        0,
        None,
        False,
    )
    assert changed(read, web=str(world)) == order.spec


def test_names_in_a_spec_are_data_unless_the_caller_says_otherwise(tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("from salticid.strategies.best_first import BestFirst as Mine\n")
    spec = CrawlSpec(topic=TOPIC, strategy=f"{code}:Mine")
    with pytest.raises(UserError, match=r"--strategy FILE\.py:Mine"):
        resolve(spec)
    assert resolve(spec, files=True).spec.strategy == "Mine"
    with pytest.raises(UserError, match=r"--judge FILE\.py:Mine"):
        resolve(changed(spec, strategy="best_first", judge=f"{code}:Mine"))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"max_pages": 0}, "max_pages is 0; give at least 1"),
        ({"host_share": 2}, "host_share is 2: .*<= 1"),
        ({"concurrency": "many"}, "concurrency is 'many': Expected `int`"),
        ({"header": "a.example: X-Key: secret"}, "^header: Expected `array`"),
        ({"render": "often"}, "render is 'often'"),
        ({"known_for": "soon"}, "no duration 'soon'"),
        ({"max_dept": 3}, "did you mean 'max_depth'"),
    ],
)
def test_what_cannot_be_is_refused_and_no_secret_is_told(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as told:
        spec_of(TOPIC, options)
    assert "secret" not in str(told.value)


def test_instances_keep_their_names_and_settings() -> None:
    order = resolve(CrawlSpec(topic=TOPIC, strategy="BestFirst", judge="Cosine"), strategy=BestFirst(), judge=Cosine())
    assert (order.spec.strategy, order.spec.strategy_settings["admit"]) == ("BestFirst", "compete")
    assert (order.spec.web, order.web) == (LIVE, order.spec.live)


def test_a_hunt_loads_nothing_of_the_command_line() -> None:
    told = (
        "import sys, salticid; salticid.hunt; salticid.hunt_async; salticid.compare\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} & {'typer', 'rich', 'click'}))\n"
        "print(*(name for name in sys.modules if name.startswith('salticid.cli')))"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

"""One request to crawl, as plain data: what to crawl, and how.

Command line, Python, page, agents, Scrapy, shards and the folder of a crawl all build or read a `CrawlSpec`. Each field
says once what it means, its bounds, its default and how it is an option (`salticid.topic.option`). `spec_of` makes a
spec of options; `salticid.runs.order.resolve` makes a crawl of a spec.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from salticid.errors import UserError, unknown
from salticid.runs.live_settings import LiveSettings
from salticid.topic import DURATION, MUCH, WHAT, WHERE, Limits, Option, Scope, Topic, option, pairs

# What is taken where a person names nothing else.

DEFAULT_STRATEGY = "hunter"
DEFAULT_JUDGE = "cosine"
LEARNING_JUDGE = "profile"
"""The judge where a person will talk to the crawl: it works from words alone, and learns from what is said."""


LIVE = "live"
"""The web that is not recorded."""

_SECRET = ("proxy", "header", "cookies")
_CONDITIONS = {
    ("harvest", "<"): "min_harvest",
    ("remaining", "<"): "min_remaining",
    ("seconds", ">"): "max_seconds",
}


class CrawlSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What to crawl, and how: all by which this crawl differs from another, but for its folder.

    The web is the live one, or the folder of a world. The settings change those that the specs of strategy and judge
    name. `known` are folders of other crawls, whose pages are not fetched anew within `known_for` seconds after they
    were last looked at.
    """

    topic: Topic
    web: Annotated[str, option("The live web, or a recorded world.", WHERE, metavar="live|WORLD")] = LIVE
    strategy: Annotated[
        str,
        option("Its name, a strategy file, or a class of your own.", WHAT, metavar="NAME[:KEY=VALUE,...]|FILE"),
    ] = DEFAULT_STRATEGY
    strategy_settings: Annotated[
        dict[str, Any],
        option("A setting of the strategy.", WHAT, name="--set", metavar="KEY=VALUE", reads=pairs),
    ] = {}
    judge: Annotated[
        str | None,
        option(
            f"What scores a page [default: the strategy file's, the strategy's own, else {DEFAULT_JUDGE}].",
            WHAT,
            metavar="NAME[:KEY=VALUE,...]",
        ),
    ] = None
    judge_settings: dict[str, Any] = {}
    backlinks: Annotated[
        str | None,
        option("Who links to the examples: a world, or a crawl.", WHAT, metavar="WORLD|DIR", path=True),
    ] = None
    known: Annotated[
        tuple[str, ...],
        option("A crawl whose pages are not fetched or suggested anew.", WHERE, metavar="DIR", path=True),
    ] = ()
    known_for: Annotated[float, option("With --known: how long a page stays known.", WHERE, **DURATION)] = 30 * 86_400.0
    limits: Limits = Limits()
    arrivals: Annotated[str, option("Who returns first: one, window:N, roulette:100/50.", MUCH)] = "one"
    seed: Annotated[int, option("Of all that is left to chance.", WHAT, least=0)] = 0
    ask: Annotated[
        str | None,
        option(
            "Who is asked about a few pages: an OpenAI-compatible endpoint, or terminal.", WHAT, metavar="URL|terminal"
        ),
    ] = None
    ask_model: Annotated[str, option("With --ask URL: the model to ask.", WHAT, metavar="NAME")] = "default"
    ask_budget: Annotated[int, option("With --ask: questions at most.", WHAT, least=0)] = 20
    as_given: Annotated[
        bool, option("Resume without replaying: take the visits in the crawl folder as they are.", WHERE)
    ] = False
    live: LiveSettings = LiveSettings()


class Field(NamedTuple):
    """A field of a request: which struct it is in, its type, its default and how it is an option, if it is one."""

    home: type
    name: str
    type: Any
    default: Any
    help: str
    option: Option | None

    @property
    def keyword(self) -> str:
        """The name of its option as a keyword: `no_warc` for --no-warc."""
        given = self.option and self.option.name
        return given.removeprefix("--").replace("-", "_") if given else self.name

    @property
    def inverted(self) -> bool:
        """Whether its option says that it is not so."""
        return self.keyword == f"no_{self.name}"

    def read(self, value: Any, keyword: str) -> Any:
        """The value of the field, of what was typed or given under a keyword; UserError if it cannot be one."""
        if self.inverted and keyword == self.keyword:
            return not value
        if self.option is not None and self.option.reads and (
            isinstance(value, str | Path) or (keyword != self.name and isinstance(value, list))
        ):  # fmt: skip
            value = self.option.reads(value)
        try:
            read = msgspec.convert(_plain(value), self.type)
        except msgspec.ValidationError as error:
            raise UserError(f"{keyword}{_shown(self.name, value)}: {error}; give another") from None
        least, most = (self.option.least, self.option.most) if self.option else (None, None)
        if least is not None and read is not None and read < least:
            raise UserError(f"{keyword}{_shown(self.name, value)}; give at least {least}")
        if most is not None and read is not None and read > most:
            raise UserError(f"{keyword}{_shown(self.name, value)}; give at most {most}")
        return read


def _plain(value: Any) -> Any:
    """A value as plain data: paths and numbers of other libraries as those of the language."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Path):
        return str(value)
    return value.item() if type(value).__module__ == "numpy" else value


def _shown(name: str, value: Any) -> str:
    return "" if name in _SECRET else f" is {value!r}"


@cache
def fields() -> dict[str, Field]:
    """The fields of a request that one can give, by name: of the spec, its topic, scope, limits and live settings."""
    found = [each for home in (CrawlSpec, Topic, Limits, Scope, LiveSettings) for each in _fields_of(home)]
    return {each.name: each for each in found}


def _fields_of(home: type) -> Iterator[Field]:
    infos = msgspec.structs.fields(home) if home is CrawlSpec else dataclasses.fields(home)
    hints = get_type_hints(home, include_extras=True)
    for info in infos:
        hint = hints[info.name]
        if hint in (Topic, Limits, LiveSettings) or (home, info.name) == (Limits, "timeout"):
            continue
        told = next((meta for meta in _metas(hint) if meta.extra), None)
        if home is Topic and told is None:
            continue
        default = {} if info.default is msgspec.NODEFAULT else info.default
        how = told.extra["option"] if told is not None and told.extra else None
        yield Field(home, info.name, hint, default, (told and told.description) or "", how)


def _metas(hint: Any) -> list[Meta]:
    return [each for each in get_args(hint)[1:] if isinstance(each, Meta)] if get_origin(hint) is Annotated else []


def plain_type(hint: Any) -> Any:
    """A type without what is said of it, and without None; the last of several, which takes all that the others do.

    >>> plain_type(Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="how many")])
    <class 'int'>
    """
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, UnionType):
        return plain_type([each for each in get_args(hint) if each is not NoneType][-1])
    return hint


def takes_none(field: Field) -> bool:
    """Whether None is a value of a field."""
    hint = get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type
    return NoneType in get_args(hint)


@cache
def keywords() -> dict[str, Field]:
    """All fields by each name under which they can be given: their own, and that of their option."""
    return {**fields(), **{each.keyword: each for each in fields().values()}}


def values_of(options: Mapping[str, Any], home: type) -> dict[str, Any]:
    """The values of the fields of one struct among some options; None, where it is no value, is no option."""
    found = {}
    for keyword, value in options.items():
        field = keywords().get(keyword)
        if field is not None and field.home is home and (value is not None or takes_none(field)):
            found[field.name] = field.read(value, keyword)
    return found


def spec_of(topic: Topic, options: Mapping[str, Any]) -> CrawlSpec:
    """The spec of a topic and of options, given by the names of fields or by those on the command line.

    `stop_when` sets one of the limits. UserError if there is no such option, or its value cannot be.
    """
    for name in options:
        if name not in keywords() and name != "stop_when":
            raise unknown("option", name, [*keywords(), "stop_when"])
    own = values_of(options, CrawlSpec)
    limits = Limits(**values_of(options, Limits))
    if options.get("stop_when") is not None:
        limits = with_condition(limits, options["stop_when"])
    live = values_of(options, LiveSettings)
    here = LiveSettings.here if own.get("web", LIVE) == LIVE else LiveSettings
    return CrawlSpec(topic=scoped(topic, options), limits=limits, live=here(**live), **own)


def scoped(topic: Topic, options: Mapping[str, Any]) -> Topic:
    """A topic whose languages and scope the options narrow or replace."""
    values, scope = values_of(options, Scope), topic.scope
    max_depth = values.get("max_depth")
    return replace(
        topic,
        **{name: value for name, value in values_of(options, Topic).items() if value},
        scope=replace(
            scope,
            include=values.get("include") or scope.include,
            exclude=scope.exclude + values.get("exclude", ()),
            same_site=values.get("same_site", False) or scope.same_site,
            max_depth=scope.max_depth if max_depth is None else max_depth,
        ),
    )


def changed(spec: CrawlSpec, **values: Any) -> CrawlSpec:
    """The spec with other values of fields, each by its name, wherever it is in the spec."""
    homes: dict[type, dict[str, Any]] = {CrawlSpec: {}, Topic: {}, Limits: {}, Scope: {}, LiveSettings: {}}
    for name, value in values.items():
        homes[fields()[name].home if name in fields() else CrawlSpec][name] = value
    more: dict[str, Any] = {
        "topic": replace(spec.topic, **homes[Topic], scope=replace(spec.topic.scope, **homes[Scope])),
        "limits": replace(spec.limits, **homes[Limits]),
        "live": replace(spec.live, **homes[LiveSettings]),
    }
    return msgspec.structs.replace(spec, **{**more, **homes[CrawlSpec]})


def with_condition(limits: Limits, text: str) -> Limits:
    """The limits with the one that a condition sets.

    >>> with_condition(Limits(), "harvest < 0.05").min_harvest, with_condition(Limits(), "seconds > 60").max_seconds
    (0.05, 60.0)
    """
    match = re.fullmatch(r"(\w+)\s*([<>])\s*(\d*\.?\d+)", text.strip())
    limit = _CONDITIONS.get((match[1], match[2])) if match else None
    if not match or limit is None:
        raise UserError(f'no condition {text!r}; write "harvest < 0.05", "remaining < 10" or "seconds > 600"')
    change: dict[str, Any] = {limit: float(match[3])}
    return replace(limits, **change)

"""The shapes a crawl is made of, with their contracts in words.

Whoever fits a shape may take its place: a live or a recorded web, any judge, any strategy, any
log. Nothing here does anything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from salticid.messages import Message
from salticid.model import (
    Bools,
    Choice,
    Event,
    Feedback,
    Ints,
    Links,
    Page,
    RepeatedRows,
    Response,
    Visit,
)
from salticid.topic import Limits, Topic


class Interning(Protocol):
    """Gives ids to texts, which count from 0 in order of arrival."""

    def __len__(self) -> int: ...

    def intern(self, text: str) -> int:
        """The id of a text, which is given the next free one when it is new."""
        ...

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The same for many texts at once, in UTF-8."""
        ...


class Table(Interning, Protocol):
    """Texts by id and ids by text."""

    def __getitem__(self, at: int) -> str: ...

    def spell(self, ids: Sequence[int]) -> list[str]:
        """The texts of many ids at once."""
        ...

    def find(self, text: str) -> int:
        """The id of a text, or -1 when the table has not seen it."""
        ...

    def stems(self, rules: str) -> PreparedStems | None:
        """The stems of these words under `rules`, if they were worked out before."""
        ...


class PreparedStems(NamedTuple):
    """A stem id for each of the first words of a table, and the stems themselves by id."""

    of: Ints
    texts: Table


class UrlTable(Table, Protocol):
    """Canonical URLs by id, and the host of each."""

    def host(self, url: int) -> int:
        """The host's id: equal for two URLs exactly when host and port are equal."""
        ...

    def host_name(self, host: int) -> str:
        """The host, and its port if it has one, as text."""
        ...


class Tables(Protocol):
    """Something whose two tables give meaning to the ids in pages."""

    @property
    def urls(self) -> UrlTable: ...

    @property
    def words(self) -> Table: ...


class Web(Tables, Protocol):
    """Where pages come from, at once."""

    def fetch(self, url: int) -> Response:
        """The answer to one URL, redirects followed. Never raises for what the web did."""
        ...

    def page_at(self, url: int) -> Page | None:
        """The page of a URL that was fetched before, to be looked at again."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Brief:
    """All that a judge or a strategy gets before the first page.

    `examples` and `negatives` are known pages to learn from; they are never charged, never count
    as found, and their links are no start points. `language` is settled. `rng` is the strategy's
    own: the only chance it may use. `own_words` knows what pages say of their own; whoever asks
    it shows it the pages too. `backlinks` is there only if the person named a source of them, `meanings` only if a
    sentence encoder is installed.
    """

    topic: Topic
    language: str
    seeds: Links
    examples: tuple[Page, ...]
    negatives: tuple[Page, ...]
    limits: Limits
    urls: UrlTable
    words: Table
    rng: np.random.Generator
    own_words: OwnWords
    backlinks: Backlinks | None = None
    meanings: Meanings | None = None


Directions = npt.NDArray[np.int8]
"""Vectors by row of which only the direction counts, in numbers from -127 to 127; a row of zeros is unknown."""


class Encoder(Protocol):
    """A model that gives a text a vector: texts of like meaning are near each other.

    Crawls with encoders of one digest, on one machine, are the same.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        ...

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """A row for each text, of length 1."""
        ...


class Meanings(Protocol):
    """What texts mean, as an encoder has it; each text is encoded once a crawl."""

    @property
    def width(self) -> int: ...

    def of(self, texts: Sequence[str]) -> Directions:
        """A row for each text; zeros where nothing is known."""
        ...


@runtime_checkable
class UsesMeanings(Protocol):
    """A strategy or judge that reads `Brief.meanings` where this is true."""

    semantic: bool


class OwnWords(Protocol):
    """What pages say of their own, and not because every page of their site says it."""

    def read(self, pages: Sequence[Page]) -> None:
        """The crawl has read these pages; a page told twice in a row is read once."""
        ...

    def of(self, page: Page) -> Bools:
        """For each token of a page whether it is its own, as far as is known by now."""
        ...

    def language(self, page: Page) -> str:
        """The language of what the page says of its own."""
        ...

    def many(self, page: Page) -> int:
        """How many words of a page are its own."""
        ...

    def basis(self, page: Page) -> RepeatedRows:
        """What these answers depend on, besides the page."""
        ...

    def holds(self, basis: RepeatedRows) -> bool:
        """Whether the answers for the page that this is of would be the same by now."""
        ...


class Backlinks(Protocol):
    """Which pages link to a URL, as far as a recording or an earlier crawl knows."""

    def sources(self, url: int, most: int) -> list[Page]:
        """Up to `most` pages that link to `url`, itself left out; always the same ones in the same order."""
        ...


class Judge(Protocol):
    """What the crawler believes about a page while it runs: not the truth, which it never sees.

    A judge may also be a `StartPageJudge`, a `RescoringJudge` or a `BatchJudge`, and say whether it learns
    (`SaysWhetherItHeeds`) and whether it can be repeated (`SaysWhetherItRepeats`).
    """

    @property
    def line(self) -> float:
        """A page is positive when its score reaches this line."""
        ...

    def start(self, brief: Brief) -> None:
        """Learn what can be learned before the first page; forgets everything before."""
        ...

    def score(self, page: Page) -> float:
        """How much the page is about the topic, in 0..1. Changes nothing."""
        ...

    def watch(self, page: Page, score: float) -> bool:
        """The crawl visited a page and this is how it was scored; True when scores given before may now differ.

        A judge that never learns says False. One that retrains should do so more rarely as the crawl grows,
        for the last 5,000 visited pages are scored again each time. A resumed crawl shows it all pages anew.
        """
        ...

    def learn(self, liked: Sequence[tuple[Page, float]]) -> bool:
        """Take answers about pages; True when scores given before may now differ.

        Above 0 a page is what is wanted, below 0 it is not, and 0 takes back what was said. A person's word weighs 1,
        a language model's less.
        """
        ...


@runtime_checkable
class StartPageJudge(Protocol):
    """A judge that learns from start pages."""

    def start_page(self, page: Page) -> None:
        """A seed led to this page; called before `watch`."""
        ...


@runtime_checkable
class RescoringJudge(Protocol):
    """A judge that kept what it needs to score a watched page again."""

    def score_again(self, url: int, recall: Callable[[int], Page]) -> float:
        """The score of a page that it has watched. `recall` gives the page, if it is needed."""
        ...


@runtime_checkable
class BatchJudge(Protocol):
    """A judge that scores many pages at once: a model on a GPU, or one behind an endpoint.

    A live crawl hands over all pages that arrived while it was busy, and delivers them when their scores are there.
    """

    def score_many(self, pages: Sequence[Page]) -> Sequence[float] | Awaitable[Sequence[float]]:
        """The `score` of each page, in order. It may be `async`: the crawl goes on fetching meanwhile."""
        ...


@runtime_checkable
class AskingJudge(Protocol):
    """A judge that knows which answers would teach it most."""

    def questions(self, most: int, asked: Mapping[int, None]) -> list[int]:
        """Up to `most` pages it has watched, by URL, most telling first; none of those that were `asked`.

        Changes nothing.
        """
        ...


@runtime_checkable
class SaysWhetherItRepeats(Protocol):
    """A class of strategies or judges that says whether the same calls give the same results, bit for bit.

    One that says nothing is taken to. With `deterministic = False` a resumed crawl takes its past as given: it is fed
    what the log holds, and asked for none of it again.
    """

    deterministic: bool


@runtime_checkable
class SaysWhetherItHeeds(Protocol):
    """A class of strategies or judges that says whether feedback changes what it does.

    One that says nothing is taken to heed it. A strategy whose `revise` changes nothing says False, as does a judge
    that never learns: a person is told before they speak.
    """

    heeds: bool


class Strategy(Protocol):
    """Decides which link is fetched next; knows no network, no clock, no disk.

    It is a deterministic function of its settings (keyword-only arguments of its constructor,
    stored untouched) and of the calls made to it: replaying the calls restores it. Scores rise
    with promise. Equal scores: oldest first; a full frontier evicts the lowest score, among
    equals the newest; never by id, for ids follow file order, and file order leaks labels.

    It may choose seeds, links delivered by `observe` and links offered, each URL once; the crawl
    raises `ContractBroken` for any other. One that `walks` may choose a visited page again: the
    crawl answers from what it has, marks a revisit and charges nothing. It may say whether it learns from feedback
    (`SaysWhetherItHeeds`) and name a judge of its own (`NamesJudge`).
    """

    walks: ClassVar[bool]

    def start(self, brief: Brief) -> None:
        """Begin a crawl; forgets everything before."""
        ...

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        """Up to `n` links to fetch now, none on a host in `busy`. A chosen link is paid for."""
        ...

    def observe(self, visit: Visit, fresh: Ints) -> None:
        """A visit happened, of a link that it chose or of one that others did. `fresh` are the places of the page's
        links that were not chosen yet.

        Links that say nofollow, and those of a page that does, are left out.

        The same URL may be fresh many times: queueing it again, moving it up or rescoring it is
        the strategy's business.
        """
        ...

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        """The judge changed its mind about visits, (step, new score); or a person spoke."""
        ...

    def offer(self, links: Links) -> None:
        """Links that come without a visit of this crawl."""
        ...

    def extend(self, limits: Limits) -> None:
        """The budget grew; changes only what follows."""
        ...

    def events(self) -> list[Event]:
        """What happened inside since the last call. Changes no decision, draws no random number."""
        ...

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        """How many links wait, and the `k` best of them. Changes nothing at all."""
        ...


@runtime_checkable
class NamesJudge(Strategy, Protocol):
    """A strategy with a judge of its own, which is used when a person names none."""

    judge: ClassVar[str]


class Log(Protocol):
    """Takes the calls of a crawl in the order they happen: the state of the crawl."""

    @property
    def trouble(self) -> str | None:
        """Why the driver of the crawl should wait with more visits; None as a rule."""
        ...

    @property
    def write_error(self) -> str | None:
        """Why something that was added is not written yet, which is trouble too; None as a rule."""
        ...

    def retry(self) -> None:
        """Write what was added, if that can be done now, and look again for trouble."""
        ...

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        """`choose(room, busy)` was called and returned these."""
        ...

    def add_visit(self, visit: Visit) -> None:
        """A visit was made, and the strategy observed it."""
        ...

    def add_message(self, message: Message) -> None:
        """The crawl got a message besides the answers to its choices, or its strategy reported something."""
        ...

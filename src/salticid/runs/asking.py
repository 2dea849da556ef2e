"""Active judging: choose a few pages whose answers would change the order most, ask somebody who knows, and learn.

Questions and answers are in the log. A crawl that is resumed hears the same answers at the same points, and nobody is
asked again; only a question that was open when a run was killed is asked once more.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import msgspec

from salticid.crawl import Crawl
from salticid.errors import UserError
from salticid.learning import interval
from salticid.messages import Answer, Question, Revision
from salticid.model import Feedback
from salticid.protocols import AskingJudge, Judge
from salticid.store import CrawlLog, all_messages, open_in
from salticid.topic import Topic

if TYPE_CHECKING:
    from salticid.runs.spec import CrawlSpec
    from salticid.webs.live import AskedPage, LanguageModel

TERMINAL = "terminal"
"""The value of --ask that means the person at the terminal."""
PERSON = "person"
"""Who answered, where it was a person; else it is the name of a model."""
FIRST_QUESTION, GROWTH = 20, 1.5
"""Questions come after so many pages, then whenever their number has grown by so much."""
AT_ONCE = 5
"""So many questions at a time."""
LINGER = 2.0
"""Seconds that an answer waits for others, so that pages are not scored anew for each."""
PATIENCE = 10.0
"""Seconds in all that a crawl of a recorded world waits for answers; a live one waits for none. At the end, both do."""
GIVE_UP = 5
"""After so many failures in a row nobody is asked any more in this run."""
CALM = 2
"""The order has settled when so many rounds in a row change one of the best pages at most."""
SETTLED_AFTER = 15
"""Answers before which the order is never taken to have settled."""
LIKINGS = (-0.5, -0.3, 0.3, 0.5)
"""What a model's relevance of 0 to 3 weighs; a person's word weighs 1."""


class Teacher(Protocol):
    """Somebody who knows what is wanted."""

    name: str

    async def answer(self, page: AskedPage) -> tuple[float, str]:
        """The liking of a page and a reason; a liking of 0 is no answer, and the reason says why there is none."""
        ...


class Asker:
    """Asks a teacher about pages of one crawl, and hands the answers to it.

    It is called between two arrivals. `budget` bounds the questions over all runs of the crawl.
    """

    def __init__(
        self,
        crawl: Crawl,
        judge: Judge,
        log: CrawlLog,
        teacher: Teacher,
        budget: int,
        notify: Callable[[], None],
        warn: Callable[[str], None],
    ) -> None:
        self._crawl, self._judge, self._log, self._teacher = crawl, judge, log, teacher
        self._budget, self._notify, self._warn = budget, notify, warn
        self._asked: dict[int, None] = {}
        self._rounds, self._answered, self._tested, self._agreed = 0, 0, 0, 0
        self._calm = self._failures = 0
        self._patience = PATIENCE
        self._work: asyncio.Task[None] | None = None
        self.settled = False
        self._recall()

    def _recall(self) -> None:
        """Take up the questions and answers of earlier runs."""
        find = self._crawl.brief.urls.find
        open_ones: dict[int, None] = {}
        for _, message in all_messages(self._log.database):
            if isinstance(message, Question):
                self._rounds += 1
                open_ones |= dict.fromkeys(map(find, message.urls))
                self._asked |= open_ones
            elif isinstance(message, Revision):
                self._count(message.answers, message.changed)
                for answer in message.answers:
                    open_ones.pop(find(answer.url), None)
        if open_ones:
            self._start(list(open_ones))

    def visit(self) -> None:
        """A page has come: ask, if it is time to."""
        due = self._crawl.pages >= FIRST_QUESTION * GROWTH**self._rounds
        if due and self._work is None and not self.settled and len(self._asked) < self._budget:
            self.ask(min(AT_ONCE, self._budget - len(self._asked)))

    def ask(self, most: int) -> list[int]:
        """Ask up to `most` questions now; which pages they are about, by URL."""
        urls = self._judge.questions(most, self._asked) if isinstance(self._judge, AskingJudge) else []
        self._rounds += 1
        if urls:
            self._asked |= dict.fromkeys(urls)
            self._crawl.ask_about(urls)
            self._log.retry()
            self._start(urls)
        return urls

    def _start(self, urls: Sequence[int]) -> None:
        self._work = asyncio.create_task(self._gather(urls))

    async def catch_up(self) -> None:
        """Wait for the answers, as long as there is patience left: a recorded web would be over before they come."""
        if self._work is not None and self._patience > 0.0:
            loop = asyncio.get_running_loop()
            start = loop.time()
            await asyncio.wait([self._work], timeout=self._patience)
            self._patience -= loop.time() - start

    async def close(self, wait: bool) -> None:
        """Ask no more; of the answers on their way those that come soon count, if the crawl is not interrupted."""
        if self._work is not None:
            if wait:
                await asyncio.wait([self._work], timeout=PATIENCE)
            if self._work is not None:
                self._work.cancel()
                await asyncio.gather(self._work, return_exceptions=True)
        if self._tested:
            self._warn(self.agreement)

    @property
    def agreement(self) -> str:
        """How often the judge and the answers agreed, in words; each answer was compared before it was learned."""
        low, high = interval(self._agreed, self._tested)
        return (
            f"{self._tested} answers; the judge agreed with {self._agreed} before it learned them: "
            f"{self._agreed / self._tested:.0%} (95 % interval {low:.0%} to {high:.0%}), on the pages it doubted most."
        )

    async def _gather(self, urls: Sequence[int]) -> None:
        """Ask about all of these at once; learn what has come whenever a short while has passed."""
        pending = {asyncio.create_task(self._answer(url)): number for number, url in enumerate(urls)}
        order = dict(pending)
        try:
            while pending:
                done, rest = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                if rest:
                    more, _ = await asyncio.wait(rest, timeout=LINGER)
                    done |= more
                for task in done:
                    del pending[task]
                self._learn([task.result() for task in sorted(done, key=order.__getitem__)])
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)
            self._work = None

    async def _answer(self, url: int) -> Answer:
        page = asked_page(self._crawl, url)
        liking, reason = await self._teacher.answer(page)
        return Answer(page.url, liking, self._teacher.name, reason, self._agrees(url, liking))

    def _agrees(self, url: int, liking: float) -> bool | None:
        if not liking:
            return None
        return (self._crawl.score_of_page(url) >= self._crawl.judge.line) == (liking > 0)

    def _learn(self, answers: Sequence[Answer]) -> None:
        """Hand answers to the crawl."""
        crawl, find = self._crawl, self._crawl.brief.urls.find
        said = [answer for answer in answers if answer.by == PERSON and answer.liking]
        changed = crawl.hear([Feedback(find(answer.url), 1 if answer.liking > 0 else -1) for answer in said], answers)
        self._log.retry()
        self._count(answers, changed)
        given = [answer for answer in answers if answer.liking]
        self._failures = 0 if given else self._failures + len(answers)
        if self._failures >= GIVE_UP and self._teacher.name != PERSON and not self.settled:
            self.settled = True
            self._warn(f"Nobody is asked any more: {answers[-1].reason}. The crawl goes on without answers.")
        self._notify()

    def _count(self, answers: Sequence[Answer], changed: int | None) -> None:
        """Count answers of this run or an earlier one; the order may have settled with them."""
        given = sum(bool(answer.liking) for answer in answers)
        self._answered += given
        if given and changed is not None:
            self._calm = self._calm + 1 if changed <= 1 else 0
            self.settled = self.settled or (self._calm >= CALM and self._answered >= SETTLED_AFTER)
        tested = [answer.agrees for answer in answers if answer.agrees is not None]
        self._tested += len(tested)
        self._agreed += sum(tested)


def ask_anew(crawl: Crawl, judge: Judge, log: CrawlLog, most: int = AT_ONCE) -> list[int]:
    """Up to `most` pages to ask a person about, by URL, which were not asked about before; they are noted as asked."""
    if not isinstance(judge, AskingJudge):
        return []
    messages = [message for _, message in all_messages(log.database)]
    find = crawl.brief.urls.find
    asked = dict.fromkeys(find(url) for message in messages if isinstance(message, Question) for url in message.urls)
    urls = judge.questions(most, asked)
    if urls:
        crawl.ask_about(urls)
        log.retry()
    return urls


def wanted(topic: Topic) -> str:
    """What is wanted, in words: what the topic file says of it, else its name and keywords."""
    return topic.about or ". ".join(dict.fromkeys((topic.name, topic.keywords)))


def asked_page(crawl: Crawl, url: int) -> AskedPage:
    """A visited page as somebody is asked about it: its title, and the words that are its own."""
    from salticid.webs.live import AskedPage

    brief, page = crawl.brief, crawl.page_of(url)
    words = brief.words.spell(page.tokens[brief.own_words.of(page)][:1000].tolist())
    return AskedPage(wanted(brief.topic), brief.urls[url], page.title, " ".join(words))


class ModelTeacher:
    """A language model behind an endpoint."""

    def __init__(self, model: LanguageModel) -> None:
        self.name, self._model = model.name, model

    async def answer(self, page: AskedPage) -> tuple[float, str]:
        from salticid.webs.live import NoAnswer

        try:
            verdict = await self._model.judge(page)
        except NoAnswer as error:
            return 0.0, str(error)
        return LIKINGS[verdict.relevance], verdict.reason


_WORDS = {"y": 1.0, "yes": 1.0, "n": -1.0, "no": -1.0}


class PersonTeacher:
    """The person at the terminal, who answers one question after the other; the crawl does not wait."""

    name = PERSON

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show, self._turn = show, asyncio.Lock()
        self._is_gone = False

    async def answer(self, page: AskedPage) -> tuple[float, str]:
        async with self._turn:
            if self._is_gone:
                return 0.0, "nobody answers"
            self._show(f"Is this what you mean? {page.title}\n  {page.url}\n  {page.text[:200]}\n  [y]es, [n]o, [s]kip")
            line = await _line()
            self._is_gone = not line
            return _WORDS.get(line.strip().lower(), 0.0), ""


async def _line() -> str:
    """A line of standard input, without a thread that would outlive the run; empty at its end."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(sys.stdin, ready.set)
    except OSError:  # a regular file is always ready
        return sys.stdin.readline()
    try:
        await ready.wait()
        return sys.stdin.readline()
    finally:
        loop.remove_reader(sys.stdin)


async def asker_of(
    spec: CrawlSpec,
    crawl: Crawl,
    judge: Judge,
    log: CrawlLog,
    stack: AsyncExitStack,
    notify: Callable[[], None],
    warn: Callable[[str], None],
) -> Asker | None:
    """The asker that a spec means, if it means one; what it needs is open as long as the stack."""
    if spec.ask is None:
        return None
    teacher: Teacher
    if spec.ask == TERMINAL:
        teacher = PersonTeacher(warn)
    else:
        from salticid.webs.live import LanguageModel  # here: few need it

        live = spec.live
        model = await stack.enter_async_context(LanguageModel(spec.ask, spec.ask_model, live.allow_net, live.resolve))
        teacher = ModelTeacher(model)
    return Asker(crawl, judge, log, teacher, spec.ask_budget, notify, warn)


def check_asking(spec: CrawlSpec, judge: Judge) -> None:
    """UserError if nobody can be asked so, or the judge would learn nothing from answers."""
    if spec.ask is None:
        return
    if not isinstance(judge, AskingJudge):
        raise UserError(f"the judge {spec.judge!r} asks no questions; leave --ask out, or add --judge profile")
    if spec.ask != TERMINAL:
        from salticid.webs.live import check_endpoint

        check_endpoint(spec.ask, spec.live.allow_net)


# What a person says from elsewhere: `salticid like` leaves it in the crawl folder, for whoever crawls there.

_INBOX = "likes.jsonl"
_LISTEN_EVERY = 0.5
_LONGEST = 1 << 20


class Word(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page is what is wanted (1), is not (-1), or neither (0)."""

    url: Annotated[str, msgspec.Meta(max_length=1 << 13)]
    liking: Annotated[int, msgspec.Meta(ge=-1, le=1)]


def leave_words(folder: Path, words: Sequence[Word]) -> None:
    """Leave what a person says in a crawl folder, for the run that has it or the next one."""
    with open_in(folder, _INBOX, "ab") as file:
        flock(file, LOCK_EX)
        file.write(b"".join(msgspec.json.encode(word) + b"\n" for word in words))


def take_words(folder: Path, hear: Callable[[Sequence[Word]], None]) -> None:
    """Hand over what was left, and empty the file when it was heard; words heard twice after a kill change nothing."""
    try:
        file = open_in(folder, _INBOX, "r+b")
    except FileNotFoundError:
        return
    with file:
        flock(file, LOCK_EX)
        words = []
        for line in file.read(_LONGEST).splitlines():
            with suppress(msgspec.DecodeError):
                words.append(msgspec.json.decode(line, type=Word))
        if words:
            hear(words)
        file.truncate(0)


class Listener:
    """Takes up what was left in the folder of a crawl that runs, now and then."""

    def __init__(self, crawl: Crawl, log: CrawlLog, notify: Callable[[], None]) -> None:
        self._crawl, self._log, self._notify = crawl, log, notify

    def look(self) -> None:
        """Take up what there is now."""
        if self._log.in_memory is None:
            take_words(self._log.folder, self._hear)

    async def listen(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(_LISTEN_EVERY)
            self.look()

    def _hear(self, words: Sequence[Word]) -> None:
        find = self._crawl.brief.urls.find
        self._crawl.hear([Feedback(url, word.liking) for word in words if (url := find(word.url)) >= 0])
        self._log.retry()
        self._notify()

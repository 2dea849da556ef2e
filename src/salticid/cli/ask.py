"""`salticid like`, `salticid dislike` and `salticid ask`: say which pages of a crawl are what you mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli.console import err, out, safe
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.runs import Onlooker, Run

_AT_ONCE = 5
_SNIPPET = 200
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")]
Urls = Annotated[list[str], typer.Argument(metavar="URL...", help="Pages of the crawl.")]


def like(folder: Folder, urls: Urls) -> None:
    """Say that pages of a crawl are what you want: it learns, and ranks pages and links again.

    It may be running; if not, it is resumed for this alone, and fetches nothing.

    Example: salticid like crawls/spiders-hunter http://example.org/jumping-spiders
    """
    _say(folder, urls, 1)


def dislike(folder: Folder, urls: Urls) -> None:
    """Say that pages of a crawl are not what you want; otherwise as salticid like.

    Example: salticid dislike crawls/spiders-hunter http://example.org/spider-man
    """
    _say(folder, urls, -1)


def ask(folder: Folder) -> None:
    """Answer questions about the pages of a crawl whose answers teach it most: yes, no, skip, or quit.

    Example: salticid ask crawls/spiders-hunter
    """
    if _is_running(folder):
        with _Doubtful(folder) as pages:
            for url, title in pages:
                if (answer := _answer(title, url, "")) is None:
                    break
                if answer:
                    _leave(folder, [url], answer)
    else:
        _wake(folder, _questions)


def _say(folder: Path, urls: Sequence[str], liking: int) -> None:
    from salticid.store import CrawlFolder  # here, as below: it takes its time to import
    from salticid.urls import typed

    with closing(CrawlFolder(folder)) as crawl:
        found = [next((url for url in typed(text) if crawl.step_of(url) is not None), None) for text in urls]
    for text, url in zip(urls, found, strict=True):
        if url is None:
            raise UserError(
                f"{text} is no page of the crawl in {folder}; list its pages with: salticid visits {folder}"
            )
    runs = _is_running(folder)
    _leave(folder, [url for url in found if url is not None], liking)
    if not runs:
        _wake(folder, lambda run: None)
    word = "liked" if liking > 0 else "disliked"
    when = "the crawl that runs hears it within a second" if runs else "its pages are ranked again"
    out.print(safe(f"{len(urls)} {word}: {when}."), highlight=False)


def _leave(folder: Path, urls: Iterable[str], liking: int) -> None:
    from salticid.runs import Word, leave_words

    leave_words(folder, [Word(url, liking) for url in urls])


def _is_running(folder: Path) -> bool:
    from salticid.store import CrawlFolder, lock

    CrawlFolder(folder).close()  # which says what is wrong with a folder that holds no crawl
    try:
        lock(folder).close()
    except UserError:
        return True
    return False


def _wake(folder: Path, speak: Callable[[Run], None]) -> None:
    """Resume a crawl, fetch nothing, and let somebody speak to it."""
    from salticid.runs import LiveSettings, kept_order, run
    from salticid.worlds import backlinks_from

    run(kept_order(folder, LiveSettings(), backlinks_from), _woken(speak))


def _woken(speak: Callable[[Run], None]) -> Onlooker:
    from salticid.runs import Onlooker

    class Woken(Onlooker):
        """Ends the run as soon as it was spoken to."""

        def begins(self, end: Callable[[], None]) -> None:
            self._end = end

        def warn(self, sentence: str) -> None:
            err.print(safe(sentence), soft_wrap=True)

        def ready(self, run: Run) -> None:
            speak(run)
            self._end()

    return Woken()


def _questions(run: Run) -> None:
    """Ask a person about pages of a crawl, until they quit or there is nothing left to ask."""
    from salticid.messages import Answer
    from salticid.model import Feedback
    from salticid.protocols import AskingJudge
    from salticid.runs import PERSON, ask_anew, asked_page

    crawl, judge = run.crawl, run.order.judge
    if not isinstance(judge, AskingJudge):
        raise UserError(f"the judge {run.order.spec.judge!r} asks no questions; use salticid like and dislike")
    goes_on = True
    while goes_on and (urls := ask_anew(crawl, judge, run.log)):
        said: list[Answer] = []
        for url in urls:
            page = asked_page(crawl, url)
            answer = _answer(page.title, page.url, page.text)
            if answer is None:
                goes_on = False
                break
            said.append(Answer(page.url, float(answer), PERSON))
        likings = [Feedback(crawl.brief.urls.find(each.url), int(each.liking)) for each in said if each.liking]
        crawl.hear(likings, said)
        crawl.log.retry()


def _answer(title: str, url: str, text: str) -> int | None:
    """1, -1 or 0 for yes, no and skip; None when the person has had enough."""
    err.print(safe(f"Is this what you mean? {title}\n  {url}"), soft_wrap=True, highlight=False)
    if text:
        err.print(safe(f"  {text[:_SNIPPET]}"), soft_wrap=True, highlight=False)
    while True:
        err.print("  yes, no, skip or quit: ", end="", highlight=False)
        word = sys.stdin.readline().strip().lower()
        if not word or word in ("q", "quit"):
            return None
        if word[0] in "yns" and word in ("y", "yes", "n", "no", "s", "skip"):
            return {"y": 1, "n": -1, "s": 0}[word[0]]


class _Doubtful:
    """Pages of a crawl that runs elsewhere, those nearest the threshold first: its judge cannot be asked from here."""

    def __init__(self, folder: Path) -> None:
        from salticid.store import CrawlFolder

        self._crawl = CrawlFolder(folder)

    def __enter__(self) -> list[tuple[str, str]]:
        line = self._crawl.line()
        pages = [visit for visit in self._crawl.visits() if visit.outcome == "ok" and visit.word is None]
        pages.sort(key=lambda visit: abs(visit.current_score - line))
        return [(visit.final_url, visit.title or "") for visit in pages[:_AT_ONCE]]

    def __exit__(self, *_: object) -> None:
        self._crawl.close()

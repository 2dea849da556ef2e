"""What the order of a new crawl means: names are looked up, and its places to start from are found, and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from salticid.errors import unknown
from salticid.judges import judges
from salticid.model import Limits
from salticid.runs.defaults import DEFAULT_STRATEGY
from salticid.runs.spec import LIVE, CrawlSpec
from salticid.runs.start_pages import Sources, Start, clean_query, find_start
from salticid.ui.forms import NewCrawl
from salticid.ui.order_form import WORLD, Wish, judge_for
from salticid.ui.worlds import world_at
from salticid.webs.live.search_engines import Engine


async def new_wish(
    form: NewCrawl, data: Path, engines: Mapping[str, Engine], crawls: Sequence[Path], user_agent: str
) -> tuple[Wish, Start]:
    """The wish, and what was found to start from; `crawls` are those to look into, if the order wants that.

    UserError if a name in the order is unknown, or there is nowhere to start.
    """
    query = " ".join(clean_query(form.query).split())
    strategy = form.strategy or DEFAULT_STRATEGY
    judge = form.judge or judge_for(strategy)
    judges.find(judge)
    if form.world is not None:
        world_at(data, form.world)
    if form.search is not None and form.search not in engines:
        raise unknown("search engine", form.search, engines)
    sources = Sources(
        urls=tuple(form.urls),
        bookmarks=None if form.bookmarks is None else form.bookmarks.encode(),
        engine=engines[form.search] if form.search is not None else None,
        crawls=tuple(crawls) if form.from_crawls else (),
    )
    start = await find_start(query, sources, user_agent)
    spec = CrawlSpec(
        topic=start.topic(query),
        web=LIVE if form.world is None else WORLD + form.world,
        strategy=strategy,
        judge=judge,
        limits=Limits(form.max_pages),
    )
    origins = tuple(seed.origin for seed in start.seeds)
    return Wish(spec=spec, began=datetime.now(UTC).isoformat(), origins=origins), start

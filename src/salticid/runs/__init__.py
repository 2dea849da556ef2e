"""Run lifecycle: start, resume, watch, refresh and stop a crawl.

`CrawlSpec` says what to crawl and how. `run` runs it and gives a `Result`; an `Onlooker` is notified of its progress.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.runs.asking import FIRST_QUESTION, PERSON, Word, ask_anew, asked_page, leave_words
    from salticid.runs.brief import KnownPages, prepare, settle, url_ids
    from salticid.runs.explanations import (
        Causes,
        failures,
        failures_by_host,
        fates_of_start_points,
        main_reason,
        reasons,
        walls_sentence,
    )
    from salticid.runs.lifecycle import ByHost, Part, Run, run, run_async
    from salticid.runs.live import LiveRun, Stopwatch, live_web, read_known_pages
    from salticid.runs.live_settings import (
        USER_AGENT,
        LiveSettings,
        how_to_set_contact,
        own_user_agent,
        without_password,
        without_value,
    )
    from salticid.runs.metrics_server import (
        LOOPBACK,
        MEDIA_TYPE,
        SHORTEST_TOKEN,
        Binding,
        ClusterGauges,
        Counts,
        CrawlFigures,
        Gauges,
        MetricsPort,
        MetricsServer,
        bearer,
        openmetrics,
        own_token,
        same_token,
        token_of_environment,
    )
    from salticid.runs.named import description, judge_in, judge_of, own, strategy_of, unheeded
    from salticid.runs.onlooker import Onlooker
    from salticid.runs.order import (
        WHY,
        ForeignWeb,
        Order,
        Recipe,
        Result,
        check_folder,
        kept_order,
        resolve,
        uses_meanings,
    )
    from salticid.runs.past import Past, relive
    from salticid.runs.recorded import MemoryLog, RecordedCrawl
    from salticid.runs.refreshing import FateRule, Look, PageFate, Refresh, last_settings, refresh
    from salticid.runs.spec import (
        DEFAULT_JUDGE,
        DEFAULT_STRATEGY,
        LIVE,
        CrawlSpec,
        Field,
        changed,
        fields,
        keywords,
        plain_type,
        scoped,
        spec_of,
        values_of,
    )
    from salticid.runs.start_pages import LARGEST, LONGEST_QUERY, MOST_URLS, Sources, Start, clean_query, find_start
    from salticid.runs.watch import ROUND_INTERRUPTED, watch_crawl
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

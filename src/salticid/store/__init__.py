"""The crawl folder: the log in SQLite, near-duplicates, search, and readers of all of it.

No other package knows the tables. `CrawlLog` writes a crawl, `CrawlFolder` reads one back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.store.continuing import (
        AS_GIVEN,
        check_not_merged,
        check_same,
        current_limits,
        first_limits,
        new_limits,
    )
    from salticid.store.crawl_folder import CrawlFolder, NoCrawlYet
    from salticid.store.database import Database
    from salticid.store.editions import edition_of
    from salticid.store.files import PRIVATE, UnsafeFile, folder_in, open_in, remove_in, replace_in
    from salticid.store.folder_lock import IN_MEMORY, SHARDS, lock, thing_of_others
    from salticid.store.index import INDEX_FILE, WordIndex, forms_of, search_words
    from salticid.store.log import CrawlLog
    from salticid.store.merging import FILES_A_PART, Part, Whole, merge_crawls
    from salticid.store.other_crawls import OtherCrawls
    from salticid.store.packing import UNREADABLE, Damaged, unpack_page
    from salticid.store.record import (
        Call,
        ChoiceCall,
        ChoiceRow,
        Delivery,
        LogMark,
        Record,
        StoredArrival,
        VisitRow,
        all_messages,
        arrival_at,
        arrivals,
        check_visits,
        choice_at,
        fits,
        last_visit,
        logged_messages,
        mark_of,
    )
    from salticid.store.schema import CHOICE, DATABASE_FILE, SESSION, SNAPSHOT, VISIT
    from salticid.store.search import Hit, Query, RepeatedWords, Search, page_snippet
    from salticid.store.stored_visit import LISTED, StoredVisit, Word, is_on_topic, time_of, walls
    from salticid.store.views import HOSTS_OF_VISITS
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)

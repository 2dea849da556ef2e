"""Views of a crawl for those who ask in SQL: `visits`, `pages` and `hosts`, in the database of the crawl itself.

They tell what `salticid visits` and `salticid export` tell, by the same names (docs/sql.md). Computed numbers are cast:
else SQLite would not compare them with numbers that programs hand over as text. No row is checked on this way.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from salticid.model import NO_SHARD
from salticid.store.news import CHANGED, GONE, SAME

_OF_KIND = """instr(body, '{"type":"%s"') = 1"""
_LAST = f"""SELECT CAST(json_extract(pair.value, '$[0]') AS %s), json_extract(pair.value, '$[1]'),
    max(seq * 1000000 + pair.key)
    FROM message, json_each(body, '$.%s') AS pair WHERE {_OF_KIND % "revision"} GROUP BY 1"""
"""By step or URL the last of what revisions say: the row of a maximum gives the other columns, in SQLite."""
_HEARD = f"""
judge (line) AS (
    SELECT coalesce((SELECT CAST(value AS REAL) FROM about WHERE name = 'line' AND value <> 'null'),
        (SELECT min(score) FROM visit WHERE positive = 1))),
later (step, score, turn) AS ({_LAST % ("INTEGER", "scores")}),
liking (url, liked, turn) AS ({_LAST % ("TEXT", "feedback")}),
said (url, word) AS (SELECT url, CASE liked WHEN 1 THEN 'liked' WHEN -1 THEN 'rejected' END FROM liking),
feed (step, url) AS (
    SELECT CAST(json_extract(body, '$.glimpse.step') AS INTEGER), max(json_extract(body, '$.glimpse.url')) FROM message
    WHERE {_OF_KIND % "sight"} AND json_extract(body, '$.glimpse.origin') = {NO_SHARD} GROUP BY 1)"""
"""The judge's line, the last score of a visit and the last word on a page, and the feeds that the crawl was shown.

Each is worked out once a question and then looked up by its first column, which needs a type for that.
"""

_HOST = "substr({0}, instr({0}, '://') + 3, instr(substr({0}, instr({0}, '://') + 3), '/') - 1)"
_TIME = "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')"
_NOW = "coalesce(later.score, v.score)"
_ZERO = """(SELECT wall - "at" FROM session WHERE id = (SELECT max(id) FROM session WHERE "at" <= v."at"))"""

_VISITS = f"""CREATE VIEW visits AS WITH {_HEARD}
SELECT v.step, u.text AS url, f.text AS final_url, {_HOST.format("f.text")} AS host, v.outcome, v.status,
    v.score, CAST({_NOW} AS REAL) AS current_score,
    CAST(CASE WHEN v.outcome <> 'ok' OR v.revisit = 1 THEN 0 WHEN said.word IS NOT NULL THEN said.word = 'liked'
        ELSE coalesce({_NOW} >= judge.line, 0) END AS INTEGER) AS on_topic,
    said.word AS word, p.title, c.source AS source_step,
    coalesce(sf.text, feed.url) AS source, c.place, v.depth, c.score AS promise, c.why, c.agent,
    v.revisit, tf.text AS duplicate_of, v.seconds, v."at", {_TIME.format(f'{_ZERO} + v."at"')} AS fetched,
    {_TIME.format("v.modified")} AS last_modified, v.size
FROM visit v
CROSS JOIN judge
JOIN choice c ON c.id = v.choice
JOIN url u ON u.id = c.url
JOIN url f ON f.id = v.final
LEFT JOIN page p ON p.step = v.step
LEFT JOIN later ON later.step = v.step
LEFT JOIN url pu ON pu.id = p.url
LEFT JOIN said ON said.url = pu.text
LEFT JOIN visit s ON s.step = c.source
LEFT JOIN url sf ON sf.id = s.final
LEFT JOIN feed ON feed.step = c.source
LEFT JOIN visit t ON t.step = v.duplicate_of
LEFT JOIN url tf ON tf.id = t.final"""

_PAGES = f"""CREATE VIEW pages AS WITH
newest (step, id) AS (SELECT step, max(id) FROM recheck WHERE finding = '{CHANGED}' GROUP BY step),
last (step, id) AS (
    SELECT step, max(id) FROM recheck WHERE finding IN ('{CHANGED}', '{GONE}', '{SAME}') GROUP BY step)
SELECT v.step, v.url, v.final_url, v.host, coalesce(w.title, v.title) AS title, v.score, v.current_score,
    v.on_topic, v.word, coalesce({_TIME.format("r.wall")}, v.fetched) AS fetched,
    CASE WHEN r.id IS NULL THEN v.last_modified ELSE {_TIME.format("r.modified")} END AS last_modified,
    v.source_step, v.source, v.depth, v.duplicate_of, CAST(coalesce(w.noindex, p.noindex) AS INTEGER) AS noindex,
    CAST(coalesce(l.finding = '{GONE}', 0) AS INTEGER) AS gone,
    CAST(coalesce(r.size, v.size) AS INTEGER) AS size
FROM visits v
JOIN page p ON p.step = v.step
LEFT JOIN newest ON newest.step = v.step
LEFT JOIN recheck r ON r.id = newest.id
LEFT JOIN version w ON w.recheck = newest.id
LEFT JOIN last ON last.step = v.step
LEFT JOIN recheck l ON l.id = last.id"""

HOSTS_OF_VISITS = """SELECT host, CAST(count(step) AS INTEGER) AS visits,
    CAST(sum(outcome = 'ok' AND revisit = 0) AS INTEGER) AS pages, CAST(sum(on_topic) AS INTEGER) AS on_topic,
    CAST(max(CASE WHEN outcome = 'ok' THEN current_score END) AS REAL) AS best_score,
    CAST(min(step) AS INTEGER) AS first_step, CAST(min(depth) AS INTEGER) AS depth, CAST(sum(size) AS INTEGER) AS size
FROM visits GROUP BY host"""
_HOSTS = f"CREATE VIEW hosts AS {HOSTS_OF_VISITS}"

VIEWS = {"visits": _VISITS, "pages": _PAGES, "hosts": _HOSTS}
"""By name what makes each; a later one may ask an earlier one."""


def make_views(db: sqlite3.Connection) -> None:
    """See to it that a database has our views as they are now; one that cannot be written to goes without."""
    there = dict(db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'view'"))
    if any(there.get(name) != statement for name, statement in VIEWS.items()):
        with suppress(sqlite3.OperationalError), db:
            db.execute("BEGIN IMMEDIATE")
            for name in reversed(VIEWS):
                db.execute(f"DROP VIEW IF EXISTS {name}")
            for statement in VIEWS.values():
                db.execute(statement)

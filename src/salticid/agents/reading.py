"""What an agent reads of hunts. All that pages said is marked as untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from salticid.agents.hunts import Hunt, marked
from salticid.errors import UserError
from salticid.runs import fates_of_start_points, reasons
from salticid.service import FAILED, page_snippets, search_all
from salticid.store import arrival_at

LONGEST = 20_000
"""Characters of a page that are read at once."""


def status(hunt: Hunt) -> dict[str, Any]:
    """How far a hunt is; of one that has ended and read nothing, also why its start points failed."""
    told = hunt.status()
    if told["state"] != "ended" or told["pages"] or told["stopped"] == FAILED:
        return told
    with hunt.log() as log:
        failed = [fate for fate in fates_of_start_points(log) if fate.state == "failed"]
    return {**told, **marked(failed_starts=[{"url": fate.url, "cause": fate.cause} for fate in failed])}


def results(hunt: Hunt, count: int, after: int = 0) -> dict[str, Any]:
    """The best pages by now, best first, each with the passage that shows why, and why its link was followed."""
    with hunt.log() as log:
        on_topic = set(log.on_topic(twins=True))
        visits = log.best(after + count)[after:]
        passages = page_snippets(log, [visit.step for visit in visits], hunt.wish.query)["snippets"]
        pages = [
            {
                "step": visit.step,
                "url": visit.final_url,
                "title": visit.title or "",
                "score": round(visit.current_score, 3),
                "on_topic": visit.step in on_topic,
                "passage": "".join(text for text, _ in passages.get(str(visit.step), ())),
                "why": [{"reason": why.line, "share": why.share} for why in reasons(visit.why)],
                "linked_from": visit.source,
            }
            for visit in visits
        ]
    return {"hunt": hunt.name, "count": len(pages), **marked(pages=pages)}


def questions(hunt: Hunt, steps: Sequence[int]) -> dict[str, Any]:
    """Pages that a hunt asks about, and what is wanted, with the beginning of what each says."""
    with hunt.log() as log:
        visits = list(log.visits_at(steps))
        passages = page_snippets(log, steps, hunt.wish.query)["snippets"]
        pages = [
            {
                "step": visit.step,
                "url": visit.final_url,
                "title": visit.title or "",
                "passage": "".join(text for text, _ in passages.get(str(visit.step), ())),
            }
            for visit in visits
        ]
    topic = hunt.wish.spec.topic
    return {"hunt": hunt.name, "wanted": topic.about or hunt.wish.query, **marked(pages=pages)}


def search(hunts: Sequence[Hunt], words: str, count: int) -> dict[str, Any]:
    """The pages of some hunts that hold some words, best first."""
    found = search_all([hunt.folder for hunt in hunts], words)[:count]
    pages = [
        {
            "hunt": hit["crawl"],
            "step": hit["step"],
            "url": hit["url"],
            "title": hit["title"],
            "score": round(hit["score"], 3),
            "passage": "".join(text for text, _ in hit["snippet"]),
        }
        for hit in found
    ]
    return {"words": words, "count": len(pages), **marked(pages=pages)}


def page(hunt: Hunt, step: int, start: int = 0) -> dict[str, Any]:
    """The text of a page from a character on, and where to go on reading, None at its end."""
    with hunt.log() as log:
        read = log.page(step) if arrival_at(log.database, step) is not None else None
        if read is None:
            raise UserError(f"step {step} found no page; name the step of one that results or search gave")
        url = log.visit(step).final_url
    end = start + LONGEST
    return {
        "hunt": hunt.name,
        "step": step,
        "characters": len(read.text),
        "next_start": end if end < len(read.text) else None,
        **marked(url=url, title=read.title, text=read.text[start:end]),
    }

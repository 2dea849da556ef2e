"""The compiled part of the kernel: plain functions over arrays, in the order in which a crawl calls them.

What runs for each link takes single arrays, no tuples of them, and cuts no slices: each would cost a count of
references, which is dearer than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import njit

from salticid.crawl import DEEPEST, HELD_AT_ONCE, MOST_HELD
from salticid.evolve.graph import ANSWERS, NOT_RECORDED
from salticid.languages import MOST_ROOTS
from salticid.model import Outcome
from salticid.strategies.parts import ANCHOR, AUTHORITY, COMM_IN, COMM_OUT, CONTEXT, HOST, HUB, LEVELS, PARENT_1
from salticid.tables import CHOSEN, FAILED, KNOWN, REACHED

OK, ROBOTS, DUPLICATE = map(ANSWERS.index, (Outcome.OK, Outcome.ROBOTS, Outcome.DUPLICATE))

URL, STATE, FLAGS, HEAD, AGE, DEPTH, PARENTS, INSIDE, DISTANCE = range(9)
WHOLES = 9
"""The whole numbers of a slot: the last link to its URL, its age in the frontier, ... `DISTANCE` is the depth by which
links are ranked: 0 for those that no page led to, seeds and offered ones."""
SEEN, IN_COMMUNITY, CLOSED, WAITING, HELD, KEPT, HELD_BACK = 1, 2, 4, 8, 16, 32, 64
"""`HELD` are links to other languages; while a page is read, its links are `KEPT` or `HELD_BACK` from the strategy."""
LINKS, OUT, ANCHOR_BEST, CONTEXT_BEST, RANK, MOST = range(6)
LEAST = MOST + LEVELS
FLOATS = 16
"""The floats of a slot, as in `salticid.strategies.parts.rank_urls`, and its rank."""
SLOTS, HEAP, ALIVE, AGES, EDGES, STEPS, PAGES, ALL_LINKS, ALL_SEEN, PHASE, FETCHES, HOLDS, ROOTS = range(13)
"""Counts of the crawl."""


F = TypeVar("F", bound=Callable[..., Any])


def _inner(function: F) -> F:
    """Compile what only compiled code calls, so that it need not be callable from outside: that takes long."""
    wrapper: F = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
    return wrapper


class World(NamedTuple):
    """What is crawled: never written to."""

    final: Any
    outcome: Any
    page: Any
    host: Any
    canonical: Any
    start: Any
    out: Any
    score: Any
    signed: Any
    anchor: Any
    context: Any
    sign_start: Any
    sign_link: Any
    sign_end: Any
    sign: Any


class Visits(NamedTuple):
    """The visits as they are made."""

    url: Any
    final: Any
    outcome: Any
    page: Any
    depth: Any


class Work(NamedTuple):
    """Working memory: slots by URL; rows by slot; the heap; links by number; counts by host."""

    slot: Any
    whole: Any
    floats: Any
    count: Any
    key: Any
    tag: Any
    link_page: Any
    link_before: Any
    host_pages: Any
    host_good: Any
    held: Any
    held_depth: Any
    is_language: Any
    visits: Visits


class Given(NamedTuple):
    """How to crawl."""

    weights: Any
    seeds: Any
    max_pages: int
    max_fetches: int
    capacity: int
    low: int
    line: float
    by_distance: bool


@njit(cache=True, error_model="numpy")
def run_crawl(world: World, work: Work, plan: Given, rng: Any) -> Any:
    """Crawl to the end; the number of visits."""
    count, whole = work.count, work.whole
    for number in range(len(count)):
        count[number] = 0
    work.is_language[:] = False
    for url in plan.seeds:
        slot = slot_for(work.slot, whole, work.floats, count, url)
        whole[slot, STATE] = KNOWN
        whole[slot, FLAGS] = SEEN | IN_COMMUNITY
        enter(whole, work.floats, work.key, work.tag, count, slot, np.inf)
    count[ALL_SEEN] = len(plan.seeds)
    first_room = max(plan.capacity, len(plan.seeds))
    flying, entries = np.empty(first_room, np.int32), np.empty(first_room, np.int64)
    flights, refills = 0, 0
    while True:
        room = first_room if refills == 0 else plan.capacity - flights if flights <= plan.low else 0
        if room > 0:
            launches = refill(work, plan, flying, flights, room)
            refills += launches > 0
            for at in range(flights, flights + launches):
                entries[at] = refills
            flights += launches
        if flights == 0:
            return count[STEPS]
        at = draw_arrival(entries, flights, refills, rng)
        slot = flying[at]
        flights -= 1
        for later in range(at, flights):
            flying[later], entries[later] = flying[later + 1], entries[later + 1]
        page, final = arrive(world, work, slot)
        if page >= 0:
            phase = min((count[PAGES] + 1) * len(plan.weights) // plan.max_pages, len(plan.weights) - 1)
            verdict = verdict_on(world, plan.line, page)
            download(world, work, plan.weights, -1 if plan.by_distance else phase, verdict, slot, page, final)
            if phase > count[PHASE] and not plan.by_distance:
                count[PHASE] = phase
                rank_all(world, work, plan.weights, phase)
        whole[slot, FLAGS] |= CLOSED


@_inner
def refill(work: Work, plan: Given, flying: Any, flights: int, room: int) -> Any:
    """Take the best of the frontier, as far as room and budget go; how many.

    One that a redirect or a canonical link has led to meanwhile is a duplicate at once, and leaves room for another.
    When nothing is left, links to other languages are offered.
    """
    whole, count = work.whole, work.count
    number = 0
    while True:
        step = count[STEPS]
        space = min(plan.max_pages - count[PAGES], plan.max_fetches - count[FETCHES]) - flights
        if min(room, space) <= number:
            return number
        for _ in range(min(room, space) - number):
            slot = best(whole, work.floats, work.key, work.tag, count)
            if slot < 0:
                break
            if whole[slot, STATE] == KNOWN:
                flying[flights + number] = slot
                number += 1
            else:
                note_visit(work, slot, whole[slot, URL], DUPLICATE, -1)
                whole[slot, FLAGS] |= CLOSED
            whole[slot, STATE] = CHOSEN
        if step != count[STEPS]:
            continue
        if flights + number > 0 or count[HOLDS] == 0:
            return number
        offer_held(work, plan)


@_inner
def offer_held(work: Work, plan: Given) -> None:
    """Put some of the links that were held into the frontier, the oldest first, all of one depth."""
    whole, floats, count, held, held_depth = work.whole, work.floats, work.count, work.held, work.held_depth
    perfect = 0.0
    for term in range(plan.weights.shape[1]):
        perfect += plan.weights[count[PHASE], term]
    depth, offered, left = held_depth[0], 0, 0
    for at in range(count[HOLDS]):
        slot = held[at]
        if offered == HELD_AT_ONCE or held_depth[at] != depth:
            held[left], held_depth[left] = slot, held_depth[at]
            left += 1
            continue
        offered += 1
        whole[slot, FLAGS] ^= HELD
        if whole[slot, STATE] < REACHED:
            whole[slot, DEPTH] = depth
            enter(whole, floats, work.key, work.tag, count, slot, perfect)
    count[HOLDS] = left


@_inner
def draw_arrival(entries: Any, flights: int, refills: int, rng: Any) -> Any:
    """Who of those in flight returns next: each as probable as it has seen refills."""
    total = 0
    for at in range(flights):
        total += refills + 1 - entries[at]
    rest, at = rng.integers(0, total), -1
    while rest >= 0:
        at += 1
        rest -= refills + 1 - entries[at]
    return at


@_inner
def arrive(world: World, work: Work, slot: int) -> Any:
    """One answer has come back, and the visit it makes is noted; its page, -1 for none, and its URL."""
    slots, whole, floats, count = work.slot, work.whole, work.floats, work.count
    url = whole[slot, URL]
    final, outcome, page = url, NOT_RECORDED, -1
    if url < len(world.final):
        final, outcome, page = world.final[url], int(world.outcome[url]), world.page[url]
    count[FETCHES] += outcome != ROBOTS
    if outcome != OK:
        whole[slot, STATE] = FAILED
    else:
        canonical = world.canonical[page]
        if final != url and is_reached(slots, whole, final):
            outcome, page = DUPLICATE, -1
        elif canonical >= 0 and canonical != url and is_reached(slots, whole, canonical):
            final, outcome, page = canonical, DUPLICATE, -1
        else:
            if final != url:
                whole[slot_for(slots, whole, floats, count, final), STATE] = REACHED
            if canonical >= 0 and canonical != url:
                whole[slot_for(slots, whole, floats, count, canonical), STATE] = REACHED
    note_visit(work, slot, final, outcome, page)
    at = slots[final]
    if at >= 0 and whole[at, FLAGS] & WAITING:
        whole[at, FLAGS] ^= WAITING
        count[ALIVE] -= 1
    return page, final


@_inner
def note_visit(work: Work, slot: int, final: int, outcome: int, page: int) -> None:
    """Write a visit down."""
    step, visits = work.count[STEPS], work.visits
    visits.url[step], visits.final[step] = work.whole[slot, URL], final
    visits.outcome[step], visits.page[step] = outcome, page
    visits.depth[step] = work.whole[slot, DEPTH]
    work.count[STEPS] += 1


@_inner
def verdict_on(world: World, line: float, page: int) -> Any:
    """The signed score of a page, and whether the judge calls it positive."""
    return world.signed[page], world.score[page] >= line


@_inner
def download(
    world: World, work: Work, weights: Any, phase: int, verdict: Any, slot: int, page: int, final: int
) -> None:
    """A page may join the community, tells the URLs it links to, and these are ranked; phase -1: by their distance."""
    slots, whole, floats, count = work.slot, work.whole, work.floats, work.count
    out, hosts, host_pages, host_good = world.out, world.host, work.host_pages, work.host_good
    link_page, link_before, key, tag = work.link_page, work.link_before, work.key, work.tag
    score, positive = verdict
    inside = positive or whole[slot, FLAGS] & IN_COMMUNITY != 0
    final_slot = slots[final]
    if inside:
        join(world.start, out, slots, whole, floats, link_page, link_before, slot)
        join(world.start, out, slots, whole, floats, link_page, link_before, final_slot)
    begin, end = world.start[page], world.start[page + 1]
    size, in_community = end - begin, 0
    for link in range(begin, end):
        at = slot_for(slots, whole, floats, count, out[link])
        flags = whole[at, FLAGS]
        count[ALL_SEEN] += flags & SEEN == 0
        in_community += flags & IN_COMMUNITY != 0
        whole[at, FLAGS] = flags | SEEN
    count[PAGES] += 1
    count[ALL_LINKS] += size
    host_pages[hosts[final]] += 1
    host_good[hosts[final]] += positive
    most, least = np.empty(LEVELS), np.empty(LEVELS)
    most[0] = least[0] = score
    for level in range(1, LEVELS):
        most[level], least[level] = floats[slot, MOST + level - 1], floats[slot, LEAST + level - 1]
    share, depth = in_community / size, min(whole[slot, DEPTH], DEEPEST) + 1
    hold_others(world, work, page, min(depth, DEEPEST))
    reads, farthest = len(world.anchor) > 0, len(weights) - 1
    for link in range(begin, end):
        at = slots[out[link]]
        if whole[at, FLAGS] & CLOSED:
            continue
        edge = count[EDGES]
        count[EDGES] += 1
        link_page[edge], link_before[edge] = page, whole[at, HEAD]
        whole[at, HEAD] = edge
        whole[at, PARENTS] += 1
        whole[at, INSIDE] += inside
        floats[at, LINKS] += size
        floats[at, OUT] += share
        for level in range(LEVELS):
            floats[at, MOST + level] = max(floats[at, MOST + level], most[level])
            floats[at, LEAST + level] = min(floats[at, LEAST + level], least[level])
        if reads:
            floats[at, ANCHOR_BEST] = max(floats[at, ANCHOR_BEST], world.anchor[link])
            floats[at, CONTEXT_BEST] = max(floats[at, CONTEXT_BEST], world.context[link])
        if whole[at, STATE] >= REACHED:
            continue
        whole[at, STATE] = KNOWN
        is_held_back = whole[at, FLAGS] & HELD_BACK != 0
        whole[at, FLAGS] &= ~(KEPT | HELD_BACK)
        if is_held_back:
            continue
        row = phase
        if phase < 0:
            row = min((whole[at, DISTANCE] if whole[at, FLAGS] & WAITING else depth) - 1, farthest)
            row = max(row, 0)
        host_score = 0.0
        if weights[row, HOST] > 0:
            host = hosts[whole[at, URL]]
            host_score = (host_good[host] + 1) / (host_pages[host] + 2)
        rank = rank_of(whole, floats, count, weights, row, at, host_score)
        if not whole[at, FLAGS] & WAITING:
            whole[at, DEPTH] = whole[at, DISTANCE] = depth
            enter(whole, floats, key, tag, count, at, rank)
        elif floats[at, RANK] < np.inf and floats[at, RANK] != rank:
            push(whole, floats, key, tag, count, at, rank)
    whole[final_slot, FLAGS] |= CLOSED


@_inner
def hold_others(world: World, work: Work, page: int, depth: int) -> None:
    """Hold the links of a page that lead to other languages, and may still be chosen.

    A link that occurs twice may be kept first, and held when a link between has shown that its root is a language's.
    """
    slots, whole, count = work.slot, work.whole, work.count
    for each in range(world.sign_start[page], world.sign_start[page + 1]):
        slot = slots[world.out[world.sign_link[each]]]
        if whole[slot, STATE] >= REACHED:
            continue
        begin = world.sign_end[each - 1] if each > 0 else 0
        if not leads_to_another(world.sign, work.is_language, count, begin, world.sign_end[each]):
            whole[slot, FLAGS] |= KEPT
            continue
        if not whole[slot, FLAGS] & KEPT:
            whole[slot, FLAGS] |= HELD_BACK
        if not whole[slot, FLAGS] & HELD and count[HOLDS] < MOST_HELD:
            whole[slot, FLAGS] |= HELD
            work.held[count[HOLDS]], work.held_depth[count[HOLDS]] = slot, depth
            count[HOLDS] += 1


@_inner
def leads_to_another(sign: Any, is_language: Any, count: Any, begin: int, end: int) -> Any:
    """Whether a link with these signs leads to another language; from then on its root is known as a language's."""
    for at in range(begin, end):
        root = abs(sign[at])
        if sign[at] < 0 and not is_language[root] and count[ROOTS] < MOST_ROOTS:
            is_language[root] = True
            count[ROOTS] += 1
        if sign[at] <= 0 or is_language[root]:
            return True
    return False


@_inner
def rank_all(world: World, work: Work, weights: Any, phase: int) -> None:
    """Other weights rule: rank all that wait, seeds aside."""
    whole, floats, count = work.whole, work.floats, work.count
    for slot in range(count[SLOTS]):
        if whole[slot, FLAGS] & WAITING and floats[slot, RANK] < np.inf:
            host = world.host[whole[slot, URL]]
            host_score = (work.host_good[host] + 1) / (work.host_pages[host] + 2)
            floats[slot, RANK] = rank_of(whole, floats, count, weights, phase, slot, host_score)
    gather(whole, floats, work.key, work.tag, count)


@_inner
def is_reached(slots: Any, whole: Any, url: int) -> Any:
    """Whether a URL was chosen or led to, and did not fail."""
    slot = slots[url]
    return slot >= 0 and (whole[slot, STATE] == REACHED or whole[slot, STATE] == CHOSEN)


@_inner
def join(
    start: Any, out: Any, slots: Any, whole: Any, floats: Any, link_page: Any, link_before: Any, slot: int
) -> None:
    """A URL joins the community: pages that link to it have one link more into it."""
    if whole[slot, FLAGS] & IN_COMMUNITY:
        return
    whole[slot, FLAGS] |= IN_COMMUNITY
    edge = whole[slot, HEAD]
    while edge >= 0:
        page = link_page[edge]
        share = 1.0 / (start[page + 1] - start[page])
        for link in range(start[page], start[page + 1]):
            floats[slots[out[link]], OUT] += share
        edge = link_before[edge]


@_inner
def slot_for(slots: Any, whole: Any, floats: Any, count: Any, url: int) -> Any:
    """The slot of a URL, a new one if it has none."""
    slot = slots[url]
    if slot < 0:
        slot = count[SLOTS]
        count[SLOTS] += 1
        slots[url] = slot
        for place in range(WHOLES):
            whole[slot, place] = 0
        whole[slot, URL] = url
        whole[slot, HEAD] = -1
        for place in range(MOST):
            floats[slot, place] = 0.0
        for level in range(LEVELS):
            floats[slot, MOST + level] = -np.inf
            floats[slot, LEAST + level] = np.inf
    return slot


@_inner
def rank_of(whole: Any, floats: Any, count: Any, weights: Any, phase: int, slot: int, host_score: float) -> Any:
    """The weighted sum of the scores of a URL, added up in the order of the terms."""
    parents = whole[slot, PARENTS]
    hub = floats[slot, LINKS] / parents / (count[ALL_LINKS] / count[PAGES])
    total = weights[phase, HUB] * hub
    total += weights[phase, AUTHORITY] * (parents / (count[ALL_LINKS] / count[ALL_SEEN]))
    total += weights[phase, COMM_IN] * (whole[slot, INSIDE] / parents)
    total += weights[phase, COMM_OUT] * floats[slot, OUT]
    for level in range(LEVELS):
        most = floats[slot, MOST + level]
        telling = most if most >= 0 else 0.0 if most == -np.inf else floats[slot, LEAST + level]
        total += weights[phase, PARENT_1 + level] * telling
    total += weights[phase, ANCHOR] * floats[slot, ANCHOR_BEST]
    total += weights[phase, CONTEXT] * floats[slot, CONTEXT_BEST]
    total += weights[phase, HOST] * host_score
    return total


@_inner
def enter(whole: Any, floats: Any, key: Any, tag: Any, count: Any, slot: int, score: float) -> None:
    """A URL joins the frontier, the youngest there."""
    count[AGES] += 1
    count[ALIVE] += 1
    whole[slot, AGE] = count[AGES]
    whole[slot, FLAGS] |= WAITING
    push(whole, floats, key, tag, count, slot, score)


@_inner
def push(whole: Any, floats: Any, key: Any, tag: Any, count: Any, slot: int, score: float) -> None:
    """Give a waiting URL this rank. Where it stood before, a dead entry is left; when most are, all are dropped."""
    floats[slot, RANK] = score
    if count[HEAP] > 2 * count[ALIVE] + 1024:
        gather(whole, floats, key, tag, count)
        return
    at = count[HEAP]
    count[HEAP] += 1
    mine = np.int64(whole[slot, AGE]) << 32 | slot
    while at > 0:
        up = (at - 1) >> 2
        if key[up] > score or (key[up] == score and tag[up] < mine):
            break
        key[at], tag[at] = key[up], tag[up]
        at = up
    key[at], tag[at] = score, mine


@_inner
def best(whole: Any, floats: Any, key: Any, tag: Any, count: Any) -> Any:
    """Take the best of the frontier, the oldest among equals; -1 when none is left."""
    while count[HEAP] > 0:
        score, mine = key[0], tag[0]
        count[HEAP] -= 1
        sink(key, tag, 0, count[HEAP], key[count[HEAP]], tag[count[HEAP]])
        slot = mine & 0xFFFFFFFF
        waits = whole[slot, FLAGS] & WAITING != 0 and whole[slot, AGE] == mine >> 32
        if waits and floats[slot, RANK] == score:
            whole[slot, FLAGS] ^= WAITING
            count[ALIVE] -= 1
            return slot
    return -1


@_inner
def sink(key: Any, tag: Any, at: int, size: int, score: float, mine: int) -> None:
    """Put an entry at a place of a heap of `size`, or below it, so that the better stay above."""
    while True:
        child = 4 * at + 1
        if child >= size:
            break
        for other in range(child + 1, min(child + 4, size)):
            if key[other] > key[child] or (key[other] == key[child] and tag[other] < tag[child]):
                child = other
        if score > key[child] or (score == key[child] and mine < tag[child]):
            break
        key[at], tag[at] = key[child], tag[child]
        at = child
    key[at], tag[at] = score, mine


@_inner
def gather(whole: Any, floats: Any, key: Any, tag: Any, count: Any) -> None:
    """Make the heap anew from all that wait."""
    size = 0
    for slot in range(count[SLOTS]):
        if whole[slot, FLAGS] & WAITING:
            key[size], tag[size] = floats[slot, RANK], np.int64(whole[slot, AGE]) << 32 | slot
            size += 1
    for at in range((size - 2) // 4, -1, -1):
        sink(key, tag, at, size, key[at], tag[at])
    count[HEAP] = size


@njit(cache=True)
def restore(world: World, work: Work) -> None:
    """Put back what a crawl has touched, so that the next one finds all as if it were new."""
    for slot in range(work.count[SLOTS]):
        work.slot[work.whole[slot, URL]] = -1
    for step in range(work.count[STEPS]):
        if work.visits.page[step] >= 0:
            host = world.host[work.visits.final[step]]
            work.host_pages[host] = work.host_good[host] = 0

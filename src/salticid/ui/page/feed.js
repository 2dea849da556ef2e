// A list of any length of which only the part in sight exists; what is looked at stays where it is, and what comes in
// above it waits until it is asked for.

import { button, el, say } from "./dom.js";
import { onceAFrame } from "./frame.js";
import { number } from "./words.js";

const BEYOND = 400;

/**
 * `makeRow(key)` gives a row: `node`, an article with an `.open` part of its own height or none, and `draw()`.
 * All rows are `--row` pixels high, save for their open part.
 */
export class Feed {
  constructor(host, makeRow) {
    this.host = host;
    this.makeRow = makeRow;
    this.keys = [];
    this.rows = new Map();
    this.opened = new Map();
    this.current = null;
    this.pointed = null;
    this.isPointedAt = false;
    this.latest = this.keys;
    this.dropped = null;
    this.isNew = false;
    this.isAsked = false;
    this.news = button("", (event) => this.showNews(event), { class: "feed-news", hidden: true });
    this.node = el("div", { class: "feed-frame" }, el("div", { class: "feed-top" }, this.news), host);
    this.redraw = onceAFrame(() => this.draw());
    this.gone = new AbortController();
    const signal = this.gone.signal;
    addEventListener("scroll", this.redraw, { passive: true, signal });
    host.addEventListener("keydown", (event) => this.steer(event), { signal });
    host.addEventListener("focusin", (event) => this.focused(event), { signal });
    host.addEventListener("pointerover", (event) => (this.pointed = this.keyOf(event.target)), { signal });
    host.addEventListener("focusout", this.redraw, { signal });
    this.node.addEventListener("pointerenter", () => (this.isPointedAt = true), { signal });
    this.node.addEventListener("pointerleave", () => this.leave(), { signal });
    this.sized = new ResizeObserver(this.redraw);
    this.sized.observe(host);
    this.pushed = new ResizeObserver(() => this.resist());
    this.pushed.observe(document.body);
  }

  close() {
    this.gone.abort();
    this.sized.disconnect();
    this.pushed.disconnect();
  }

  /** What appears above the list, or goes, moves what is above and not the rows that somebody looks at. */
  resist() {
    if (!this.host.offsetParent) return;
    const at = this.host.getBoundingClientRect().top + scrollY;
    const push = at - (this.at ?? at);
    this.at = at;
    if (push && this.keys.length && this.isLookedAt()) scrollBy({ top: push, behavior: "instant" });
  }

  /** Show these keys in this order: at once, or, as far as that moves what somebody looks at, when they look away. */
  show(keys, atOnce = false) {
    this.latest = keys;
    this.isNew = true;
    this.isAsked ||= atOnce;
    this.redraw();
  }

  /** Take a row out at once, whoever looks. */
  drop(key) {
    this.dropped = key;
    this.redraw();
  }

  /** Show what waits, from the top. */
  showNews(event) {
    this.isAsked = true;
    const margin = parseFloat(getComputedStyle(this.host).scrollMarginTop) || 0;
    const above = this.host.getBoundingClientRect().top - margin;
    if (above < 0) scrollBy({ top: above, behavior: "instant" });
    this.draw();
    if (event.detail === 0) this.goTo(0);
  }

  leave() {
    this.isPointedAt = false;
    this.pointed = null;
    this.redraw();
  }

  draw() {
    if (!this.host.isConnected) return;
    this.height = parseFloat(getComputedStyle(this.host).getPropertyValue("--row"));
    const { isAsked } = this;
    const wanted = this.next();
    const still = wanted && !isAsked && this.heldStill();
    const lost = this.current != null && wanted ? this.keys.indexOf(this.current) : -1;
    if (wanted) this.keys = wanted;
    this.measure();
    this.host.style.height = `${this.top(this.keys.length)}px`;
    if (still) this.keepStill(still);
    const hadFocus = this.host.contains(document.activeElement);
    this.place(this.inSight());
    if (hadFocus && lost >= 0 && !this.keys.includes(this.current)) this.goTo(Math.min(lost, this.keys.length - 1));
  }

  /** The keys to show from now on; null when they stay as they are. */
  next() {
    const { latest, dropped } = this;
    const isHeld = !this.isAsked && this.keys.length > 0 && this.isLookedAt();
    this.isAsked = false;
    this.dropped = null;
    if (isHeld) {
      if (!this.isNew && dropped == null) return null;
      this.isNew = false;
      return this.withoutMoving(latest, dropped);
    }
    if (this.keys === latest) return null;
    this.tell(0, false);
    return latest;
  }

  /** Whether somebody points at the list, works in it, or has scrolled into it. */
  isLookedAt() {
    const margin = parseFloat(getComputedStyle(this.host).scrollMarginTop) || 0;
    const isScrolled = this.host.getBoundingClientRect().top < -margin;
    return this.isPointedAt || isScrolled || this.host.contains(document.activeElement);
  }

  /** The rows in sight and above as they are, and below them what ranks there; others wait. */
  withoutMoving(latest, dropped) {
    const inSight = this.placeAt(innerHeight - this.host.getBoundingClientRect().top) + 1;
    const held = this.keys.slice(0, inSight).filter((key) => key !== dropped);
    const here = new Set(held);
    const last = latest.findLastIndex((key) => here.has(key));
    const above = latest.slice(0, last + 1).filter((key) => !here.has(key));
    const known = new Set(above.length ? this.keys.slice(inSight) : []);
    const risen = above.filter((key) => known.has(key));
    this.tell(above.length - risen.length, held.some((key, at) => latest[at] !== key));
    return [...held, ...risen, ...latest.slice(last + 1)];
  }

  tell(waiting, isReordered) {
    this.news.hidden = !waiting && !isReordered;
    say(this.news, waiting ? `${number(waiting)} new` : "Show the new order");
    this.news.title = "Show the list as it ranks by now";
  }

  /** Where the rows with an open part are, and how much higher it makes them. */
  measure() {
    this.extras = [];
    for (const key of this.opened.keys()) {
      const at = this.keys.indexOf(key);
      const part = this.rows.get(key)?.node.querySelector(".open");
      if (part) this.opened.set(key, part.offsetHeight);
      if (at >= 0) this.extras.push([at, this.opened.get(key)]);
    }
  }

  top(at) {
    return at * this.height + this.extras.reduce((sum, [open, more]) => sum + (open < at ? more : 0), 0);
  }

  /** The place of the row that covers this height. */
  placeAt(y) {
    let at = Math.floor(y / this.height);
    while (at > 0 && this.top(at) > y) at -= 1;
    return Math.max(0, at);
  }

  /** The keys in sight and some beyond, and the current one wherever it is. */
  inSight() {
    const above = this.host.getBoundingClientRect().top;
    const from = this.placeAt(-above - BEYOND);
    const to = Math.min(this.keys.length, this.placeAt(innerHeight - above + BEYOND) + 1);
    const places = [];
    for (let at = from; at < to; at += 1) places.push(at);
    const current = this.current == null ? -1 : this.keys.indexOf(this.current);
    if (current >= 0 && current < from) places.unshift(current);
    if (current >= to) places.push(current);
    return places;
  }

  place(places) {
    const kept = new Set(places.map((at) => this.keys[at]));
    for (const [key, row] of this.rows) {
      if (kept.has(key)) continue;
      row.node.remove();
      this.rows.delete(key);
    }
    const nodes = places.map((at) => this.dressed(at));
    inOrder(this.host, nodes);
  }

  dressed(at) {
    const key = this.keys[at];
    let row = this.rows.get(key);
    if (!row) this.rows.set(key, (row = this.makeRow(key)));
    row.node.dataset.key = key;
    row.node.tabIndex = key === (this.current ?? this.keys[0]) ? 0 : -1;
    row.node.setAttribute("aria-posinset", at + 1);
    row.node.setAttribute("aria-setsize", this.keys.length);
    row.node.style.transform = `translateY(${this.top(at)}px)`;
    row.draw();
    return row.node;
  }

  /** The row that must not move under the eye: the focused one, the one pointed at, or the first one in sight. */
  heldStill() {
    if (!this.keys.length || !this.extras) return null;
    const above = this.host.getBoundingClientRect().top;
    const focused = this.host.contains(document.activeElement) ? this.current : null;
    const first = above < 0 ? this.keys[this.placeAt(-above)] : null;
    for (const key of [focused, this.pointed, first]) {
      const at = key == null ? -1 : this.keys.indexOf(key);
      if (at >= 0 && this.top(at) + above < innerHeight && this.top(at + 1) + above > 0)
        return { key, y: this.top(at) };
    }
    return null;
  }

  keepStill({ key, y }) {
    const at = this.keys.indexOf(key);
    if (at >= 0 && this.top(at) !== y) scrollBy({ top: this.top(at) - y, behavior: "instant" });
  }

  /** Open or close a row's own part; it may have changed its size. */
  open(key, isOpen) {
    if (isOpen) this.opened.set(key, 0);
    else this.opened.delete(key);
    this.redraw();
  }

  keyOf(node) {
    const row = node.closest?.("[data-key]");
    return row ? Number(row.dataset.key) : null;
  }

  focused(event) {
    const key = this.keyOf(event.target);
    if (key == null || key === this.current) return;
    this.current = key;
    this.redraw();
  }

  steer(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    this.move(by);
  }

  /** Go up or down from the current row. */
  move(by) {
    const at = this.current == null ? -1 : this.keys.indexOf(this.current);
    const to = at < 0 ? 0 : at + by;
    this.goTo(Math.max(0, Math.min(this.keys.length - 1, to)));
  }

  goTo(at) {
    if (at < 0 || !this.keys.length) return;
    this.current = this.keys[at];
    this.measure();
    this.reveal(at);
    this.draw();
    this.rows.get(this.current).node.focus({ preventScroll: true });
  }

  reveal(at) {
    const above = this.host.getBoundingClientRect().top;
    const margin = parseFloat(getComputedStyle(this.host).scrollMarginTop) || 0;
    const top = this.top(at) + above - margin;
    const bottom = this.top(at + 1) + above - innerHeight + 16;
    if (top < 0) scrollBy({ top, behavior: "instant" });
    else if (bottom > 0) scrollBy({ top: Math.min(bottom, top), behavior: "instant" });
  }
}

/** Make `nodes` the children of `host` in this order without moving the one that has the focus. */
function inOrder(host, nodes) {
  const pin = nodes.find((node) => node.contains(document.activeElement));
  let next = host.firstChild;
  for (const node of nodes) {
    if (node === pin) {
      while (next !== pin) {
        const passed = next;
        next = next.nextSibling;
        host.append(passed);
      }
    }
    if (node === next) next = next.nextSibling;
    else host.insertBefore(node, next);
  }
}

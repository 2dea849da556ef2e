// What happens in a crawl, as it happens; a lost connection catches up from the last event that came.

import { get } from "./api.js";
import { ticketed } from "./key.js";

const EVENTS = ["visits", "agents", "scores", "feedback", "state", "now", "moved", "asked", "advice", "warned"];
const LONGEST_WAIT = 3_000;
const HIDDEN_FOR = 20_000;

/**
 * The stream of the crawl at `path`. `hear(name, data)` gets each event, `link(words)` null while connected, else
 * what is wrong. A crawl that is gone is not asked for again. A window that nobody sees lets go of its connection,
 * for a browser has few to give.
 */
export class Stream {
  constructor(path, hear, link) {
    this.path = path;
    this.hear = hear;
    this.link = link;
    this.since = "";
    this.wait = 500;
    this.source = null;
    this.isOver = false;
    this.watch = () => this.seenOrNot();
    document.addEventListener("visibilitychange", this.watch);
    this.open();
  }

  async open() {
    const from = this.since === "" ? "" : `?since=${encodeURIComponent(this.since)}`;
    const address = await ticketed(`${this.path}/stream${from}`);
    this.source?.close();
    if (this.isOver) return;
    this.source = new EventSource(address);
    this.source.onopen = () => {
      this.wait = 500;
      this.link(null);
    };
    this.source.onerror = () => this.lost();
    for (const name of EVENTS) this.source.addEventListener(name, (event) => this.take(name, event));
  }

  take(name, event) {
    this.hear(name, JSON.parse(event.data));
    if (event.lastEventId) this.since = event.lastEventId;
  }

  async lost() {
    this.source.close();
    const source = this.source;
    this.link("Connection lost; what is shown stays. Trying again …");
    try {
      await get(this.path);
    } catch (refusal) {
      if (refusal.status === 401) this.link(refusal.message);
      if (refusal.status === 404) return this.link("This hunt was removed; what is shown is all that is left of it.");
    }
    if (this.source !== source) return;
    this.later = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  seenOrNot() {
    clearTimeout(this.letGo);
    if (document.hidden) {
      this.letGo = setTimeout(() => {
        clearTimeout(this.later);
        this.source?.close();
      }, HIDDEN_FOR);
    } else if (this.source?.readyState === EventSource.CLOSED) {
      clearTimeout(this.later);
      this.open();
    }
  }

  close() {
    document.removeEventListener("visibilitychange", this.watch);
    clearTimeout(this.letGo);
    clearTimeout(this.later);
    this.isOver = true;
    this.source?.close();
    this.source = null;
  }
}

// What could not be read, asked of the server when there is more of it.

import { Refused, get } from "./api.js";

const PAUSE = 2_000;
/** Times as long as an answer took nothing is asked again: in the log of a long hunt there is much to read. */
const PAUSES = 10;
const FINE = ["ok", "duplicate", "out of scope", "elsewhere", "known", "forgotten"];

/** Keeps `starts` and `hosts` up to date; `changed` is called when they are. */
export class Failures {
  constructor(hunt, changed) {
    this.hunt = hunt;
    this.changed = changed;
    this.starts = [];
    this.hosts = [];
    this.leftOff = 0;
    this.counted = 0;
    this.failed = 0;
    this.known = null;
    this.asking = false;
  }

  /** Ask again if something failed since, or the hunt came to its end. */
  async update() {
    this.count();
    const state = `${this.failed} ${this.hunt.summary.state}`;
    if (this.asking || state === this.known || (this.failed === 0 && this.hunt.runs)) return;
    this.asking = true;
    const began = performance.now();
    try {
      const told = await get(`/api/crawls/${this.hunt.id}/failures`);
      this.known = state;
      this.starts = told.starts;
      this.hosts = told.hosts;
      this.leftOff = told.left_off;
      this.changed();
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
    }
    setTimeout(() => {
      this.asking = false;
      if (!this.closed) this.update();
    }, Math.max(PAUSE, PAUSES * (performance.now() - began)));
  }

  /** Count the failures among the visits that are new. */
  count() {
    if (this.hunt.visits.size === this.counted) return;
    this.counted = this.hunt.visits.size;
    this.failed = 0;
    for (const { outcome } of this.hunt.visits.values()) this.failed += !FINE.includes(outcome);
  }

  close() {
    this.closed = true;
  }
}

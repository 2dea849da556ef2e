// What the rounds of watching brought, asked of the server when there is more of it.

import { Refused, get } from "./api.js";

const PAUSE = 2_000;
/** Times as long as an answer took nothing is asked again: a round may have much to compare. */
const PAUSES = 10;

/** Keeps `all` rounds and the `news` of one of them, the last unless another is `chosen`; `changed` is called then. */
export class Rounds {
  constructor(hunt, changed) {
    this.hunt = hunt;
    this.changed = changed;
    this.all = [];
    this.news = null;
    this.chosen = null;
    this.known = null;
    this.asking = false;
  }

  choose(number) {
    this.chosen = number;
    this.update();
  }

  /** Ask again if another round is wanted, or the last has come further. */
  async update() {
    const { round, watching, looking, pages, state } = this.hunt.summary;
    const wanted = JSON.stringify([round, watching, looking, pages, state, this.chosen]);
    if (round == null || this.asking || wanted === this.known) return;
    this.asking = true;
    this.known = wanted;
    const began = performance.now();
    try {
      const which = this.chosen == null ? "" : `?round=${this.chosen}`;
      const told = await get(`/api/crawls/${this.hunt.id}/news${which}`);
      this.all = told.rounds;
      this.news = told.news;
      this.changed();
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
    }
    setTimeout(() => {
      this.asking = false;
      if (!this.closed) this.update();
    }, watching && Math.max(PAUSE, PAUSES * (performance.now() - began)));
  }

  close() {
    this.closed = true;
  }
}

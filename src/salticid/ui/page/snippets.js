// Snippets of the rows in sight, fetched a batch at a time.

import { get } from "./api.js";

const MOST = 100;
const PAUSE = 80;

export class Snippets {
  constructor(id, arrived) {
    this.id = id;
    this.arrived = arrived;
    this.known = new Map();
    this.asked = new Set();
    this.waiting = [];
  }

  /** The snippet of a step as pairs (text, is it a hit), or null while it is on its way. */
  of(step) {
    const known = this.known.get(step);
    if (known) return known;
    if (!this.asked.has(step)) this.want(step);
    return null;
  }

  want(step) {
    this.asked.add(step);
    this.waiting.push(step);
    this.timer ??= setTimeout(() => this.fetch(), PAUSE);
  }

  async fetch() {
    this.timer = null;
    const steps = this.waiting.splice(-MOST);
    for (const step of this.waiting.splice(0)) this.asked.delete(step);
    try {
      const { snippets } = await get(`/api/crawls/${this.id}/snippets?steps=${steps.join(",")}`);
      for (const step of steps) this.known.set(step, snippets[step] ?? []);
      this.arrived();
    } catch {
      for (const step of steps) this.asked.delete(step);
    }
  }
}

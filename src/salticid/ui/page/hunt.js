// All this page knows of one crawl: made of the stream's events alone, so that any of them may come twice.

import { Ranking } from "./ranking.js";
import { Spiders } from "./spiders.js";

export class Hunt {
  constructor(id) {
    this.id = id;
    this.summary = null;
    this.visits = new Map();
    this.ranking = new Ranking();
    this.spiders = new Spiders();
    this.curve = [[0, 0]];
    this.now = null;
    this.advice = null;
  }

  /** Take one event of the stream, if it is about the crawl's state. */
  hear(name, data) {
    this[`hear_${name}`]?.(data);
  }

  hear_visits({ visits }) {
    for (const visit of visits) {
      if (this.visits.has(visit.step)) continue;
      this.visits.set(visit.step, visit);
      if (visit.agent != null) this.spiders.visited(visit);
      if (isPage(visit)) this.found(visit);
    }
  }

  found(visit) {
    this.ranking.put(visit.step, visit.score);
    const [pages, positives] = this.curve.at(-1);
    this.curve.push([pages + 1, positives + (visit.positive ? 1 : 0)]);
  }

  hear_agents({ events }) {
    this.spiders.hear(events);
  }

  hear_scores({ scores }) {
    for (const [step, score] of scores) {
      const visit = this.visits.get(step);
      if (!visit) continue;
      visit.score = score;
      if (isPage(visit)) this.ranking.put(step, score);
    }
  }

  hear_feedback({ feedback }) {
    for (const [step, liking] of feedback) this.like(step, liking);
  }

  hear_state(summary) {
    this.summary = summary;
  }

  hear_now(now) {
    this.now = now;
  }

  hear_advice(advice) {
    this.advice = advice;
  }

  like(step, liking) {
    const visit = this.visits.get(step);
    if (visit) visit.liking = liking;
  }

  /** The steps of those with at least this score, best first. */
  suggestions(threshold) {
    return this.ranking.steps.slice(0, this.ranking.above(threshold));
  }

  /** The steps of all that a spider found, best first. */
  foundBy(spider) {
    return this.ranking.steps.filter((step) => this.visits.get(step).agent === spider);
  }

  get runs() {
    return this.summary != null && this.summary.state !== "ended";
  }
}

function isPage(visit) {
  return visit.outcome === "ok" && !visit.revisit;
}

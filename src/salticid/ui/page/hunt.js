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
    this.words = new Map();
    this.groups = new Map();
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
      if (visit.liking) this.words.set(visit.step, visit.liking);
      if (visit.twin != null) this.putTogether(visit.step, visit.twin);
      if (visit.agent != null) this.spiders.visited(visit);
      if (isPage(visit)) this.ranking.put(visit.step, visit.score);
    }
  }

  /** Two pages that are all but the same, and with them those that the earlier one is the same as. */
  putTogether(step, earlier) {
    const group = this.groups.get(earlier) ?? earlier;
    this.groups.set(earlier, group).set(step, group);
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

  /** A person's word on a page: more like this (1), not this (-1), or neither (0). */
  like(step, liking) {
    const visit = this.visits.get(step);
    if (!visit) return;
    visit.liking = liking;
    if (liking) this.words.set(step, liking);
    else this.words.delete(step);
  }

  /** The score from which on the hunt itself calls a page on topic. */
  get line() {
    return this.summary.line ?? 1;
  }

  /** The least score shown, as the person set it in this window; null: whatever is on topic. */
  get least() {
    const kept = sessionStorage.getItem(`threshold:${this.id}`);
    return kept == null ? null : Number(kept);
  }

  set least(score) {
    if (score == null) sessionStorage.removeItem(`threshold:${this.id}`);
    else sessionStorage.setItem(`threshold:${this.id}`, score);
  }

  /** Whether a page is what was looked for: the person's word counts, else its score by now. */
  isOnTopic(visit) {
    return isPage(visit) && (visit.liking || (visit.score >= this.line ? 1 : -1)) > 0;
  }

  /**
   * The steps of pages to show, best first: those with at least this score, or, where it is null, all on topic; none
   * that was rejected, and one of those all but the same.
   */
  suggestions(least = this.least) {
    const { ranking, words, groups } = this;
    const reached = ranking.steps.slice(0, ranking.above(least ?? this.line));
    const liked = least == null ? this.spokenOf(1).filter((step) => ranking.scores.get(step) < this.line) : [];
    if (!words.size && !groups.size) return reached;
    const taken = this.rejectedGroups();
    return [...reached, ...liked].filter((step) => {
      const group = groups.get(step);
      if (words.get(step) === -1 || taken.has(group)) return false;
      if (group !== undefined) taken.add(group);
      return true;
    });
  }

  /** Those all but the same as a page that was rejected are rejected too. */
  rejectedGroups() {
    const groups = [...this.words].filter(([, liking]) => liking === -1).map(([step]) => this.groups.get(step));
    return new Set(groups.filter((group) => group !== undefined));
  }

  /** The steps of pages that the person liked (1) or rejected (-1), best first. */
  spokenOf(liking) {
    if (![...this.words.values()].includes(liking)) return [];
    return this.ranking.steps.filter((step) => this.words.get(step) === liking);
  }

  /** The steps of all that a spider found, best first. */
  foundBy(spider) {
    return this.ranking.steps.filter((step) => this.visits.get(step).agent === spider);
  }

  /** How many pages are on topic by now: as many as are suggested where the person set no other score. */
  get onTopic() {
    return this.suggestions(null).length;
  }

  /** After each page that was read, how many are on topic by now: pairs, from [0, 0] on. */
  curve() {
    const points = [[0, 0]];
    const taken = this.rejectedGroups();
    let found = 0;
    for (const visit of this.visits.values()) {
      if (!isPage(visit)) continue;
      const group = this.groups.get(visit.step);
      if (!taken.has(group) && this.isOnTopic(visit)) {
        found += 1;
        if (group !== undefined) taken.add(group);
      }
      points.push([points.length, found]);
    }
    return points;
  }

  get runs() {
    return this.summary != null && this.summary.state !== "ended";
  }
}

function isPage(visit) {
  return visit.outcome === "ok" && !visit.revisit;
}

// Finds in the order of their scores, kept so as they come and as scores change.

/** Higher scores first, among equals the earlier step. */
export class Ranking {
  constructor() {
    this.steps = [];
    this.scores = new Map();
  }

  get best() {
    return this.steps.length ? this.scores.get(this.steps[0]) : 0;
  }

  /** Give a step a score, its first or another. */
  put(step, score) {
    const before = this.scores.get(step);
    if (before === score) return;
    if (before !== undefined) this.steps.splice(this.place(step, before), 1);
    this.scores.set(step, score);
    this.steps.splice(this.place(step, score), 0, step);
  }

  /** How many have at least this score; they are the first ones. */
  above(score) {
    return this.place(Infinity, score);
  }

  /** The place of the first one that does not come before (step, score). */
  place(step, score) {
    let low = 0;
    let high = this.steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = this.steps[middle];
      const its = this.scores.get(there);
      if (its > score || (its === score && there < step)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

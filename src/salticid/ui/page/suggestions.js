// The ranked list, and how much a page must score to be in it.

import { get } from "./api.js";
import { button, el, fill, say } from "./dom.js";
import { Feed } from "./feed.js";
import { Find } from "./find.js";
import { hint } from "./hint.js";
import { Snippets } from "./snippets.js";
import { count, score } from "./words.js";

export class Suggestions {
  /** `acts`: like(step, liking), follow(spider). */
  constructor(hunt, acts) {
    this.hunt = hunt;
    this.kept = `threshold:${hunt.id}`;
    this.snippets = new Snippets(hunt.id, () => this.feed.redraw());
    this.told = new Map();
    this.acts = {
      ...acts,
      snippet: (step) => this.snippets.of(step),
      explain: (step) => this.explain(step),
      open: (step, isOpen) => this.feed.open(step, isOpen),
    };
    this.host = el("div", { class: "feed", role: "feed", "aria-labelledby": "finds-title" });
    this.feed = new Feed(this.host, (step) => this.row(step));
    this.heading = el("h2", { id: "finds-title" });
    this.empty = el("div", { class: "empty" });
    this.who = el("p", { class: "who", hidden: true });
    this.tools = this.thresholdTools();
    const bar = el("div", { class: "finds-bar" }, this.heading, this.tools);
    this.node = el("div", {}, bar, this.who, this.empty, this.host);
  }

  close() {
    this.feed.close();
  }

  row(step) {
    const find = new Find(this.hunt.visits.get(step), this.hunt, this.acts);
    if (this.feed.opened.has(step)) find.toggle();
    return find;
  }

  /** The row that has the keyboard's attention, or null. */
  current() {
    return this.feed.rows.get(this.feed.current) ?? null;
  }

  thresholdTools() {
    const attributes = { min: 0, max: 1, step: 0.01 };
    this.slider = el("input", { type: "range", id: "threshold", ...attributes });
    const name = "Lowest score shown, as a number";
    this.exact = el("input", { type: "number", class: "short", "aria-label": name, ...attributes });
    for (const one of [this.slider, this.exact])
      one.addEventListener("input", () => one.value !== "" && this.setThreshold(Number(one.value)));
    return el(
      "div",
      { class: "threshold" },
      el("label", { for: "threshold" }, "Score from"),
      this.slider,
      this.exact,
      hint("the score"),
    );
  }

  /** As the person set it in this window, else the line above which the crawl itself calls a page on topic. */
  get threshold() {
    const kept = sessionStorage.getItem(this.kept);
    return kept == null ? (this.hunt.summary.line ?? 0) : Number(kept);
  }

  setThreshold(value) {
    sessionStorage.setItem(this.kept, Math.max(0, Math.min(1, value)));
    this.draw(this.spider);
  }

  async explain(step) {
    if (!this.told.has(step)) this.told.set(step, await get(`/api/crawls/${this.hunt.id}/visits/${step}`));
    return this.told.get(step);
  }

  draw(spider) {
    this.spider = spider;
    const { threshold } = this;
    this.slider.value = threshold;
    if (document.activeElement !== this.exact) this.exact.value = threshold.toFixed(2);
    this.slider.setAttribute("aria-valuetext", score(threshold));
    const steps = spider == null ? this.hunt.suggestions(threshold) : this.hunt.foundBy(spider);
    say(this.heading, count(steps.length, spider == null ? "suggestion" : "find"));
    this.drawWho(spider, steps.length);
    this.drawEmpty(steps.length, threshold);
    this.feed.show(steps);
  }

  drawWho(spider, found) {
    this.who.hidden = spider == null;
    this.tools.hidden = spider != null;
    if (spider == null || this.shownWho === `${spider}/${found}`) return;
    this.shownWho = `${spider}/${found}`;
    if (!this.who.contains(document.activeElement))
      fill(this.who, el("span", {}, `All ${count(found, "page")} that spider ${spider} found, whatever their score.`),
        button("Show everyone’s", () => this.acts.follow(null), { class: "quiet" }));
  }

  drawEmpty(shown, threshold) {
    const { ranking, runs } = this.hunt;
    this.empty.hidden = shown > 0;
    const why = shown > 0 ? "" : ranking.steps.length ? "low" : runs ? "soon" : "none";
    const looks = `${why}${why === "low" ? score(ranking.best) : ""}`;
    if (looks === this.shownEmpty) return;
    this.shownEmpty = looks;
    fill(this.empty, ...this.emptyWords(why, threshold, ranking.best));
  }

  emptyWords(why, threshold, best) {
    if (why === "soon")
      return [el("p", {}, "The first pages are on their way. They appear here as soon as they are read.")];
    if (why === "none")
      return [el("p", {}, "This hunt read no page. The sentence above says why; try other start points.")];
    if (why === "low")
      return [
        el("p", {}, `No page shown here scores ${score(threshold)} or more; the best so far has ${score(best)}.`),
        button("Show all pages", () => this.setThreshold(0)),
      ];
    return [];
  }
}

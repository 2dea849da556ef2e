// The ranked list, how much a page must score to be in it, and what was thrown out of it.

import { get } from "./api.js";
import { button, el, fill, say } from "./dom.js";
import { Feed } from "./feed.js";
import { Find } from "./find.js";
import { hint } from "./hint.js";
import { Snippets } from "./snippets.js";
import { count, number, score } from "./words.js";

export class Suggestions {
  /** `acts`: like(step, liking), follow(spider). */
  constructor(hunt, acts) {
    this.hunt = hunt;
    this.snippets = new Snippets(hunt.id, () => this.feed.redraw());
    this.told = new Map();
    this.acts = {
      ...acts,
      snippet: (step) => this.snippets.of(step),
      explain: (step) => this.explain(step),
      open: (step, isOpen) => this.feed.open(step, isOpen),
      like: (step, liking) => this.like(step, liking, acts.like),
    };
    this.showsRejected = false;
    this.host = el("div", { class: "feed", role: "feed", "aria-labelledby": "finds-title" });
    this.feed = new Feed(this.host, (step) => this.row(step));
    this.heading = el("h2", { id: "finds-title" });
    this.empty = el("div", { class: "empty" });
    this.who = el("p", { class: "who", hidden: true });
    this.deaf = el("p", { class: "soft finds-deaf", hidden: true });
    this.rejected = button("", () => this.turn(), { class: "quiet", "aria-pressed": "false", hidden: true });
    this.tools = this.thresholdTools();
    const bar = el("div", { class: "finds-bar" }, this.heading, this.rejected, this.tools);
    this.node = el("div", {}, bar, this.deaf, this.who, this.empty, this.feed.node);
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

  /** As the person set it, else the line from which on the hunt itself calls a page on topic. */
  get threshold() {
    return this.hunt.least ?? this.hunt.line;
  }

  setThreshold(value) {
    const isLine = value.toFixed(2) === this.hunt.line.toFixed(2);
    this.hunt.least = isLine ? null : Math.max(0, Math.min(1, value));
    this.draw(this.spider, true);
  }

  /** A rejected page leaves at once, and one that is taken back comes back at once. */
  like(step, liking, tell) {
    const wasRejected = this.hunt.visits.get(step).liking === -1;
    tell(step, liking);
    if (liking === -1 && this.spider == null) this.feed.drop(step);
    this.draw(this.spider, wasRejected);
  }

  /** Between the suggestions and what was thrown out of them. */
  turn() {
    this.showsRejected = !this.showsRejected;
    this.draw(this.spider, true);
  }

  async explain(step) {
    if (!this.told.has(step)) this.told.set(step, await get(`/api/crawls/${this.hunt.id}/visits/${step}`));
    return this.told.get(step);
  }

  /** `atOnce`: a person asked for it, so that rows may move. */
  draw(spider, atOnce = spider !== this.spider) {
    this.spider = spider;
    const { threshold } = this;
    this.slider.value = threshold;
    if (document.activeElement !== this.exact) this.exact.value = threshold.toFixed(2);
    this.slider.setAttribute("aria-valuetext", score(threshold));
    const { summary } = this.hunt;
    this.deaf.hidden = !summary.feedback_line;
    say(this.deaf, summary.feedback_line ?? "");
    const rejected = this.hunt.spokenOf(-1);
    this.drawRejected(spider == null ? rejected.length : 0);
    const steps = this.steps(spider, rejected);
    const kind = this.showsRejected ? "rejected page" : spider == null ? "suggestion" : "find";
    say(this.heading, count(steps.length, kind));
    this.drawWho(spider, steps.length);
    this.drawEmpty(steps.length, threshold);
    this.feed.show(steps, atOnce);
  }

  steps(spider, rejected) {
    if (spider != null) return this.hunt.foundBy(spider);
    return this.showsRejected ? rejected : this.hunt.suggestions();
  }

  drawRejected(many) {
    this.showsRejected &&= many > 0;
    this.rejected.hidden = many === 0;
    this.rejected.setAttribute("aria-pressed", this.showsRejected);
    say(this.rejected, this.showsRejected ? "Show the suggestions" : `${number(many)} rejected`);
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

// One of the hunts kept: how it stands by now, and what can be done with it.

import { Refused, post, remove } from "./api.js";
import { asked } from "./asking.js";
import { button, el, fill, say } from "./dom.js";
import { exportMenu } from "./export-menu.js";
import { go, pathTo } from "./router.js";
import { announce } from "./status.js";
import { clock, count, number, percent, state, strategy, when } from "./words.js";

export class HuntCard {
  /** `acts`: choose(id, isChosen), refused(sentence), removed(id). */
  constructor(crawl, acts) {
    this.crawl = crawl;
    this.acts = acts;
    this.meta = el("p", { class: "find-meta" });
    this.line = el("p", { class: "soft" });
    this.more = button("", () => this.goOn());
    this.remove = button("Remove", () => this.leave(), { "aria-label": `Remove “${crawl.query}”` });
    this.box = el("input", { type: "checkbox", "aria-label": `Choose “${crawl.query}” to compare` });
    this.box.addEventListener("change", () => acts.choose(crawl.id, this.box.checked));
    this.node = el(
      "li",
      { class: "card" },
      this.box,
      el("div", { class: "card-body" },
        el("h2", {}, el("a", { href: pathTo("crawl", crawl.id) }, crawl.query)), this.meta, this.line),
      el("div", { class: "card-tools" },
        this.more, exportMenu(crawl.id, () => ({ read: this.crawl.pages })), this.remove),
    );
    this.draw(crawl);
  }

  draw(crawl) {
    const looks = JSON.stringify(crawl);
    if (looks === this.looks) return;
    this.looks = looks;
    this.crawl = crawl;
    fill(this.meta, facts(crawl));
    say(this.line, crawl.stopped_line ?? "");
    this.line.hidden = !crawl.stopped_line;
    const ended = crawl.state === "ended";
    this.more.hidden = !(ended && crawl.can_continue);
    say(this.more, `${number(this.step)} pages more`);
    this.remove.hidden = !ended;
  }

  get step() {
    return Math.max(100, this.crawl.max_pages);
  }

  async goOn() {
    const { id } = this.crawl;
    if (await this.tried(() => post(`/api/crawls/${id}/continue`, { more: this.step }))) go("crawl", id);
  }

  async leave() {
    const { id, query, pages } = this.crawl;
    const means = `All ${count(pages, "page")} it read and all you said about them are deleted. This cannot be undone.`;
    if (!(await asked(`Remove “${query}”?`, means, "Remove it"))) return;
    if (!(await this.tried(() => remove(`/api/crawls/${id}`)))) return;
    announce(`“${query}” is removed.`);
    this.acts.removed(id);
  }

  /** Whether the server did it; if not, it says why. */
  async tried(change) {
    try {
      await change();
      this.acts.refused("");
      return true;
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      this.acts.refused(refusal.message);
      return false;
    }
  }
}

function facts(crawl) {
  return [
    el("span", { class: "pill", "data-state": crawl.state }, state(crawl.state)),
    el("span", {}, when(crawl.began)),
    el("span", {}, strategy(crawl.strategy)),
    el("span", {}, `${count(crawl.pages, "page")} in ${clock(crawl.seconds)}`),
    el("span", {}, `${number(crawl.positive)} on topic (${percent(crawl.positive / Math.max(1, crawl.pages))})`),
  ];
}

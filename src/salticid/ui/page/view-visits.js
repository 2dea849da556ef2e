// All visits of a hunt as a table: narrowed down by what they have in common, and taken away as it is shown.

import { Refused, get } from "./api.js";
import { button, el, fill, kept, say } from "./dom.js";
import { facetList } from "./facet-list.js";
import { go, pathTo } from "./router.js";
import { announce } from "./status.js";
import { visitRows } from "./visit-rows.js";
import { count, number } from "./words.js";

const COLUMNS = ["Visit", "Page", "Outcome", "Score", "Depth", "Language", "Why its link was followed"];

export async function visitsView(session, [id, ...parts]) {
  const summary = await get(`/api/crawls/${encodeURIComponent(id)}`);
  const view = new VisitsView(summary);
  await view.arrived([id, ...parts]);
  return view;
}

class VisitsView {
  constructor({ id, query }) {
    this.id = id;
    this.title = `All visits: ${query}`;
    this.wishes = {};
    this.facets = el("div", { class: "facets", role: "group", "aria-label": "Narrow down" });
    this.counted = el("p", { role: "status" });
    this.downloads = el("p", { class: "copies" });
    this.body = el("tbody", {});
    this.more = button("Show more", () => this.showMore());
    this.node = el(
      "div",
      { class: "visits" },
      el("p", {}, el("a", { href: pathTo("crawl", id) }, "Back to the hunt")),
      el("h1", {}, this.title),
      this.facets,
      el("div", { class: "visits-bar" }, this.counted, button("Look again", () => this.look()), this.downloads),
      el("div", { class: "visits-table", role: "region", "aria-label": "Visits", tabindex: "0" }, this.table()),
      this.more,
    );
  }

  table() {
    const names = COLUMNS.map((name) => el("th", { scope: "col" }, name));
    return el("table", {}, el("thead", {}, el("tr", {}, names)), this.body);
  }

  /** The address says what is wished for: "outcome=dead" and the like, a part each. */
  async arrived([, ...parts]) {
    this.wishes = Object.fromEntries(parts.map((part) => part.split(/=(.*)/s).slice(0, 2)));
    await this.look();
  }

  /** Wish for a value of a facet, or for any, and say so in the address. */
  choose(name, value) {
    const { [name]: _, ...others } = this.wishes;
    const wishes = value == null ? others : { ...others, [name]: value };
    go("visits", this.id, ...Object.entries(wishes).map((pair) => pair.join("=")));
  }

  address(more = {}) {
    return `/api/crawls/${this.id}/visits?${new URLSearchParams({ ...this.wishes, ...more })}`;
  }

  async look() {
    const asked = (this.asked = this.address());
    const told = await this.ask(asked);
    if (told == null || this.asked !== asked) return;
    const held = this.facets.contains(document.activeElement) && document.activeElement.dataset.value;
    fill(
      this.facets,
      Object.entries(told.facets).map(([name, facet]) =>
        facetList(name, facet, this.wishes[name], (value) => this.choose(name, value)),
      ),
    );
    this.facets.querySelector(`[data-value="${CSS.escape(held || "")}"]`)?.focus({ preventScroll: true });
    fill(this.body, visitRows(told.rows));
    this.shown = told.rows.length;
    this.draw(told);
    announce(this.counted.textContent);
  }

  async showMore() {
    const told = await this.ask(this.address({ from: this.shown }));
    if (told == null) return;
    this.body.append(...visitRows(told.rows));
    this.shown += told.rows.length;
    this.draw(told);
  }

  /** What the server says; null where it says why not, which the person then reads. */
  async ask(address) {
    try {
      return await get(address);
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(this.counted, refusal.message);
      return null;
    }
  }

  draw({ visits, fitting }) {
    const all = Object.keys(this.wishes).length === 0;
    say(this.counted, all ? count(visits, "visit") : `${number(fitting)} of ${count(visits, "visit")}`);
    this.more.hidden = this.shown >= fitting;
    fill(
      this.downloads,
      el("span", { class: "soft" }, "Take these away:"),
      ["csv", "json"].map((format) => kept(this.address({ format }), { download: "" }, format.toUpperCase())),
    );
  }
}

// The hunts kept: found again, gone on with, compared, taken away, removed.

import { Refused, get } from "./api.js";
import { button, el, kept, say } from "./dom.js";
import { hint } from "./hint.js";
import { HuntCard } from "./hunt-card.js";
import { pageSearch } from "./page-search.js";
import { go } from "./router.js";
import { linkLost } from "./status.js";
import { when } from "./words.js";

const LOOK_EVERY = 2_000;

export async function crawlsView(session, [asked = ""]) {
  const [{ crawls }, { reports }] = await Promise.all([get("/api/crawls"), get("/api/reports")]);
  return new CrawlsView(crawls, reports, asked);
}

class CrawlsView {
  constructor(crawls, reports, asked) {
    this.title = "Kept hunts";
    this.cards = new Map();
    this.chosen = new Set();
    this.error = el("p", { class: "error", role: "alert" });
    this.compare = button("Compare the two chosen", () => go("compare", ...this.chosen), { disabled: true });
    this.list = el("ul", { class: "cards" });
    this.heading = el("h1", { tabindex: "-1" }, this.title);
    this.empty = nothingYet();
    this.search = pageSearch(asked, (id) => this.cards.get(id)?.crawl.query ?? id);
    this.hunts = el(
      "section",
      { "aria-label": "Hunts" },
      el("div", { class: "kept-bar" }, this.compare, hint("comparing"), this.error),
      this.list,
    );
    const lab = reports.length > 0 && reportList(reports);
    this.node = el("div", { class: "kept" }, this.heading, this.empty, this.search.node, this.hunts, lab);
    this.draw(crawls);
  }

  entered() {
    this.looking = setInterval(() => document.hidden || this.look(), LOOK_EVERY);
  }

  close() {
    clearInterval(this.looking);
    this.looking = null;
  }

  async look() {
    try {
      const { crawls } = await get("/api/crawls");
      if (this.looking == null) return;
      this.draw(crawls);
      linkLost(null);
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      if (this.looking != null) linkLost(refusal.message);
    }
  }

  /** The cards of these crawls and no others; those that stay are not moved, so that nobody loses his place. */
  draw(crawls) {
    this.empty.hidden = crawls.length > 0;
    this.search.node.hidden = this.hunts.hidden = crawls.length === 0;
    const ids = new Set(crawls.map((crawl) => crawl.id));
    for (const id of this.cards.keys()) if (!ids.has(id)) this.drop(id);
    crawls.forEach((crawl, at) => {
      const { node } = this.card(crawl);
      if (this.list.children[at] !== node) this.list.insertBefore(node, this.list.children[at] ?? null);
    });
  }

  card(crawl) {
    let card = this.cards.get(crawl.id);
    if (card) card.draw(crawl);
    else this.cards.set(crawl.id, (card = new HuntCard(crawl, this.acts())));
    return card;
  }

  acts() {
    return {
      choose: (id, isChosen) => this.choose(id, isChosen),
      refused: (sentence) => say(this.error, sentence),
      removed: (id) => this.removed(id),
    };
  }

  choose(id, isChosen) {
    if (isChosen) this.chosen.add(id);
    else this.chosen.delete(id);
    this.compare.disabled = this.chosen.size !== 2;
  }

  removed(id) {
    this.drop(id);
    this.heading.focus();
    this.search.again();
    this.look();
  }

  drop(id) {
    this.cards.get(id)?.node.remove();
    this.cards.delete(id);
    this.choose(id, false);
  }
}

function nothingYet() {
  return el(
    "div",
    { class: "empty" },
    el("p", {}, "Every hunt is kept here with all it found, until you remove it."),
    el("a", { class: "button main", href: "#/" }, "Start the first one"),
  );
}

function reportList(reports) {
  return el(
    "section",
    { "aria-labelledby": "reports-title" },
    el("h2", { id: "reports-title" }, "Reports of the lab"),
    el("ul", { class: "reports" }, reports.map(reportLine)),
  );
}

function reportLine({ id, title, made }) {
  const link = kept(`/reports/${encodeURIComponent(id)}`, {}, title || id);
  return el("li", {}, link, el("span", { class: "soft" }, made && ` ${when(made)}`));
}

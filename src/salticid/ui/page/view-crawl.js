// A hunt while it runs and after: its head, its suggestions, and the panels beside them.

import { Refused, get, post } from "./api.js";
import { advicePanel } from "./advice-panel.js";
import { CrawlHead } from "./crawl-head.js";
import { button, el } from "./dom.js";
import { onceAFrame, onceEvery } from "./frame.js";
import { Failures } from "./failures.js";
import { failuresPanel } from "./failures-panel.js";
import { harvestPanel } from "./harvest-panel.js";
import { Hunt } from "./hunt.js";
import { isOurs } from "./keys.js";
import { MovedNote, movesBetween } from "./moved-note.js";
import { nowPanel } from "./now-panel.js";
import { PopulationPanel } from "./population-panel.js";
import { Question } from "./question.js";
import { rename } from "./router.js";
import { Rounds } from "./rounds.js";
import { sinceLastTime } from "./since-last-time.js";
import { SpiderPanel } from "./spider-panel.js";
import { startFates } from "./start-fates.js";
import { announce, linkLost } from "./status.js";
import { Stream } from "./stream.js";
import { Suggestions } from "./suggestions.js";
import { Warnings } from "./warnings.js";
import { tidings } from "./words.js";

const PANEL_PAUSE = 500;

export async function crawlView(session, [id, , spider]) {
  const summary = await get(`/api/crawls/${encodeURIComponent(id)}`);
  return new CrawlView(summary, spider == null ? null : Number(spider));
}

class CrawlView {
  constructor(summary, spider) {
    this.id = summary.id;
    this.title = summary.query;
    this.hunt = new Hunt(summary.id);
    this.hunt.hear("state", summary);
    this.spider = spider;
    this.head = new CrawlHead(this.hunt, (order, body) => this.order(order, body), () => this.shown());
    this.suggestions = new Suggestions(this.hunt, {
      like: (step, liking) => this.like(step, liking),
      follow: (number) => this.follow(number),
    });
    this.warnings = new Warnings(summary.id);
    this.failures = new Failures(this.hunt, () => this.drawPanels());
    this.fates = startFates(this.failures);
    this.rounds = new Rounds(this.hunt, () => this.drawPanels());
    this.news = sinceLastTime(this.rounds);
    this.moved = new MovedNote((step) => this.suggestions.acts.like(step, 0));
    this.question = new Question(this.hunt, {
      answer: (step, liking) => this.suggestions.acts.like(step, liking),
      snippet: (step) => this.suggestions.snippets.of(step),
    });
    this.said = new Map();
    this.panels = [
      new SpiderPanel(this.hunt, (number) => this.follow(number)),
      advicePanel(this.hunt),
      nowPanel(this.hunt),
      harvestPanel(this.hunt),
      failuresPanel(this.failures),
      new PopulationPanel(this.hunt, (number) => this.follow(number)),
    ];
    this.node = this.build();
    this.isCatchingUp = this.isBehind = true;
    this.drawList = onceAFrame(() => this.drawSuggestions());
    this.drawPanels = onceEvery(PANEL_PAUSE, () => this.drawAll());
    this.press = (event) => this.pressed(event);
  }

  build() {
    return el(
      "div",
      { class: "hunt", "data-show": "finds" },
      this.head.node,
      this.fates.node,
      this.warnings.node,
      this.news.node,
      this.question.node,
      this.tabs(),
      el(
        "div",
        { class: "hunt-columns" },
        el("section", { class: "finds", "aria-labelledby": "finds-title" }, this.suggestions.node, this.moved.node),
        el("aside", { class: "panels", "aria-label": "The hunt as it goes" }, this.panels.map((panel) => panel.node)),
      ),
    );
  }

  /** On a narrow screen either the suggestions or the panels are seen. */
  tabs() {
    const show = (what) => {
      this.node.dataset.show = what;
      for (const one of both) one.setAttribute("aria-pressed", one.dataset.shows === what);
      this.drawList();
    };
    const both = [
      button("Suggestions", () => show("finds"), { "data-shows": "finds", "aria-pressed": "true" }),
      button("The hunt", () => show("panels"), { "data-shows": "panels", "aria-pressed": "false" }),
    ];
    return el("div", { class: "switch", role: "group", "aria-label": "What to show" }, both);
  }

  entered() {
    document.addEventListener("keydown", this.press);
    this.stream = new Stream(
      `/api/crawls/${this.id}`,
      (name, data) => this.hear(name, data),
      (words) => linkLost(words),
    );
    this.drawAll();
    this.drawList();
  }

  close() {
    document.removeEventListener("keydown", this.press);
    this.stream?.close();
    this.suggestions.close();
    this.failures.close();
    this.rounds.close();
  }

  /** The address names another spider, or none. */
  arrived([, , spider]) {
    this.follow(spider == null ? null : Number(spider));
  }

  /** How many pages the list shows, and which: from the person's `least` score on, else on topic by the `line`. */
  shown() {
    const { least, line } = this.hunt;
    return { pages: this.hunt.suggestions().length, ...(least == null ? { line } : { least }) };
  }

  hear(name, data) {
    const before = this.hunt.summary.state;
    this.hunt.hear(name, data);
    if (name === "moved") this.moved.show(data, this.movesSince(data));
    if (name === "asked") this.question.ask(data.urls);
    if (name === "warned") this.warnings.add(data.line);
    if (name === "state") this.isBehind = false;
    if (name === "state" && data.state !== before) announce(data.stopped_line ?? tidings(data.state));
    if (name !== "now" && name !== "advice") this.drawList();
    this.drawPanels();
  }

  /** What was found before this window opened is no news: it may move rows. */
  drawSuggestions() {
    this.suggestions.draw(this.spider, this.isCatchingUp || undefined);
    this.head.drawOnTopic();
    this.isCatchingUp = this.isBehind;
  }

  drawAll() {
    this.head.draw();
    this.fates.draw();
    this.failures.update();
    this.rounds.update();
    this.news.draw();
    this.question.draw();
    this.lookAhead();
    for (const panel of this.panels) panel.draw(this.spider);
  }

  /** Of a hunt that has ended nobody tells what is left to find, so ask. */
  async lookAhead() {
    const { state, pages } = this.hunt.summary;
    const asked = `${state} ${pages}`;
    if (state !== "ended" || asked === this.lookedAhead) return;
    this.lookedAhead = asked;
    try {
      this.hear("advice", await get(`/api/crawls/${this.id}/outlook`));
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
    }
  }

  follow(number) {
    this.spider = number;
    if (number == null) rename("crawl", this.id);
    else rename("crawl", this.id, "spider", number);
    this.drawAll();
    this.suggestions.draw(number);
    if (number != null) announce(`Following spider ${number}.`);
  }

  /** How the list moved since this window said what was heard now; null if another window said it. */
  movesSince({ url }) {
    const said = this.said.get(url);
    this.said.delete(url);
    return said && movesBetween(said.list, this.hunt.suggestions(), said.step, (step) => !said.known.has(step));
  }

  async like(step, liking) {
    const { liking: before, final } = this.hunt.visits.get(step);
    this.said.set(final, { step, list: this.hunt.suggestions(), known: new Set(this.hunt.visits.keys()) });
    this.hunt.like(step, liking);
    this.drawList();
    try {
      this.moved.wait(step, liking);
      await post(`/api/crawls/${this.id}/feedback`, { step, liking });
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      this.hunt.like(step, before);
      this.suggestions.draw(this.spider, true);
      this.moved.refused(refusal.message);
    }
  }

  async order(order, body) {
    const known = this.hunt.summary;
    try {
      const answer = await post(`/api/crawls/${this.id}/${order}`, body);
      // What the stream told meanwhile may be newer than the answer, and it would not tell it twice.
      if (this.hunt.summary === known) this.hear("state", answer);
      this.head.refused("");
      if (this.stream?.source?.readyState === EventSource.CLOSED) this.stream.open();
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      this.head.refused(refusal.message);
    }
  }

  pressed(event) {
    if (!isOurs(event)) return;
    const does = {
      j: () => this.suggestions.feed.move(1),
      k: () => this.suggestions.feed.move(-1),
      o: () => this.suggestions.current()?.title.click(),
      "+": () => this.suggestions.current()?.like(1),
      "-": () => this.suggestions.current()?.like(-1),
      w: () => this.suggestions.current()?.toggle(),
      s: () => this.follow(this.suggestions.current()?.visit.agent ?? this.spider),
      a: () => this.follow(null),
      p: () => this.head.pauseOrGoOn(),
      Enter: event.target.matches("article") && (() => this.suggestions.current()?.title.click()),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }
}

// What is hunted, how it stands, and the buttons that steer it.

import { button, el, say } from "./dom.js";
import { exportMenu } from "./export-menu.js";
import { hint } from "./hint.js";
import { MOST_PAGES, wrongCount } from "./page-count.js";
import { pathTo } from "./router.js";
import { watchForm } from "./watch-form.js";
import { clock, number, percent, state, strategy } from "./words.js";

export class CrawlHead {
  /** `order(name, body)` asks the server: pause, continue, stop, watch. `shown()`: what the list shows. */
  constructor(hunt, order, shown) {
    this.hunt = hunt;
    this.order = order;
    this.shown = shown;
    this.heading = el("h1", { tabindex: "-1" }, hunt.summary.query);
    this.pill = el("span", { class: "pill" });
    this.how = el("p", { class: "soft head-how" });
    this.ending = el("p", { class: "ending", hidden: true });
    this.error = el("p", { class: "error", role: "alert" });
    this.turn = button("Pause", () => this.pauseOrGoOn());
    this.stop = button("Stop", () => order("stop"));
    this.more = this.moreForm();
    this.watch = watchForm(order);
    this.progress = el("progress", { "aria-label": "Pages fetched of those to fetch" });
    this.figures = this.figureList();
    this.node = this.build();
  }

  build() {
    const tools = el(
      "div",
      { class: "head-tools" },
      this.turn,
      this.stop,
      this.more,
      this.watch.node,
      exportMenu(this.hunt.id, () => {
        const { pages, round } = this.hunt.summary;
        return { ...this.shown(), read: pages, round };
      }),
      el("a", { class: "button", href: pathTo("visits", this.hunt.id) }, "All visits"),
      el("a", { class: "button", href: pathTo("compare", this.hunt.id) }, "Compare"),
    );
    return el(
      "header",
      { class: "head" },
      el("div", {}, el("div", { class: "head-title" }, this.heading, this.pill), this.how),
      tools,
      this.error,
      this.ending,
      this.progress,
      this.figures.node,
    );
  }

  moreForm() {
    const attributes = { min: 1, max: MOST_PAGES, value: 100, class: "short" };
    const pages = el("input", { type: "number", id: "more", ...attributes });
    return el(
      "form",
      {
        class: "more",
        hidden: true,
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          const wrong = wrongCount(pages);
          pages.setAttribute("aria-invalid", wrong !== "");
          this.refused(wrong);
          if (wrong) pages.focus();
          else this.order("continue", { more: Number(pages.value) });
        },
      },
      el("button", { type: "submit", class: "main" }, "Go on"),
      el("label", { for: "more" }, "with"),
      pages,
      el("span", {}, "more pages"),
    );
  }

  figureList() {
    const values = {};
    const figure = (name, label, explained) =>
      el("div", {}, el("dt", {}, label, explained), el("dd", {}, (values[name] = el("span", {}))));
    const spiders = figure("spiders", "Spiders alive");
    const node = el(
      "dl",
      { class: "figures" },
      figure("pages", "Pages read"),
      figure("harvest", "On topic lately",
        hint("on topic lately")),
      figure("positive", "On topic in all"),
      figure("hosts", "Sites on topic"),
      spiders,
      figure("time", "Time"),
    );
    return { node, values, spiders };
  }

  pauseOrGoOn() {
    const { state } = this.hunt.summary;
    if (state === "running" || state === "starting") this.order("pause");
    else if (state === "paused") this.order("continue");
  }

  refused(sentence) {
    say(this.error, sentence);
  }

  draw() {
    const { summary, spiders } = this.hunt;
    const ended = summary.state === "ended";
    say(this.heading, summary.query);
    say(this.pill, summary.watching && summary.state === "running" ? "watching" : state(summary.state));
    this.pill.dataset.state = summary.state;
    say(this.how, how(summary));
    this.buttons(summary, ended);
    this.ending.hidden = !summary.stopped_line;
    say(this.ending, summary.stopped_line ?? "");
    this.progress.max = summary.max_pages;
    this.progress.value = summary.pages;
    const { values } = this.figures;
    say(values.pages, `${number(summary.pages)} of ${number(summary.max_pages)}`);
    say(values.harvest, percent(summary.harvest));
    this.drawOnTopic();
    say(values.hosts, `${number(summary.hosts_on_topic)} of ${number(summary.hosts)}`);
    say(values.spiders, number(spiders.alive));
    say(values.time, clock(summary.seconds));
    this.figures.spiders.hidden = spiders.all.size === 0;
  }

  /** Drawn with the list, whose length it is. */
  drawOnTopic() {
    say(this.figures.values.positive, number(this.hunt.onTopic));
  }

  buttons(summary, ended) {
    const focusLost = ended && [this.turn, this.stop].includes(document.activeElement);
    this.stop.hidden = ended;
    this.turn.hidden = ended || summary.watching === true;
    this.watch.draw(summary);
    say(this.turn, summary.state === "paused" ? "Go on" : "Pause");
    this.turn.disabled = summary.state === "stopping";
    this.stop.disabled = summary.state === "stopping";
    this.more.hidden = !(ended && summary.can_continue);
    if (focusLost) this.heading.focus();
  }
}

function how({ strategy: name, max_pages, playing, world, looking }) {
  const where = world ? ` in the recorded world ${world}` : "";
  const order = `${strategy(name)} strategy, up to ${number(max_pages)} pages${where}`;
  if (looking && looking.pages < looking.of)
    return `${order}; looking again at known pages: ${number(looking.pages)} of ${number(looking.of)}`;
  if (looking) return `${order}; hunting on from what is new`;
  if (!playing) return order;
  return `${order}; going through what it did before: ${number(playing.step)} of ${number(playing.visits)}`;
}

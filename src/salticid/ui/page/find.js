// One suggestion: a row of the list.

import { away, button, el, fill, say } from "./dom.js";
import { clock, date, score } from "./words.js";
import { verdict, whyParts } from "./why.js";

/** `acts` are what a row can ask for: like(step, liking), follow(spider), snippet(step), open(step, isOpen). */
export class Find {
  constructor(visit, hunt, acts) {
    this.visit = visit;
    this.hunt = hunt;
    this.acts = acts;
    this.shown = "";
    this.why = null;
    this.node = this.build();
  }

  build() {
    const { visit } = this;
    const id = `find-${visit.step}`;
    this.number = el("span", { class: "find-number" });
    this.bar = el("span", { class: "find-fill" });
    this.title = away(visit.final, { class: "find-link" }, visit.title || visit.final);
    this.snippet = el("p", { class: "find-snippet" });
    this.up = this.thumb(1, "up", "More like this");
    this.down = this.thumb(-1, "down", "Not this");
    this.asks = button("Why", () => this.toggle(), { class: "quiet", "aria-expanded": "false" });
    return el(
      "article",
      { class: "find", "aria-labelledby": id },
      el(
        "div",
        { class: "find-score", title: "How well the page fits, from 0 to 1" },
        this.number,
        el("span", { class: "find-bar", "aria-hidden": "true" }, this.bar),
      ),
      el("div", { class: "find-body" }, el("h3", { id }, this.title), this.meta(), this.snippet),
      el("div", { class: "find-acts" }, this.up, this.down, this.asks),
    );
  }

  thumb(liking, way, name) {
    return button("", () => this.like(liking), { class: `thumb ${way}`, "aria-label": name, title: name });
  }

  meta() {
    const { visit } = this;
    const parts = [
      el("span", { class: "find-site" }, visit.site),
      el("span", {}, el("span", { class: "wide-only" }, "found at "), clock(visit.at)),
    ];
    if (visit.modified) parts.push(el("span", { class: "wide-only" }, `changed ${date(visit.modified)}`));
    if (visit.agent != null)
      parts.push(
        button(`Spider ${visit.agent}`, () => this.acts.follow(visit.agent), {
          class: "inline",
          title: "Follow this spider",
        }),
      );
    return el("p", { class: "find-meta" }, parts);
  }

  draw() {
    const { visit } = this;
    const snippet = this.acts.snippet(visit.step);
    const looks = [visit.score, visit.liking, snippet ? 1 : 0, this.hunt.line].join();
    if (looks === this.shown) return;
    this.shown = looks;
    say(this.number, score(visit.score));
    this.bar.style.setProperty("--share", visit.score);
    this.up.setAttribute("aria-pressed", visit.liking === 1);
    this.down.setAttribute("aria-pressed", visit.liking === -1);
    this.node.classList.toggle("disliked", visit.liking === -1);
    this.node.classList.toggle("liked", visit.liking === 1);
    const told = this.why?.querySelector(".verdict");
    if (told) say(told, verdict(visit, this.hunt));
    if (snippet) fill(this.snippet, snippet.map(([text, isHit]) => (isHit ? el("mark", {}, text) : text)));
  }

  like(liking) {
    this.acts.like(this.visit.step, this.visit.liking === liking ? 0 : liking);
  }

  toggle() {
    this.why = this.why ? this.closed() : this.opened();
    this.asks.setAttribute("aria-expanded", this.why != null);
    this.acts.open(this.visit.step, this.why != null);
  }

  opened() {
    const part = el("div", { class: "open" }, el("p", { class: "soft" }, "Looking it up …"));
    this.node.append(part);
    this.acts.explain(this.visit.step).then(
      (told) => fill(part, whyParts(told, this.visit, this.hunt)),
      (refusal) => fill(part, el("p", { class: "error" }, refusal.message)),
    ).then(() => this.acts.open(this.visit.step, this.why != null));
    return part;
  }

  closed() {
    this.why.remove();
    return null;
  }
}

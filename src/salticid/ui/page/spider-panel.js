// One spider: where it went, how it lives, what it has learned to look for, and its family.

import { sparkline } from "./chart.js";
import { button, el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel, unlessBusy } from "./panel.js";
import { trail } from "./trail.js";
import { clock, count } from "./words.js";

const MOST_WORDS = 24;

export class SpiderPanel {
  constructor(hunt, follow) {
    this.hunt = hunt;
    this.follow = follow;
    const { node, heading, body } = panel("Spider");
    this.node = node;
    this.heading = heading;
    this.body = body;
    this.number = null;
  }

  draw(number) {
    const spider = number == null ? null : this.hunt.spiders.all.get(number);
    this.node.hidden = spider == null;
    if (!spider) return (this.number = null);
    const { path, energy, children, keywords, died } = spider;
    const looks = [number, path.length, energy.length, children.length, keywords.length, died].join();
    if (looks === this.looks && this.number === number) return;
    const chosen = this.number !== number;
    this.number = number;
    this.looks = looks;
    fill(this.heading, `Spider ${number}`);
    const draw = () => fill(this.body, this.parts(spider));
    if (chosen) draw();
    else unlessBusy(this.body, draw);
  }

  parts(spider) {
    const visits = spider.path.map((step) => this.hunt.visits.get(step));
    const energy = spider.energy.at(-1)?.[1];
    return [
      el("p", {}, this.life(spider)),
      el("h3", {}, "Its path"),
      visits.length > 0 && [trail(visits, this.hunt), key()],
      visits.length === 0 && el("p", { class: "soft" }, "It has arrived nowhere yet."),
      energy != null && [
        el("h3", {}, "Its energy", hint("energy")),
        sparkline(spider.energy, `Energy from ${spider.energy[0][1].toFixed(2)} to ${energy.toFixed(2)}`),
        el("p", { class: "soft" }, `${energy.toFixed(2)} now`),
      ],
      this.words(spider),
      this.family(spider),
      button("Show everyone’s finds", () => this.follow(null)),
    ];
  }

  life(spider) {
    const found = `It found ${count(spider.pages, "page")} in ${count(spider.path.length, "step")}.`;
    if (spider.alive) return `Alive since ${clock(spider.born)}. ${found}`;
    const cause = spider.cause ? ` (${spider.cause})` : "";
    return `Lived from ${clock(spider.born)} to ${clock(spider.died)}${cause}. ${found}`;
  }

  /** Words that the first spiders did not set out with are its line's own. */
  words(spider) {
    const { keywords } = spider;
    if (!keywords.length) return null;
    const { founding } = this.hunt.spiders;
    const learned = (word) => el("li", { class: "word learned" }, word, el("span", { class: "unseen" }, " (learned)"));
    const given = (word) => el("li", { class: "word" }, word);
    const tags = keywords.slice(0, MOST_WORDS).map((word) => (founding.has(word) ? given(word) : learned(word)));
    return [
      el("h3", {}, "Words it looks for", hint("a coloured word")),
      el("ul", { class: "words" }, tags),
    ];
  }

  family(spider) {
    const one = (number) => button(`Spider ${number}`, () => this.follow(number), { class: "inline" });
    return [
      spider.parent != null && el("p", {}, "Child of ", one(spider.parent), "."),
      spider.children.length > 0 && el("p", { class: "family" }, "Its young: ", spider.children.map(one)),
    ];
  }
}

function key() {
  const kinds = [["good", "on topic"], ["plain", "other"], ["again", "seen before"], ["failed", "failed"]];
  return el("p", { class: "legend" }, kinds.map(([kind, name]) => el("span", { class: `key ${kind}` }, name)));
}

// How many spiders are alive over time, and each of them to choose from.

import { chart } from "./chart.js";
import { button, el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel } from "./panel.js";
import { clock, count, number } from "./words.js";

export class PopulationPanel {
  constructor(hunt, follow) {
    this.hunt = hunt;
    this.follow = follow;
    const { node, body } = panel("Spiders", hint("a spider"));
    this.node = node;
    this.picture = el("div", {});
    this.told = el("p", { class: "soft" });
    this.chips = el("div", { class: "chips", role: "group", "aria-label": "Spiders" });
    this.known = new Map();
    this.drawn = -1;
    body.append(this.picture, this.told, this.chips);
  }

  draw(chosen) {
    const { spiders } = this.hunt;
    this.node.hidden = spiders.all.size === 0;
    if (this.node.hidden) return;
    if (spiders.counts.length !== this.drawn) this.drawPopulation(spiders);
    for (const spider of spiders.all.values()) this.drawChip(spider, chosen);
  }

  drawPopulation(spiders) {
    this.drawn = spiders.counts.length;
    const { alive, births, deaths } = spiders;
    const told = `${number(alive)} alive, ${count(births, "birth")}, ${count(deaths, "death")}.`;
    const seconds = this.hunt.summary.seconds;
    const points = [[0, 0], ...spiders.counts, [Math.max(seconds, spiders.counts.at(-1)?.[0] ?? 0), spiders.alive]];
    const curves = [{ points, kind: "step" }];
    fill(this.picture, spiders.counts.length > 0 && chart({ curves, x: "s", y: "alive", told, height: 150 }));
    fill(this.told, told);
  }

  drawChip(spider, chosen) {
    let chip = this.known.get(spider.number);
    if (!chip) {
      chip = button(String(spider.number), () => this.follow(spider.number), { class: "chip" });
      this.known.set(spider.number, chip);
      this.chips.append(chip);
    }
    const looks = `${spider.alive}/${spider.pages}/${spider.number === chosen}`;
    if (chip.dataset.looks === looks) return;
    chip.dataset.looks = looks;
    const life = spider.alive ? "alive" : `died at ${clock(spider.died)}`;
    const label = `Spider ${spider.number}, ${life}, ${count(spider.pages, "page")}`;
    chip.classList.toggle("dead", !spider.alive);
    chip.setAttribute("aria-pressed", spider.number === chosen);
    chip.setAttribute("aria-label", label);
    chip.title = label;
  }
}

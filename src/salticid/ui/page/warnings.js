// What the server has to say about a hunt, until somebody has read it.

import { button, el } from "./dom.js";

const kept = new Map();

/** Keep what was said at the start for the view that comes next. */
export function keepWarnings(id, warnings) {
  kept.set(id, warnings);
}

/** A note that shows itself when there is something to say, and can be put away. */
export class Warnings {
  constructor(id) {
    this.list = el("ul", {});
    this.node = el(
      "section",
      { class: "note", "aria-label": "Remarks", hidden: true },
      this.list,
      button("Understood", () => (this.node.hidden = true)),
    );
    for (const warning of kept.get(id) ?? []) this.add(warning);
    kept.delete(id);
  }

  add(warning) {
    if ([...this.list.children].some((line) => line.textContent === warning)) return;
    this.list.append(el("li", {}, warning));
    this.node.hidden = false;
  }
}

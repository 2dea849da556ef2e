// What a person's word changed: the waiting links that moved.

import { away, button, el, fill } from "./dom.js";
import { shortened } from "./now-panel.js";
import { announce } from "./status.js";
import { count, number } from "./words.js";

const MOST = 4;

export class MovedNote {
  constructor() {
    this.node = el("section", { class: "moved", "aria-label": "What your word changed", hidden: true });
  }

  wait(liking) {
    if (liking === 0) return this.hide();
    const words = liking > 0 ? "More like this" : "Less like this";
    this.put(el("p", {}, `${words}: the hunt is learning …`));
  }

  refused(sentence) {
    this.put(el("p", { class: "error", role: "alert" }, sentence));
  }

  show({ up, down }) {
    const any = up.length + down.length > 0;
    const told = any
      ? `Your word moved ${count(up.length, "waiting link")} up and ${number(down.length)} down.`
      : "Your word moved no waiting link; it counts for those still to be found.";
    this.put(
      el("p", {}, told),
      any && el("div", { class: "moved-lists" }, list("Up", up, "rose"), list("Down", down, "fell")),
    );
    announce(told);
  }

  put(...parts) {
    fill(this.node, parts, button("Close", () => this.hide(), { class: "quiet" }));
    this.node.hidden = false;
  }

  hide() {
    this.node.hidden = true;
  }
}

function list(title, moves, way) {
  if (!moves.length) return null;
  const rows = moves.slice(0, MOST).map(({ url, before, after }) =>
    el("li", {}, away(url, { class: "cut" }, shortened(url)), el("span", { class: way }, places(before, after))),
  );
  return el("div", {}, el("h3", {}, title), el("ul", { class: "lines" }, rows));
}

function places(before, after) {
  if (before == null) return `new at ${number(after)}`;
  if (after == null) return `${number(before)} → out`;
  return `${number(before)} → ${number(after)}`;
}

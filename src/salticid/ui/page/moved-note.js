// What a person's word changed: the suggestions and the waiting links that moved.

import { away, button, el, fill } from "./dom.js";
import { shortened } from "./now-panel.js";
import { announce } from "./status.js";
import { count, number } from "./words.js";

const MOST = 4;

export class MovedNote {
  /** `undo(step)` takes back that a page was rejected. */
  constructor(undo) {
    this.undo = undo;
    this.node = el("section", { class: "moved", "aria-label": "What your word changed", hidden: true });
  }

  wait(step, liking) {
    this.step = step;
    const words = { 1: "More like this", "-1": "Not this: the page is out of the list", 0: "Taken back" }[liking];
    this.put(el("p", {}, `${words}. The hunt is learning …`), this.undoing(liking));
  }

  refused(sentence) {
    this.put(el("p", { class: "error", role: "alert" }, sentence));
  }

  /** What the server says of the links that wait, and what `moves` of the list are known here. */
  show({ liking, up, down, rose, fell }, moves) {
    const told = `${ofTheList(moves)} ${ofTheLinks(rose, fell)}`;
    this.put(
      el("p", {}, told),
      this.undoing(liking),
      rose + fell > 0 && el("details", {}, el("summary", {}, "Which links"),
        el("div", { class: "moved-lists" }, list("Up", up, "rose"), list("Down", down, "fell"))),
    );
    announce(told);
  }

  undoing(liking) {
    const { step } = this;
    return liking === -1 && step != null && el("p", {}, button("Take it back", () => this.undo(step)));
  }

  put(...parts) {
    fill(this.node, parts, button("Close", () => this.hide(), { class: "quiet" }));
    this.node.hidden = false;
  }

  hide() {
    this.node.hidden = true;
  }
}

function ofTheList(moves) {
  if (!moves) return "A word was said in another window.";
  const { up, down, out, into } = moves;
  if (up + down + out + into === 0) return "Your word moved no other suggestion.";
  const parts = [`${count(up, "suggestion")} up`, `${number(down)} down`, `${number(out)} out of the list`];
  return `Your word moved ${parts.join(", ")} and ${number(into)} into it.`;
}

function ofTheLinks(rose, fell) {
  if (rose + fell === 0) return "No waiting link moved; it counts for those still to be found.";
  return `Of the links that wait, ${number(rose)} moved up and ${number(fell)} down.`;
}

/** How the others in a list of steps moved among each other between two moments; those found since do not count. */
export function movesBetween(before, after, spokenOf, isNew) {
  const [was, is] = [new Set(before), new Set(after)];
  const stayed = before.filter((step) => is.has(step) && step !== spokenOf);
  const places = new Map(stayed.map((step, at) => [step, at]));
  const changes = after.filter((step) => places.has(step)).map((step, at) => places.get(step) - at);
  return {
    up: changes.filter((change) => change > 0).length,
    down: changes.filter((change) => change < 0).length,
    out: before.filter((step) => !is.has(step) && step !== spokenOf).length,
    into: after.filter((step) => !was.has(step) && step !== spokenOf && !isNew(step)).length,
  };
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

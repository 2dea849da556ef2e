// A titled part of the column beside the suggestions.

import { el } from "./dom.js";

let made = 0;

/** A section with a heading; its content goes into `body`. */
export function panel(title, hintNode = null) {
  const id = `panel-${(made += 1)}`;
  const heading = el("h2", { id }, title);
  const body = el("div", { class: "panel-body" });
  const head = el("div", { class: "panel-head" }, heading, hintNode);
  const node = el("section", { class: "panel", "aria-labelledby": id }, head, body);
  return { node, heading, body };
}

/** Redraw a body unless somebody is at work in it: a focus is never taken away. */
export function unlessBusy(body, draw) {
  if (!body.contains(document.activeElement)) draw();
}

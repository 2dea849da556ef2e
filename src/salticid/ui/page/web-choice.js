// Where to hunt: on the live web, or in one of the recorded worlds that lie beside the hunts.

import { el } from "./dom.js";

/** Nothing is shown where there is nothing to choose. */
export function webChoice(worlds) {
  const list = el(
    "select",
    { id: "web" },
    el("option", { value: "" }, "the live web"),
    worlds.map((name) => el("option", { value: name }, `the recorded world ${name}`)),
  );
  const label = el("label", { for: "web" }, "Where to hunt");
  const node = el("div", { class: "field", hidden: worlds.length === 0 }, label, list);
  return { node, chosen: () => list.value || null };
}

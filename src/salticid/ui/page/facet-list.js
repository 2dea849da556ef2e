// What visits have in common: the values of one facet with how many visits have each; one of them may be chosen.

import { button, el } from "./dom.js";
import { count, number } from "./words.js";

const NAMES = { outcome: "Outcome", host: "Host", depth: "Depth", language: "Language", reason: "Why" };
const NONE = { language: "not told", reason: "no reason told" };

/** `choose(value)` is called with the value that a person wants, null for any. */
export function facetList(name, { values, left_off }, chosen, choose) {
  return el(
    "fieldset",
    { class: "facet" },
    el("legend", {}, NAMES[name]),
    el(
      "ul",
      {},
      values.map(([value, times]) => el("li", {}, entry(name, value, times, value === chosen, choose))),
      left_off > 0 && el("li", { class: "soft" }, `and ${count(left_off, "more value")}`),
    ),
  );
}

export function valueOf(name, value) {
  return value === "" || value == null ? NONE[name] ?? "none" : String(value);
}

function entry(name, value, times, isChosen, choose) {
  const node = button("", () => choose(isChosen ? null : value), {
    class: "quiet facet-value",
    "aria-pressed": String(isChosen),
    "data-value": `${name}=${value}`,
  });
  node.append(el("span", { class: "cut" }, valueOf(name, value)), el("span", { class: "number" }, number(times)));
  return node;
}

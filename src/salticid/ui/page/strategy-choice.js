// How to hunt: the usual way, and behind "Advanced" the others, each with a sentence and what it was measured to find.

import { el, say } from "./dom.js";
import { strategy as nameOf } from "./words.js";

export function strategyChoice(strategies) {
  const usual = strategies.find((one) => one.default) ?? strategies[0];
  const shown = el("span", { class: "soft" });
  const list = el("div", { class: "choices" }, strategies.map((one) => choice(one, usual)));
  const chosen = () => list.querySelector("input:checked").value;
  const tell = () => say(shown, nameOf(chosen()));
  list.addEventListener("change", tell);
  tell();
  const node = el(
    "details",
    { class: "strategy" },
    el("summary", {}, "Advanced: how to hunt ", shown),
    el(
      "fieldset",
      {},
      el("legend", { class: "unseen" }, "Strategy"),
      el(
        "p",
        { class: "soft" },
        "The figures were measured on recorded webs: how much of what there was to find was found, and how early, in ",
        "percent of a hunt that knows the way.",
      ),
      list,
    ),
  );
  return { node, chosen };
}

function choice(one, usual) {
  const { name, line, walks } = one;
  const radio = el("input", { type: "radio", name: "strategy", value: name, checked: one === usual });
  return el(
    "label",
    { class: "choice" },
    radio,
    el(
      "span",
      {},
      el("b", {}, nameOf(name)),
      one === usual && el("span", { class: "tag" }, "recommended"),
      walks && el("span", { class: "tag" }, "spiders"),
      el("span", { class: "choice-line" }, line),
      el("span", { class: "choice-line" }, el("b", {}, measured(one, usual))),
    ),
  );
}

/** What a strategy found where it was measured, beside the usual one. */
function measured(one, usual) {
  if (!one.worth) return "Not measured.";
  const [near, far] = shares(one);
  const found = `Found ${near} from good pages, ${far} from two links away`;
  if (one === usual || !usual.worth) return `${found}.`;
  return `${found} (${nameOf(usual.name)}: ${shares(usual).join(" and ")}).`;
}

function shares({ worth }) {
  return [worth.near, worth.far].map((share) => `${Math.round(share)} %`);
}

// How to hunt: the usual way, and the others with a line each.

import { el, say } from "./dom.js";
import { strategy as nameOf } from "./words.js";

export function strategyChoice(strategies) {
  const usual = strategies.find((one) => one.default) ?? strategies[0];
  const shown = el("span", { class: "soft" });
  const list = el("div", { class: "choices" }, strategies.map((one) => choice(one, one === usual)));
  const chosen = () => list.querySelector("input:checked").value;
  const tell = () => say(shown, nameOf(chosen()));
  list.addEventListener("change", tell);
  tell();
  const node = el(
    "details",
    { class: "strategy" },
    el("summary", {}, "How to hunt: ", shown),
    el("fieldset", {}, el("legend", { class: "unseen" }, "Strategy"), list),
  );
  return { node, chosen };
}

function choice({ name, line, walks }, isUsual) {
  const radio = el("input", { type: "radio", name: "strategy", value: name, checked: isUsual });
  return el(
    "label",
    { class: "choice" },
    radio,
    el(
      "span",
      {},
      el("b", {}, nameOf(name)),
      isUsual && el("span", { class: "tag" }, "usual"),
      walks && el("span", { class: "tag" }, "spiders"),
      el("span", { class: "choice-line" }, line),
    ),
  );
}

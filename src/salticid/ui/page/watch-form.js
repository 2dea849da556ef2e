// Keep watching: a round now, and others by themselves for as long as the server runs.

import { el } from "./dom.js";

const PERIODS = [
  ["", "only now"],
  ["day", "now, and every day"],
  ["week", "now, and every week"],
];

/** `order(name, body)` asks the server. */
export function watchForm(order) {
  const often = el(
    "select",
    { id: "every", onchange: () => order("watch", { every: often.value || null, now: false }) },
    PERIODS.map(([value, label]) => el("option", { value }, label)),
  );
  const node = el(
    "form",
    {
      class: "more",
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        order("watch", { every: often.value || null });
      },
    },
    el("button", { type: "submit" }, "Keep watching"),
    el("label", { for: "every", class: "unseen" }, "How often"),
    often,
  );

  function draw(summary) {
    node.hidden = !summary.can_watch;
    if (document.activeElement !== often) often.value = summary.every ?? "";
  }

  return { node, draw };
}

// The sites that could not be read, those with most failures first, and why.

import { el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel, unlessBusy } from "./panel.js";
import { count, number } from "./words.js";

const MOST = 6;

export function failuresPanel(failures) {
  const { node, heading, body } = panel("", hint("what could not be read"));
  let drawn = "";

  function draw() {
    const { hosts, leftOff } = failures;
    node.hidden = hosts.length === 0;
    const looks = JSON.stringify([hosts, leftOff]);
    if (node.hidden || looks === drawn) return;
    unlessBusy(body, () => {
      drawn = looks;
      heading.textContent = "Could not be read";
      const rows = hosts.map(row);
      const more = rows.splice(MOST);
      const others = more.length + leftOff;
      fill(
        body,
        el("ul", { class: "lines" }, rows),
        others > 0 &&
          el(
            "details",
            {},
            el("summary", {}, count(others, "more line")),
            el("ul", { class: "lines" }, more),
            leftOff > 0 && el("p", { class: "soft" }, `${number(leftOff)} of them are not listed here.`),
          ),
      );
    });
  }

  return { node, draw };
}

function row({ host, cause, count: many, url }) {
  return el(
    "li",
    {},
    el("span", { class: "cut", title: url }, host),
    el("span", { class: "soft" }, count(many, "link")),
    el("span", { class: "because" }, cause),
  );
}

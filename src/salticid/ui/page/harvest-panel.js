// How many of the pages read are on topic, as the hunt goes.

import { chart } from "./chart.js";
import { el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel } from "./panel.js";
import { number, percent } from "./words.js";

export function harvestPanel(hunt) {
  const { node, body } = panel("Harvest", hint("the harvest"));
  let drawn = "";

  function draw() {
    const curve = hunt.curve();
    const [pages, positives] = curve.at(-1);
    node.hidden = pages === 0;
    if (`${pages}/${positives}` === drawn || pages === 0) return;
    drawn = `${pages}/${positives}`;
    const told = `${number(positives)} of ${number(pages)} pages are on topic (${percent(positives / pages)}).`;
    fill(
      body,
      chart({ curves: [{ points: curve }], x: "pages", y: "on topic", told }),
      el("p", { class: "soft" }, told, rate(hunt)),
    );
  }

  return { node, draw };
}

function rate({ summary }) {
  if (!summary.seconds) return "";
  return ` ${number(Math.round((60 * summary.fetches) / summary.seconds))} fetches a minute.`;
}

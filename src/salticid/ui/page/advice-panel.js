// What is still to be found, as the crawl estimates it.

import { el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel } from "./panel.js";
import { number, percent } from "./words.js";

export function advicePanel(hunt) {
  const { node, body } = panel("What is left to find", hint("this estimate"));
  let drawn = null;

  function draw() {
    node.hidden = !hunt.advice?.remaining;
    if (node.hidden || drawn === hunt.advice) return;
    drawn = hunt.advice;
    fill(body, el("p", {}, left(hunt.advice.remaining)), el("p", {}, ahead(hunt.advice.harvest)));
  }

  return { node, draw };
}

function left({ mean, low, high }) {
  if (high < 1) return "Hardly anything seems to be left; you may as well stop.";
  const [middle, least, most] = [mean, low, high].map((x) => number(Math.round(x)));
  return `About ${middle} more pages on topic seem to be left (${least} to ${most}).`;
}

function ahead({ mean, low, high }) {
  return `Of the next hundred pages about ${percent(mean)} should fit (${percent(low)} to ${percent(high)}).`;
}

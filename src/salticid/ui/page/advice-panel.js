// What is still to be found, as the crawl estimates it, also when it has ended.

import { el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel } from "./panel.js";
import { number, percent } from "./words.js";

export function advicePanel(hunt) {
  const { node, body } = panel("What is left to find", hint("this estimate"));
  let drawn = null;

  function draw() {
    const lines = told(hunt);
    node.hidden = lines.length === 0;
    const looks = lines.join("\n");
    if (looks === drawn) return;
    drawn = looks;
    fill(body, lines.map((line) => el("p", {}, line)));
  }

  return { node, draw };
}

const OVER = {
  "frontier empty":
    "No link is left to follow: from these start points nothing more can be reached. Others may lead on.",
  extinct: "No spider is left to look for more.",
};

/** Sentences about what is left; none before there was anything to judge by. */
function told({ summary, advice }) {
  if (!summary.pages || !advice) return [];
  if (OVER[summary.stopped]) return [OVER[summary.stopped]];
  const { remaining, harvest } = advice;
  if (!harvest) return ["It is too early to say: that takes more pages, and some of them on topic."];
  return [remaining ? left(remaining) : "How many more there are cannot be known yet.", ahead(harvest)];
}

function left({ mean, low, high }) {
  if (high < 1) return "Hardly anything seems to be left; you may as well stop.";
  const [middle, least, most] = [mean, low, high].map((x) => number(Math.round(x)));
  return `About ${middle} more pages on topic seem to be left (${least} to ${most}).`;
}

function ahead({ mean, low, high }) {
  return `Of the next hundred pages about ${percent(mean)} should fit (${percent(low)} to ${percent(high)}).`;
}

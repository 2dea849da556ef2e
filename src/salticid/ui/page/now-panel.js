// What is being fetched, what waits and why, and which sites asked for patience.

import { away, el, fill } from "./dom.js";
import { hint } from "./hint.js";
import { panel, unlessBusy } from "./panel.js";
import { clock, count, doing as told, score } from "./words.js";

const MOST = 5;

export function nowPanel(hunt) {
  const { node, body } = panel("Right now", hint("right now"));

  function draw() {
    node.hidden = !hunt.runs || !hunt.now;
    if (!node.hidden) unlessBusy(body, () => fill(body, parts(hunt.now, hunt.summary.state === "paused")));
  }

  return { node, draw };
}

function parts({ fetching, waiting, parked }, isPaused) {
  const more = waiting.size > waiting.best.length;
  return [
    el("h3", {}, onTheWay(fetching.length, isPaused)),
    el("ul", { class: "lines" }, fetching.slice(0, MOST).map(fetched)),
    el("h3", {}, count(waiting.size, "link waits", "links wait"), more && ", the best of them"),
    el("ul", { class: "lines" }, waiting.best.slice(0, MOST).map(waits)),
    parked.length > 0 && el("h3", {}, "Sites that asked for patience"),
    parked.length > 0 && el("ul", { class: "lines" }, parked.slice(0, MOST).map(rests)),
  ];
}

function onTheWay(pages, isPaused) {
  if (pages === 0) return "Nothing is being fetched";
  return isPaused ? `${count(pages, "page")} held until you go on` : `Fetching ${count(pages, "page")}`;
}

function fetched({ url, doing, seconds }) {
  return el(
    "li",
    {},
    el("span", { class: "cut", title: url }, shortened(url)),
    el("span", { class: "soft" }, `${told(doing)}, ${Math.round(seconds)} s`),
  );
}

function waits({ url, score: promise, reasons }) {
  const strongest = reasons.find(({ share }) => share == null || share > 0);
  return el(
    "li",
    {},
    away(url, { class: "cut" }, shortened(url)),
    el("span", { class: "soft", title: "How promising the link is" }, score(promise)),
    strongest && el("span", { class: "because" }, strongest.line),
  );
}

function rests({ site, until }) {
  return el("li", {}, el("span", { class: "cut" }, site), el("span", { class: "soft" }, `for ${clock(until)} more`));
}

/** An address without what all of them share. */
export function shortened(url) {
  return url.replace(/^https?:\/\/(www\.)?/, "");
}

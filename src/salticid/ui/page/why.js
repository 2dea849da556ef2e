// Why a page was fetched: what its link was promised, in bars.

import { away, el } from "./dom.js";
import { reason, score } from "./words.js";

/** `told` is what the server knows of one visit. */
export function whyBars(told, visit, hunt) {
  return [
    el("p", { class: "why-origin" }, origin(visit, hunt)),
    told.why.length
      ? bars(told.why)
      : el("p", { class: "soft" }, "The strategy gave no further reasons for taking this link."),
  ];
}

function origin(visit, hunt) {
  if (visit.source === -1) return ["You named this page as a start point."];
  const source = hunt.visits.get(visit.source);
  if (!source) return ["It was offered from outside this hunt: by a site map or an earlier hunt."];
  return ["Its link stood on ", away(source.final, {}, source.title || source.final), "."];
}

/** Contributions as bars, each as long as its share of the largest. */
export function bars(contributions) {
  const most = Math.max(...contributions.map(([, x]) => Math.abs(x)), Number.EPSILON);
  return el(
    "dl",
    { class: "bars" },
    contributions.map(([name, x]) => {
      const fill = el("span", { class: x < 0 ? "against" : "for" });
      fill.style.setProperty("--share", Math.abs(x) / most);
      return el("div", {}, el("dt", {}, reason(name)), el("dd", {}, fill, el("span", { class: "number" }, score(x))));
    }),
  );
}

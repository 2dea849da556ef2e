// Visits as rows of a table.

import { away, el } from "./dom.js";
import { valueOf } from "./facet-list.js";
import { number, score } from "./words.js";

export function visitRows(visits) {
  return visits.map((visit) => {
    const cells = [
      number(visit.step),
      page(visit),
      visit.status ? `${visit.outcome} (${visit.status})` : visit.outcome,
      visit.outcome === "ok" ? score(visit.current_score) : "",
      number(visit.depth),
      visit.outcome === "ok" ? valueOf("language", visit.language) : "",
      valueOf("reason", visit.reason),
    ];
    return el("tr", {}, cells.map((cell) => el("td", {}, cell)));
  });
}

function page({ url, final_url, title }) {
  return [
    away(final_url, { class: "find-link" }, title || final_url),
    el("span", { class: "soft visit-address" }, url === final_url ? url : `${url} → ${final_url}`),
  ];
}

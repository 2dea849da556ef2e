// The path of a spider as a small map: a lane for each site, a stop for each page, in the order of its steps.

import { svg } from "./dom.js";
import { count } from "./words.js";

const LONGEST = 36;
const LANES = 6;
const LANE = 26;
const NAMES = 126;

/** `visits` are a spider's of a hunt, in order; of a long path the end is drawn. */
export function trail(visits, hunt, width = 340) {
  const stops = visits.slice(-LONGEST);
  const lanes = lanesOf(stops);
  const height = LANE * lanes.length + 12;
  const stride = (width - NAMES - 14) / Math.max(1, stops.length - 1);
  const places = stops.map((visit, at) => [NAMES + 4 + at * stride, LANE * (laneOf(lanes, visit) + 0.5) + 6]);
  const cut = visits.length > stops.length ? `, the last ${stops.length} are drawn` : "";
  return svg(
    "svg",
    {
      class: "trail",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Path over ${count(lanes.length, "site")}, ${count(visits.length, "step")}${cut}`,
    },
    lanes.map((site, at) => lane(site, LANE * (at + 0.5) + 6, width)),
    svg("polyline", { class: "way", points: places.map((place) => place.join()).join(" ") }),
    stops.map((visit, at) => stop(visit, places[at], hunt)),
  );
}

/** The sites of the stops in order of their first one; the rarest share the last lane. */
function lanesOf(stops) {
  const sites = [...new Set(stops.map((visit) => visit.site))];
  return sites.length <= LANES ? sites : [...sites.slice(0, LANES - 1), "other sites"];
}

function laneOf(lanes, visit) {
  const at = lanes.indexOf(visit.site);
  return at < 0 ? lanes.length - 1 : at;
}

function lane(site, y, width) {
  const name = site.length > 16 ? `${site.slice(0, 15)}…` : site;
  return [
    svg("line", { class: "grid", x1: NAMES, x2: width, y1: y, y2: y }),
    svg("text", { x: NAMES - 8, y: y + 4, "text-anchor": "end" }, name),
  ];
}

function stop(visit, [x, y], hunt) {
  const share = visit.outcome === "ok" ? visit.score / (hunt.ranking.best || 1) : 0;
  const kind = visit.outcome !== "ok" ? "failed" : visit.revisit ? "again" : hunt.isOnTopic(visit) ? "good" : "plain";
  const dot = svg("circle", { class: `stop ${kind}`, cx: x, cy: y, r: 3 + 4 * share });
  dot.append(svg("title", {}, visit.title || visit.final));
  return dot;
}

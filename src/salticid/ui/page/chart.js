// Curves drawn as SVG: a chart with axes, and a line without.

import { el, svg } from "./dom.js";
import { number } from "./words.js";

const MOST_POINTS = 240;
const EDGE = { left: 40, right: 12, top: 10, bottom: 28 };

/**
 * A chart of curves over a common x. `curves` are {name, points, kind?}: points [x, y] in order of x, kind "step"
 * for numbers that jump. `x` and `y` name the axes, `told` says in words what there is to see.
 */
export function chart({ curves, x, y, told, width = 380, height = 190 }) {
  const drawn = curves.map((curve) => ({ ...curve, points: thinned(curve.points) }));
  const all = drawn.flatMap((curve) => curve.points);
  const right = ceiling(Math.max(1, ...all.map((point) => point[0])));
  const top = ceiling(Math.max(1, ...all.map((point) => point[1])));
  const toX = (value) => EDGE.left + (value / right) * (width - EDGE.left - EDGE.right);
  const toY = (value) => height - EDGE.bottom - (value / top) * (height - EDGE.top - EDGE.bottom);
  const grid = [0, 0.5, 1].map((share) => [
    svg("line", { class: "grid", x1: toX(0), x2: toX(right), y1: toY(share * top), y2: toY(share * top) }),
    svg("text", { x: EDGE.left - 6, y: toY(share * top) + 4, "text-anchor": "end" }, shortened(share * top)),
  ]);
  const below = [0, 0.5, 1].map((share, at) =>
    svg(
      "text",
      { x: toX(share * right), y: height - 10, "text-anchor": ["start", "middle", "end"][at] },
      shortened(share * right) + (at === 2 ? ` ${x}` : ""),
    ),
  );
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told },
    grid,
    below,
    drawn.map((curve, at) => line(curve, at, toX, toY)),
    svg("text", { class: "axis", x: EDGE.left + 6, y: EDGE.top + 10 }, y),
  );
}

/** The names of curves beside their colours. */
export function legend(names) {
  return el("p", { class: "legend" }, names.map((name, at) => el("span", { class: `key c${at}` }, name)));
}

/** A small line without axes. */
export function sparkline(all, told, width = 320, height = 56) {
  const points = thinned(all);
  const right = Math.max(1e-9, points.at(-1)?.[0] ?? 1);
  const left = points[0]?.[0] ?? 0;
  const top = Math.max(1e-9, ...points.map((point) => point[1]));
  const toX = (value) => 3 + ((value - left) / Math.max(1e-9, right - left)) * (width - 6);
  const toY = (value) => height - 3 - (Math.max(0, value) / top) * (height - 8);
  const last = points.at(-1);
  return svg(
    "svg",
    { class: "sparkline", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told },
    svg("line", { class: "grid", x1: 3, x2: width - 3, y1: toY(0), y2: toY(0) }),
    points.length > 0 && line({ points }, 0, toX, toY),
    last && svg("circle", { class: "dot c0", cx: toX(last[0]), cy: toY(last[1]), r: 3 }),
  );
}

function line({ points, kind }, at, toX, toY) {
  const placed = points.map(([x, y]) => [toX(x).toFixed(1), toY(y).toFixed(1)]);
  const drawn = kind === "step" ? stairs(placed) : placed;
  return svg("polyline", { class: `curve c${at}`, points: drawn.map((point) => point.join()).join(" ") });
}

function stairs(placed) {
  return placed.flatMap(([x, y], at) => (at ? [[x, placed[at - 1][1]], [x, y]] : [[x, y]]));
}

/** Not more points than can be told apart, the first and the last among them. */
function thinned(points) {
  if (points.length <= MOST_POINTS) return points;
  const stride = (points.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, at) => points[Math.round(at * stride)]);
}

/** The next round number. */
function ceiling(x) {
  const zeros = 10 ** Math.floor(Math.log10(x));
  return zeros * [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((digit) => digit * zeros >= x);
}

/** A half of something counted is not written. */
function shortened(x) {
  if (!Number.isInteger(x)) return "";
  return x >= 10_000 ? `${number(x / 1000)}k` : number(x);
}

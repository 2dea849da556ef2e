// What became of the start points, where some could not be read: why, and what to do about it.

import { button, el, fill } from "./dom.js";
import { count } from "./words.js";

const MOST = 5;

/** A note that shows itself when a start point failed, until somebody has read it. */
export function startFates(failures) {
  const node = el("section", { class: "note", "aria-label": "Start points", hidden: true });
  const read = `fates:${failures.hunt.id}`;
  let drawn = "";

  function draw() {
    const { starts } = failures;
    const failed = starts.filter(({ state }) => state === "failed");
    const looks = JSON.stringify(failed);
    node.hidden = failed.length === 0 || sessionStorage.getItem(read) === looks;
    if (node.hidden || looks === drawn) return;
    drawn = looks;
    const rows = failed.map(fate);
    const more = rows.splice(MOST);
    fill(
      node,
      el("h2", {}, headline(starts.length, failed.length)),
      el("ul", {}, rows),
      more.length > 0 &&
        el("details", {}, el("summary", {}, `${more.length} more`), el("ul", {}, more)),
      button("Understood", () => {
        sessionStorage.setItem(read, looks);
        draw();
      }),
    );
  }

  return { node, draw };
}

function headline(all, failed) {
  if (failed < all) return `${failed} of ${count(all, "start point")} could not be read`;
  return all === 1 ? "The start point could not be read" : `None of the ${all} start points could be read`;
}

function fate({ url, cause, advice }) {
  const rest = cause.startsWith(url) ? cause.slice(url.length) : `: ${cause}`;
  const [does, option] = advice.split(/ (?=--)/);
  return el("li", {}, el("b", {}, url), `${rest}; ${does}`, option && [" ", el("code", {}, option)], ".");
}

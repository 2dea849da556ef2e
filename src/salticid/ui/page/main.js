// The page: one view at a time, by the place in the address.

import { begun } from "./api.js";
import { button, el, fill } from "./dom.js";
import { takeKey } from "./key.js";
import { listenForKeys } from "./keys.js";
import { onPlace, place } from "./router.js";
import { linkLost } from "./status.js";
import { compareView } from "./view-compare.js";
import { crawlView } from "./view-crawl.js";
import { crawlsView } from "./view-crawls.js";
import { startView } from "./view-start.js";
import { visitsView } from "./view-visits.js";

const VIEWS = { "": startView, crawl: crawlView, crawls: crawlsView, compare: compareView, visits: visitsView };
const main = document.getElementById("main");
let shown = null;
let shownAt = null;
let isFirst = true;

/** A view is {node, title, close?, arrived?(parts)}; `arrived` takes a change of place within the view. */
async function show() {
  const parts = place();
  if (parts.length === 0 && location.hash === "#main") return main.focus();
  const [name = "", ...rest] = parts;
  if (shown?.arrived && shownAt === `${name}/${rest[0]}`) return shown.arrived(rest);
  shown?.close?.();
  shown = null;
  linkLost(null);
  const asked = (shownAt = `${name}/${rest[0]}`);
  mark(name);
  try {
    const session = await begun();
    const view = await (VIEWS[name] ?? nowhere)(session, rest);
    if (shownAt !== asked) return view.close?.();
    shown = view;
    document.title = `${view.title} · Salticid`;
    fill(main, view.node);
    if (!isFirst) arriveAtTop();
    isFirst = false;
    view.entered?.();
  } catch (refusal) {
    if (shownAt === asked) fill(main, trouble(refusal));
  }
}

/** Who goes on by keyboard or by ear begins at the top of the new view. */
function arriveAtTop() {
  scrollTo({ top: 0, behavior: "instant" });
  main.focus({ preventScroll: true });
}

function mark(name) {
  const here = { "": "start", crawls: "crawls", compare: "crawls", visits: "crawls" }[name];
  for (const link of document.querySelectorAll("nav [data-place]")) {
    if (link.dataset.place === here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function trouble(refusal) {
  return el(
    "section",
    { class: "note", role: "alert" },
    el("h1", {}, "This did not work"),
    el("p", {}, refusal.message),
    button("Try again", () => {
      shownAt = null;
      show();
    }),
  );
}

function nowhere() {
  const node = el(
    "section",
    { class: "note" },
    el("h1", {}, "Nothing is here"),
    el("p", {}, "The address leads to no part of this page. ", el("a", { href: "#/" }, "Start a hunt"), " or look at ",
      el("a", { href: "#/crawls" }, "the hunts kept"), "."),
  );
  return { node, title: "Nothing is here" };
}

takeKey();
listenForKeys();
onPlace(show);
show();

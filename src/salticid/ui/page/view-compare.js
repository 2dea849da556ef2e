// Two hunts side by side: their harvests in one picture, their figures in one table.

import { get } from "./api.js";
import { chart, legend } from "./chart.js";
import { el } from "./dom.js";
import { go, pathTo } from "./router.js";
import { clock, number, percent, strategy, when } from "./words.js";

export async function compareView(session, [first, second]) {
  const { crawls } = await get("/api/crawls");
  const ids = [first, second].map((id) => (crawls.some((crawl) => crawl.id === id) ? id : null));
  ids[0] ??= crawls.find((crawl) => crawl.id !== ids[1])?.id ?? null;
  ids[1] ??= crawls.find((crawl) => crawl.id !== ids[0])?.id ?? null;
  const node = el("div", { class: "compare" }, el("h1", {}, "Two hunts compared"), await content(crawls, ids));
  return { node, title: "Two hunts compared" };
}

async function content(crawls, ids) {
  if (ids.includes(null))
    return el(
      "div",
      { class: "empty" },
      el("p", {}, "To compare, two hunts are needed."),
      el("a", { href: "#/" }, "Start another one"),
    );
  const both = ids.map((id) => crawls.find((crawl) => crawl.id === id));
  const curves = await Promise.all(ids.map((id) => get(`/api/crawls/${id}/curve`)));
  const choosers = ["First hunt", "Second hunt"].map((label, at) => chooser(label, at, ids, crawls));
  const names = both.map((crawl, at) => `${"AB"[at]}: ${crawl.query}`);
  return [
    el("div", { class: "compare-choice" }, choosers),
    el(
      "figure",
      {},
      chart({
        curves: curves.map(({ points }) => ({ points: [[0, 0], ...points] })),
        x: "pages",
        y: "on topic",
        told: told(both),
        width: 760,
        height: 320,
      }),
      el("figcaption", {}, legend(names), el("p", {}, told(both))),
    ),
    figures(both),
  ];
}

function chooser(label, at, ids, crawls) {
  const id = `compare-${at}`;
  const options = crawls.map((crawl) => {
    const attributes = { value: crawl.id, selected: crawl.id === ids[at], disabled: crawl.id === ids[1 - at] };
    return el("option", attributes, `${crawl.query}, ${when(crawl.began)}`);
  });
  const list = el("select", { id }, options);
  list.addEventListener("change", () => go("compare", ...(at ? [ids[0], list.value] : [list.value, ids[1]])));
  return el("div", { class: "field" }, el("label", { for: id }, label), list);
}

function told(both) {
  const shares = both.map((crawl) => (crawl.pages ? crawl.positive / crawl.pages : 0));
  const [first, second] = shares.map(percent);
  if (first === second) return `Both found as much: ${first} of their pages are on topic.`;
  const [name, more, less] = shares[0] > shares[1] ? ["A", first, second] : ["B", second, first];
  return `${name} found more of what it looked for: ${more} of its pages are on topic, ${less} of the other’s.`;
}

function figures(both) {
  const rows = [
    ["Strategy", (crawl) => strategy(crawl.strategy)],
    ["Began", (crawl) => when(crawl.began)],
    ["Pages read", (crawl) => number(crawl.pages)],
    ["On topic", (crawl) => number(crawl.positive)],
    ["Share on topic", (crawl) => percent(crawl.pages ? crawl.positive / crawl.pages : 0)],
    ["On topic of the last hundred", (crawl) => percent(crawl.harvest)],
    ["Fetches", (crawl) => number(crawl.fetches)],
    ["Sites", (crawl) => number(crawl.hosts)],
    ["Time", (crawl) => clock(crawl.seconds)],
    ["How it ended", (crawl) => crawl.stopped_line ?? "It still runs."],
  ];
  return el(
    "table",
    { class: "compared" },
    el("caption", { class: "unseen" }, "The figures of both hunts"),
    el("thead", {}, el("tr", {}, el("td"), both.map((crawl, at) =>
      el("th", { scope: "col" }, el("a", { href: pathTo("crawl", crawl.id) }, `${"AB"[at]}: ${crawl.query}`))))),
    el("tbody", {}, rows.map(([name, value]) =>
      el("tr", {}, el("th", { scope: "row" }, name), both.map((crawl) => el("td", {}, value(crawl)))))),
  );
}

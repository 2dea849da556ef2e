// Two hunts side by side: their harvests in one picture, their figures in one table.

import { Refused, get } from "./api.js";
import { chart, legend } from "./chart.js";
import { el } from "./dom.js";
import { go, pathTo } from "./router.js";
import { clock, count, number, percent, strategy, when } from "./words.js";

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
  const starts = await Promise.all(ids.map((id) => startsOf(id)));
  const choosers = ["First hunt", "Second hunt"].map((label, at) => chooser(label, at, ids, crawls));
  const names = both.map((crawl, at) => `${"AB"[at]}: ${nameAmong(crawl, both)}`);
  const points = curves.map((curve) => [[0, 0], ...curve.points]);
  const told = verdict(both, points);
  return [
    el("div", { class: "compare-choice" }, choosers),
    el(
      "figure",
      {},
      chart({
        curves: points.map((of) => ({ points: of })),
        x: "pages",
        y: "on topic",
        told,
        width: 760,
        height: 320,
      }),
      el("figcaption", {}, legend(names), el("p", {}, told)),
    ),
    remarks(both, starts),
    figures(both, names),
  ];
}

/** How many start points a hunt had, and how many of them could not be read; none while it has no log. */
async function startsOf(id) {
  try {
    const { starts } = await get(`/api/crawls/${id}/failures`);
    return { all: starts.length, failed: starts.filter(({ state }) => state === "failed").length };
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    return { all: 0, failed: 0 };
  }
}

function chooser(label, at, ids, crawls) {
  const id = `compare-${at}`;
  const options = crawls.map((crawl) => {
    const attributes = { value: crawl.id, selected: crawl.id === ids[at], disabled: crawl.id === ids[1 - at] };
    return el("option", attributes, nameAmong(crawl, crawls));
  });
  const list = el("select", { id }, options);
  list.addEventListener("change", () => go("compare", ...(at ? [ids[0], list.value] : [list.value, ids[1]])));
  return el("div", { class: "field" }, el("label", { for: id }, label), list);
}

/** What tells a hunt from others: its words, and as much else as it takes. */
function nameAmong(crawl, others) {
  const parts = [(one) => one.query, (one) => strategy(one.strategy), (one) => when(one.began), (one) => one.id];
  let alike = others.filter((one) => one.id !== crawl.id);
  const name = [];
  for (const part of parts) {
    const isTold = name.length === 0 || alike.some((one) => part(one) !== part(crawl));
    if (isTold) name.push(part(crawl));
    alike = alike.filter((one) => part(one) === part(crawl));
    if (!alike.length) break;
  }
  return name.join(", ");
}

/** Which found more, after as many pages each. */
function verdict(both, points) {
  const pages = Math.min(...both.map((crawl) => crawl.pages));
  if (pages === 0) return "One of them has read no page; there is nothing to compare.";
  const found = points.map((of) => of.findLast(([x]) => x <= pages)[1]);
  const after = `After ${count(pages, "page")} each`;
  if (found[0] === found[1]) return `${after}, both had found as much: ${number(found[0])} on topic.`;
  const [name, more, less] = found[0] > found[1] ? ["A", ...found] : ["B", ...found.toReversed()];
  return `${after}, ${name} had found more of what it looked for: ${number(more)} on topic, the other ${number(less)}.`;
}

/** What makes two hunts unequal, so that nobody takes it for a difference of strategies. */
function remarks(both, starts) {
  const lines = both.flatMap((crawl, at) => [
    crawl.pages === 0 && `${"AB"[at]} read no page: ${crawl.stopped_line ?? "it has just begun."}`,
    starts[at].failed > 0 && crawl.pages > 0 &&
      `${starts[at].failed} of ${count(starts[at].all, "start point")} of ${"AB"[at]} could not be read.`,
    crawl.state !== "ended" && `${"AB"[at]} has not ended yet.`,
  ]);
  const [first, second] = both;
  if (first.pages !== second.pages)
    lines.push(`They are of different size: A read ${count(first.pages, "page")}, B ${number(second.pages)}. ` +
      "Compare the curves after the same number of pages, not the shares.");
  if (first.query !== second.query) lines.push("They looked for different words.");
  if (first.judge !== second.judge) lines.push("Different judges said what is on topic.");
  if (first.world !== second.world) lines.push("They hunted in different places.");
  const told = lines.filter(Boolean);
  return told.length > 0 && el("ul", { class: "remarks" }, told.map((line) => el("li", {}, line)));
}

function figures(both, names) {
  const rows = [
    ["Strategy", (crawl) => strategy(crawl.strategy)],
    ["Began", (crawl) => when(crawl.began)],
    ["Pages read", (crawl) => number(crawl.pages)],
    ["On topic", (crawl) => number(crawl.positive)],
    ["Share on topic", (crawl) => percent(crawl.pages ? crawl.positive / crawl.pages : 0)],
    ["On topic of the last hundred", (crawl) => percent(crawl.harvest)],
    ["Fetches", (crawl) => number(crawl.fetches)],
    ["Sites on topic", (crawl) => number(crawl.hosts_on_topic)],
    ["Sites seen", (crawl) => number(crawl.hosts)],
    ["Time", (crawl) => clock(crawl.seconds)],
    ["How it ended", (crawl) => crawl.stopped_line ?? "It still runs."],
  ];
  return el(
    "table",
    { class: "compared" },
    el("caption", { class: "unseen" }, "The figures of both hunts"),
    el("thead", {}, el("tr", {}, el("td"), both.map((crawl, at) =>
      el("th", { scope: "col" }, el("a", { href: pathTo("crawl", crawl.id) }, names[at]))))),
    el("tbody", {}, rows.map(([name, value]) =>
      el("tr", {}, el("th", { scope: "row" }, name), both.map((crawl) => el("td", {}, value(crawl)))))),
  );
}

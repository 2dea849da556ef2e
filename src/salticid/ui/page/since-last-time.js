// What is new since last time: pages that are new, that changed and how, that are gone or back again.

import { away, el, fill, kept } from "./dom.js";
import { unlessBusy } from "./panel.js";
import { count, date, number } from "./words.js";

const KINDS = [
  ["new", "New"],
  ["changed", "Changed"],
  ["gone", "Gone"],
  ["back", "Back again"],
];

export function sinceLastTime(rounds) {
  const choice = el("select", { id: "round", onchange: () => rounds.choose(Number(choice.value)) });
  const sum = el("p", { class: "soft" });
  const lists = el("div", { class: "news-lists" });
  const node = el(
    "section",
    { class: "panel news", "aria-labelledby": "news-title", hidden: true },
    el(
      "div",
      { class: "panel-head" },
      el("h2", { id: "news-title" }, "Since last time"),
      el("div", {}, el("label", { for: "round", class: "unseen" }, "Round"), choice),
    ),
    sum,
    lists,
  );
  let drawn = "";

  function draw() {
    const { all, news } = rounds;
    node.hidden = news == null;
    const looks = JSON.stringify([all, news]);
    if (node.hidden || looks === drawn) return;
    unlessBusy(choice.parentNode, () => {
      fill(choice, all.toReversed().map(option));
      choice.value = news.round;
    });
    unlessBusy(lists, () => {
      drawn = looks;
      sum.textContent = inShort(news.counts);
      fill(lists, KINDS.map(([kind, title]) => list(rounds.hunt.id, kind, title, news)));
    });
  }

  return { node, draw };
}

function option({ round, began, stopped }) {
  const state = stopped == null ? ", not over yet" : "";
  return el("option", { value: round }, `Round ${round}, ${date(began)}${state}`);
}

function inShort(counts) {
  const told = KINDS.map(([kind, title]) => `${number(counts[kind])} ${title.toLowerCase()}`);
  return `${told.join(", ")}; ${number(counts.same)} the same.`;
}

function list(id, kind, title, news) {
  const pages = news[kind];
  if (pages.length === 0) return null;
  const left = news.counts[kind] - pages.length;
  return el(
    "details",
    { open: true, class: `news-${kind}` },
    el("summary", {}, `${title}: ${count(news.counts[kind], "page")}`),
    el("ul", { class: "news-pages" }, pages.map((page) => row(id, kind, page))),
    left > 0 && el("p", { class: "soft" }, `${number(left)} more are in the digest of the round.`),
  );
}

function row(id, kind, page) {
  return el(
    "li",
    {},
    away(page.url, {}, page.title || page.url),
    !page.on_topic && el("span", { class: "soft" }, " off the topic"),
    page.opening && el("p", { class: "soft" }, page.opening),
    page.change && changes(page.change),
    kind === "gone" &&
      el(
        "p",
        {},
        kept(`/api/crawls/${id}/visits/${page.step}/text`, { target: "_blank" }, "the last copy"),
        page.before && el("span", { class: "soft" }, `, read ${date(page.before)}`),
      ),
  );
}

function changes({ added, removed, more_added, more_removed }) {
  const more = [
    [more_added, "came"],
    [more_removed, "went"],
  ];
  return el(
    "ul",
    { class: "change" },
    added.map((text) => el("li", {}, el("ins", {}, text))),
    removed.map((text) => el("li", {}, el("del", {}, text))),
    more.filter(([many]) => many > 0).map(([many, did]) => el("li", { class: "soft" }, `${number(many)} more ${did}.`)),
  );
}

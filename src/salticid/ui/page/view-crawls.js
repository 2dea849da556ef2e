// The hunts kept: found again, gone on with, compared, taken away.

import { Refused, get, post } from "./api.js";
import { away, button, el, fill, say } from "./dom.js";
import { exportMenu } from "./export-menu.js";
import { hint } from "./hint.js";
import { go, pathTo, rename } from "./router.js";
import { clock, count, number, percent, score, state, strategy, when } from "./words.js";

const TYPING_PAUSE = 250;

export async function crawlsView(session, [asked = ""]) {
  const [{ crawls }, { reports }] = await Promise.all([get("/api/crawls"), get("/api/reports")]);
  const node = el(
    "div",
    { class: "kept" },
    el("h1", {}, "Kept hunts"),
    crawls.length ? [searchBox(crawls, asked), crawlList(crawls)] : nothingYet(),
    reports.length > 0 && reportList(reports),
  );
  return { node, title: "Kept hunts" };
}

function nothingYet() {
  return el(
    "div",
    { class: "empty" },
    el("p", {}, "Every hunt is kept here with all it found, until you remove its folder."),
    el("a", { class: "button main", href: "#/" }, "Start the first one"),
  );
}

function searchBox(crawls, asked) {
  const names = new Map(crawls.map((crawl) => [crawl.id, crawl.query]));
  const input = el("input", { type: "search", id: "search", value: asked, autocomplete: "off", maxlength: 200 });
  const told = el("p", { class: "soft", role: "status" });
  const results = el("ol", { class: "hits" });
  let latest = 0;

  async function search() {
    const words = input.value.trim();
    const turn = (latest += 1);
    rename(...(words ? ["crawls", words] : ["crawls"]));
    if (!words) return fill(results), say(told, "");
    try {
      const { found } = await get(`/api/search?q=${encodeURIComponent(words)}`);
      if (turn !== latest) return;
      say(told, found.length ? `${count(found.length, "page")} found.` : `No page of these hunts has “${words}”.`);
      fill(results, found.map((hit) => hitRow(hit, names)));
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(told, refusal.message);
    }
  }

  let typing = 0;
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(search, TYPING_PAUSE);
  });
  if (asked) search();
  return el(
    "section",
    { class: "search", "aria-label": "Search" },
    el("label", { for: "search" }, "Search all pages of all hunts"),
    input,
    told,
    results,
  );
}

function hitRow({ crawl, url, title, site, snippet, score: fit }, names) {
  return el(
    "li",
    {},
    el("h2", {}, away(url, {}, title || url)),
    el("p", { class: "find-meta" }, el("span", {}, site), fit != null && el("span", {}, `score ${score(fit)}`),
      el("a", { href: pathTo("crawl", crawl) }, names.get(crawl) ?? crawl)),
    el("p", { class: "find-snippet" }, marked(snippet)),
  );
}

/** A snippet may come as pairs (text, is it a hit) or as one text. */
function marked(snippet) {
  if (!Array.isArray(snippet)) return [snippet ?? ""];
  return snippet.map(([text, isHit]) => (isHit ? el("mark", {}, text) : text));
}

function crawlList(crawls) {
  const chosen = new Set();
  const compare = button("Compare the two chosen", () => go("compare", ...chosen), { disabled: true });
  const error = el("p", { class: "error", role: "alert" });

  function choose(id, isChosen) {
    if (isChosen) chosen.add(id);
    else chosen.delete(id);
    compare.disabled = chosen.size !== 2;
  }

  return el(
    "section",
    { "aria-label": "Hunts" },
    el("div", { class: "kept-bar" }, compare, hint("comparing"), error),
    el("ul", { class: "cards" }, crawls.map((crawl) => card(crawl, choose, error))),
  );
}

function card(crawl, choose, error) {
  const box = el("input", { type: "checkbox", "aria-label": `Choose “${crawl.query}” to compare` });
  box.addEventListener("change", () => choose(crawl.id, box.checked));
  return el(
    "li",
    { class: "card" },
    box,
    el(
      "div",
      { class: "card-body" },
      el("h2", {}, el("a", { href: pathTo("crawl", crawl.id) }, crawl.query)),
      el(
        "p",
        { class: "find-meta" },
        pill(crawl),
        el("span", {}, when(crawl.began)),
        el("span", {}, strategy(crawl.strategy)),
        el("span", {}, `${count(crawl.pages, "page")} in ${clock(crawl.seconds)}`),
        el("span", {}, `${number(crawl.positive)} on topic (${percent(crawl.positive / Math.max(1, crawl.pages))})`),
      ),
      crawl.stopped_line && el("p", { class: "soft" }, crawl.stopped_line),
    ),
    el(
      "div",
      { class: "card-tools" },
      crawl.state === "ended" && crawl.can_continue && moreButton(crawl, error),
      exportMenu(crawl.id),
    ),
  );
}

function pill(crawl) {
  return el("span", { class: "pill", "data-state": crawl.state }, state(crawl.state));
}

function moreButton(crawl, error) {
  const more = Math.max(100, crawl.max_pages);
  const ask = async () => {
    try {
      await post(`/api/crawls/${crawl.id}/continue`, { max_pages: crawl.pages + more });
      go("crawl", crawl.id);
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(error, refusal.message);
    }
  };
  return button(`${number(more)} pages more`, ask);
}

function reportList(reports) {
  return el(
    "section",
    { "aria-labelledby": "reports-title" },
    el("h2", { id: "reports-title" }, "Reports of the lab"),
    el("ul", { class: "reports" }, reports.map(reportLine)),
  );
}

function reportLine({ id, title, made }) {
  const link = el("a", { href: `/reports/${encodeURIComponent(id)}` }, title || id);
  return el("li", {}, link, el("span", { class: "soft" }, made && ` ${when(made)}`));
}

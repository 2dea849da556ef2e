// Why this page is in the list, apart from why its link was followed; and the copy that is kept of it.

import { away, el, kept } from "./dom.js";
import { count, percent, score, when } from "./words.js";

/** `told` is what the server knows of one visit. */
export function whyParts(told, visit, hunt) {
  return [
    el("h4", {}, "Why this page"),
    el("p", {}, wordsOnIt(told.words), " ", el("span", { class: "verdict" }, verdict(visit, hunt))),
    el("p", { class: "soft" }, likeness(told.likeness)),
    el("blockquote", {}, told.snippet.map(([text, isHit]) => (isHit ? el("mark", {}, text) : text))),
    el("h4", {}, "Why this link was followed"),
    el("p", {}, origin(visit, hunt)),
    reasonList(told.reasons),
    el("h4", {}, "Kept copy"),
    copies(told, visit, hunt),
  ];
}

function wordsOnIt(words) {
  const there = words.filter(([, times]) => times);
  const absent = words.filter(([, times]) => !times).map(([word]) => word);
  if (!there.length) return "None of your words stands on it; it was judged by words that go with them.";
  const parts = there.map(([word, times], at) => [
    at ? ", " : "",
    el("b", {}, word),
    ` ${times === 1 ? "once" : count(times, "time")}`,
  ]);
  return ["Of your words it has ", parts, absent.length ? `; not on it: ${absent.join(", ")}.` : "."];
}

/** The estimate by which agents go that search for a person. */
function likeness(cosine) {
  return `Your words and the page's are alike by ${cosine.toFixed(3)} (the cosine of their counts, 1 for the same).`;
}

/** What is thought of a page by now. */
export function verdict(visit, hunt) {
  if (visit.liking === 1) return "You asked for more like this.";
  if (visit.liking === -1) return "You rejected it.";
  return `It scores ${score(visit.score)}; a page is on topic from ${score(hunt.line)} on.`;
}

function origin(visit, hunt) {
  if (visit.source === -1) return ["You named this page as a start point."];
  const source = hunt.visits.get(visit.source);
  if (!source) return ["It was offered from outside this hunt: by a site map or an earlier hunt."];
  return ["Its link stood on ", away(source.final, {}, source.title || source.final), "."];
}

/** Reasons in words, those with a share as bars. */
function reasonList(reasons) {
  const facts = reasons.filter(({ share }) => share == null).map(({ line }) => el("p", {}, `${capital(line)}.`));
  const shares = reasons.filter(({ share }) => share != null);
  if (!reasons.length) return el("p", { class: "soft" }, "The strategy gave no further reasons for taking this link.");
  return [facts, shares.length > 0 && bars(shares)];
}

/** Shares of a whole as bars: a full bar would be all of it. */
function bars(shares) {
  return el(
    "dl",
    { class: "bars" },
    shares.map(({ line, share }) => {
      const length = el("span", { class: share < 0 ? "against" : "for" });
      length.style.setProperty("--share", Math.abs(share));
      const side = share < 0 ? `${percent(-share)} against` : percent(share);
      const track = el("span", { class: "track", "aria-hidden": "true" }, length);
      return el("div", {}, el("dt", {}, line), el("dd", {}, track, el("span", { class: "number" }, side)));
    }),
  );
}

/** The page as it was read, which the live one may no longer be. */
function copies(told, visit, hunt) {
  const at = `/api/crawls/${hunt.id}/visits/${visit.step}`;
  const open = { target: "_blank", rel: "noopener noreferrer" };
  return el(
    "p",
    { class: "copies" },
    told.fetched && el("span", { class: "soft" }, `Read on ${when(told.fetched)}:`),
    kept(`${at}/text`, open, "its text"),
    told.archived && kept(`${at}/copy`, open, told.pdf ? "the PDF" : "the page, without scripts and pictures"),
  );
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

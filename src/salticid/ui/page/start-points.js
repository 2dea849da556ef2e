// Where a hunt sets out: addresses, bookmarks, a search engine, earlier hunts.

import { el, isWeb, say } from "./dom.js";
import { engineChoice } from "./engine-choice.js";
import { count } from "./words.js";

/** `node` is the fieldset, `missing()` says what it lacks, `order()` what the person chose. */
export function startPoints(session, missingLine) {
  const urls = el("textarea", {
    id: "urls",
    rows: 3,
    spellcheck: "false",
    autocapitalize: "off",
    placeholder: "https://example.org/\nOne address a line",
    "aria-describedby": "from-missing",
  });
  const bookmarks = bookmarksField();
  const engine = engineChoice(session.engines);
  const earlier = earlierField(session.sources.crawls);
  const node = el(
    "fieldset",
    { class: "points" },
    el("legend", {}, "Where to set out"),
    el("p", { class: "soft" }, "One of these is enough; together they give the hunt more to choose from."),
    el("div", { class: "field" }, el("label", { for: "urls" }, "Addresses"), urls),
    el("div", { class: "points-more" }, bookmarks.node, engine.node, earlier.node),
    missingLine,
  );
  const lines = () => urls.value.split(/\s+/).filter(Boolean);

  function missing() {
    const wrong = lines().find((line) => !isAddress(line));
    if (wrong) return `“${wrong.slice(0, 80)}” is no web address; write it like https://example.org/.`;
    const some = lines().length || bookmarks.text() || engine.chosen() || earlier.chosen();
    return some ? "" : "Name at least one place to set out: paste an address, or choose one of the others.";
  }

  function order() {
    return {
      urls: lines(),
      ...(bookmarks.text() && { bookmarks: bookmarks.text() }),
      ...(engine.chosen() && { search: engine.chosen() }),
      ...(earlier.chosen() && { from_crawls: true }),
    };
  }

  return { node, first: urls, missing, order };
}

/** Whether a line may be meant as an address; without a scheme the server tries https, then http. */
function isAddress(line) {
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(line) && !/^[^/]*:\d/.test(line);
  return isWeb(hasScheme ? line : `https://${line}`);
}

function bookmarksField() {
  let text = "";
  const accept = ".html,.htm,text/html";
  const file = el("input", { type: "file", id: "bookmarks", accept, "aria-describedby": "bookmarks-told" });
  const told = el("p", { class: "soft", id: "bookmarks-told" }, "A bookmarks file as browsers export it.");
  file.addEventListener("change", async () => {
    text = file.files.length ? await file.files[0].text() : "";
    const links = text.match(/<a\s/gi)?.length ?? 0;
    say(told, links ? `${count(links, "bookmark")} in it.` : "No bookmarks are in this file.");
    if (!links) text = "";
  });
  return {
    node: el("div", { class: "field" }, el("label", { for: "bookmarks" }, "Bookmarks"), file, told),
    text: () => text,
  };
}

function earlierField(crawls) {
  const none = crawls === 0;
  const box = el("input", { type: "checkbox", id: "earlier", disabled: none, "aria-describedby": "earlier-told" });
  const told = crawls ? `The best pages for these words in ${count(crawls, "hunt")} kept here.` : "There are none yet.";
  return {
    node: el(
      "div",
      { class: "field" },
      el("span", { class: "field-name" }, "Earlier hunts"),
      el("label", { class: "check", for: "earlier" }, box, "Start from mine"),
      el("p", { class: "soft", id: "earlier-told" }, told),
    ),
    chosen: () => box.checked,
  };
}

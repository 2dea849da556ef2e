// Words looked for in all pages of all hunts.

import { Refused, get } from "./api.js";
import { away, el, fill, say } from "./dom.js";
import { pathTo, rename } from "./router.js";
import { count, score } from "./words.js";

const TYPING_PAUSE = 250;

/** `nameOf(id)` is what a hunt is called. `node` is the box, `again()` looks once more. */
export function pageSearch(asked, nameOf) {
  const input = el("input", { type: "search", id: "search", value: asked, autocomplete: "off", maxlength: 200 });
  const told = el("p", { class: "soft", role: "status" });
  const results = el("ol", { class: "hits" });
  let latest = 0;

  async function again() {
    const words = input.value.trim();
    const turn = (latest += 1);
    if (!words) return fill(results), say(told, "");
    try {
      const { found } = await get(`/api/search?q=${encodeURIComponent(words)}`);
      if (turn !== latest) return;
      say(told, found.length ? `${count(found.length, "page")} found.` : `No page of these hunts has “${words}”.`);
      fill(results, found.map((hit) => hitRow(hit, nameOf)));
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      if (turn === latest) fill(results), say(told, refusal.message);
    }
  }

  let typing = 0;
  input.addEventListener("input", () => {
    const words = input.value.trim();
    rename(...(words ? ["crawls", words] : ["crawls"]));
    clearTimeout(typing);
    typing = setTimeout(again, TYPING_PAUSE);
  });
  if (asked) again();
  const node = el(
    "section",
    { class: "search", "aria-label": "Search" },
    el("label", { for: "search" }, "Search all pages of all hunts"),
    input,
    told,
    results,
  );
  return { node, again };
}

function hitRow({ crawl, url, title, site, snippet, score: fit }, nameOf) {
  return el(
    "li",
    {},
    el("h2", {}, away(url, {}, title || url)),
    el("p", { class: "find-meta" }, el("span", {}, site), el("span", {}, `score ${score(fit)}`),
      el("a", { href: pathTo("crawl", crawl) }, nameOf(crawl))),
    el("p", { class: "find-snippet" }, snippet.map(([text, isHit]) => (isHit ? el("mark", {}, text) : text))),
  );
}

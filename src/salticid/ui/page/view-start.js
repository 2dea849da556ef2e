// Where a hunt begins: what is looked for, how far to go, and where from.

import { Refused, beginAgain, post } from "./api.js";
import { el, say } from "./dom.js";
import { keepWarnings } from "./warnings.js";
import { hint } from "./hint.js";
import { MOST_PAGES, wrongCount } from "./page-count.js";
import { go } from "./router.js";
import { startPoints } from "./start-points.js";
import { strategyChoice } from "./strategy-choice.js";
import { webChoice } from "./web-choice.js";

/** The session is asked for anew, for it counts the earlier hunts. */
export async function startView() {
  const form = new StartForm(await beginAgain());
  return { node: form.node, title: "New hunt", entered: () => form.query.focus() };
}

class StartForm {
  constructor(session) {
    this.query = el("input", {
      id: "query",
      type: "search",
      autocomplete: "off",
      maxlength: 500,
      placeholder: "e.g. orb weaver silk proteins",
      "aria-describedby": "query-missing",
    });
    this.pages = el("input", {
      id: "pages",
      type: "number",
      inputmode: "numeric",
      min: 1,
      max: MOST_PAGES,
      value: session.default_pages,
      "aria-describedby": "pages-missing",
    });
    this.missing = {
      query: el("p", { class: "missing", id: "query-missing" }),
      pages: el("p", { class: "missing", id: "pages-missing" }),
      from: el("p", { class: "missing", id: "from-missing" }),
    };
    this.points = startPoints(session, this.missing.from);
    this.strategy = strategyChoice(session.strategies);
    this.web = webChoice(session.worlds ?? []);
    this.language = languageChoice();
    this.refusal = el("p", { class: "error", role: "alert" });
    this.submit = el("button", { type: "submit", class: "main" }, "Start the hunt");
    this.node = this.build();
  }

  build() {
    return el(
      "div",
      { class: "start" },
      el("h1", {}, "What are you looking for?"),
      el(
        "p",
        { class: "lead" },
        "A hunt sets out from the pages you name, follows the links that promise most, and learns as it goes. ",
        "What it finds appears here, best first, while it is still on.",
      ),
      el(
        "form",
        { novalidate: true, onsubmit: (event) => this.send(event) },
        el("div", { class: "wish" }, this.queryField(), this.pagesField()),
        this.points.node,
        this.web.node,
        this.languageField(),
        this.strategy.node,
        this.refusal,
        this.submit,
      ),
    );
  }

  queryField() {
    const label = el("label", { for: "query" }, "Words that describe it");
    return el("div", { class: "field" }, label, this.query, this.missing.query);
  }

  pagesField() {
    const name = el("label", { for: "pages" }, "Pages to read");
    const label = el("span", { class: "label-row" }, name, hint("pages to read"));
    return el("div", { class: "field" }, label, this.pages, this.missing.pages);
  }

  languageField() {
    const name = el("label", { for: "language" }, "Language");
    return el("div", { class: "field" }, el("span", { class: "label-row" }, name, hint("the language")), this.language);
  }

  /** What is missing, said beside its field; the first such field gets the focus. */
  lacks() {
    const said = {
      query: this.query.value.trim() ? "" : "Say what to look for.",
      from: this.points.missing(),
      pages: wrongCount(this.pages),
    };
    const fields = { query: this.query, from: this.points.first, pages: this.pages };
    let first = null;
    for (const [name, words] of Object.entries(said)) {
      say(this.missing[name], words);
      fields[name].setAttribute("aria-invalid", words !== "");
      if (words) first ??= fields[name];
    }
    first?.focus();
    return first != null;
  }

  async send(event) {
    event.preventDefault();
    say(this.refusal, "");
    if (this.lacks()) return;
    this.submit.disabled = true;
    say(this.submit, "Starting …");
    try {
      const begun = await post("/api/crawls", this.order());
      keepWarnings(begun.id, begun.warnings ?? []);
      go("crawl", begun.id);
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(this.refusal, refusal.message);
    } finally {
      this.submit.disabled = false;
      say(this.submit, "Start the hunt");
    }
  }

  order() {
    return {
      query: this.query.value.trim(),
      max_pages: Number(this.pages.value),
      strategy: this.strategy.chosen(),
      language: this.language.value ? [this.language.value] : [],
      world: this.web.chosen(),
      ...this.points.order(),
    };
  }
}

const LANGUAGES = "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sv tr uk vi zh";

/** By name, in the language of the browser; nothing chosen leaves it to the words and the start points. */
function languageChoice() {
  const names = new Intl.DisplayNames(undefined, { type: "language" });
  const options = LANGUAGES.split(" ").map((code) => [code, names.of(code)]);
  options.sort((one, other) => one[1].localeCompare(other[1]));
  return el(
    "select",
    { id: "language" },
    el("option", { value: "" }, "As the words and start points"),
    options.map(([code, name]) => el("option", { value: code }, name)),
  );
}

// What was found, to take away: the list as it is shown, or everything.

import { begun } from "./api.js";
import { el, fill, kept } from "./dom.js";
import { count } from "./words.js";

const WORDS = 300;
let made = 0;

/** `shown()` tells how many pages were `read`, the last `round` of watching, if there was one, and, where there is a
 * list, how many of them it shows: from the judge's `line` on, or from the `least` score that the person chose. */
export function exportMenu(id, shown) {
  const choices = el("div", { class: "menu-choices", role: "radiogroup", "aria-label": "Which pages" });
  const forbidden = el("input", { type: "checkbox", onchange: draw });
  const cut = el("input", { type: "checkbox", onchange: draw });
  const list = el("ul", {});
  const menu = el(
    "details",
    { class: "menu", ontoggle: () => menu.open && open() },
    el("summary", { class: "button" }, "Export"),
    el(
      "div",
      { class: "menu-box", tabindex: "-1" },
      choices,
      el(
        "div",
        { class: "menu-choices" },
        el("label", { class: "check" }, forbidden, "Also pages that forbid copies"),
        el("label", { class: "check" }, cut, `In pieces of about ${WORDS} words, by headings`),
      ),
      list,
      el("p", { class: "soft" }, "Best first, with what you said of each. References and archives have no pieces."),
    ),
  );
  let which = "list";

  function open() {
    const { pages, read, round } = shown();
    const name = `export-${(made += 1)}`;
    fill(
      choices,
      choice("list", pages == null ? "What is on topic" : `What is shown: ${count(pages, "page")}`, name),
      round != null && choice("news", `What is new since round ${round} began`, name),
      choice("everything", `Everything: ${count(read, "page")} read`, name),
    );
    draw();
  }

  function choice(value, label, name) {
    const onchange = () => {
      which = value;
      draw();
    };
    const radio = el("input", { type: "radio", name, value, checked: which === value, onchange });
    return el("label", { class: "check" }, radio, label);
  }

  async function draw() {
    const { formats } = await begun();
    const { line, least, round } = shown();
    const asks = new URLSearchParams({ which: which === "news" ? "list" : which });
    if (which === "news") asks.set("since", round);
    if (which === "list" && least != null) asks.set("least", least);
    else if (which === "list" && line != null) asks.set("line", line);
    if (forbidden.checked) asks.set("noindex", 1);
    const pieces = cut.checked ? `&chunks=${WORDS}` : "";
    fill(
      list,
      formats.map(({ name, title, about, chunks }) => {
        const address = `/api/crawls/${id}/export?format=${name}&${asks}${chunks ? pieces : ""}`;
        return el("li", {}, kept(address, { download: "" }, el("b", {}, title), ` ${about}`));
      }),
    );
  }

  menu.addEventListener("click", (event) => event.target.closest("a") && (menu.open = false));
  menu.addEventListener("focusout", (event) => menu.contains(event.relatedTarget) || (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.firstChild.focus();
  });
  return menu;
}

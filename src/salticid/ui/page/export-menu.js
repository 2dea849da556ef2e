// What was found, to take away.

import { el, kept } from "./dom.js";

const FORMATS = [
  ["csv", "CSV", "a table for spreadsheets"],
  ["jsonl", "JSON lines", "one object a page"],
  ["parquet", "Parquet", "for data tools"],
  ["warc", "WARC", "the pages themselves, as they came"],
];

export function exportMenu(id) {
  const menu = el(
    "details",
    { class: "menu" },
    el("summary", { class: "button" }, "Export"),
    el(
      "ul",
      {},
      FORMATS.map(([format, name, line]) => {
        const address = `/api/crawls/${id}/export?format=${format}`;
        return el("li", {}, kept(address, { download: "" }, el("b", {}, name), ` ${line}`));
      }),
      el("li", { class: "soft" }, "Each page once: those all but the same as an earlier one are left out."),
    ),
  );
  menu.addEventListener("click", (event) => event.target.closest("a") && (menu.open = false));
  menu.addEventListener("focusout", (event) => menu.contains(event.relatedTarget) || (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.firstChild.focus();
  });
  return menu;
}

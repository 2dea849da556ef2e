// A word explained: a small "?" that opens a sentence beside it, for pointer, keyboard and screen reader alike.

import { button, el } from "./dom.js";
import { EXPLAINED } from "./explained.js";

let made = 0;

/** `about` is one of the words explained, as those hear it who do not see where the "?" stands. */
export function hint(about) {
  const id = `hint-${(made += 1)}`;
  const text = el("span", { class: "hint-text", id, role: "note", hidden: true }, EXPLAINED[about]);
  const opener = button("?", () => show(text.hidden), {
    class: "hint-mark",
    "aria-label": `What is ${about}?`,
    "aria-expanded": "false",
    "aria-controls": id,
  });
  function show(isOpen) {
    text.hidden = !isOpen;
    opener.setAttribute("aria-expanded", isOpen);
  }
  const whole = el("span", { class: "hint" }, opener, text);
  whole.addEventListener("keydown", (event) => event.key === "Escape" && show(false));
  whole.addEventListener("focusout", (event) => whole.contains(event.relatedTarget) || show(false));
  return whole;
}

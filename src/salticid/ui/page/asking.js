// A question before something that cannot be undone.

import { button, el } from "./dom.js";

/** Whether the person said yes; `title` asks, `line` says what it means, `yes` is what to do. */
export function asked(title, line, yes) {
  const { promise, resolve } = Promise.withResolvers();
  const dialog = el(
    "dialog",
    { class: "asking", "aria-labelledby": "asking-title", "aria-describedby": "asking-line" },
    el("h2", { id: "asking-title" }, title),
    el("p", { id: "asking-line" }, line),
    el(
      "div",
      { class: "asking-tools" },
      button("Keep it", () => dialog.close()),
      button(yes, () => dialog.close("yes"), { class: "grave" }),
    ),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

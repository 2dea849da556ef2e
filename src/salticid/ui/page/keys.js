// Single keys that do things, and the dialog that lists them.

import { button, el } from "./dom.js";

const KEYS = [
  ["j  ↓", "next suggestion"],
  ["k  ↑", "previous suggestion"],
  ["o  Enter", "open the page in a new tab"],
  ["+", "more like this"],
  ["-", "not this"],
  ["w", "why this page"],
  ["s", "follow the spider that found it"],
  ["a", "show everyone’s finds again"],
  ["p", "pause, or go on"],
  ["?", "this list"],
  ["Esc", "close what is open"],
];

/** Single keys get in the way of some who speak to their computer: they can be switched off. */
export function keysOn() {
  return localStorage.getItem("keys") !== "off";
}

/** Whether this key press is meant as one of ours. */
export function isOurs(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !keysOn()) return false;
  return !event.target.closest?.("input, select, textarea, dialog");
}

export function showKeys() {
  const heading = el("h2", { id: "keys-title" }, "Keys");
  const dialog = el("dialog", { class: "keys", "aria-labelledby": "keys-title" }, heading);
  const rows = KEYS.map(([keys, does]) =>
    el("div", {}, el("dt", {}, keys.split("  ").map((key) => el("kbd", {}, key))), el("dd", {}, does)),
  );
  const on = el("input", { type: "checkbox", id: "keys-on" });
  on.checked = keysOn();
  on.addEventListener("change", () => localStorage.setItem("keys", on.checked ? "on" : "off"));
  dialog.append(
    el("dl", {}, rows),
    el("p", {}, el("label", { class: "check", for: "keys-on" }, on, "Use single keys")),
    button("Close", () => dialog.close()),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export function listenForKeys() {
  document.getElementById("keys").addEventListener("click", showKeys);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || !isOurs(event)) return;
    event.preventDefault();
    showKeys();
  });
}

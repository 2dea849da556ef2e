// Which search engine to ask for start points: one of those set up, or a new one.

import { Refused, remove } from "./api.js";
import { button, el, fill, say } from "./dom.js";
import { setUpEngine } from "./engine-setup.js";

/** `node` is the field, `chosen()` the name of an engine or "". */
export function engineChoice(known) {
  let engines = known;
  const list = el("select", { id: "engine", onchange: () => draw(), "aria-describedby": "engine-told" });
  const told = el("p", { class: "soft", id: "engine-told" });
  const add = button("Set one up", () => setUp(), { class: "inline" });
  const forget = button("Forget it", () => leave(), { class: "inline" });

  function show(choice) {
    fill(
      list,
      el("option", { value: "" }, engines.length ? "do not ask" : "none set up"),
      engines.map(({ name, kind }) => el("option", { value: name }, kind === name ? name : `${name} (${kind})`)),
    );
    list.value = choice;
    draw();
  }

  function draw() {
    list.disabled = engines.length === 0;
    const engine = engines.find(({ name }) => name === list.value);
    say(told, engines.length ? "Its first hits become start points." : "Start from the first hits of one.");
    forget.hidden = !engine || engine.fixed;
  }

  async function setUp() {
    const before = new Set(engines.map(({ name }) => name));
    const now = await setUpEngine();
    if (now === null) return add.focus();
    engines = now;
    show(now.find(({ name }) => !before.has(name))?.name ?? list.value);
    list.focus();
  }

  async function leave() {
    try {
      ({ engines } = await remove(`/api/engines/${encodeURIComponent(list.value)}`));
      show("");
      add.focus();
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(told, refusal.message);
    }
  }

  show("");
  return {
    node: el(
      "div",
      { class: "field" },
      el("label", { for: "engine" }, "Search engine"),
      list,
      told,
      el("span", { class: "field-acts" }, add, forget),
    ),
    chosen: () => list.value,
  };
}

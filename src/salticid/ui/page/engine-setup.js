// A search engine set up: which one, where it is, and the key it wants.

import { Refused, post } from "./api.js";
import { button, el, say } from "./dom.js";

const KINDS = {
  searxng: {
    label: "SearXNG, a search engine you run or may use",
    field: "Its address",
    placeholder: "http://127.0.0.1:8888",
    means: "It answers programs only if “json” is among the formats in its settings.yml.",
  },
  brave: {
    label: "Brave Search, with a key of your own",
    field: "Your key",
    placeholder: "",
    means: "Brave gives keys for its search API to those who ask. It is kept on this machine.",
  },
};

/** Ask for a search engine in a dialog; the engines there are then, or null if the person thought better of it. */
export function setUpEngine() {
  const { promise, resolve } = Promise.withResolvers();
  let engines = null;
  const kind = el(
    "select",
    { id: "new-engine-kind", onchange: () => explain() },
    Object.entries(KINDS).map(([value, { label }]) => el("option", { value }, label)),
  );
  const label = el("label", { for: "new-engine" });
  const means = el("p", { class: "soft", id: "new-engine-means" });
  const where = el("input", {
    id: "new-engine",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "new-engine-means",
  });
  const error = el("p", { class: "error", role: "alert" });
  const submit = el("button", { type: "submit", class: "main" }, "Set it up");
  const form = el(
    "form",
    { class: "asking-form", onsubmit: (event) => send(event) },
    el("h2", { id: "new-engine-title" }, "Set up a search engine"),
    el("p", {}, "Its first hits for your words become start points of a hunt; it is asked for nothing else."),
    el("div", { class: "field" }, el("label", { for: "new-engine-kind" }, "Which one"), kind),
    el("div", { class: "field" }, label, where, means),
    error,
    el("div", { class: "asking-tools" }, button("Cancel", () => dialog.close()), submit),
  );
  const dialog = el("dialog", { class: "asking", "aria-labelledby": "new-engine-title" }, form);

  function explain() {
    const { field, placeholder, means: line } = KINDS[kind.value];
    say(label, field);
    say(means, line);
    where.placeholder = placeholder;
  }

  async function send(event) {
    event.preventDefault();
    say(error, "");
    submit.disabled = true;
    say(submit, "Asking it …");
    try {
      ({ engines } = await post("/api/engines", order(kind.value, where.value.trim())));
      dialog.close();
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(error, refusal.message);
    } finally {
      submit.disabled = false;
      say(submit, "Set it up");
    }
  }

  explain();
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(engines);
  });
  document.body.append(dialog);
  dialog.showModal();
  where.focus();
  return promise;
}

/** An engine is called by its host; Brave is the only one of its kind. */
function order(kind, text) {
  if (kind === "brave") return { name: "brave", kind, key: text };
  const address = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  return { name: URL.canParse(address) ? new URL(address).host : "searxng", kind, address };
}

// "Is this what you mean?": asked once, early in a hunt, about a few pages whose answers teach it most.

import { away, button, el, fill } from "./dom.js";

export class Question {
  /** `acts`: answer(step, liking), and snippet(step), which is null while it is on its way. */
  constructor(hunt, acts) {
    this.hunt = hunt;
    this.acts = acts;
    this.urls = [];
    this.node = el("section", { class: "note question", "aria-label": "A question", hidden: true });
    this.shown = "";
  }

  ask(urls) {
    this.urls = [...urls];
    this.draw();
  }

  /** The next page to ask about, whose visit this window has heard of. */
  get next() {
    const found = new Map([...this.hunt.visits.values()].map((visit) => [visit.final, visit]));
    const visits = this.urls.map((url) => found.get(url));
    return visits.find((visit) => visit && !visit.liking);
  }

  draw() {
    const visit = this.urls.length ? this.next : undefined;
    this.node.hidden = visit === undefined;
    if (!visit) return;
    const snippet = (this.acts.snippet(visit.step) ?? []).map(([text]) => text).join("");
    const looks = `${visit.step} ${snippet}`;
    if (looks === this.shown) return;
    this.shown = looks;
    const focused = this.node.contains(document.activeElement) && document.activeElement.textContent;
    fill(
      this.node,
      el("h2", {}, "Is this what you mean?"),
      el("p", {}, away(visit.final, {}, visit.title || visit.final), ` (${visit.site})`),
      snippet && el("p", { class: "soft" }, snippet),
      el("div", { class: "question-acts" }, [
        button("Yes", () => this.answer(visit, 1)),
        button("No", () => this.answer(visit, -1)),
        button("Skip", () => this.answer(visit, 0), { class: "quiet" }),
      ]),
    );
    if (focused) [...this.node.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
  }

  answer(visit, liking) {
    this.urls = this.urls.filter((url) => url !== visit.final);
    if (liking) this.acts.answer(visit.step, liking);
    this.draw();
  }
}

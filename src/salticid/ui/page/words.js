// Numbers, times and names as a person says them.

const plain = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

export function count(n, one, many = `${one}s`) {
  return `${plain.format(n)} ${n === 1 ? one : many}`;
}

export function number(n) {
  return plain.format(n);
}

/** A score in 0..1 with as many digits as tell it apart from its neighbours. */
export function score(x) {
  return x.toFixed(x >= 0.0005 && x < 0.095 ? 3 : 2);
}

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

/** Seconds since a crawl began, as a clock shows them. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, "0") : String(part))).join(":");
}

export function date(iso) {
  return day.format(new Date(iso));
}

export function when(iso) {
  return moment.format(new Date(iso));
}

const STATES = {
  starting: "starting",
  running: "hunting",
  paused: "paused",
  stopping: "stopping",
  ended: "ended",
};

export function state(name) {
  return STATES[name] ?? name;
}

const TIDINGS = {
  starting: "The hunt begins.",
  running: "The hunt is on.",
  paused: "The hunt is paused.",
  stopping: "The hunt is about to stop.",
  ended: "The hunt is over.",
};

/** The state of a hunt as a sentence. */
export function tidings(name) {
  return TIDINGS[name] ?? name;
}

const WAITS = [
  ["the robots.txt", "asking for its rules"],
  ["its turn", "waiting its turn"],
  ["an answer", "being fetched"],
  ["a parser", "being read"],
];

/** What goes on with a page, from what its fetch waits for. */
export function doing(waitsFor) {
  return WAITS.find(([start]) => waitsFor.startsWith(start))?.[1] ?? waitsFor;
}

/** A strategy's name as a person reads it. */
export function strategy(name) {
  return name.replaceAll("_", "-");
}

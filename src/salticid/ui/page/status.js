// The one voice that a screen reader hears, and the line that says the connection is gone.

import { say } from "./dom.js";

/** Say something politely; the same thing twice is said once. */
export function announce(sentence) {
  say(document.getElementById("status"), sentence);
}

/** Tell that the connection is lost and why, or with null that it is back. */
export function linkLost(sentence) {
  const line = document.getElementById("link");
  line.hidden = sentence == null;
  say(line, sentence ?? "");
}

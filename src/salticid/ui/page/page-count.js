// How many pages to read, as a person types it.

import { number } from "./words.js";

export const MOST_PAGES = 1_000_000;

/** What is wrong with the number in a field, as a sentence; "" if nothing is. */
export function wrongCount(field) {
  const pages = Number(field.value);
  if (field.value === "" || !Number.isInteger(pages) || pages < 1) return "A whole number, at least 1.";
  if (pages > MOST_PAGES)
    return `At most ${number(MOST_PAGES)} pages in one go; when they are read, the hunt can go on with more.`;
  return "";
}

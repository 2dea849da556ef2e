// Questions to the server, and its refusals as sentences.

import { keyFields } from "./key.js";

const PATIENCE = 60_000;

export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

let session = null;

/** What the server told about itself; asked once. */
export async function begun() {
  session ??= await ask("/api/session");
  return session;
}

/** Ask for the session anew. */
export async function beginAgain() {
  session = null;
  return begun();
}

export function get(path) {
  return ask(path);
}

export function post(path, body = {}) {
  return change("POST", path, body);
}

export function remove(path) {
  return change("DELETE", path, {});
}

function change(method, path, body) {
  return ask(path, { method, body: JSON.stringify(body) }, { "Content-Type": "application/json" });
}

async function ask(path, options = {}, fields = {}) {
  const headers = { ...fields, ...keyFields() };
  let answer;
  try {
    answer = await fetch(path, { ...options, headers, signal: AbortSignal.timeout(PATIENCE) });
  } catch {
    throw new Refused("The server does not answer. See whether “salticid serve” still runs, then try again.", 0);
  }
  if (answer.ok) return answer.json();
  throw new Refused(await reason(answer), answer.status);
}

async function reason(answer) {
  if (answer.status === 401)
    return "This window has no key to the server. Open the address that “salticid serve” printed when it started.";
  try {
    return (await answer.json()).error;
  } catch {
    return `The server answered ${answer.status} and gave no reason.`;
  }
}

// Questions to the server, and its refusals as sentences.

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

/** Ask for the session anew: a server that was started again has another token. */
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

/** Change something. A token that no longer holds is asked for once more. */
async function change(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (refusal) {
    if (refusal.status !== 403) throw refusal;
    await beginAgain();
    return send(method, path, body);
  }
}

async function send(method, path, body) {
  const { token } = await begun();
  const headers = { "Content-Type": "application/json", "X-Salticid-Token": token };
  return ask(path, { method, headers, body: JSON.stringify(body) });
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, signal: AbortSignal.timeout(PATIENCE) });
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

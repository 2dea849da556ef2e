// The key to the server. It comes with the address and leaves it at once; only this origin, port included, can read it.

const KEPT = "key";

/** Take the key out of the address, if there is one in it. */
export function takeKey() {
  const address = new URL(location.href);
  const key = address.searchParams.get("token");
  if (key === null) return;
  localStorage.setItem(KEPT, key);
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
}

/** The fields of a request that show it. */
export function keyFields() {
  const key = localStorage.getItem(KEPT);
  return key ? { "X-Salticid-Token": key } : {};
}

/** An address for the browser to open by itself: its path is signed with the key, and opens nothing else. */
export async function ticketed(address) {
  const key = localStorage.getItem(KEPT);
  if (!key) return address;
  const url = new URL(address, location.href);
  url.searchParams.set("ticket", await signed(key, url.pathname));
  return url.pathname + url.search;
}

async function signed(key, path) {
  const way = { name: "HMAC", hash: "SHA-256" };
  const text = new TextEncoder();
  const signing = await crypto.subtle.importKey("raw", text.encode(key), way, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign(way, signing, text.encode(path)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

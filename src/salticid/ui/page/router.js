// Places of the page, kept in the address behind the "#", so that a reload stays where it was.

/** The place as its parts: "#/crawl/abc/spider/3" is ["crawl", "abc", "spider", "3"]. */
export function place() {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
}

/** What a person typed may be no proper code. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function pathTo(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function go(...parts) {
  location.hash = pathTo(...parts);
}

/** Change the address without leaving the view. */
export function rename(...parts) {
  history.replaceState(null, "", pathTo(...parts));
}

export function onPlace(changed) {
  addEventListener("hashchange", changed);
}

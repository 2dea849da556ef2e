// Elements and text: the only way this page makes its DOM. Nothing crawled is ever read as markup.

import { ticketed } from "./key.js";

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. A function as attribute listens (`onclick`), true stands alone, false and null are left out. */
export function el(tag, attributes = {}, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

/** The same for a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return dressed(document.createElementNS(SVG, tag), attributes, children);
}

/** Put these children in place of all others. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(present));
  return node;
}

/** Set the text of a node, unless it says so already. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A link to a crawled page in a new tab; mere text unless its address is http or https. */
export function away(url, attributes, ...children) {
  if (!isWeb(url)) return el("span", { ...attributes, title: "Not a web address" }, ...children);
  return el("a", { ...attributes, href: url, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

/** A link to something of the server's own that only its key opens; signed anew before it is used, for keys change. */
export function kept(address, attributes, ...children) {
  const sign = async () => link.setAttribute("href", await ticketed(address));
  const link = el("a", { ...attributes, onpointerenter: sign, onfocus: sign }, ...children);
  sign();
  return link;
}

export function isWeb(url) {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

/** A button; `quiet` ones have no frame. */
export function button(label, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, label);
}

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter(present));
  return node;
}

function present(child) {
  return child != null && child !== false;
}

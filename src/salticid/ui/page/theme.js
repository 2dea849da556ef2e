// Light or dark: as the system says, until the person says otherwise.

const SIGNS = { system: "◐", light: "☀", dark: "☾" };
const ORDER = Object.keys(SIGNS);

function chosen() {
  const kept = localStorage.getItem("theme");
  return ORDER.includes(kept) ? kept : "system";
}

function show(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  button.textContent = SIGNS[theme];
  button.title = `Theme: ${theme}`;
  button.setAttribute("aria-label", button.title);
}

function next() {
  const theme = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length];
  localStorage.setItem("theme", theme);
  show(theme);
}

show(chosen());
document.getElementById("theme").addEventListener("click", next);
addEventListener("storage", () => show(chosen()));

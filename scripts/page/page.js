"use strict";
// Sorts and filters the tables, and opens what is linked to or printed. The page is complete without it.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);

function key(row, column, kind) {
  const text = row.cells[column].textContent.trim();
  return kind !== "number" ? text : /\d/.test(text) ? parseFloat(text) : null;
}

function sort(head) {
  const old = head.getAttribute("aria-sort"), down = old ? old === "ascending" : "down" in head.dataset;
  all("th[aria-sort]", head.closest("thead")).forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = head.closest("table").tBodies[0], column = head.cellIndex, kind = head.dataset.sort;
  const rows = [...body.rows].map((row) => [key(row, column, kind), row]);
  rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)  // rows without a number come last
    : (down ? -1 : 1) * (kind === "number" ? a - b : a.localeCompare(b)));
  body.append(...rows.map(([, row]) => row));
}

for (const head of all("th[data-sort]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  button.addEventListener("click", () => sort(head));
  head.append(button);
}

function filter() {
  const words = one("#words").value.toLowerCase().split(/\s+/), verdict = one("#verdict").value;
  const rows = all("tr[data-entry]"), shown = new Set();
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = (verdict && row.dataset.verdict !== verdict) || !words.every((word) => text.includes(word));
    if (!row.hidden) shown.add(row.dataset.entry);
  }
  for (const article of all("article[data-entry]")) article.hidden = !shown.has(article.dataset.entry);
  one("#shown").textContent = `${shown.size} of ${rows.length} shown`;
}

function open() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) all("details", target).slice(0, 1).forEach((details) => { details.open = true; });
}

const controls = one(".controls");
controls.hidden = false;
controls.addEventListener("input", filter);
controls.addEventListener("submit", (event) => event.preventDefault());
for (const button of all(".expand")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const details = all("article > details", button.closest("section")), close = details.every((each) => each.open);
    details.forEach((each) => { each.open = !close; });
    button.textContent = close ? "Expand all" : "Collapse all";
  });
}
addEventListener("hashchange", open);
addEventListener("beforeprint", () => all("details").forEach((details) => { details.open = true; }));
filter();
open();

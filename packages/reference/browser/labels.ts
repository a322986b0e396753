/**
 * Switches the labels of fields between English and Greek and keeps the choice for the tab. This script runs before the
 * page is drawn, so that no part of the page moves.
 */
const LABELS_KEY = "insurance-gateway-labels";
const root = document.documentElement;

function show(): void {
  const isGreek = sessionStorage.getItem(LABELS_KEY) === "el";
  if (isGreek) root.dataset.labels = "el";
  else delete root.dataset.labels;
  document.querySelector("#labels")?.setAttribute("aria-pressed", String(isGreek));
}

show();
document.addEventListener("DOMContentLoaded", show);
document.addEventListener("click", ({ target }) => {
  if (!(target instanceof HTMLElement) || target.id !== "labels") return;
  const isGreek = root.dataset.labels === "el";
  sessionStorage.setItem(LABELS_KEY, isGreek ? "en" : "el");
  show();
});

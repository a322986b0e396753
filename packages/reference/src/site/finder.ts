import { type Html, html } from "./html.ts";
import type { Language } from "./words/language.ts";

/** Renders the search over all pages, which needs scripts (`browser/finder.ts`). */
export function finder(language: Language, hint: string): Html {
  const label = language === "el" ? "Αναζήτηση" : "Search";
  return html`<search class="finder scripted">
<label for="search" class="only-heard">${label}</label>
<div class="field"><input id="search" type="search" role="combobox" autocomplete="off" spellcheck="false"
 aria-expanded="false" aria-controls="results" aria-autocomplete="list" placeholder="${hint}">
<kbd title="/">/</kbd></div>
<p id="found" class="only-heard" aria-live="polite"></p>
<ul id="results" role="listbox" aria-label="${label}" hidden></ul>
</search>`;
}

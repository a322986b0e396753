import { type Html, html } from "./html.ts";
import type { Language } from "./words/language.ts";
import { layoutWords as words } from "./words/layout-words.ts";

/**
 * Draws a block of code with a button to copy it.
 * @param placeholder - a text that the page replaces by the reader's token
 */
export function codeBlock(
  label: string,
  text: string,
  placeholder?: string,
  language: Language = "en",
): Html {
  const token = placeholder === undefined ? null : html` data-token="${placeholder}"`;
  return html`<figure class="code"><figcaption>${label} <button type="button" class="copy" data-copied="${words.copied[language]}" data-marked="${words.marked[language]}">${words.copy[language]}</button></figcaption>
<pre tabindex="0"${token}><code>${text}</code></pre></figure>`;
}

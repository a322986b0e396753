import { type Html, html } from "./html.ts";

/**
 * Draws a block of code with a button to copy it.
 * @param placeholder - a text in it that the page replaces by the reader's token
 */
export function codeBlock(label: string, text: string, placeholder?: string): Html {
  const token = placeholder === undefined ? null : html` data-token="${placeholder}"`;
  return html`<figure class="code"><figcaption>${label} <button type="button" class="copy">Copy</button></figcaption>
<pre tabindex="0"${token}><code>${text}</code></pre></figure>`;
}

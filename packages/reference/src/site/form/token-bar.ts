import { type Html, html } from "../html.ts";
import type { SitePaths } from "../paths.ts";

/**
 * Draws the field of the reader's token. `browser/token.ts` keeps the token for all pages of a tab.
 * @param development - whether to offer a token of the development issuer
 */
export function tokenBar({ developmentToken }: SitePaths, development: boolean): Html {
  const button = development
    ? html`<button type="button" id="development-token" data-href="${developmentToken}">Get a development token</button>`
    : null;
  return html`<div class="token"><label for="token">Token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="Paste a token" aria-describedby="token-note">
${button}<p id="token-note" role="status" class="note">This tab keeps it until you close it, and sends it only to this gateway.</p></div>`;
}

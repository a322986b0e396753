import { type Html, html } from "../html.ts";
import type { SitePaths } from "../paths.ts";
import type { Language } from "../words/language.ts";

const words = {
  token: { en: "Token", el: "Διακριτικό (token)" },
  paste: { en: "Paste a token", el: "Επικολλήστε ένα" },
  take: { en: "Get a development token", el: "Διακριτικό για ανάπτυξη" },
  kept: {
    en: "This tab keeps it until you close it, and sends it only to this gateway.",
    el: "Διατηρείται έως ότου κλείσετε την καρτέλα και αποστέλλεται μόνο σε αυτή την πύλη.",
  },
};

/**
 * Draws the field of the reader's token. `browser/token.ts` keeps the token for all pages of a tab.
 * @param development - whether to offer a token of the development issuer
 */
export function tokenBar(
  { developmentToken }: SitePaths,
  development: boolean,
  language: Language = "en",
): Html {
  const button = development
    ? html`<button type="button" id="development-token" data-href="${developmentToken}">${words.take[language]}</button>`
    : null;
  return html`<div class="token"><label for="token">${words.token[language]}</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="${words.paste[language]}" aria-describedby="token-note">
${button}<p id="token-note" role="status" class="note">${words.kept[language]}</p></div>`;
}

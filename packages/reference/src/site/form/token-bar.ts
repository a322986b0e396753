import { type Html, html } from "../html.ts";
import type { SitePaths } from "../paths.ts";
import type { Language, Text } from "../words/language.ts";
import { tokenWords as words } from "../words/token-words.ts";

/**
 * Draws the field for the reader's token. `browser/token.ts` keeps the token for all pages of a tab.
 * @param development - true to offer a token of the development issuer
 */
export function tokenBar(
  { developmentToken }: SitePaths,
  development: boolean,
  language: Language = "en",
): Html {
  const say = (text: Text): string => text[language];
  const howToGet = say(development ? words.fromDevelopment : words.fromOperator);
  const button = development
    ? html`<button type="button" id="development-token" data-href="${developmentToken}">${say(words.take)}</button>`
    : null;
  return html`<div class="token"><label for="token">${say(words.token)}</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="${say(words.paste)}" aria-describedby="token-note">
${button}<p id="token-note" role="status" class="note" data-missing="${say(words.missing)} ${howToGet}" data-refused="${say(words.refused)} ${howToGet}"
 data-unusable="${say(words.unusable)}" data-in-use="${say(words.inUse)}" data-unavailable="${say(words.unavailable)}">${say(words.kept)}</p></div>`;
}

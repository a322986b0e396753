import { codeBlock } from "../code-block.ts";
import { type Html, html } from "../html.ts";

/** A block of code with the name of its tab. */
export interface CodeTab {
  readonly label: string;
  readonly text: string;
  /** A text that the page replaces by the reader's token. */
  readonly placeholder?: string;
}

/**
 * Draws blocks of code and shows one at a time. The reader selects a block with radio buttons, which need no script and
 * are a single tab stop.
 * @param group - a name that no other group of code blocks on the page has
 */
export function codeTabs(title: string, group: string, tabs: readonly CodeTab[]): Html | null {
  const [only, ...others] = tabs;
  if (only === undefined) return null;
  if (others.length === 0) return codeBlock(`${title}: ${only.label}`, only.text, only.placeholder);
  const choices = tabs.map(
    ({ label }, index) =>
      html`<label><input type="radio" name="${group}" value="${label}"${index === 0 ? html` checked` : null}>${label}</label>`,
  );
  return html`<fieldset class="tabs"><legend>${title}</legend><div class="choices">${choices}</div>
${tabs.map(({ label, placeholder, text }) => codeBlock(label, text, placeholder))}</fieldset>`;
}

import { Marked, Renderer } from "marked";
import { codeBlock } from "./code-block.ts";
import { type Html, html, trusted } from "./html.ts";

/** A heading of a document. */
export interface Heading {
  readonly id: string;
  readonly text: string;
  /** The level; 1 for the title. */
  readonly depth: number;
}

/**
 * Returns the headings of a document with the ids that GitHub uses, so that links work on GitHub and in the reference.
 */
export function headingsOf(markdown: string): readonly Heading[] {
  const used = new Map<string, number>();
  return new Marked().lexer(markdown).flatMap((token) => {
    if (token.type !== "heading") return [];
    const text = String(token.text).replaceAll("`", "");
    const plain = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
    const slug = plain.replaceAll(" ", "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return [{ id: count === 0 ? slug : `${slug}-${count}`, text, depth: Number(token.depth) }];
  });
}

/**
 * Renders Markdown. HTML inside the Markdown stays text, and the description of a picture replaces the picture.
 * @param linkTo - returns the address for a link; null to keep only the text of the link
 */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string | null): Html {
  const headings = [...headingsOf(markdown)];
  let section = "";
  const plain = new Renderer();
  const reader = new Marked({
    async: false,
    renderer: {
      html: ({ text }) => html`${text}`.markup,
      image: ({ text }) => html`${text}`.markup,
      code: ({ lang, text }) => codeBlock(lang ?? "", text).markup,
      heading({ depth, tokens }) {
        const { id = "", text = "" } = headings.shift() ?? {};
        section = text;
        const level = `h${depth}`;
        const content = trusted(this.parser.parseInline(tokens));
        return html`<${trusted(level)} id="${id}">${content}</${trusted(level)}>\n`.markup;
      },
      table(token) {
        plain.parser = this.parser;
        return html`<div class="wide" role="region" aria-label="${section}" tabindex="0">${trusted(plain.table(token))}</div>`
          .markup;
      },
      link({ href, tokens }) {
        const text = trusted(this.parser.parseInline(tokens));
        const address = linkTo(href);
        return address === null ? text.markup : html`<a href="${address}">${text}</a>`.markup;
      },
    },
  });
  return trusted(reader.parse(markdown, { async: false }));
}

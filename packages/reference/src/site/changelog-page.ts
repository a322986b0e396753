import { Marked } from "marked";
import { html, trusted } from "./html.ts";
import type { PageContent } from "./layout.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage } from "./source.ts";

/** What changed in a provider's package, release by release. */
export function changelogPage(paths: SitePaths, provider: ProviderOnPage): PageContent {
  const { changelog, document, name, segment } = provider;
  const text =
    changelog === null
      ? html`<p>Version ${document?.info.version ?? "1.0.0"} is the first; nothing has changed since.</p>`
      : trusted(written(changelog));
  return {
    here: "",
    title: `${name}: changelog`,
    summary: `What changed in ${name}, release by release.`,
    main: html`<p class="trail"><a href="${paths.provider(segment)}">${name}</a></p><h1>Changelog</h1>${text}`,
  };
}

/** Markdown as markup: HTML in it stays text, links lead to the web alone, pictures are named. The file's own title is left out. */
function written(markdown: string): string {
  const reader = new Marked({
    async: false,
    renderer: {
      html: ({ text }) => html`${text}`.markup,
      image: ({ text }) => html`${text}`.markup,
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^https?:\/\//.test(href)
          ? html`<a href="${href}">${trusted(text)}</a>`.markup
          : text;
      },
    },
  });
  return reader.parse(markdown.replace(/^# .*$/m, ""), { async: false });
}

import { html } from "./html.ts";
import type { PageContent } from "./layout.ts";
import { renderMarkdown } from "./markdown.ts";
import type { SitePaths } from "./paths.ts";
import type { ProviderOnPage } from "./source.ts";

/** Renders the changes of a provider's package, release by release. */
export function changelogPage(paths: SitePaths, provider: ProviderOnPage): PageContent {
  const { changelog, document, name, segment } = provider;
  const text =
    changelog === null
      ? html`<p>Version ${document?.info.version ?? "1.0.0"} is the first; nothing has changed since.</p>`
      : // The title of the changelog is omitted, and only links to the web remain links.
        renderMarkdown(changelog.replace(/^# .*$/m, ""), (href) =>
          /^https?:\/\//.test(href) ? href : null,
        );
  return {
    here: paths.catalogue,
    title: `${name}: changelog`,
    summary: `What changed in ${name}, release by release.`,
    main: html`<p class="trail"><a href="${paths.provider(segment)}">${name}</a></p><h1>Changelog</h1>${text}`,
  };
}

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pagePolicy } from "./security-headers.ts";

/** The operator's page, and its content security policy. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * Reads the operator's page, an overview of the gateway. The page loads nothing from other servers. Its requests use
 * relative addresses, which work even behind a proxy that adds a path.
 */
export function readPage(): Page {
  // The page is in the folder of the package's manifest. This file has different places in source and build.
  const manifest = createRequire(import.meta.url).resolve(
    "@insurance-gateway/gateway/package.json",
  );
  const html = readFileSync(join(dirname(manifest), "pages/operator.html"), "utf8");
  return { html, contentSecurityPolicy: pagePolicy(inside("script", html), inside("style", html)) };
}

/** Returns the text inside the page's only element with this name. */
function inside(name: string, html: string): string {
  return html.slice(html.indexOf(`<${name}>`) + name.length + 2, html.indexOf(`</${name}>`));
}

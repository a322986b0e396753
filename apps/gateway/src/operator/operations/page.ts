import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pagePolicy } from "./security-headers.ts";

/** The page, and its content security policy. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * Reads the operator's page with the overview. It loads nothing from other addresses, and its own requests use relative
 * addresses, which also work behind a proxy that adds a path.
 */
export function readPage(): Page {
  // The page is beside the manifest of the package, while the place of this file depends on the build.
  const manifest = createRequire(import.meta.url).resolve(
    "@insurance-gateway/gateway/package.json",
  );
  const html = readFileSync(join(dirname(manifest), "pages/operator.html"), "utf8");
  return { html, contentSecurityPolicy: pagePolicy(inside("script", html), inside("style", html)) };
}

/** Returns the text of the only element with this name. */
function inside(name: string, html: string): string {
  return html.slice(html.indexOf(`<${name}>`) + name.length + 2, html.indexOf(`</${name}>`));
}

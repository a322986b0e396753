import { createHash } from "node:crypto";

/** The headers with security rules for browsers, in every answer of the operations address. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Returns the content security policy of a page: only the given script and style sheet may be used, and the page may
 * call only its own server.
 */
export function pagePolicy(script: string, style: string): string {
  return [
    securityHeaders["content-security-policy"],
    "connect-src 'self'",
    `script-src '${digestOf(script)}'`,
    `style-src '${digestOf(style)}'`,
  ].join("; ");
}

function digestOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

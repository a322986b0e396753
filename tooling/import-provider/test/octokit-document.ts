import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An OpenAPI document as parsed JSON. */
export interface PublishedDocument {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Returns the document of npm's `@octokit/openapi`: with 1,471 operations the largest under a free licence. The npm
 * package has 394 MB of files, so only the tests that need the package install it.
 */
export function octokitDocument(): PublishedDocument {
  const folder = mkdtempSync(join(tmpdir(), "octokit-"));
  try {
    const install = ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder];
    execFileSync("npm", [...install, "@octokit/openapi@23.0.2"], { stdio: "ignore" });
    const file = join(folder, "node_modules/@octokit/openapi/generated/ghec.json");
    return JSON.parse(readFileSync(file, "utf8"), withoutForeignReferences);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Removes references of examples to three unpublished files, which Prism would try to open. */
function withoutForeignReferences(_: string, value: unknown): unknown {
  const isForeign =
    typeof value === "object" &&
    value !== null &&
    "$ref" in value &&
    typeof value.$ref === "string" &&
    !value.$ref.startsWith("#");
  return isForeign ? {} : value;
}

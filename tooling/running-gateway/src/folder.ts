import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout that contains this file. */
const thisCheckout = fileURLToPath(new URL("../../../", import.meta.url));

/** An operator's folder with a configuration and installed provider packages. */
export interface GatewayFolder {
  readonly path: string;
  writeConfiguration(configuration: unknown): void;
  remove(): void;
}

/**
 * Creates a folder with the five providers installed.
 * @param checkout - the folder of a built checkout with the providers (default: this checkout)
 */
export function makeGatewayFolder(
  configuration?: unknown,
  checkout: string = thisCheckout,
): GatewayFolder {
  const path = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  const scope = join(path, "node_modules", "@insurance-gateway");
  mkdirSync(scope, { recursive: true });
  for (const letter of ["a", "b", "c", "d", "e"])
    symlinkSync(
      join(checkout, "packages", `provider-${letter}`),
      join(scope, `provider-${letter}`),
    );
  const writeConfiguration = (content: unknown): void =>
    writeFileSync(join(path, "gateway.config.json"), JSON.stringify(content));
  if (configuration !== undefined) writeConfiguration(configuration);
  return { path, writeConfiguration, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A configuration that serves the five providers from their sandboxes. */
export const sandboxConfiguration: { readonly providers: readonly object[] } = {
  providers: ["a", "b", "c", "d", "e"].map((letter) => ({
    package: `@insurance-gateway/provider-${letter}`,
    upstream: "sandbox",
  })),
};

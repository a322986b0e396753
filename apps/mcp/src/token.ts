import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { TokenSource } from "@insurance-gateway/core";
import { ConfigurationError } from "./configuration-error.ts";

/** The environment, as far as the token goes. */
export interface TokenEnvironment {
  readonly GATEWAY_TOKEN?: string | undefined;
  readonly GATEWAY_TOKEN_FILE?: string | undefined;
}

/**
 * Where the token comes from: GATEWAY_TOKEN, or the file that GATEWAY_TOKEN_FILE names, which is read anew for every request.
 * @throws ConfigurationError when there is none, when both are set, or when the file cannot be read now
 */
export function tokenOf({ GATEWAY_TOKEN, GATEWAY_TOKEN_FILE }: TokenEnvironment): TokenSource {
  const token = GATEWAY_TOKEN?.trim() ?? "";
  const file = GATEWAY_TOKEN_FILE?.trim() ?? "";
  if (token !== "" && file !== "")
    throw new ConfigurationError(["GATEWAY_TOKEN and GATEWAY_TOKEN_FILE are both set: unset one"]);
  if (file === "" && token === "")
    throw new ConfigurationError([
      "GATEWAY_TOKEN is not set: put the gateway's bearer token in the environment, or the name of a file with it in GATEWAY_TOKEN_FILE; it is no option",
    ]);
  if (file === "") return token;
  if (!hasText(file))
    throw new ConfigurationError([
      "GATEWAY_TOKEN_FILE names no file that has a token and can be read",
    ]);
  return async () => (await readFile(file, "utf8")).trim();
}

function hasText(file: string): boolean {
  try {
    return readFileSync(file, "utf8").trim() !== "";
  } catch {
    return false;
  }
}

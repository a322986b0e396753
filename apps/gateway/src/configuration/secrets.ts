import { resolve } from "node:path";
import type { SecretConfiguration } from "./file.ts";
import type { Files } from "./files.ts";
import type { Environment } from "./load.ts";

/** Called with the reason why a secret cannot be used, and its JSON path; never with the secret. */
export type SecretFault = (path: string, message: string) => void;

/**
 * Reads a secret from its configured place.
 * @param fault - called with the reason if the secret cannot be read; the value is then empty
 */
export type ReadSecret = (secret: SecretConfiguration, fault: (message: string) => void) => string;

/**
 * Creates the reader of a configuration's secrets.
 * @param folder - the configuration's folder, to which paths of files are relative
 */
export function createReadSecret(
  environment: Environment,
  folder: string,
  files: Files,
): ReadSecret {
  return (secret, fault) => {
    if ("value" in secret) return secret.value;
    const value =
      "env" in secret ? environment[secret.env] : textOf(files, resolve(folder, secret.file));
    if (value === undefined || value === "")
      fault(
        "env" in secret
          ? `the environment variable ${secret.env} is not set`
          : "the file is missing or empty",
      );
    return value ?? "";
  };
}

function textOf(files: Files, path: string): string | undefined {
  const content = files.read(path);
  return "text" in content ? content.text.trim() : undefined;
}

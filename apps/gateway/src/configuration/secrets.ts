import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SecretConfiguration } from "./file.ts";
import type { Environment } from "./load.ts";

/** Is called with why a secret cannot be used, and its place; never with the secret. */
export type SecretFault = (path: string, message: string) => void;

/** Reads secrets that are needed again while the gateway runs, so that an operator can replace a file. */
export interface SecretReader {
  /**
   * Checks that a secret can be read, and gives how to read it again: where that fails, its last good value.
   * @param check - what is wrong with a value; null when nothing is
   */
  again(
    secret: SecretConfiguration,
    path: string,
    check?: (value: string) => string | null,
  ): () => string;
}

/** Makes one. */
export function createSecretReader(
  environment: Environment,
  folder: string,
  fault: SecretFault,
): SecretReader {
  return {
    again(secret, path, check = () => null) {
      const attempt = (failed: (message: string) => void): string | null => {
        const faults: string[] = [];
        const value = readSecret(secret, environment, folder, (message) => faults.push(message));
        const [first = check(value)] = faults;
        if (first === null) return value;
        failed(first);
        return null;
      };
      let good = attempt((message) => fault(path, message)) ?? "";
      return () => {
        good = attempt(() => {}) ?? good;
        return good;
      };
    },
  };
}

/**
 * Reads a secret from where the configuration says it is.
 * @param fault - is told why it cannot be read; the value is empty then
 */
export function readSecret(
  secret: SecretConfiguration,
  environment: Environment,
  folder: string,
  fault: (message: string) => void,
): string {
  if ("value" in secret) return secret.value;
  const value = "env" in secret ? environment[secret.env] : textOf(resolve(folder, secret.file));
  if (value === undefined || value === "")
    fault(
      "env" in secret
        ? `the environment variable ${secret.env} is not set`
        : "the file is missing or empty",
    );
  return value ?? "";
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

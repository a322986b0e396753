import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CredentialsConfiguration, SecretConfiguration } from "./file.ts";
import type { Environment } from "./load.ts";

/** The header by which the gateway shows an insurer who it is; empty for an insurer that asks for none. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/**
 * Reads an insurer's credentials and writes the header for them.
 * @param fault - is told why a secret cannot be read; never the secret
 */
export function credentialHeaders(
  credentials: CredentialsConfiguration,
  environment: Environment,
  folder: string,
  fault: (path: string, message: string) => void,
): CredentialHeaders {
  const read = (secret: SecretConfiguration, path: string): string => {
    const value = readSecret(secret, environment, folder, (message) => fault(path, message));
    if (/[^\x20-\x7e]/.test(value)) fault(path, "has characters a header cannot carry");
    return value;
  };
  switch (credentials.type) {
    case "none":
      return {};
    case "bearer":
      return { authorization: `Bearer ${read(credentials.token, "token")}` };
    case "basic": {
      const pair = `${read(credentials.username, "username")}:${read(credentials.password, "password")}`;
      return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
    }
    case "apiKey":
      return { [credentials.header.toLowerCase()]: read(credentials.value, "value") };
  }
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

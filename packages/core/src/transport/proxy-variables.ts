import { ConfigurationError } from "../errors/configuration-error.ts";

/** The environment variables that name a proxy. */
export const PROXY_VARIABLES: readonly string[] = [
  "https_proxy",
  "HTTPS_PROXY",
  "http_proxy",
  "HTTP_PROXY",
];

/** @throws ConfigurationError if a variable is not the address of a proxy */
export function checkProxyVariables(): void {
  const wrong = PROXY_VARIABLES.filter((name) => process.env[name] && !isProxy(process.env[name]));
  if (wrong.length > 0)
    throw new ConfigurationError(
      wrong.map((name) => `${name} must be an absolute http or https address`),
    );
}

/** Whether a value is the address of a proxy. */
export function isProxy(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:\/\/[^/]/i.test(value);
}

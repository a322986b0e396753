import { ConfigurationError } from "../errors/configuration-error.ts";

/**
 * Returns the address of the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY (in upper or lower case) name for an
 * address; null without a proxy. As in Go and curl, HTTP_PROXY is not used for https, and a proxy without a scheme is
 * an http proxy. A proxy is never used for this machine, which the proxy cannot reach. undici's own function is not
 * available before undici is loaded.
 * @throws ConfigurationError if the applicable variable is not the address of a proxy
 */
export function environmentProxy(address: string): string | null {
  const { hostname, port, protocol } = new URL(address);
  const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const name = `${protocol.slice(0, -1)}_proxy`;
  const value = environmentVariable(name);
  if (value === "" || isThisMachine || isInNoProxy(hostname, port || defaultPorts[protocol]))
    return null;
  const proxy = value.includes("://") ? value : `http://${value}`;
  if (isProxyAddress(proxy)) return proxy;
  throw new ConfigurationError([`${name.toUpperCase()} ${PROXY_ADDRESS_RULE}`]);
}

/** Returns an environment variable. The name in lower case has priority over the name in upper case. */
function environmentVariable(name: string): string {
  return (process.env[name] ?? process.env[name.toUpperCase()] ?? "").trim();
}

const defaultPorts: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/** Reports whether NO_PROXY names a host: the host itself, a parent domain, or `*`, each optionally with a port. */
function isInNoProxy(hostname: string, port = ""): boolean {
  const bare = hostname.replace(/^\[|\]$|\.$/g, "");
  const forms = [bare, `[${bare}]`].flatMap((form) => [form, `${form}:${port}`]);
  return environmentVariable("no_proxy")
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      if (entry === "" || entry === "*" || entry === `*:${port}`) return entry !== "";
      const domain = entry.replace(/^\*?\./, "");
      return forms.some(
        (form) => (form === domain && !entry.startsWith("*")) || form.endsWith(`.${domain}`),
      );
    });
}

/** Rule for the address of a proxy, for messages. */
export const PROXY_ADDRESS_RULE =
  "must be an http or https address, with %25 for each % in its user name and password";

/** Reports whether a value is the absolute address of a proxy. */
export function isProxyAddress(value: unknown): boolean {
  if (typeof value !== "string" || !/^https?:\/\/[^/]/i.test(value)) return false;
  try {
    const { password, username } = new URL(value);
    // undici decodes the user name and the password in the same way.
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

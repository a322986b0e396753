import { ConfigurationError } from "../errors/configuration-error.ts";

/**
 * Returns the address of the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case of letters, name for an address; null for
 * none. As with Go and curl, HTTP_PROXY is not used for https, and a proxy without a scheme is one over http. A proxy is never used for
 * this machine, which it cannot reach. undici's own reading cannot be asked before undici is loaded.
 * @throws ConfigurationError if the variable that applies is not the address of a proxy
 */
export function environmentProxy(address: string): string | null {
  const { hostname, port, protocol } = new URL(address);
  const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const name = `${protocol.slice(0, -1)}_proxy`;
  const value = variable(name);
  if (value === "" || isThisMachine || isExcepted(hostname, port || defaultPorts[protocol]))
    return null;
  const proxy = value.includes("://") ? value : `http://${value}`;
  if (isProxy(proxy)) return proxy;
  throw new ConfigurationError([`${name.toUpperCase()} ${PROXY_RULE}`]);
}

/** A value in lower case has precedence over one in upper case. */
function variable(name: string): string {
  return (process.env[name] ?? process.env[name.toUpperCase()] ?? "").trim();
}

const defaultPorts: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/** Whether NO_PROXY names a host: itself, a domain over it, or `*`, each perhaps with a port. */
function isExcepted(hostname: string, port = ""): boolean {
  const bare = hostname.replace(/^\[|\]$|\.$/g, "");
  const forms = [bare, `[${bare}]`].flatMap((form) => [form, `${form}:${port}`]);
  return variable("no_proxy")
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

/** The rule for the address of a proxy. */
export const PROXY_RULE =
  "must be an http or https address, with %25 for each % in its user name and password";

/** Whether a value is the absolute address of a proxy. */
export function isProxy(value: unknown): boolean {
  if (typeof value !== "string" || !/^https?:\/\/[^/]/i.test(value)) return false;
  try {
    const { password, username } = new URL(value);
    // undici decodes them.
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

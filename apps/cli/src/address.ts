import type { Configuration } from "@insurance-gateway/gateway/folder";

/** Reports whether an address is on this machine, or is the configured address of the gateway. */
export function isOwnAddress(
  address: URL,
  { listen }: { readonly listen: Pick<Configuration["listen"], "host" | "port" | "tls"> },
): boolean {
  if (isLoopback(address)) return true;
  const scheme = listen.tls === undefined ? "http" : "https";
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  const listening = `${scheme}://${host}:${listen.port}`;
  return URL.canParse(listening) && new URL(listening).origin === address.origin;
}

/** Reports whether requests to an address would send tokens and customers' data unencrypted to another machine. */
export function isUnencryptedRemote(address: URL): boolean {
  return address.protocol === "http:" && !isLoopback(address);
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Returns the fault of a base address for callers, worded as the end of an error message; null if the address is valid.
 */
export function addressFault(address: string, basePath: string): string | null {
  if (!URL.canParse(address)) return "must be an absolute http or https address";
  const { hash, password, pathname, protocol, search, username } = new URL(address);
  if (!/^https?:$/.test(protocol)) return "must be an absolute http or https address";
  if (username + password + search + hash !== "")
    return "must have no credentials, query or fragment";
  return pathname.replace(/\/+$/, "") === basePath
    ? null
    : `must have the path of listen.basePath: ${basePath || "/"}`;
}

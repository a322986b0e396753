import { createNodeTransport } from "../transport/node-transport.ts";
import { isProxyAddress, PROXY_ADDRESS_RULE } from "../transport/proxy-variables.ts";
import type { TlsSettings } from "../transport/route-settings.ts";
import { isObjectNotList, optionFaults } from "./argument.ts";
import { type ConnectionSetup, LONGEST_TIMEOUT_MS } from "./options.ts";

/** Connections of Node, over undici, with every option. */
export const nodeConnections: ConnectionSetup = {
  faultsOf: ({ connectTimeout, proxy, tls }) => [
    ...(connectTimeout !== undefined && !isValidTimeoutMs(connectTimeout)
      ? [`connectTimeout must be a whole number of milliseconds from 1 to ${LONGEST_TIMEOUT_MS}`]
      : []),
    ...(proxy !== undefined && proxy !== false && !isProxyAddress(proxy)
      ? [`proxy ${PROXY_ADDRESS_RULE}, or false`]
      : []),
    ...tlsFaults(tls ?? {}),
  ],
  open: ({ connectTimeout, proxy, tls }, baseUrl) =>
    createNodeTransport(
      {
        connectTimeoutMs: connectTimeout,
        proxy: proxy === false ? undefined : (proxy ?? "environment"),
        tls,
      },
      baseUrl,
    ),
  remedies: {
    certificate:
      "the gateway's certificate is not accepted. Correct `baseUrl`, or trust the certificate's authority with `tls.authorities` or NODE_EXTRA_CA_CERTS.",
    client_certificate:
      "the gateway refuses this client's certificate, or requires one. Correct `tls.certificate` and `tls.key`.",
    runtime:
      "undici cannot be used. Use Node 22.19 or later, and install `@insurance-gateway/core` beside a bundle that needs a proxy, `tls` or `connectTimeout`.",
    proxy:
      "the proxy refuses the connection, or its address is wrong. Correct `proxy`, or HTTPS_PROXY and NO_PROXY.",
  },
};

/** Reports whether a number can be a timeout. undici refuses other numbers when it connects through a proxy. */
function isValidTimeoutMs(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= LONGEST_TIMEOUT_MS;
}

/** Names of the fields of the option `tls`. */
const TLS_OPTION_NAMES = ["authorities", "certificate", "key"];

function tlsFaults(tls: object): readonly string[] {
  if (!isObjectNotList(tls)) return ["tls must be an object"];
  const { certificate, key }: TlsSettings = tls;
  return [
    ...optionFaults(tls, TLS_OPTION_NAMES).map((fault) => `tls.${fault}`),
    ...Object.entries(tls).flatMap(([name, value]) =>
      value === undefined || /^-----BEGIN [A-Z ]+-----$/m.test(String(value))
        ? []
        : [`tls.${name} must be a PEM text, not the path of a file`],
    ),
    ...((certificate === undefined) === (key === undefined)
      ? []
      : ["tls.certificate and tls.key must be given together"]),
  ];
}

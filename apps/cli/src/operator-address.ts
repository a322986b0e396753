import { createTransport, TransportError } from "@insurance-gateway/core/transport";
import { type Configuration, loadConfiguration } from "@insurance-gateway/gateway/folder";
import { EXIT_UNANSWERED } from "./exit-codes.ts";

const ANSWER_TIMEOUT_MS = 10_000;
/** Maximum size of an answer, larger than any list of the operations address. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Requests a list from the operations address of a running gateway.
 * @param from - the address. Default: the address of the configuration.
 * @returns null if no gateway answers; the function then prints the reason and sets the exit code
 */
export async function fetchFromOperator<Item>(
  from: string | undefined,
  path: string,
): Promise<readonly Item[] | null> {
  const address = from ?? operatorAddressOf(loadConfiguration(process.env, process.cwd()));
  const transport = createTransport({ connectTimeoutMs: ANSWER_TIMEOUT_MS });
  try {
    const url = `${address.replace(/\/+$/, "")}/${path}`;
    const answer = await transport.send({
      method: "GET",
      url,
      headers: {},
      timeoutMs: ANSWER_TIMEOUT_MS,
    });
    const text = await answer.body.text(MAX_ANSWER_BYTES);
    if (answer.status !== 200) return reportNoGateway(address);
    // An answer with status 200 comes from a gateway's operations address, which always sends a list in this form.
    return (JSON.parse(text) as { readonly items: readonly Item[] }).items;
  } catch (error) {
    if (TransportError.isInstance(error) || error instanceof SyntaxError)
      return reportNoGateway(address);
    throw error;
  } finally {
    await transport.close();
  }
}

function reportNoGateway(address: string): null {
  process.stderr.write(
    `No gateway answers at ${address}: start a gateway, or set --from to its operations address.\n`,
  );
  process.exitCode = EXIT_UNANSWERED;
  return null;
}

/**
 * Returns the URL by which this machine reaches the configured operations address. With TLS, the URL has the first
 * configured host name.
 */
function operatorAddressOf({ operations: { host, names, port, tls } }: Configuration): string {
  if (tls !== undefined && names[0] !== undefined) return `https://${names[0]}:${port}`;
  const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const scheme = tls === undefined ? "http" : "https";
  return `${scheme}://${everywhere[host] ?? bracketed}:${port}`;
}

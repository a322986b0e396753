import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import pino from "pino";

/**
 * The proxy Prism before a gateway: it validates requests and answers against a document and lists violations in a
 * header.
 */
export interface ValidatingProxy {
  readonly address: string;
  close(): Promise<void>;
}

/** The header that lists the violations of an exchange; absent if there are none. */
export const VIOLATIONS = "sl-violations";

/** Starts Prism with a document. */
export async function startValidatingProxy(
  document: object,
  upstream: string,
): Promise<ValidatingProxy> {
  const operations = await getHttpOperationsFromSpec(document);
  const server = createServer(operations, {
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
    },
    components: { logger: pino({ level: "silent" }) },
  });
  const address = await server.listen(0, "127.0.0.1");
  return { address, close: () => server.close() };
}

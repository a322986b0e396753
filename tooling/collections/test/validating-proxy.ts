import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import pino from "pino";

/** Prism before a gateway: it holds requests and answers to a document, and says in a header what breaks it. */
export interface ValidatingProxy {
  readonly address: string;
  close(): Promise<void>;
}

/** The header that lists what an exchange breaks; it is not there where nothing is broken. */
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

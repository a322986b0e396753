import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createInstance,
  getHttpOperationsFromSpec,
  type IHttpRequest,
} from "@stoplight/prism-http";
import { type Logger, pino } from "pino";

/** A request as it arrived. */
export interface MockArrival {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** What of the document it breaks; empty when nothing. */
  readonly violations: readonly string[];
}

/** Prism as an insurer: it answers with a document's examples, and notes what each request breaks. */
export interface MockInsurer {
  readonly address: string;
  readonly arrivals: readonly MockArrival[];
  close(): Promise<void>;
}

/** Starts Prism with a document, over real HTTP. */
export async function startMockInsurer(document: object): Promise<MockInsurer> {
  const operations = await getHttpOperationsFromSpec(document);
  // The document has examples that break their own schemas.
  const mock = { dynamic: false, ignoreExamples: true };
  const prism = createInstance(
    {
      isProxy: false,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock,
    },
    { logger: silentLogger() },
  );
  const arrivals: MockArrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const { headers, method = "", url: target = "" } = request;
      const asked = requestOf(method, target, headers, body);
      void prism
        .request(asked, operations)()
        .then((result) => {
          const answered = result._tag === "Right" ? result.right : undefined;
          const violations = answered?.validations.input ?? [
            { message: String(Object(result).left) },
          ];
          arrivals.push({
            method,
            target,
            headers,
            body,
            violations: violations.map(({ message }) => message),
          });
          const { body: content, headers: given = {}, statusCode = 500 } = answered?.output ?? {};
          const isEmpty = content === undefined || statusCode === 204;
          response.writeHead(statusCode, given);
          response.end(
            isEmpty ? undefined : typeof content === "string" ? content : JSON.stringify(content),
          );
        });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    arrivals,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Prism logs with a level of its own. */
function silentLogger(): Logger {
  return Object.assign(pino({ level: "silent" }), { success: () => undefined });
}

function requestOf(
  method: string,
  target: string,
  headers: MockArrival["headers"],
  body: string,
): IHttpRequest {
  const { pathname, searchParams } = new URL(target, "http://insurer");
  const names = [...new Set(searchParams.keys())];
  const query = Object.fromEntries(
    names.map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? "")];
    }),
  );
  return {
    // Prism's methods are HTTP's, in lower case.
    method: method.toLowerCase() as IHttpRequest["method"],
    url: { path: pathname, query },
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    ...(body === "" ? {} : { body: parsed(body) }),
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

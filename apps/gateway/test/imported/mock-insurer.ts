import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createInstance,
  getHttpOperationsFromSpec,
  type IHttpRequest,
  type IHttpResponse,
} from "@stoplight/prism-http";
import { type Logger, pino } from "pino";

/** A request that arrived at the insurer. */
export interface MockArrival {
  readonly method: string;
  /** The path and the query of the request, unchanged. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The rules of the OpenAPI document that the request violates. */
  readonly violations: readonly string[];
}

/**
 * The program Prism as an insurer. Prism answers with the OpenAPI document's examples, and records the violations of
 * each request.
 */
export interface MockInsurer {
  readonly address: string;
  readonly arrivals: readonly MockArrival[];
  close(): Promise<void>;
}

/** Starts Prism over HTTP with an OpenAPI document. */
export async function startMockInsurer(document: object): Promise<MockInsurer> {
  const answerTo = await prism(document);
  const arrivals: MockArrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const { headers, method = "", url: target = "" } = request;
      void answerTo(requestOf(method, target, headers, body)).then(({ output, violations }) => {
        arrivals.push({ method, target, headers, body, violations });
        const { body: content, headers: given = {}, statusCode } = output;
        response.writeHead(statusCode, given);
        if (content === undefined || statusCode === 204) response.end();
        else response.end(typeof content === "string" ? content : JSON.stringify(content));
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

type Prism = ReturnType<typeof createInstance>;
type Answering = ReturnType<ReturnType<Prism["request"]>>;

interface Answered {
  readonly output: IHttpResponse;
  readonly violations: readonly string[];
}

/**
 * Returns a function that answers with the examples of an OpenAPI document, or with values of the schema if an example
 * is invalid.
 */
async function prism(document: object): Promise<(request: IHttpRequest) => Promise<Answered>> {
  const operations = await getHttpOperationsFromSpec(document);
  const answering = (mock: {
    dynamic: boolean;
    ignoreExamples: boolean;
  }): ((request: IHttpRequest) => Answering) => {
    const config = {
      isProxy: false,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      upstreamProxy: undefined,
    } as const;
    const instance = createInstance({ ...config, mock }, { logger: silentLogger() });
    return (request: IHttpRequest): Answering => {
      const mediaTypes = request.headers?.accept?.split(",").map((type) => type.trim()) ?? [];
      return instance.request(request, operations, { ...config, mock: { ...mock, mediaTypes } })();
    };
  };
  const manners = [
    answering({ dynamic: false, ignoreExamples: false }),
    answering({ dynamic: false, ignoreExamples: true }),
    answering({ dynamic: true, ignoreExamples: true }),
  ];
  return async (request) => {
    const answers: Awaited<Answering>[] = [];
    for (const manner of manners) {
      const answer = await manner(request);
      answers.push(answer);
      if ("left" in answer || answer.right.validations.output.length === 0) break;
    }
    const answer = answers.at(-1);
    if (answer === undefined) throw new TypeError("Prism does not answer");
    if ("left" in answer) return { output: { statusCode: 406 }, violations: [answer.left.message] };
    const { output, validations } = answer.right;
    return { output, violations: validations.input.map(({ message }) => message) };
  };
}

/** Returns a silent logger with Prism's additional level. */
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
    // Prism's methods are HTTP's methods in lower case.
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

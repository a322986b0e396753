import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  completeDocument,
  type JsonSchema,
  operationsOf,
  type ProviderDocument,
} from "@insurance-gateway/reference";
import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import fc, { type Arbitrary } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRule, jsonOf, parametersOf, resolverOf } from "./document-schemas.ts";
import { createJsonSchemaChecker } from "./json-schema-checker.ts";
import { samplesAround, samplesOf } from "./samples.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const SEED = 20_261_122;
const AT_ONCE = 8;

/** A request generated from a document. */
interface DocumentRequest {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** A validation fault in a problem answer. */
interface AnsweredFault {
  readonly pointer: string;
  readonly message: string;
}

/** A value of a request that triggers a scenario of the sandbox. */
interface Trigger {
  readonly pointer: string;
  readonly equals: string | number;
}

/**
 * Tests every committed document: sends generated requests to a gateway with simulated insurers. The gateway must
 * accept the requests that the document allows and refuse the others.
 * @param requests - the number of requests for each operation
 */
export function documentRequestTests(requests: number): void {
  let gateway: SandboxGateway;
  let triggers: readonly Trigger[];
  beforeAll(async () => {
    gateway = await startSandboxGateway({ callerLimit: { requests: 1_000_000 } });
    const response = await send("/sandbox/scenarios");
    triggers = JSON.parse(await response.text()).items.flatMap(
      ({ when }: { when: Trigger | null }) => when ?? [],
    );
  });
  afterAll(() => gateway.stop());

  function send(path: string, init: { method?: string; body?: string } = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${gateway.token}`,
      ...(init.body === undefined ? {} : { "content-type": "application/json" }),
    };
    return fetch(gateway.address + path, { ...init, headers });
  }

  const files = globSync("packages/provider-*/openapi.json", { cwd: repository }).toSorted();
  describe.each(files)("%s", (file) => {
    const own: ProviderDocument = JSON.parse(readFileSync(repository + file, "utf8"));
    const document = completeDocument(own, () => ({}));
    const resolve = resolverOf(document);
    const fits = createJsonSchemaChecker(document);
    const operations = operationsOf(document).map(
      (found) => [found.operation.operationId, found] as const,
    );

    it.each(operations)(
      `the gateway accepts or refuses ${requests} generated requests as the provider's OpenAPI document says: %s`,
      async (_, found) => {
        const { method, operation, path } = found;
        const query = parametersOf(operation, "query");
        const body = jsonOf(operation.requestBody?.content);
        const hasBody = operation.requestBody !== undefined;
        const [fitsQuery, fitsBody] = [fits(query), fits(body)];
        const root: JsonSchema = {
          properties: { query, ...(body.$ref ? resolve(body.$ref) : body).properties },
        };
        const sent = new Set<string>();
        let accepted = 0;

        async function judge(request: DocumentRequest): Promise<void> {
          if (triggers.some((trigger) => isTriggered(trigger, request))) return;
          const texts = Object.entries(request.query).map(([name, value]) =>
            pairOf(name, textOf(value)),
          );
          const search = new URLSearchParams(texts).toString();
          const target = `${path}${search === "" ? "" : `?${search}`}`;
          const text = hasBody ? { body: JSON.stringify(request.body) } : {};
          // The simulated insurer needs long to draw a document, so each request is sent once.
          if (sent.has(JSON.stringify([target, text]))) return;
          sent.add(JSON.stringify([target, text]));
          const response = await send(target, { method: method.toUpperCase(), ...text });
          const answer = await response.text();
          const what = `${JSON.stringify(request)} was answered with ${response.status} ${answer}`;
          expect(response.status, what).toBeLessThan(500);
          const isAllowed =
            fitsQuery(readQuery(texts, query)) &&
            (!hasBody || fitsBody(JSON.parse(JSON.stringify(request.body))));
          const isRefused = response.status === 400;
          if (!isRefused) accepted += 1;
          const byRulesOnly = isRefused && isByRules(answer, root);
          expect(!isRefused || byRulesOnly, what).toBe(isAllowed);
        }

        const batches = fc.array(requestsOf(query, hasBody ? body : null, operation, resolve), {
          minLength: AT_ONCE,
          maxLength: AT_ONCE,
        });
        await fc.assert(
          fc.asyncProperty(batches, async (batch) => {
            await Promise.all(batch.map(judge));
          }),
          // The failure message shows the request.
          { numRuns: Math.ceil(requests / AT_ONCE), seed: SEED, endOnFailure: true },
        );
        // If all requests were refused, the test would prove nothing. Without parameters and a body, only one request
        // is valid.
        const hasInput = hasBody || Object.keys(query.properties ?? {}).length > 0;
        expect(accepted).toBeGreaterThan(hasInput ? sent.size / 50 : 0);
      },
    );

    function isByRules(answer: string, root: JsonSchema): boolean {
      const { errors }: { errors?: readonly AnsweredFault[] } = JSON.parse(answer);
      return (
        errors !== undefined &&
        errors.length > 0 &&
        errors.every(({ message, pointer }) => isRule(root, resolve, pointer, message))
      );
    }
  });
}

type Operation = ReturnType<typeof operationsOf>[number]["operation"];

function requestsOf(
  query: JsonSchema,
  body: JsonSchema | null,
  { parameters = [], requestBody }: Operation,
  resolve: (reference: string) => JsonSchema,
): Arbitrary<DocumentRequest> {
  const media = requestBody?.content["application/json"];
  const bodies = Object.values(media?.examples ?? {}).map(({ value }) => value);
  const queries = parameters
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ examples = {}, name }) =>
      Object.values(examples).map(({ value }) => ({ [name]: value })),
    );
  const exampleQuery = Object.assign({}, ...queries);
  const around = (schema: JsonSchema, values: readonly unknown[]): Arbitrary<unknown> =>
    fc.oneof(
      samplesOf(schema, resolve),
      ...values.map((value) => samplesAround(value, schema, resolve)),
    );
  return fc.record({
    query: around(query, [exampleQuery]).map(asRecord),
    body: body === null ? fc.constant(null) : around(body, bodies),
  });
}

/** A query consists of names and values; any other sample becomes an empty query. */
function asRecord(sample: unknown): Readonly<Record<string, unknown>> {
  return typeof sample === "object" && sample !== null && !Array.isArray(sample)
    ? { ...sample }
    : {};
}

/** Returns a value as text for a URL. */
function textOf(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
}

/** Converts the texts of a query to the types of its schema. */
function readQuery(texts: readonly (readonly string[])[], { properties = {} }: JsonSchema): object {
  return Object.fromEntries(
    texts.map(([name = "", text = ""]) => {
      const isNumber = ["integer", "number"].includes(String(properties[name]?.type));
      return [name, isNumber && /^-?\d+$/.test(text) ? Number(text) : text];
    }),
  );
}

function isTriggered({ equals, pointer }: Trigger, request: DocumentRequest): boolean {
  const found = pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((value, name) => Object(value)[name], request);
  return found === equals || String(found) === equals;
}

function pairOf(name: string, text: string): [name: string, text: string] {
  return [name, text];
}

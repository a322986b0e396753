import { fileURLToPath } from "node:url";
import { check, type Endpoint, jsonAnswerOf, type Schema } from "@insurance-gateway/core/contract";
import { answersOf, jsonBodyOf } from "@insurance-gateway/core/runtime";
import { type JsonSchema, operationsOf } from "@insurance-gateway/reference";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CommittedDocument, makeDocuments } from "../../src/documents.ts";
import { isRule, jsonOf, parametersOf, resolverOf } from "./document-schemas.ts";
import { createJsonSchemaChecker } from "./json-schema-checker.ts";
import { samplesAround, samplesOf } from "./samples.ts";

const documents = await makeDocuments(fileURLToPath(new URL("../../../../", import.meta.url)));

interface Pair {
  /** The valid values of this part in the endpoint's examples. */
  readonly examples: readonly unknown[];
  readonly declared: Schema<unknown>;
  readonly written: JsonSchema;
}

/** Tests that document and declarations accept and reject the same values, with `count` samples of each part. */
export function roundTripTests(count: number): void {
  describe.each(documents)("$file and its declarations", (made) => {
    const { document, source } = made;
    const checker = createJsonSchemaChecker(document);
    const resolve = resolverOf(document);

    describe.each(Object.entries(source.provider.endpoints))("%s", (name, endpoint) => {
      test.each(Object.entries(pairsOf(made, name, endpoint)))(
        `the OpenAPI document and the declaration accept and reject the same ${count} samples of the endpoint's %s`,
        (_, { declared, examples, written }) => {
          const samples = fc.oneof(
            samplesOf(written, resolve),
            ...examples.map((example) => samplesAround(example, written, resolve)),
          );
          const fits = checker(written);
          let accepted = 0;
          fc.assert(
            fc.property(samples, (sample) => {
              const value: unknown = JSON.parse(JSON.stringify(sample));
              const checked = check(declared, value);
              const byRulesOnly =
                !checked.valid &&
                checked.faults.every(({ message, pointer }) =>
                  isRule(written, resolve, pointer, message),
                );
              if (checked.valid) accepted++;
              expect(fits(value)).toBe(checked.valid || byRulesOnly);
            }),
            { numRuns: count, seed: 20_261_121 },
          );
          // If all samples were rejected, the test would prove nothing.
          expect(accepted).toBeGreaterThan(count / 200);
          expect(accepted).toBeLessThan(count);
        },
      );
    });
  });
}

function pairsOf(
  { document, source }: CommittedDocument,
  name: string,
  endpoint: Endpoint,
): Readonly<Record<string, Pair>> {
  const { operation } =
    operationsOf(document).find((each) => each.operation.operationId === name) ?? {};
  if (operation === undefined) throw new TypeError(`${name} is not in the document`);
  const parameters = (place: string): JsonSchema => parametersOf(operation, place);
  const examples = Object.values(source.examples[name] ?? {});
  const requests = (part: string): readonly unknown[] =>
    examples.map(({ request }) => Reflect.get(request, part));
  const pairs: Record<string, Pair> = {};
  const { params, query } = endpoint;
  const body = jsonBodyOf(endpoint);
  if (params !== undefined)
    pairs.path = { declared: params, written: parameters("path"), examples: requests("params") };
  if (query !== undefined)
    pairs.query = { declared: query, written: parameters("query"), examples: requests("query") };
  if (body !== undefined)
    pairs.body = {
      declared: body,
      written: jsonOf(operation.requestBody?.content),
      examples: requests("body"),
    };
  for (const [status, answered] of answersOf(endpoint)) {
    const answer = operation.responses[status];
    const declared = jsonAnswerOf(answered);
    if (answer === undefined || declared === undefined || !("content" in answer)) continue;
    const answers = examples.map((example) => example.response);
    pairs[`answer ${status}`] = { declared, written: jsonOf(answer.content), examples: answers };
  }
  return pairs;
}

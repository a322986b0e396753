import {
  check,
  type Endpoint,
  type Example,
  jsonAnswerOf,
  type Schema,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  answersOf,
  bodyFormatOf,
  type CheckedInput,
  escapePointer,
  isEmptyAnswer,
  withValueAt,
} from "@insurance-gateway/core/runtime";
import type { SandboxAnswer } from "./sandbox.ts";
import { simulatedFile } from "./simulated-files.ts";

/** The examples of one endpoint; the list has at least one. */
export type EndpointExamples = readonly Example<Endpoint>[];

/** An answer of a simulated insurer. */
export interface SimulatedAnswer {
  readonly answer: SandboxAnswer<unknown, never>;
  /** The JSON of the answer; undefined if the answer is not JSON. */
  readonly body: unknown;
}

/** Returns the answer to a call: the stored answer if it matches the schema, or else the most similar example. */
export function simulatedAnswer(
  endpoint: Endpoint,
  input: CheckedInput,
  examples: EndpointExamples,
  stored: unknown,
): SimulatedAnswer {
  const example = nearestExample(examples, input);
  const { schema, status } = jsonFormOf(endpoint, example.response);
  if (schema === undefined)
    return { answer: nonJsonAnswer(endpoint, status, example.response), body: undefined };
  const isStored = stored !== undefined && check(schema, stored).valid;
  const base = isStored ? stored : example.response;
  const body = [...fieldsByPointer(input.params), ...fieldsByPointer(input.body)].reduce(
    (made, [pointer, value]) => replaceIfValid(schema, made, pointer, value),
    base,
  );
  return { answer: { status, body }, body };
}

/** Returns the schema and the status of a JSON answer. The schema is undefined if the answer is not JSON. */
export function jsonFormOf(
  endpoint: Endpoint,
  response: unknown,
): { readonly status: number; readonly schema: Schema<unknown> | undefined } {
  const all = answersOf(endpoint).map(([status, answer]) => ({
    status,
    schema: jsonAnswerOf(answer),
  }));
  const fitting = all.find(({ schema }) => schema !== undefined && check(schema, response).valid);
  const other = all.find(({ schema }) => schema === undefined);
  return fitting ?? other ?? all[0] ?? { status: 200, schema: undefined };
}

function nonJsonAnswer(
  endpoint: Endpoint,
  wanted: number,
  response: unknown,
): SandboxAnswer<unknown, never> {
  const [status, answer] = answersOf(endpoint).find(([one]) => one === wanted) ?? [wanted];
  const [type] = Object.keys(answer?.media ?? {});
  if (answer === undefined || type === undefined || isEmptyAnswer(answer))
    return { status, body: undefined };
  if (bodyFormatOf(type) === "text") return { status, body: String(response ?? "Simulated") };
  return { status, file: simulatedFile({ mediaType: type, extension: "" }) };
}

/**
 * Replaces the value at an existing JSON Pointer if the schema accepts the result. A string of digits can become a
 * number.
 */
export function replaceIfValid(
  schema: Schema<unknown> | undefined,
  value: unknown,
  pointer: string,
  placed: unknown,
): unknown {
  const found = valueAt(value, pointer);
  if (schema === undefined || found === undefined || found === placed) return value;
  const typed = typeof found === "number" && typeof placed === "string" ? Number(placed) : placed;
  const made = withValueAt(value, pointer, typed);
  return check(schema, made).valid ? made : value;
}

/** Returns the fields of an object and of its inner objects by JSON Pointer; a list is one field. */
export function fieldsByPointer(
  value: unknown,
  pointer = "",
): readonly (readonly [string, unknown])[] {
  const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isFields) return pointer === "" || value === undefined ? [] : [[pointer, value]];
  return Object.entries(value).flatMap(([name, field]) =>
    fieldsByPointer(field, `${pointer}/${escapePointer(name)}`),
  );
}

/** Returns the scalar values in a value as texts. */
export function scalarTextsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(scalarTextsIn);
}

/** Finds the example whose request has the most values in common with a call. Path parameters count most. */
export function nearestExample(examples: EndpointExamples, input: CheckedInput): Example<Endpoint> {
  const parts = ["params", "query", "body", "headers"] as const;
  const similarity = ({ request }: Example<Endpoint>): number => {
    const given: Partial<Record<(typeof parts)[number], unknown>> = { ...Object(request) };
    return parts
      .flatMap((part) =>
        fieldsByPointer(given[part]).map(([pointer, value]) =>
          JSON.stringify(valueAt(input[part], pointer)) !== JSON.stringify(value)
            ? 0
            : part === "params"
              ? PATH_PARAMETER_WEIGHT
              : 1,
        ),
      )
      .reduce<number>((sum, one) => sum + one, 0);
  };
  const [first, ...others] = examples;
  if (first === undefined) throw new TypeError("An endpoint of a simulation has no example");
  return others.reduce((best, one) => (similarity(one) > similarity(best) ? one : best), first);
}

/** The weight of a path parameter: more than all other fields of a request together. */
const PATH_PARAMETER_WEIGHT = 1_000;

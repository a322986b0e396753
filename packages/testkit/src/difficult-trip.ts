import { rawInputOf } from "@insurance-gateway/adapter/sandbox";
import { answerOf, check, jsonAnswerOf, valueAt } from "@insurance-gateway/core/contract";
import { type CheckedInput, isJson, pagingOf } from "@insurance-gateway/core/runtime";
import { executeCall } from "./dialect-insurer.ts";
import { afterJson, fieldOf, leavesOf } from "./differences.ts";
import { type DifficultCopy, difficultCopies, withFields } from "./difficult-values.ts";
import { jsonSchemaOf, schemaAt, wordsOf } from "./json-schemas.ts";
import {
  type AdapterTrip,
  addBrokenFaults,
  addDifference,
  addRequestFaults,
  type Faults,
  valueIn,
} from "./trip-faults.ts";
import type { InsurerAnswer } from "./trip-values.ts";

/**
 * Sends copies of the examples with difficult values, such as leading zeros, Greek letters and midnight.
 * @returns the copies that the adapter can send
 */
export async function addDifficultRequestFaults(
  trip: AdapterTrip,
  examples: readonly CheckedInput[],
  faults: Faults,
): Promise<readonly CheckedInput[]> {
  const { endpoint, run } = trip;
  const { position } = pagingOf(endpoint);
  const sendable: CheckedInput[] = [];
  for (const example of examples) {
    const { body, mediaType = "application/json", params, query } = example;
    const parts = isJson(mediaType) ? { params, query, body } : { params, query };
    const inputOf = (copy: unknown): CheckedInput => ({ ...example, ...Object(copy) });
    const fits = (copy: unknown): boolean =>
      run.checkerOf(endpoint)(rawInputOf(endpoint, inputOf(copy))).valid;
    const isOpen = (pointer: string): boolean =>
      ![`/query/${position}`, `/body${position}`].includes(pointer);
    await writeEachCopy(parts, difficultCopies(parts, fits, isOpen), fits, async (copy) => {
      const input = inputOf(copy.value);
      const carried = await executeCall(trip, input);
      if (carried.answer?.type === "unsendable") return false;
      sendable.push(input);
      addRequestFaults(trip, input, carried, faults);
      return true;
    });
  }
  return sendable;
}

/**
 * Replaces the answer of the sandbox's handler by copies of the examples with difficult values. The difficult values
 * must arrive unchanged.
 */
export async function addDifficultAnswerFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  answers: readonly InsurerAnswer[],
  faults: Faults,
): Promise<void> {
  const { endpoint } = trip;
  // Pages of a search with a declared `paging` cannot be generated.
  if (endpoint.kind === "document" || endpoint.paging !== undefined) return;
  for (const { content, status } of answers) {
    const declared = answerOf(endpoint, status);
    const schema = declared && jsonAnswerOf(declared);
    if (schema === undefined) continue;
    const described = jsonSchemaOf(schema);
    const body: unknown = JSON.parse(String(content));
    const fits = (copy: unknown): boolean => check(schema, copy).valid;
    // An adapter may replace a value that is not in a declared enumeration.
    const isOpen = (pointer: string): boolean => {
      const found = schemaAt(described, pointer);
      return found !== undefined && wordsOf(found) === undefined;
    };
    await writeEachCopy(body, difficultCopies(body, fits, isOpen), fits, async (copy) => {
      const made = { status, body: copy.value };
      const carried = await executeCall(trip, input, { made });
      if (addBrokenFaults(carried, faults) || carried.answer === null) return true;
      const isRefused = carried.statuses.some((one) => one >= 400);
      if (isRefused || carried.answer.type === "refusal") return false;
      const value = valueIn(endpoint, status, carried.answer, faults);
      if (value !== null) addTextDifferences(copy, afterJson(value.is), faults);
      return true;
    });
  }
}

/** Tries each copy. If a copy with all difficult values cannot be written, tries each value separately. */
async function writeEachCopy(
  original: unknown,
  copies: readonly DifficultCopy[],
  fits: (copy: unknown) => boolean,
  isWritten: (copy: DifficultCopy) => Promise<boolean>,
): Promise<void> {
  for (const copy of copies) {
    if (await isWritten(copy)) continue;
    for (const field of copy.changed) {
      const [, placed] = leavesOf(copy.value).find(([place]) => fieldOf(place) === field) ?? [];
      const value = withFields(original, new Map([[field, placed]]));
      if (fits(value)) await isWritten({ value, changed: new Set([field]) });
    }
  }
}

/** Adds a fault for each difficult text that does not arrive unchanged. An instant may change its notation. */
function addTextDifferences(
  { changed, value }: DifficultCopy,
  arrived: unknown,
  faults: Faults,
): void {
  for (const [pointer, was] of leavesOf(value)) {
    const is = valueAt(arrived, pointer);
    if (!changed.has(fieldOf(pointer)) || typeof is !== "string" || is === was) continue;
    const isInstant = /^\d{4}-\d{2}-\d{2}T/.test(is) && Date.parse(is) === Date.parse(String(was));
    if (!isInstant) addDifference(faults, "its answer", { pointer, was, is });
  }
}

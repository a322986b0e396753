import { expect } from "vitest";
import { compareContracts } from "../../src/index.ts";
import { ANSWER, answering, REQUEST, requesting, short } from "./contracts.ts";

/** A change of a schema, with its expected level in a request and in an answer. */
export type SchemaChange = readonly [
  name: string,
  before: unknown,
  after: unknown,
  pointer: string,
  inRequest: string,
  inAnswer: string,
];

export const text: object = { type: "string" };
export const number: object = { type: "number" };
export const nothing: object = { type: "null" };

/** Returns an object schema that allows no other properties, as in requests. */
export function closed(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
/** Returns an object schema that allows other properties, as in answers. */
export function open(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, required };
}

/** The expected levels of a change in a request and in an answer. */
type Levels = readonly [
  inRequest: "major" | "minor" | "patch",
  inAnswer: "major" | "minor" | "patch",
];

export const wider: Levels = ["minor", "major"];
export const narrower: Levels = ["major", "minor"];
export const other: Levels = ["major", "major"];
export const notice: Levels = ["minor", "minor"];
export const words: Levels = ["patch", "patch"];

/** Expects exactly one change in the report of contract-diff, at the expected level in a request and in an answer. */
export function expectLevels([, before, after, pointer, inRequest, inAnswer]: SchemaChange): void {
  const schemas = {};
  expect(short(compareContracts(requesting(before, schemas), requesting(after, schemas)))).toEqual([
    `${inRequest} ${REQUEST}${pointer}`,
  ]);
  expect(short(compareContracts(answering(before), answering(after)))).toEqual([
    `${inAnswer} ${ANSWER}${pointer}`,
  ]);
}

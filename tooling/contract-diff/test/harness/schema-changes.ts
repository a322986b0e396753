import { expect } from "vitest";
import { compareContracts } from "../../src/index.ts";
import { ANSWER, answering, REQUEST, requesting, short } from "./contracts.ts";

/** A change of a schema, and its level in a request and in an answer. */
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

/** An object with these properties and no others, as requests have it. */
export function closed(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
/** An object that may have other properties, as answers have it. */
export function open(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, required };
}

/** The level of a change in a request, and in an answer. */
type Levels = readonly [
  inRequest: "major" | "minor" | "patch",
  inAnswer: "major" | "minor" | "patch",
];

export const wider: Levels = ["minor", "major"];
export const narrower: Levels = ["major", "minor"];
export const other: Levels = ["major", "major"];
export const notice: Levels = ["minor", "minor"];
export const words: Levels = ["patch", "patch"];

/** Expects the change alone to be reported, with its level in a request and in an answer. */
export function expectLevels([, before, after, pointer, inRequest, inAnswer]: SchemaChange): void {
  const schemas = {};
  expect(short(compareContracts(requesting(before, schemas), requesting(after, schemas)))).toEqual([
    `${inRequest} ${REQUEST}${pointer}`,
  ]);
  expect(short(compareContracts(answering(before), answering(after)))).toEqual([
    `${inAnswer} ${ANSWER}${pointer}`,
  ]);
}

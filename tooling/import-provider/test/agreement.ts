import { check } from "@insurance-gateway/core/contract";
import { readDocument } from "../src/document/read-document.ts";
import {
  type ImportDocument,
  isObject,
  type JsonObject,
  membersOf,
} from "../src/document/references.ts";
import { importProvider } from "../src/import-provider.ts";
import type { ImportedMedia } from "../src/operations/model.ts";
import type { Side } from "../src/schemas/model.ts";
import { createSchemaOf } from "../src/schemas/zod-of.ts";
import { type CompileSchema, isLarge, judgeOf, nameIn } from "./judge.ts";
import { mutated, randomFrom, valuesOf } from "./values.ts";

/** The numbers of values that an imported package and the document's JSON Schema judge equally or differently. */
export interface Agreement {
  readonly values: number;
  readonly same: number;
  /** The number of values that ajv accepts. If ajv refused everything, the comparison would prove nothing. */
  readonly accepted: number;
  /** One example of a difference for each schema. */
  readonly differences: readonly string[];
}

/** The number of generated values for each schema, and the number of changed copies of these values. */
const VALUES_PER_SCHEMA = 4;
const MUTATED = 12;

/**
 * Compares the values that an imported package accepts with the values that the document's schemas accept, for JSON
 * bodies of requests and answers.
 * @returns separate counts for schemas with and without 64-bit numbers
 */
export function agreementOf(from: string): Readonly<Record<"plain" | "large", Agreement>> {
  const { document } = readDocument(from);
  const { endpoints } = importProvider({ provider: "provider-x", from, all: true });
  const components = schemasOf(document);
  const schemaOf = createSchemaOf();
  const random = randomFrom(20_261_123);
  const make = valuesOf(components, random);
  const judges: Readonly<Record<Side, CompileSchema>> = {
    request: judgeOf(components, "request"),
    answer: judgeOf(components, "answer"),
  };
  const tallies = { plain: tally(), large: tally() };
  for (const { answers, body, operation, pointer } of endpoints) {
    const located = operationAt(document, pointer);
    const parts = [
      ...(body?.media ?? []).map((media) => ({
        media,
        side: "request" as const,
        at: located.requestBody,
      })),
      ...answers.flatMap(({ media, status }) =>
        media.map((one) => ({
          media: one,
          side: "answer" as const,
          at: responseAt(located.responses, status),
        })),
      ),
    ];
    for (const { at, media, side } of parts) {
      const schema = schemaAt(document, at, media);
      if (schema === undefined) continue;
      const declared = schemaOf(media.definition);
      const judge = judges[side](schema);
      const one = tallies[hasLarge(components, schema) ? "large" : "plain"];
      for (const value of valuesFor(schema)) {
        const [ours, theirs] = [check(declared, value).valid, judge(value)];
        one.add(
          ours,
          theirs,
          () =>
            `${operation} ${side} ${media.mediaType}: ${JSON.stringify(value)?.slice(0, 300)}: declared ${ours}, document ${theirs}`,
        );
      }
    }
  }
  return { plain: tallies.plain.result(), large: tallies.large.result() };

  function valuesFor(schema: unknown): readonly unknown[] {
    const made = Array.from({ length: VALUES_PER_SCHEMA }, () => make(schema));
    const changed = Array.from({ length: MUTATED }, (_, index) => {
      let value = made[index % VALUES_PER_SCHEMA];
      for (let count = 0; count <= index % 3; count += 1) value = mutated(value, random);
      return value;
    });
    return [...made, ...changed];
  }
}

/** Counts the values that both sides judge equally, and the values that they judge differently. */
export interface Tally {
  add(ours: boolean, theirs: boolean, describe: () => string): void;
  result(): Agreement;
}

/** Creates a tally in which all counts are zero. */
export function tally(): Tally {
  let [values, same, accepted] = [0, 0, 0];
  const differences: string[] = [];
  return {
    add(ours, theirs, describe) {
      values += 1;
      if (theirs) accepted += 1;
      if (ours === theirs) same += 1;
      else differences.push(describe());
    },
    result: () => ({ values, same, accepted, differences }),
  };
}

/** Returns the schemas of a document by name. */
export function schemasOf({ root }: ImportDocument): JsonObject {
  const { components } = root;
  return isObject(components) && isObject(components.schemas) ? components.schemas : {};
}

/** Returns the operation at a JSON Pointer. */
export function operationAt(document: ImportDocument, pointer: string): JsonObject {
  return document.target(`#${pointer}`, "").value;
}

function responseAt(responses: unknown, status: number): unknown {
  const found = new Map(membersOf(responses));
  return found.get(String(status)) ?? found.get("2XX") ?? found.get("default");
}

/** Returns the document's schema for a media type; undefined if the media type is not JSON. */
function schemaAt(document: ImportDocument, at: unknown, { mediaType }: ImportedMedia): unknown {
  if (!mediaType.endsWith("json")) return undefined;
  const { value } = document.follow(at, "");
  const media = membersOf(value.content).find(
    ([name]) => name.split(";", 1)[0]?.trim().toLowerCase() === mediaType,
  );
  return isObject(media?.[1]) ? media[1].schema : undefined;
}

/** Reports whether a schema contains a 64-bit number, directly or in a nested schema. */
export function hasLarge(
  components: JsonObject,
  value: unknown,
  seen: Set<unknown> = new Set(),
): boolean {
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  const schema: JsonObject = Object(value);
  const target = components[nameIn(schema.$ref) ?? ""];
  return (
    isLarge(schema) ||
    hasLarge(components, target, seen) ||
    Object.values(schema).some((inner) => hasLarge(components, inner, seen))
  );
}

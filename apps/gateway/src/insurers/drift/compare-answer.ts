import type { DecodedBody } from "@insurance-gateway/adapter";
import { answerOf, type Endpoint, type Schema } from "@insurance-gateway/core/contract";
import { answerMediaOf, pointerNames } from "@insurance-gateway/core/runtime";
import type { Difference } from "../../events.ts";
import { type CompareDeclared, compareDeclared } from "./compare-declared.ts";
import { type CompareMapped, compareMapped, type MappedForm } from "./compare-mapped.ts";
import { collectDifferences, type Differences } from "./difference.ts";

/** An insurer's successful answer, and the declared value into which the adapter translated it. */
export interface ReceivedAnswer {
  /** The insurer's bodies, as the adapter decoded them: one, or one for each page of a list. */
  readonly bodies: readonly DecodedBody[];
  /** The declared value that the adapter made; null if it made none, and for a file. */
  readonly value: DeclaredValue | null;
  /** True if the gateway could not use the answer because the value breaks the declaration. */
  readonly isBroken: boolean;
}

/** An answer in the declared form, with its status and media type. */
export interface DeclaredValue {
  readonly status: number;
  readonly mediaType: string;
  readonly content: unknown;
}

/** Returns the differences between an answer and its endpoint's declaration; the result depends on nothing else. */
export type CompareAnswer = (endpoint: Endpoint, answer: ReceivedAnswer) => readonly Difference[];

/**
 * Creates the comparison of answers. It prepares each schema and each list of mapping rows at their first use. It
 * compares the insurer's body with the adapter's mapping rows, and the declared value with its schema. A difference
 * that only the second comparison finds is reported with the JSON Pointer of the insurer's field.
 */
export function createCompareAnswer(): CompareAnswer {
  const declared = memoize((schema: Schema<unknown>) => compareDeclared(schema));
  const mapped = new Map<string, CompareMapped>();
  const mappedOf = ({ method, path, provider }: Endpoint, form: MappedForm): CompareMapped => {
    const key = `${provider} ${method} ${path} ${form.status}`;
    const known = mapped.get(key) ?? compareMapped(form);
    mapped.set(key, known);
    return known;
  };
  const declaredOf = (endpoint: Endpoint, status: number, mediaType: string): CompareDeclared => {
    const answer = answerOf(endpoint, status);
    const media = answer && answerMediaOf(answer, mediaType);
    return media === undefined ? () => [] : declared(media.schema);
  };
  return (endpoint, { bodies, isBroken, value }) => {
    const found = collectDifferences();
    let rows: CompareMapped | undefined;
    for (const { content, form } of bodies)
      if (form.type === "declared")
        addAll(found, declaredOf(endpoint, form.status, form.mediaType)(content));
      else {
        rows = mappedOf(endpoint, form);
        addAll(found, rows.compare(content));
      }
    if (value !== null && (rows !== undefined || bodies.length === 0)) {
      const differences = declaredOf(endpoint, value.status, value.mediaType)(value.content);
      addAll(found, rows === undefined ? differences : withInsurerPlaces(differences, rows));
    }
    return withBreaking(found.list(), isBroken);
  };
}

function memoize<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

function addAll(found: Differences, differences: readonly Difference[]): void {
  for (const { breaking, kind, pointer } of differences)
    found.add(pointerNames(pointer), kind, breaking);
}

/**
 * Translates pointers to the insurer's body; omits a difference without a place in that body unless the difference is
 * breaking.
 */
function withInsurerPlaces(
  differences: readonly Difference[],
  { insurerPlace }: CompareMapped,
): readonly Difference[] {
  return differences.flatMap((difference) => {
    const place = insurerPlace(pointerNames(difference.pointer));
    if (place === null) return difference.breaking ? [{ ...difference, pointer: "" }] : [];
    return [{ ...difference, pointer: place.map((name) => `/${name}`).join("") }];
  });
}

/** Marks differences as breaking only in an unusable answer; adds a breaking difference if such an answer has none. */
function withBreaking(
  differences: readonly Difference[],
  isBroken: boolean,
): readonly Difference[] {
  if (!isBroken) return differences.map((difference) => ({ ...difference, breaking: false }));
  return differences.some(({ breaking }) => breaking)
    ? differences
    : [...differences, unreadableDifference];
}

/** The difference of an answer without any readable form, such as an HTML page or a truncated text. */
export const unreadableDifference: Difference = { pointer: "", kind: "format", breaking: true };

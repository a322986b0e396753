import { escapePointer } from "@insurance-gateway/core/runtime";
import { fieldOf, leavesOf } from "./differences.ts";

/** Words with what careless programs lose: leading zeros, letters that two Greek charsets write with other bytes, and €. */
const words = ["007", "Ά€ώ", "0120"];
/** A leap day, days on which the clocks change, and one whose month could be its day. */
const days = ["2028-02-29", "2026-03-29", "2026-10-25", "2027-01-02"];
/** Midnight in Athens and in UTC, and before and after the clocks change there. */
const instants = [
  "2026-12-31T22:00:00Z",
  "2026-03-29T00:30:00Z",
  "2026-10-25T02:30:00Z",
  "2027-01-01T00:00:00Z",
];
const times = ["00:00:00", "23:59:59", "00:00", "23:59"];

/** How many copies are made: each place has another difficult value in each. */
const COPIES = 4;

/** A copy with difficult values. */
export interface DifficultCopy {
  readonly value: unknown;
  /** The JSON Pointers of its difficult values. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Copies a value, with a difficult one in the place of each text and time where it fits. The items of a list have the same
 * value in the same field, so that their order does not matter.
 * @param fits - whether a changed copy may be sent
 * @param isOpen - whether the text at a JSON Pointer may be any text
 */
export function difficultCopies(
  value: unknown,
  fits: (copy: unknown) => boolean,
  isOpen: (pointer: string) => boolean,
): readonly DifficultCopy[] {
  const fields = new Map<string, string>();
  for (const [pointer, leaf] of leavesOf(value))
    if (typeof leaf === "string" && leaf !== "" && isOpen(pointer))
      fields.set(fieldOf(pointer), leaf);
  return Array.from({ length: COPIES }, (_, copy) => {
    const choices = [...fields].map(([field, leaf], index): Choice => {
      const candidates = difficultFor(leaf);
      const first = (copy + index) % candidates.length;
      const inTurn = [...candidates.slice(first), ...candidates.slice(0, first)];
      return { field, candidates: inTurn.filter((candidate) => candidate !== leaf) };
    });
    const placed = fitting(value, new Map(), choices, fits);
    return { value: withFields(value, placed), changed: new Set(placed.keys()) };
  }).filter(({ changed }) => changed.size > 0);
}

/** A field with its possible values, the best first. */
interface Choice {
  readonly field: string;
  readonly candidates: readonly string[];
}

/** Adds the first value of each field that fits. Checks all fields at once first, because most of them take any text. */
function fitting(
  value: unknown,
  placed: ReadonlyMap<string, unknown>,
  choices: readonly Choice[],
  fits: (copy: unknown) => boolean,
): ReadonlyMap<string, unknown> {
  const open = choices.filter(({ candidates }) => candidates.length > 0);
  if (open.length === 0) return placed;
  const all = new Map([
    ...placed,
    ...open.map(({ candidates: [first], field }) => [field, first] as const),
  ]);
  if (fits(withFields(value, all))) return all;
  const [only] = open;
  if (open.length === 1 && only !== undefined)
    return fitting(value, placed, [{ ...only, candidates: only.candidates.slice(1) }], fits);
  const half = Math.ceil(open.length / 2);
  return fitting(value, fitting(value, placed, open.slice(0, half), fits), open.slice(half), fits);
}

/** Difficult values of the form of a text. */
function difficultFor(leaf: string): readonly string[] {
  if (/^\d{4}-\d{2}-\d{2}$/.test(leaf)) return days;
  if (/^\d{4}-\d{2}-\d{2}T/.test(leaf)) return instants;
  if (/^\d{2}:\d{2}(:\d{2})?$/.test(leaf)) return times;
  // A number with as many digits: a tax number has nine.
  return /^\d+$/.test(leaf) ? [leaf.replace(/^./, "0"), ...words] : words;
}

/** Sets fields of a value, in every item of the lists on the way. */
export function withFields(
  value: unknown,
  fields: ReadonlyMap<string, unknown>,
  field = "",
): unknown {
  if (fields.has(field)) return fields.get(field);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item) => withFields(item, fields, `${field}/*`));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      withFields(inner, fields, fieldOf(`${field}/${escapePointer(name)}`)),
    ]),
  );
}

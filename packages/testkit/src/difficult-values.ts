import { escapePointer } from "@insurance-gateway/core/runtime";
import { fieldOf, leavesOf } from "./differences.ts";

/** Texts that careless programs damage: leading zeros, letters with different bytes in two Greek charsets, and €. */
const words = ["007", "Ά€ώ", "0120"];
/** Difficult days: a leap day, days on which the clocks change, and a day whose month and day can be swapped. */
const days = ["2028-02-29", "2026-03-29", "2026-10-25", "2027-01-02"];
/** Difficult instants: midnight in Athens and in UTC, and instants around the change of the clocks in Athens. */
const instants = [
  "2026-12-31T22:00:00Z",
  "2026-03-29T00:30:00Z",
  "2026-10-25T02:30:00Z",
  "2027-01-01T00:00:00Z",
];
const times = ["00:00:00", "23:59:59", "00:00", "23:59"];

/** Number of copies. Each copy has a different difficult value at each place. */
const COPY_COUNT = 4;

/** A copy of a value with difficult values. */
export interface DifficultCopy {
  readonly value: unknown;
  /** The JSON Pointers of the copy's difficult values. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Copies a value and replaces each text and time by a difficult value if a difficult value fits. A field has the same
 * value in all items of a list, so that the order of the items does not matter.
 * @param fits - reports whether a changed copy may be sent
 * @param isOpen - reports whether the text at a JSON Pointer may be any text
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
  return Array.from({ length: COPY_COUNT }, (_, copy) => {
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

/** A field with its possible values, in order of preference. */
interface Choice {
  readonly field: string;
  readonly candidates: readonly string[];
}

/**
 * Sets each field to the first value that fits. Tries all fields together first, because most fields accept any text.
 */
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

/** Returns the difficult values with the same form as a text: days for a day, instants for an instant. */
function difficultFor(leaf: string): readonly string[] {
  if (/^\d{4}-\d{2}-\d{2}$/.test(leaf)) return days;
  if (/^\d{4}-\d{2}-\d{2}T/.test(leaf)) return instants;
  if (/^\d{2}:\d{2}(:\d{2})?$/.test(leaf)) return times;
  // A number with the same length, because a tax number has nine digits.
  return /^\d+$/.test(leaf) ? [leaf.replace(/^./, "0"), ...words] : words;
}

/** Returns a copy of a value with other fields, changed in every item of the lists on the fields' paths. */
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

import { valueAt } from "@insurance-gateway/core/contract";
import { withValueAt } from "@insurance-gateway/core/runtime";
import { type Codec, isString } from "./codecs.ts";

/**
 * The rows that convert between the declared value (ours) and the insurer's (theirs) in both directions: `readMapped`
 * converts theirs to ours, `writeMapped` ours to theirs. Fields are JSON Pointers; `""` is the whole value. A field
 * without a row is omitted on the other side.
 */
export type Mapping = readonly MappingRow[];

/** One row of a mapping. */
export type MappingRow = FieldRow | GroupRow | ListRow | OurConstant | TheirConstant;

/** The mapping row of a field, with the codec of the field. Without a codec, both sides have the same value. */
export type FieldRow = readonly [ours: string, theirs: string, codec?: Codec];

/** The mapping row of an object, with rows for the fields of the object. */
export interface GroupRow {
  readonly group: readonly [ours: string, theirs: string];
  readonly fields: Mapping;
  /** True if a declared null is omitted in the insurer's format. */
  readonly nullable?: true;
}

/** The mapping row of a list, with rows or one codec for the items of the list. */
export interface ListRow {
  readonly list: readonly [ours: string, theirs: string];
  readonly each: Mapping | Codec;
}

/** A fixed value in the declared format. */
export interface OurConstant {
  readonly ours: string;
  readonly always: unknown;
}

/** A fixed value in the insurer's format. */
export interface TheirConstant {
  readonly theirs: string;
  readonly always: unknown;
}

/** The converted value, or the JSON Pointer of the first source value that cannot be converted. */
export type Mapped =
  | { readonly fits: true; readonly value: unknown }
  | { readonly fits: false; readonly at: string; readonly why?: "charset" };

/** Options for the insurer's format. */
export interface MappingForm {
  /** `repeated`: a list is a repeated element, as in XML. A missing element or a single element is also a list. */
  readonly lists?: "repeated";
  /**
   * Reports whether the charset of the requests has every character of a text. Default: the charset has all characters.
   */
  readonly carries?: (text: string) => boolean;
}

/** Converts the insurer's value to the declared value. The function is pure, and never throws or guesses. */
export function readMapped(mapping: Mapping, theirs: unknown, form: MappingForm = {}): Mapped {
  return convertByRows(mapping, theirs, { isRead: true, form });
}

/** Converts the declared value to the insurer's value. The function is pure, and never throws or guesses. */
export function writeMapped(mapping: Mapping, ours: unknown, form: MappingForm = {}): Mapped {
  return convertByRows(mapping, ours, { isRead: false, form });
}

interface MappingDirection {
  readonly isRead: boolean;
  readonly form: MappingForm;
}

function convertByRows(mapping: Mapping, source: unknown, direction: MappingDirection): Mapped {
  let value: unknown = {};
  for (const row of mapping) {
    const moved = convertRow(row, source, direction);
    if (moved === null) continue;
    if (!moved.mapped.fits) return moved.mapped;
    if (moved.mapped.value !== undefined) value = withValueAt(value, moved.to, moved.mapped.value);
  }
  return { fits: true, value };
}

/** Returns the converted value of a row and the value's target, or null if the row is only for the other direction. */
function convertRow(
  row: MappingRow,
  source: unknown,
  direction: MappingDirection,
): { readonly to: string; readonly mapped: Mapped } | null {
  const { isRead } = direction;
  if ("always" in row) {
    const to = "ours" in row ? row.ours : row.theirs;
    return "ours" in row === isRead ? { to, mapped: { fits: true, value: row.always } } : null;
  }
  const [ours, theirs] = "group" in row ? row.group : "list" in row ? row.list : row;
  const [from, to] = isRead ? [theirs, ours] : [ours, theirs];
  const found = valueAt(source, from);
  if ("group" in row)
    return { to, mapped: withPlacePrefix(from, convertGroup(row, found, direction)) };
  if ("list" in row)
    return { to, mapped: withPlacePrefix(from, convertList(row, found, direction)) };
  return { to, mapped: withPlacePrefix(from, convertField(row[2], found, direction)) };
}

function convertField(
  codec: Codec | undefined,
  found: unknown,
  { form: { carries }, isRead }: MappingDirection,
): Mapped {
  if (found === undefined || found === null) {
    const { absent } = codec ?? {};
    if (absent === undefined) return doesNotFit;
    return { fits: true, value: absent === "null" && isRead ? null : undefined };
  }
  const value = codec === undefined ? found : isRead ? codec.read(found) : codec.write(found);
  if (value === undefined) return doesNotFit;
  const isWritable =
    isRead || carries === undefined || carries(isString(value) ? value : JSON.stringify(value));
  return isWritable ? { fits: true, value } : { ...doesNotFit, why: "charset" };
}

function convertGroup(
  { fields, nullable }: GroupRow,
  found: unknown,
  direction: MappingDirection,
): Mapped {
  if (nullable === true && (found === undefined || found === null))
    return { fits: true, value: direction.isRead ? null : undefined };
  if (typeof found !== "object" || found === null || Array.isArray(found)) return doesNotFit;
  return convertByRows(fields, found, direction);
}

function convertList({ each }: ListRow, found: unknown, direction: MappingDirection): Mapped {
  const items = listItemsOf(found, direction);
  if (items === null) return doesNotFit;
  const values: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const mapped = isMapping(each)
      ? convertByRows(each, item, direction)
      : convertField(each, item, direction);
    if (!mapped.fits) return withPlacePrefix(`/${index}`, mapped);
    values.push(mapped.value);
  }
  return { fits: true, value: values };
}

function listItemsOf(
  found: unknown,
  { form, isRead }: MappingDirection,
): readonly unknown[] | null {
  if (Array.isArray(found)) return found;
  if (form.lists !== "repeated" || !isRead) return null;
  return found === undefined ? [] : [found];
}

function isMapping(each: Mapping | Codec): each is Mapping {
  return Array.isArray(each);
}

const doesNotFit = { fits: false, at: "" } as const;

function withPlacePrefix(place: string, mapped: Mapped): Mapped {
  return mapped.fits ? mapped : { ...mapped, at: place + mapped.at };
}

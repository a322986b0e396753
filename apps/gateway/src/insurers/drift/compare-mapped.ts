import type {
  AnswerForm,
  Codec,
  FieldRow,
  GroupRow,
  ListRow,
  Mapping,
  MappingRow,
} from "@insurance-gateway/adapter";
import { valueAt } from "@insurance-gateway/core/contract";
import { pointerNames } from "@insurance-gateway/core/runtime";
import type { Difference } from "../../events.ts";
import {
  ANY_NAME,
  collectDifferences,
  type Differences,
  isObject,
  shownName,
  type ValuePath,
} from "./difference.ts";

/** The form of an answer that the adapter's mapping rows translate to the declared value. */
export type MappedForm = Extract<AnswerForm, { readonly type: "mapped" }>;

/** The comparison of an insurer's body with the mapping rows that read it. */
export interface CompareMapped {
  /** Returns the differences between an insurer's body and the mapping rows. A pure function. */
  readonly compare: (content: unknown) => readonly Difference[];
  /** Returns the path in the insurer's body from which a declared path is read; null if no mapping row reads it. */
  readonly insurerPlace: (ours: ValuePath) => ValuePath | null;
}

/** Creates the comparison with an adapter's mapping rows. */
export function compareMapped(form: MappedForm): CompareMapped {
  const places = rowPathsOf(form.rows, { ours: [], theirs: [] });
  const known = knownNamesOf([
    ...places.map(({ theirs }) => theirs),
    ...form.beside.map(({ at }) => pointerNames(at)),
    ...form.unread.map(pointerNames),
  ]);
  const isRepeated = form.mapping.lists === "repeated";
  return {
    compare(content) {
      const found = collectDifferences();
      const reading: MappedComparison = { isRepeated, found };
      compareRows(form.rows, content, [], reading);
      for (const { at, required } of form.beside)
        if (required) requiredValueAt(content, pointerNames(at), [], reading);
      reportUnreadFields(known, content, [], reading);
      return found.list();
    },
    insurerPlace(ours) {
      const leading = places.filter(({ ours: names }) =>
        names.every((name, index) => ours[index] === name),
      );
      const [nearest] = leading.toSorted((one, other) => other.ours.length - one.ours.length);
      if (nearest === undefined) return null;
      // Below a group or list, only the fields that mapping rows name have a path in the insurer's body.
      const rest = ours.slice(nearest.ours.length);
      return nearest.isLeaf || rest.length === 0 ? [...nearest.theirs, ...rest] : null;
    },
  };
}

/** A path that a mapping row names: in the insurer's body, and in the declared value. */
interface RowPaths {
  readonly ours: ValuePath;
  readonly theirs: ValuePath;
  /** True if no mapping row names a longer path that begins with this path. */
  readonly isLeaf: boolean;
}

function rowPathsOf(rows: Mapping, base: Pick<RowPaths, "ours" | "theirs">): readonly RowPaths[] {
  return rows.flatMap((row): readonly RowPaths[] => {
    if ("always" in row) return [];
    const [ours, theirs] = pointersOf(row);
    const at = {
      ours: [...base.ours, ...pointerNames(ours)],
      theirs: [...base.theirs, ...pointerNames(theirs)],
    };
    if ("group" in row) return [{ ...at, isLeaf: false }, ...rowPathsOf(row.fields, at)];
    if (!("list" in row)) return [{ ...at, isLeaf: true }];
    const item = { ours: [...at.ours, ANY_NAME], theirs: [...at.theirs, ANY_NAME] };
    const below = isRows(row.each) ? rowPathsOf(row.each, item) : [];
    return [{ ...at, isLeaf: false }, { ...item, isLeaf: below.length === 0 }, ...below];
  });
}

function pointersOf(row: FieldRow | GroupRow | ListRow): readonly [ours: string, theirs: string] {
  if ("group" in row) return row.group;
  return "list" in row ? row.list : [row[0], row[1]];
}

function isRows(each: Mapping | Codec): each is Mapping {
  return Array.isArray(each);
}

/** The state of comparing one insurer's body. */
interface MappedComparison {
  /** True if a list is a repeated XML element: then a list with one item looks like a single value. */
  readonly isRepeated: boolean;
  readonly found: Differences;
}

function compareRows(
  rows: Mapping,
  value: unknown,
  base: ValuePath,
  reading: MappedComparison,
): void {
  for (const row of rows) if (!("always" in row)) compareRow(row, value, base, reading);
}

function compareRow(
  row: Exclude<MappingRow, { readonly always: unknown }>,
  value: unknown,
  base: ValuePath,
  reading: MappedComparison,
): void {
  const [, pointer] = pointersOf(row);
  const names = pointerNames(pointer);
  const place = [...base, ...names];
  if ("list" in row) {
    compareList(row, value, place, reading);
    return;
  }
  if (mayBeAbsent(row) && isAbsent(valueAt(value, pointer))) return;
  const found = requiredValueAt(value, names, base, reading);
  if (found === undefined) return;
  if (!("group" in row)) compareField(row[2], found, place, reading.found);
  else if (isContainer(found, reading)) compareRows(row.fields, found, place, reading);
  else reading.found.add(place, "type", true);
}

function mayBeAbsent(row: FieldRow | GroupRow): boolean {
  return "group" in row ? row.nullable === true : row[2]?.absent !== undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Reports whether a value can have fields; an XML element without child elements is a text. */
function isContainer(value: unknown, { isRepeated }: MappedComparison): boolean {
  return isObject(value) || (isRepeated && value === "");
}

/** Returns the required value at a path; reports a missing value, and a wrong value on the path. */
function requiredValueAt(
  value: unknown,
  names: ValuePath,
  base: ValuePath,
  reading: MappedComparison,
): unknown {
  let at = value;
  for (const [index, name] of names.entries()) {
    const place = [...base, ...names.slice(0, index)];
    if (!isContainer(at, reading) && !Array.isArray(at)) {
      reading.found.add(place, at === null ? "null" : "type", true);
      return undefined;
    }
    at = valueAt(at, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (!isAbsent(at)) continue;
    reading.found.add([...place, name], at === null ? "null" : "missing", true);
    return undefined;
  }
  return at;
}

function compareField(
  codec: Codec | undefined,
  value: unknown,
  place: ValuePath,
  found: Differences,
): void {
  if (codec === undefined) return;
  const isOfType = hasTypeOf(codec, value);
  const isReadable = codec.read(value) !== undefined;
  if (!isOfType) found.add(place, "type", !isReadable);
  else if (codec.isListed?.(value) === false) found.add(place, "enum", !isReadable);
  else if (!isReadable) found.add(place, "format", true);
}

/** Reports whether a value has the type that a codec reads; without a type, a code may be a text or a whole number. */
function hasTypeOf({ isListed, type }: Codec, value: unknown): boolean {
  if (type !== undefined) return typeof value === type;
  return isListed === undefined
    ? typeof value !== "object"
    : typeof value === "string" || Number.isSafeInteger(value);
}

function compareList(
  row: ListRow,
  value: unknown,
  place: ValuePath,
  reading: MappedComparison,
): void {
  const [, pointer] = row.list;
  const names = pointerNames(pointer);
  const base = place.slice(0, place.length - names.length);
  const isNothing = valueAt(value, pointer) === undefined;
  if (reading.isRepeated && isNothing) return;
  const found = names.length === 0 ? value : requiredValueAt(value, names, base, reading);
  if (found === undefined) return;
  if (!Array.isArray(found) && !reading.isRepeated) {
    reading.found.add(place, "type", true);
    return;
  }
  for (const item of listItemsOf(found)) {
    const at = [...place, ANY_NAME];
    if (!isRows(row.each)) compareItem(row.each, item, at, reading.found);
    else if (isContainer(item, reading)) compareRows(row.each, item, at, reading);
    else reading.found.add(at, item === null ? "null" : "type", true);
  }
}

function compareItem(codec: Codec, item: unknown, place: ValuePath, found: Differences): void {
  if (item !== null) compareField(codec, item, place, found);
  else if (codec.absent === undefined) found.add(place, "null", true);
}

function listItemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Field names that mapping rows read at a path, with the names below each; null if they read everything there. */
interface KnownNames extends Map<string, KnownNames | null> {}

function knownNamesOf(places: readonly ValuePath[]): KnownNames {
  const root: KnownNames = new Map();
  for (const place of places) {
    let at = root;
    for (const [index, name] of place.entries()) {
      const below = at.get(name);
      if (index === place.length - 1 && below === undefined) at.set(name, null);
      if (index === place.length - 1) break;
      const next: KnownNames = below ?? new Map();
      at.set(name, next);
      at = next;
    }
  }
  return root;
}

/** Reports the fields of an insurer's body that no mapping row reads. */
function reportUnreadFields(
  known: KnownNames | null,
  value: unknown,
  place: ValuePath,
  reading: MappedComparison,
): void {
  if (known === null) return;
  const items = known.get(ANY_NAME);
  if (items !== undefined) {
    // In XML, a list with one item is a single element.
    const isList = Array.isArray(value) || reading.isRepeated;
    for (const item of isList ? listItemsOf(value) : [])
      reportUnreadFields(items, item, [...place, ANY_NAME], reading);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const below = known.get(name);
    const at = [...place, below === undefined ? shownName(name) : name];
    if (below === undefined) reading.found.add(at, "added", false);
    else reportUnreadFields(below, member, at, reading);
  }
}

import { JSONPathError, type JSONValue, query } from "json-p3";
import { ImportFault } from "../report.ts";
import { isObject, type JsonObject, listOf } from "./references.ts";

/**
 * Applies an overlay (OpenAPI Overlay Specification 1.0.0): each action in order, to each place that its target
 * (JSONPath, RFC 9535) selects.
 * @param file - the overlay's file name for messages
 * @throws ImportFault for a malformed overlay, for an action with unknown members, and for a target without matches,
 * because the overlay is for another document
 */
export function applyOverlay(document: JsonObject, overlay: JsonObject, file: string): JsonObject {
  if (!/^1\.\d+\.\d+$/.test(String(overlay.overlay)))
    throw new ImportFault(`${file} is not an overlay: it must begin with overlay: 1.0.0`);
  // The parsers return only JSON values.
  let changed = structuredClone(document) as JSONValue;
  for (const [index, action] of listOf(overlay.actions).entries()) {
    const place = `${file}, action ${index + 1}`;
    const { target, ...change } = checkedAction(action, place);
    const paths = locations(changed, target, place);
    if (paths.length === 0)
      throw new ImportFault(`${place}: ${target} matches nothing in the document`);
    // The action is applied from the last place to the first, so that a removed list item does not move later items.
    // Replacing a part of a JSON value by JSON results in JSON.
    for (const path of paths.toReversed())
      changed = applyChange(changed, path, change) as JSONValue;
  }
  if (!isObject(changed)) throw new ImportFault(`${file} leaves no document`);
  return changed;
}

interface Action {
  readonly target: string;
  readonly remove: boolean;
  readonly update: unknown;
}

const MEMBERS = ["target", "description", "update", "remove"];

/** Returns a valid action of an overlay. Unknown members are refused, because ignoring them would hide a mistake. */
function checkedAction(action: unknown, place: string): Action {
  if (!isObject(action) || typeof action.target !== "string")
    throw new ImportFault(`${place} needs a target, such as $.paths['/policies'].get`);
  const { remove, target, update } = action;
  const other = Object.keys(action).find(
    (name) => !MEMBERS.includes(name) && !name.startsWith("x-"),
  );
  if (other !== undefined)
    throw new ImportFault(
      `${place} has the member ${JSON.stringify(other.slice(0, 120))}, which is none of ${MEMBERS.join(", ")}`,
    );
  if (remove !== undefined && typeof remove !== "boolean")
    throw new ImportFault(`${place}: remove must be true or false`);
  if (remove !== true && update === undefined)
    throw new ImportFault(`${place} needs update, or remove: true`);
  return { target, remove: remove === true, update };
}

type Change = Omit<Action, "target">;
type Path = readonly (string | number)[];

function locations(document: JSONValue, target: string, place: string): readonly Path[] {
  try {
    return query(target, document).nodes.map(({ location }) => location);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    throw new ImportFault(`${place}: ${target} is not a JSONPath (RFC 9535): ${error.message}`);
  }
}

/** Returns the document with one place removed or updated. */
function applyChange(value: unknown, path: Path, change: Change): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change.remove ? {} : mergeUpdate(value, change.update);
  if (rest.length === 0 && change.remove) return without(value, name);
  if (Array.isArray(value))
    return value.map((item, index) => (index === name ? applyChange(item, rest, change) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === name ? applyChange(member, rest, change) : member,
    ]),
  );
}

function without(value: unknown, name: string | number): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => index !== name);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
    : value;
}

/**
 * Merges objects member by member, appends one item to a list, and replaces any other value (Overlay 1.0, section
 * 4.4.3).
 */
function mergeUpdate(value: unknown, update: unknown): unknown {
  if (Array.isArray(value)) return [...value, update];
  if (!isObject(value) || !isObject(update)) return update;
  const result = new Map(Object.entries(value));
  for (const [name, member] of Object.entries(update))
    result.set(name, result.has(name) ? mergedMember(result.get(name), member) : member);
  return Object.fromEntries(result);
}

/** Merges a member inside an update: two lists are concatenated; a list beside another value is replaced. */
function mergedMember(value: unknown, update: unknown): unknown {
  if (!Array.isArray(value)) return mergeUpdate(value, update);
  return Array.isArray(update) ? [...value, ...update] : update;
}

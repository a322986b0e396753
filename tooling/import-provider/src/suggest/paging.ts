import type { Paging } from "@insurance-gateway/core/contract";
import { isJson } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  membersOf,
} from "../document/references.ts";
import type { PublishedAnswer } from "../operations/answers.ts";
import { mediaOf } from "../operations/bodies.ts";
import { parametersOf } from "../operations/parameters.ts";
import type { SelectedOperation } from "../operations/select.ts";
import { mergeAllOf } from "../schemas/merge-all-of.ts";

/** A recognised way of paging. */
export interface SuggestedPaging {
  readonly paging: Paging;
  /** The reason, as the end of a sentence. */
  readonly reason: string;
}

/** The names of parameters that select a page, by paging style, in lower case without separators. */
const POSITIONS: readonly (readonly [style: Paging["style"], names: readonly string[]])[] = [
  [
    "cursor",
    [
      "cursor",
      "after",
      "pagetoken",
      "nexttoken",
      "nextcursor",
      "continuationtoken",
      "startingafter",
    ],
  ],
  ["page", ["page", "pagenumber", "pageno", "pageindex"]],
  ["offset", ["offset", "skip"]],
  ["start", ["start", "startindex", "from"]],
];
const SIZES = ["limit", "size", "pagesize", "perpage", "count", "take", "top", "maxresults", "max"];
const TOTALS = [
  "total",
  "totalcount",
  "totalelements",
  "totalitems",
  "totalresults",
  "totalrecords",
  "count",
];
const NEXTS = ["next", "nextcursor", "nexttoken", "nextpagetoken", "cursor", "continuationtoken"];

/** Recognises the paging of a list from its parameter names and the structure of its answer. */
export function suggestedPaging(
  document: ImportDocument,
  { located, pathItem }: Omit<SelectedOperation, "options">,
  answers: readonly PublishedAnswer[],
): SuggestedPaging | undefined {
  const parameters = parametersOf(document, pathItem, located)
    .map(({ value }) => value)
    .filter((value) => value.in === "query");
  const named = (names: readonly string[]): JsonObject | undefined =>
    parameters.find(({ name }) => names.includes(lettersOf(name)));
  const found = POSITIONS.map(([style, names]) => [style, named(names)] as const).find(
    ([, parameter]) => parameter !== undefined,
  );
  const [answer] = answers;
  if (found === undefined || answer === undefined) return undefined;
  const [style, position] = found;
  const shape = shapeOf(document, answer);
  if (shape === undefined) return undefined;
  const hasLink = membersOf(answer.located.value.headers).some(
    ([name]) => lettersOf(name) === "link",
  );
  const isLink = hasLink && shape.next === undefined;
  if (style === "cursor" && shape.next === undefined && !isLink) return undefined;
  const size = named(SIZES);
  const { default: usual, maximum } = schemaIn(document, size);
  const name = String(position?.name);
  const numbered = style === "page" || style === "start";
  return {
    paging: {
      style: isLink ? "link" : style,
      position: name,
      ...(numbered && !isLink && isZeroBased(document, position) ? { from: 0 } : {}),
      size: {
        ...(size === undefined ? {} : { name: String(size.name) }),
        usual: typeof usual === "number" && usual > 0 ? usual : 20,
        ...(typeof maximum === "number" && maximum > 0 ? { most: maximum } : {}),
      },
      items: shape.items,
      ...(shape.total === undefined ? {} : { total: shape.total }),
      ...(style === "cursor" && !isLink && shape.next !== undefined ? { next: shape.next } : {}),
    },
    reason: `the parameter ${name} pages it${isLink ? " with a Link header" : ""}, and its items are at ${shape.items === "" ? "the root" : shape.items}.`,
  };
}

interface PageShape {
  readonly items: string;
  readonly total?: string;
  readonly next?: string;
}

/**
 * Finds the items of a page. Returns undefined for an answer without a list. Inside an envelope, the payload is the
 * page.
 */
function shapeOf(document: ImportDocument, { located }: PublishedAnswer): PageShape | undefined {
  const media = mediaOf(located).find(({ type }) => isJson(type));
  if (media === undefined) return undefined;
  const schema = resolved(
    document,
    media.located.value.schema,
    appendToPointer(media.located.pointer, "schema"),
  );
  if (isList(schema)) return { items: "" };
  const fields = (one: JsonObject): Fields =>
    membersOf(one.properties)
      .map(([name, member]) => [name, resolved(document, member, media.located.pointer)] as const)
      .filter(([name]) => !MESSAGE_LISTS.includes(lettersOf(name)));
  const own = fields(schema);
  const page = pageIn(own);
  if (page !== undefined || own.some(([, member]) => isList(member))) return page;
  const inside = own.flatMap(([name, member]) => {
    const inner = pageIn(fields(member), appendToPointer("", name));
    return inner === undefined ? [] : [{ ...totalsOf(own), ...inner }];
  });
  return inside.length === 1 ? inside[0] : undefined;
}

type Fields = readonly (readonly [name: string, schema: JsonObject])[];

/** The names of lists that contain messages about an answer instead of the items of a page. */
const MESSAGE_LISTS = ["errors", "warnings", "messages"];

/** Returns the page in an object with exactly one list. */
function pageIn(fields: Fields, at = ""): PageShape | undefined {
  const [list, another] = fields.filter(([, member]) => isList(member));
  if (list === undefined || another !== undefined) return undefined;
  return { items: `${at}${appendToPointer("", list[0])}`, ...totalsOf(fields, at) };
}

function totalsOf(fields: Fields, at = ""): Pick<PageShape, "total" | "next"> {
  const named = (names: readonly string[]): string | undefined =>
    fields.find(([name, member]) => names.includes(lettersOf(name)) && !isList(member))?.[0];
  const [total, next] = [named(TOTALS), named(NEXTS)];
  return {
    ...(total === undefined ? {} : { total: `${at}${appendToPointer("", total)}` }),
    ...(next === undefined ? {} : { next: `${at}${appendToPointer("", next)}` }),
  };
}

function resolved(document: ImportDocument, schema: unknown, pointer: string): JsonObject {
  return isObject(schema) ? mergeAllOf(document, schema, pointer).schema : {};
}

function isList({ items, type }: JsonObject): boolean {
  return type === "array" || (Array.isArray(type) && type.includes("array")) || isObject(items);
}

function isZeroBased(document: ImportDocument, parameter: JsonObject | undefined): boolean {
  const { default: usual, minimum } = schemaIn(document, parameter);
  return usual === 0 || (minimum === 0 && usual !== 1);
}

function schemaIn(document: ImportDocument, parameter: JsonObject | undefined): JsonObject {
  return resolved(document, parameter?.schema, "");
}

function lettersOf(name: unknown): string {
  return String(name)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "");
}

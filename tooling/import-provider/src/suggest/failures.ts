import type { FailureCode, FailureRow } from "@insurance-gateway/core/contract";
import { isJson } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  membersOf,
} from "../document/references.ts";
import { mediaOf } from "../operations/bodies.ts";
import { operationsOf } from "../operations/select.ts";
import { ImportFault } from "../report.ts";
import { mergeAllOf } from "../schemas/merge-all-of.ts";

/**
 * The suggested code of each status. 409 is missing, because it may mean that the insurer accepted the same application
 * before.
 */
const CODES_BY_STATUS: Readonly<Record<string, FailureCode>> = {
  400: "INVALID_INPUT",
  404: "RESOURCE_NOT_FOUND",
  422: "INVALID_INPUT",
};

/** Field names for the code of an error. */
const CODE_FIELDS = ["code", "errorcode", "error_code", "errcode", "type", "errortype"];

/**
 * Returns suggested rules (rows of `failures`) for the statuses that the document declares with one error format; an
 * empty list without such a format.
 */
export function suggestedFailures(document: ImportDocument): {
  readonly rows: readonly FailureRow[];
  readonly reason?: string;
} {
  const formats = new Map<string, { media: string; at: string; statuses: Set<string> }>();
  for (const { located } of operationsOf(document))
    for (const [status, response] of membersOf(located.value.responses)) {
      const format = errorFormatOrNone(document, response, status);
      if (format === undefined) continue;
      const key = `${format.media} ${format.at}`;
      const known = formats.get(key) ?? { ...format, statuses: new Set<string>() };
      known.statuses.add(status);
      formats.set(key, known);
    }
  const [usual] = [...formats.values()].toSorted(
    (one, other) => other.statuses.size - one.statuses.size,
  );
  if (usual === undefined) return { rows: [] };
  const why = `The document declares this status with a code at ${usual.at}.`;
  const rows = [...usual.statuses].toSorted().flatMap((status): readonly FailureRow[] => {
    const code = CODES_BY_STATUS[status];
    return code === undefined
      ? []
      : [
          {
            status: Number(status),
            media: usual.media,
            at: usual.at,
            code,
            outcome: "rejected",
            why,
          },
        ];
  });
  return {
    rows,
    reason: `Refusals have a code at ${usual.at}. Check that the insurer has done nothing when it answers so; then a refusal is final. List its own codes (is): a proxy writes codes, too.`,
  };
}

/** Returns the format of an error answer; undefined if the format cannot be read. */
function errorFormatOrNone(
  document: ImportDocument,
  response: unknown,
  status: string,
): ReturnType<typeof errorFormat> {
  try {
    return errorFormat(document, response, status);
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return undefined;
  }
}

function errorFormat(
  document: ImportDocument,
  response: unknown,
  status: string,
): { media: string; at: string } | undefined {
  if (!/^4\d\d$/.test(status) || !isObject(response)) return undefined;
  const located = document.follow(response, "");
  const media = mediaOf(located).find(({ type }) => isJson(type));
  if (media === undefined) return undefined;
  const at = codeIn(document, media.located.value.schema, 0);
  return at === undefined ? undefined : { media: media.type, at };
}

/** Returns the place of an error's code, at most two levels deep. */
export function codeIn(
  document: ImportDocument,
  schema: unknown,
  depth: number,
): string | undefined {
  if (!isObject(schema) || depth > 2) return undefined;
  const { schema: merged } = mergeAllOf(document, schema, "");
  const members = membersOf(merged.properties);
  const own = members.find(
    ([name, member]) => CODE_FIELDS.includes(name.toLowerCase()) && isScalar(member),
  );
  if (own !== undefined) return appendToPointer("", own[0]);
  for (const [name, member] of members) {
    const inner = codeIn(document, member, depth + 1);
    if (inner !== undefined) return `${appendToPointer("", name)}${inner}`;
  }
  return undefined;
}

function isScalar(schema: unknown): boolean {
  const { type }: JsonObject = isObject(schema) ? schema : {};
  return type === "string" || type === "integer" || type === "number";
}

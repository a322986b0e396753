import type { Endpoint } from "./endpoint.ts";
import { answerHeaderFault } from "./endpoint-faults.ts";
import type { AnswerPlace, Paging } from "./page.ts";
import { hasNumberedPages, isInBody } from "./paging.ts";
import { isPointer } from "./pointer.ts";

const styles: readonly Paging["style"][] = ["start", "offset", "page", "cursor", "link"];

/**
 * Finds contradictions in the paging of a search. Without this check, a contradiction would appear only with the second
 * page.
 */
export function pagingFaults({ body, kind, method, paging }: Endpoint): readonly string[] {
  if (paging === undefined) return [];
  if (kind !== "search") return ["only a search has `paging`"];
  if (!styles.includes(paging.style))
    return [`\`paging.style\` must be ${styles.map((style) => `"${style}"`).join(", ")}`];
  const names = [paging.position, paging.size.name].filter((name) => name !== undefined);
  const inBody = names.filter(isInBody);
  return [
    ...sizeFaults(paging.size),
    ...styleFaults(paging),
    ...placesFaults(paging),
    ...(new Set(names).size === names.length
      ? []
      : [`\`paging\` has ${paging.position} for both the position and the size`]),
    ...(names.includes("") ? ["`paging` has a parameter without a name"] : []),
    ...inBody
      .filter((name) => !isPointer(name))
      .map((name) => `\`paging\` has the parameter ${name}, which must be a JSON Pointer`),
    ...(inBody.length > 0 && (method !== "POST" || body === undefined)
      ? [`\`paging\` has ${inBody.join(", ")} in the body, but the search has no body`]
      : []),
  ];
}

function sizeFaults({ most, name, usual }: Paging["size"]): readonly string[] {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
  return [
    ...(isCount(usual) && (most === undefined || isCount(most))
      ? []
      : ["`paging.size` must have whole numbers of items, 1 or more"]),
    ...(most !== undefined && most < usual ? ["`paging.size` has `most` below `usual`"] : []),
    ...(most !== undefined && name === undefined
      ? ["`paging.size` has `most`, but no parameter for the size (`name`)"]
      : []),
  ];
}

/** Checks the options that a style requires or does not allow. */
function styleFaults(paging: Paging): readonly string[] {
  const { echo, from, next, position, style } = paging;
  const hasNumber = style === "start" || style === "page";
  return [
    ...(from === undefined || (hasNumber && (from === 0 || from === 1))
      ? []
      : ["`paging.from` must be 0 or 1, and only `start` and `page` have it"]),
    ...((next !== undefined) === (style === "cursor")
      ? []
      : ["`paging.next` must be set for the style `cursor`, and for no other style"]),
    ...(echo === undefined || hasNumberedPages(paging)
      ? []
      : ["`paging.echo` must not be set for cursors, because it is a number"]),
    ...(style === "link" && isInBody(position)
      ? ["`paging.position` of a `link` is a parameter of its query"]
      : []),
  ];
}

/** Checks the JSON Pointers and header names. If the whole answer is a list, it contains only the items. */
function placesFaults({ echo, items, next, size, total }: Paging): readonly string[] {
  const pointers = [echo, size.echo, ...[total, next].filter(isText)].filter(isText);
  const headers = [total, next].flatMap((place) =>
    typeof place === "object" ? [place.header] : [],
  );
  return [
    ...(items === "" || isPointer(items)
      ? []
      : [`\`paging.items\` ${items} must be a JSON Pointer`]),
    ...pointers
      .filter((pointer) => !isPointer(pointer))
      .map((pointer) => `\`paging\` has ${JSON.stringify(pointer)}, which must be a JSON Pointer`),
    ...(items === "" && pointers.length > 0
      ? [`\`paging\` has ${pointers.join(", ")} beside a plain list; use a header instead`]
      : []),
    ...headers.flatMap((name) => {
      const fault = answerHeaderFault(name);
      return fault === null ? [] : [`\`paging\`: the header ${name} ${fault}`];
    }),
  ];
}

function isText(place: AnswerPlace | undefined): place is string {
  return typeof place === "string";
}

import type { AnswerPlace, PageQuery, Paging } from "./page.ts";
import { firstPosition, isInBody, NEXT_CURSOR_HEADER } from "./paging.ts";

/** The descriptions of `start` and `limit`. */
const pageParameters: Readonly<Record<keyof PageQuery, string>> = {
  start: "The 1-based position of the first item of the page. Default: 1.",
  limit: "Maximum of items on the page, 1 to 100. Default: 20.",
};

/**
 * Describes a parameter of the default paging.
 * @param endpoint - its kind, and its `paging` if it declares one
 * @returns null for any other parameter
 */
export function pageParameterInWords(
  { kind, paging }: { readonly kind: string; readonly paging?: unknown },
  name: string,
): string | null {
  const words: Readonly<Record<string, string>> = pageParameters;
  if (kind !== "search" || paging !== undefined || !Object.hasOwn(words, name)) return null;
  return words[name] ?? null;
}

/**
 * Describes the paging of a search: its parameters, and how to get the next page.
 * @param named - formats the name of a parameter
 */
export function pagingInWords(
  paging: Paging,
  named: (parameter: string) => string = namedInRequest,
): string {
  const { most, name, usual } = paging.size;
  const position = named(paging.position);
  const size =
    name === undefined
      ? `A page has at most ${usual} items.`
      : `${named(name)} is the maximum number of items on a page. Default: ${usual}. Maximum: ${most ?? usual}.`;
  const { next, total } = paging;
  const first = String(firstPosition(paging));
  const place = placeInWords(next ?? { header: NEXT_CURSOR_HEADER });
  const cursor = `Omit ${position} for the first page. For the next page, send the value ${place} of the answer unchanged; if there is none, the page is the last.`;
  const positions: Readonly<Record<Paging["style"], string>> = {
    start: `${position} is the number of the first item of the page, counted from ${first}. For the next page, add the number of items in the answer.`,
    offset: `${position} is the number of items before the page. Default: ${first}. For the next page, add the number of items in the answer.`,
    page: `${position} is the number of the page, counted from ${first}. For the next page, add 1.`,
    cursor,
    link: cursor,
  };
  const items =
    paging.items === "" ? "The answer is the list." : `The items are at \`${paging.items}\`.`;
  const totalInWords =
    total === undefined ? "" : ` The total number of items is ${placeInWords(total)}.`;
  return `${positions[paging.style]} ${size} ${items}${totalInWords}`;
}

function placeInWords(place: AnswerPlace): string {
  return typeof place === "string" ? `at \`${place}\`` : `in the header \`${place.header}\``;
}

function namedInRequest(parameter: string): string {
  return isInBody(parameter) ? `\`${parameter}\` of the body` : `\`${parameter}\``;
}

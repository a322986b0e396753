import { answerOf, isEmptyAnswer } from "../contract/answers.ts";
import { comparedEchoes, compareEchoes } from "../contract/echoes.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { kindPolicies } from "../contract/kinds.ts";
import { createsAtInsurer, identifierOf, matchValues } from "../contract/match.ts";
import { nfc } from "../contract/nfc.ts";
import { pageAsked, pageIn, pagingOf, withoutPage, withParameter } from "../contract/paging.ts";
import { pathParameters } from "../contract/path.ts";
import { valueAt } from "../contract/pointer.ts";

/** The facts of an answer beside its content. */
export interface BindingFacts {
  /** True if nothing of an earlier request can be on the connection that it came on. */
  readonly isNewConnection: boolean;
  /** The match fields that the operator leaves out, as JSON Pointers. */
  readonly except: readonly string[];
}

/**
 * Reports whether an answer answers this submission and no other: every match field that it has equals what was sent. An answer
 * with nothing to compare counts only on a connection of its own.
 * @returns null for one that does; otherwise the fields that differ, as JSON Pointers
 */
export function bindingFault(
  endpoint: Endpoint,
  sent: unknown,
  answered: unknown,
  { except, isNewConnection }: BindingFacts,
): readonly string[] | null {
  if (!kindPolicies[endpoint.kind].actsAtInsurer) return null;
  const expected = matchValues(endpoint, sent);
  const compared = Object.entries(matchValues(endpoint, answered)).filter(
    ([pointer]) => pointer in expected && !except.includes(pointer),
  );
  if (compared.length === 0) return isNewConnection ? null : [];
  const different = compared.filter(([pointer, value]) => !agrees(value, expected[pointer]));
  return different.length === 0 ? null : different.map(([pointer]) => pointer);
}

/** The characters that insurers write to hide others. */
const HIDDEN = /[*•●#]+/;

/**
 * Reports whether a value of the insurer's can be the one that was sent. A part of a text may be hidden: `12*****89`. Without a
 * readable part, nothing agrees.
 */
export function agrees(answered: unknown, sent: unknown): boolean {
  if (answered === sent) return true;
  if (typeof answered !== "string" || typeof sent !== "string" || !HIDDEN.test(answered))
    return false;
  const [begin = "", ...others] = answered.split(HIDDEN);
  const end = others.at(-1) ?? "";
  return (
    others.length === 1 &&
    begin.length + end.length >= 2 &&
    begin.length + end.length < sent.length &&
    sent.startsWith(begin) &&
    sent.endsWith(end)
  );
}

/**
 * Reports whether an answer to a search can be told from an answer to every other request of the same search: it repeats its
 * position, and its items repeat all other parameters that are sent.
 * @param except - the fields that the operator leaves out of comparisons
 */
export function comparesWholeSearch(
  endpoint: Endpoint,
  input: CheckedInput,
  except: readonly string[],
): boolean {
  const paging = pagingOf(endpoint);
  const names = comparedEchoes(endpoint, except).map(([name]) => name);
  if (names.length === 0 || paging.echo === undefined || except.includes(paging.echo)) return false;
  const { body, query } = names.reduce(
    (left, name) => withParameter(left, name, undefined),
    withoutPage(paging, { body: input.body, query: input.query }),
  );
  return (
    isBlank(body) &&
    isBlank(query) &&
    pathParameters(endpoint.path).every((name) => names.includes(name))
  );
}

/** Reports whether a value has nothing but objects without content. */
function isBlank(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return value === undefined;
  return Object.values(value).every(isBlank);
}

/**
 * Finds out whether a list belongs to another search, as far as it declares what its items repeat (`echoes`). On a
 * connection that was used before, every parameter must be repeated, and the position and the size of the page too. On a
 * new one, nothing of an earlier request can be in the list: an insurer may count from another number.
 * @returns null for a list of this search; otherwise the fields that differ, as JSON Pointers
 */
export function foreignItems(
  endpoint: Endpoint,
  input: CheckedInput,
  page: unknown,
  { except, isNewConnection }: BindingFacts,
): readonly string[] | null {
  if (comparedEchoes(endpoint, except).length === 0) return null;
  const { different, isCompared } = compareEchoes(endpoint, input, page, except);
  if (isNewConnection) return different.length === 0 ? null : different;
  const otherPage = differentPage(endpoint, input, page, except);
  const all = [...different, ...(otherPage ?? [])];
  return all.length === 0 && isCompared && otherPage !== null ? null : all;
}

/** Returns where a page repeats another position or size than was requested; null if it does not repeat its position. */
function differentPage(
  endpoint: Endpoint,
  input: CheckedInput,
  page: unknown,
  except: readonly string[],
): readonly string[] | null {
  const paging = pagingOf(endpoint);
  const asked = pageAsked(paging, input);
  const answered = pageIn(paging, page, {});
  if (answered?.position === undefined) return null;
  const { position, size = asked.size } = answered;
  const different = [
    ...(String(position) === String(asked.position) ? [] : [paging.echo ?? ""]),
    ...(size === asked.size ? [] : [paging.size.echo ?? ""]),
  ];
  return different.filter((pointer) => !except.includes(pointer));
}

/** Returns the insurer's own identifier in an item or an answer, as text; null if there is none in the form of an identifier. */
export function insurerIdOf(endpoint: Endpoint, item: unknown): string | null {
  const declared = identifierOf(endpoint);
  return declared === undefined ? null : insurerIdIn(valueAt(item, declared.at));
}

/** An identifier that cannot be a sentence or a name. */
const CODE = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/**
 * Returns the identifier in an answer that breaks its declaration, where it may be shown; otherwise null. A broken answer may
 * have a text about the customer in its place, or give a customer's number back.
 * @param sent - the body that was sent
 */
export function shownIdOf(endpoint: Endpoint, item: unknown, sent: unknown): string | null {
  const insurerId = insurerIdOf(endpoint, item);
  const isShown = insurerId !== null && CODE.test(insurerId) && !isSent(insurerId, sent);
  return isShown ? insurerId : null;
}

/** Reports whether a text is a value of what was sent, or the digits of a number in it. */
export function isSent(text: string, sent: unknown): boolean {
  const asText = (_: string, value: unknown): unknown =>
    typeof value === "number" ? String(value) : value;
  return JSON.stringify(sent ?? null, asText).includes(JSON.stringify(text));
}

/**
 * Reads an identifier: a text of 1 to 200 visible characters, or a whole number, which becomes its digits. White space at its
 * ends and invisible characters are removed: some insurers pad their identifiers, and nobody could tell two apart by them.
 * @returns null for anything else
 */
export function insurerIdIn(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string") return null;
  const visible = nfc(text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")).trim();
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(visible) ? visible : null;
}

/**
 * Reports whether an answer lacks the identifier that it should have: it cannot be told from the answer to another submission, and
 * nobody could find again what was taken for later. A value that was sent does not name what was taken for later.
 */
export function isUnnamed(
  endpoint: Endpoint,
  status: number,
  insurerId: string | null,
  sent: unknown,
): boolean {
  if (endpoint.insurerId === undefined) return false;
  if (status === 202) return insurerId === null || isSent(insurerId, sent);
  const declared = answerOf(endpoint, status);
  const hasContent = declared !== undefined && !isEmptyAnswer(declared);
  return insurerId === null && hasContent && createsAtInsurer(endpoint);
}

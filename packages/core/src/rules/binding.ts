import { answerOf, isEmptyAnswer } from "../contract/answers.ts";
import { comparedEchoes, compareEchoes } from "../contract/echoes.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { actsAtInsurer } from "../contract/kinds.ts";
import { createsAtInsurer, identifierOf, matchValues, nfc } from "../contract/match.ts";
import {
  pagingOf,
  parsePage,
  requestedPage,
  withoutPage,
  withParameter,
} from "../contract/paging.ts";
import { pathParameters } from "../contract/path.ts";
import { valueAt } from "../contract/pointer.ts";

/** Facts about an answer, besides the answer's content. */
export interface BindingFacts {
  /** True if the answer arrived on a new connection, so that it cannot belong to an earlier request. */
  readonly isNewConnection: boolean;
  /** JSON Pointers of the match fields that the operator excludes from comparisons. */
  readonly except: readonly string[];
}

/**
 * Compares an answer with a submission: every match field of the answer must have the sent value. An answer without
 * match fields is accepted only on a new connection.
 * @returns null if the answer belongs to the submission; otherwise the different fields, as JSON Pointers
 */
export function bindingFault(
  endpoint: Endpoint,
  sent: unknown,
  answered: unknown,
  { except, isNewConnection }: BindingFacts,
): readonly string[] | null {
  if (!actsAtInsurer(endpoint)) return null;
  const expected = matchValues(endpoint, sent);
  const compared = Object.entries(matchValues(endpoint, answered)).filter(
    ([pointer]) => pointer in expected && !except.includes(pointer),
  );
  if (compared.length === 0) return isNewConnection ? null : [];
  const different = compared.filter(([pointer, value]) => !agrees(value, expected[pointer]));
  return different.length === 0 ? null : different.map(([pointer]) => pointer);
}

/** The characters with which insurers mask a part of a text. */
const HIDDEN = /[*•●#]+/;

/**
 * Reports whether the insurer's value can equal the sent value. A part of a text may be masked: `12*****89`. At least
 * two characters must be readable.
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
 * Reports whether an answer to a search shows to which request the answer belongs: the page repeats the requested
 * position, and the items repeat all other parameters of the request.
 * @param except - JSON Pointers of the fields that the operator excludes from comparisons
 */
export function identifiesSearch(
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

/** Reports whether a value is undefined or consists only of objects without values. */
function isBlank(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return value === undefined;
  return Object.values(value).every(isBlank);
}

/**
 * Compares a list with the request by the declared `echoes`. On a used connection, the list must repeat every
 * parameter and the position and size of the page. On a new connection, the list cannot belong to an earlier request,
 * so the position is not compared: an insurer may count from another number.
 * @returns null if the list belongs to this search; otherwise the different fields, as JSON Pointers
 */
export function listDifferences(
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

/** Returns the fields in which a page's position or size differs from the request; null if the page has no position. */
function differentPage(
  endpoint: Endpoint,
  input: CheckedInput,
  page: unknown,
  except: readonly string[],
): readonly string[] | null {
  const paging = pagingOf(endpoint);
  const requested = requestedPage(paging, input);
  const received = parsePage(paging, page, {});
  if (received?.position === undefined) return null;
  const { position, size = requested.size } = received;
  const different = [
    ...(String(position) === String(requested.position) ? [] : [paging.echo ?? ""]),
    ...(size === requested.size ? [] : [paging.size.echo ?? ""]),
  ];
  return different.filter((pointer) => !except.includes(pointer));
}

/** Returns the insurer's identifier in an item or an answer, as text; null if there is no valid identifier. */
export function insurerIdOf(endpoint: Endpoint, item: unknown): string | null {
  const declared = identifierOf(endpoint);
  return declared === undefined ? null : insurerIdIn(valueAt(item, declared.at));
}

/** Pattern of an identifier that is a single word, not a sentence or a full name. */
const IDENTIFIER_WORD = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/**
 * Returns the insurer's identifier from an answer that does not match its declaration. Returns null if the identifier
 * may be a text about the customer or a value from the sent body, such as a tax number. Callers must not see these.
 * @param sent - the body that was sent
 */
export function shownIdOf(endpoint: Endpoint, item: unknown, sent: unknown): string | null {
  const insurerId = insurerIdOf(endpoint, item);
  const isShown = insurerId !== null && IDENTIFIER_WORD.test(insurerId) && !isSent(insurerId, sent);
  return isShown ? insurerId : null;
}

/** Reports whether a text is a value in the sent body, or the digits of a number in the sent body. */
export function isSent(text: string, sent: unknown): boolean {
  const asText = (_: string, value: unknown): unknown =>
    typeof value === "number" ? String(value) : value;
  return JSON.stringify(sent ?? null, asText).includes(JSON.stringify(text));
}

/**
 * Reads an identifier as text: a text of 1 to 200 visible characters, or a whole number. White space at the ends and
 * invisible characters are removed, because some insurers pad their identifiers.
 * @returns null for any other value
 */
export function insurerIdIn(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string") return null;
  const visible = nfc(text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")).trim();
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(visible) ? visible : null;
}

/**
 * Reports whether an answer lacks the required identifier of the insurer. Without an identifier, the answer could be
 * another submission's answer, and work that the insurer accepted for later (202) cannot be found again. In a 202, a
 * value that was sent does not count as the identifier.
 */
export function lacksIdentifier(
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

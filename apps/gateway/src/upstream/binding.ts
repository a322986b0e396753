import {
  type CheckedInput,
  comparedEchoes,
  compareEchoes,
  type Endpoint,
  identifierOf,
  kindPolicies,
  matchValues,
  valueAt,
} from "@insurance-gateway/core/contract";

/** The connections to the insurer that a submission's answer came on, each of which may have been used by earlier requests. */
export interface AnswerConnections {
  /** Whether nothing of an earlier request can be in the answer. */
  readonly areNew: boolean;
  /** Closes them: the answer turned out to be another request's. */
  close(): void;
}

/** What is known of an answer beside its content. */
export interface BindingFacts {
  /** Whether nothing of an earlier request can be on the connection that it came on. */
  readonly isNewConnection: boolean;
  /** The match fields that the operator leaves out, as JSON Pointers. */
  readonly except: readonly string[];
}

/**
 * Whether an answer answers this submission and no other: every match field that it has equals what was sent. An answer
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

/** What insurers write in the place of characters that they hide. */
const HIDDEN = /[*•●#]+/;

/**
 * Whether a value of the insurer's can be the one that was sent. A part of a text may be hidden: `12*****89`. Without a
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
 * Finds items that do not belong to their search, as far as it declares what items repeat (`echoes`). A list with nothing
 * to compare, such as an empty one, counts only on a connection of its own.
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
  return different.length === 0 && (isCompared || isNewConnection) ? null : different;
}

/**
 * The insurer's own identifier in an item or an answer; null when there is none that can be returned.
 * @param sent - the body that was sent, if it is available: a broken answer may give a customer's number back as its own
 */
export function insurerIdOf(endpoint: Endpoint, item: unknown, sent?: unknown): string | null {
  const declared = identifierOf(endpoint);
  if (declared === undefined) return null;
  const found = valueAt(item, declared.at);
  if (typeof found !== "string") return null;
  // Some insurers pad their identifiers, and nobody tells two apart by a character that is not visible.
  const insurerId = found.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").trim();
  // Of a broken answer nothing is shown that could be something else than an identifier.
  return isInsurerId(insurerId) && !JSON.stringify(sent ?? null).includes(JSON.stringify(insurerId))
    ? insurerId
    : null;
}

/** Whether a text has the form of an identifier. */
export function isInsurerId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/.test(text);
}

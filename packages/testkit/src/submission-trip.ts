import { isDeepStrictEqual } from "node:util";
import type { SandboxRecord } from "@insurance-gateway/adapter/sandbox";
import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  compareEchoes,
  createsAtInsurer,
  firstPosition,
  identifierOf,
  matchValues,
  pagingOf,
  parsePage,
  reconciliationInput,
  reconciliationValues,
} from "@insurance-gateway/core/runtime";
import {
  type CallChanges,
  type DialectSubject,
  executeCall,
  SUBMISSION_ID,
} from "./dialect-insurer.ts";
import { now, recordsOf } from "./sandbox-answers.ts";
import { shown } from "./trip-faults.ts";

const OTHER_SUBMISSION = SUBMISSION_ID.replace(/^./, "6");

/** 26 hours after the submission. By then, most insurers have changed its status, and the token has expired. */
const aDayLater: CallChanges = {
  now: () => new Date(now().getTime() + 26 * 3_600_000),
  isWithoutCredentials: true,
};

/** Tolerance between a creation time in a search and the gateway's clock, in milliseconds. */
const CLOCK_MS = 60_000;

/** A submission that created something at the insurer. */
interface Created {
  readonly input: CheckedInput;
  readonly value: unknown;
  readonly identifier: unknown;
}

/**
 * Sends a submission to the simulated insurer and finds it again, as the gateway does after a lost answer. Two equal
 * submissions must get two identifiers. A search must find exactly one item for a submission, with its match fields
 * and its identifier, even a day later.
 */
export async function submissionTripFaults(
  subject: DialectSubject,
  siblings: Readonly<Record<string, Endpoint>>,
  inputs: readonly CheckedInput[],
): Promise<readonly string[]> {
  if (!createsAtInsurer(subject.endpoint)) return [];
  const faults = new Set<string>();
  for (const input of inputs) {
    const records = recordsOf(subject.sandbox);
    const search = searchOf(subject, siblings);
    const before =
      search === null ? [] : ((await firstPage(search, subject, input, { records })).items ?? []);
    const created = await submit(subject, input, { records });
    if (created === null) continue;
    for (const fault of answerFaults(subject.endpoint, created)) faults.add(fault);
    if (search !== null)
      for (const fault of await searchFaults(search, subject, created, records, before))
        faults.add(fault);
    for (const fault of await repetitionFaults(subject, created)) faults.add(fault);
  }
  return [...faults];
}

async function submit(
  subject: DialectSubject,
  input: CheckedInput,
  circumstances: CallChanges,
): Promise<Created | null> {
  const { answer } = await executeCall(subject, input, circumstances);
  if (answer?.type !== "value") return null;
  const { at } = identifierOf(subject.endpoint) ?? { at: "" };
  return { input, value: answer.value, identifier: valueAt(answer.value, at) };
}

/** Finds faults in the direct answer to a submission, which must prove that the answer belongs to this submission. */
function answerFaults(
  endpoint: Endpoint,
  { identifier, input, value }: Created,
): readonly string[] {
  const sent = matchValues(endpoint, input.body);
  const answered = matchValues(endpoint, value);
  const isIdentifier =
    Number.isSafeInteger(identifier) ||
    (typeof identifier === "string" && identifier.trim() !== "");
  return [
    ...(isIdentifier
      ? []
      : [
          `its answer has ${shown(identifier)} at \`insurerId\`: without an identifier, the outcome is unknown`,
        ]),
    ...Object.keys(answered)
      .filter((place) => !isDeepStrictEqual(answered[place], sent[place]))
      .map(
        (place) =>
          `its answer has ${shown(valueAt(value, place))} at ${place} (\`same\`), and ${shown(valueAt(input.body, place))} was sent: the gateway would consider it the answer to another submission`,
      ),
  ];
}

/** Finds faults by sending the same content again, with another reference and with the same reference. */
async function repetitionFaults(
  subject: DialectSubject,
  { identifier, input }: Created,
): Promise<readonly string[]> {
  const records = recordsOf(subject.sandbox);
  const faults: string[] = [];
  const first = await submit(subject, input, { records });
  const other = await submit(subject, input, { records, submissionId: OTHER_SUBMISSION });
  if (first !== null && other !== null && first.identifier === other.identifier)
    faults.push(
      `two submissions get the same identifier ${shown(identifier)}: \`insurerId\` must be the place of the insurer's identifier`,
    );
  if (subject.endpoint.idempotency !== "native") return faults;
  const again = await submit(subject, input, { records });
  if (again !== null && again.identifier !== first?.identifier)
    faults.push(
      'its insurer carries it out twice for the same reference (`submissionId`), and `idempotency: "native"` says once',
    );
  return faults;
}

/** Returns the search that finds the submissions of an endpoint. */
function searchOf(
  { endpoint: { reconcile }, ...subject }: DialectSubject,
  siblings: Readonly<Record<string, Endpoint>>,
): DialectSubject | null {
  const { endpoint: name = "" } = reconcile ?? {};
  const endpoint = siblings[name];
  return endpoint?.kind === "search" ? { ...subject, name, endpoint } : null;
}

interface FirstPage {
  /** The items; null if the search has no answer. */
  readonly items: readonly unknown[] | null;
  readonly faults: readonly string[];
}

/** Requests the first page of the search, as the gateway does for a submission. */
async function firstPage(
  search: DialectSubject,
  { endpoint }: DialectSubject,
  input: CheckedInput,
  circumstances: CallChanges,
): Promise<FirstPage> {
  const paging = pagingOf(search.endpoint);
  const { usual, most = usual } = paging.size;
  const values = reconciliationValues(endpoint, input);
  const request = { position: firstPosition(paging), size: Math.min(most, 100) };
  const asked = reconciliationInput(search.endpoint, values, request);
  const { answer, broken, refused } = await executeCall(search, asked, circumstances);
  const said = `its reconciliation ${search.name} with ${shown(values)}`;
  const why = [
    ...broken,
    ...refused.map(({ message, pointer }) => `${pointer} ${message}`),
    ...(answer?.type === "unsendable"
      ? answer.faults.map(({ pointer }) => `${pointer} cannot be sent`)
      : []),
  ];
  if (answer?.type !== "value" || why.length > 0)
    return { items: null, faults: [`${said} has no list: ${why.join(", ") || answer?.type}`] };
  const page = parsePage(paging, answer.value, answer.headers ?? {});
  const { different } = compareEchoes(search.endpoint, asked, answer.value);
  return {
    items: page?.items ?? null,
    faults: different.map(
      (place) => `${said} finds items with another ${place}, which \`echoes\` names`,
    ),
  };
}

async function searchFaults(
  search: DialectSubject,
  subject: DialectSubject,
  created: Created,
  records: Map<string, SandboxRecord>,
  before: readonly unknown[],
): Promise<readonly string[]> {
  const { input } = created;
  const { endpoint } = subject;
  const { items, faults } = await firstPage(search, subject, input, {
    ...aDayLater,
    records,
  });
  if (items === null) return faults;
  const { at } = identifierOf(endpoint) ?? { at: "" };
  const known = before.map((item) => valueAt(item, at));
  const added = items.filter((item) => !known.includes(valueAt(item, at)));
  return [
    ...faults,
    ...itemFaults(search.name, endpoint, created, added),
    ...(await referenceFaults(search, endpoint, created, { input, records })),
  ];
}

/** Reports whether a found value equals the sent value, or masks a part of it, such as `12*****89`. */
function isAlike(found: unknown, sent: unknown): boolean {
  if (typeof found !== "string" || typeof sent !== "string" || !found.includes("*"))
    return isDeepStrictEqual(found, sent);
  const hidden = Array.from(sent, (character, at) => (found.charAt(at) === "*" ? "*" : character));
  return hidden.join("") === found;
}

/** Finds faults in the new items of the list. Exactly one item must belong to the submission. */
function itemFaults(
  search: string,
  endpoint: Endpoint,
  { identifier, input }: Created,
  added: readonly unknown[],
): readonly string[] {
  const { at } = identifierOf(endpoint) ?? { at: "" };
  const said = `its reconciliation ${search}, a day after an answer was lost,`;
  const sent = matchValues(endpoint, input.body);
  const differing = (item: unknown): readonly string[] => {
    const found = matchValues(endpoint, item);
    return Object.keys(sent).filter((place) => !isAlike(found[place], sent[place]));
  };
  const own = added.filter((item) => differing(item).length === 0);
  const [item] = own;
  if (item === undefined) {
    const [other] = added;
    return [
      other === undefined
        ? `${said} finds no item of the submission with ${shown(reconciliationValues(endpoint, input))}`
        : `${said} finds it with ${differing(other)
            .map(
              (place) =>
                `${shown(valueAt(other, place))} at ${place}, not ${shown(valueAt(input.body, place))}`,
            )
            .join(", ")}`,
    ];
  }
  if (own.length > 1) return [`${said} finds ${own.length} items of one submission`];
  const { createdAt = "" } = endpoint.reconcile ?? {};
  const instant = Date.parse(String(valueAt(item, createdAt)));
  return [
    ...(String(valueAt(item, at)) === String(identifier)
      ? []
      : [
          `${said} finds ${shown(valueAt(item, at))} at ${at}, and the answer had ${shown(identifier)}`,
        ]),
    ...(Math.abs(instant - now().getTime()) <= CLOCK_MS
      ? []
      : [
          `${said} finds ${shown(valueAt(item, createdAt))} at ${createdAt}, and it was created at ${now().toISOString()}`,
        ]),
  ];
}

/** Finds faults of a search by the gateway's reference, which must find only the submission with this reference. */
async function referenceFaults(
  search: DialectSubject,
  endpoint: Endpoint,
  { identifier }: Created,
  {
    input,
    records,
  }: { readonly input: CheckedInput; readonly records: Map<string, SandboxRecord> },
): Promise<readonly string[]> {
  if (search.adapter.findsByReference?.(search.endpoint) !== true) return [];
  const { at } = identifierOf(endpoint) ?? { at: "" };
  const paging = pagingOf(search.endpoint);
  const asked = reconciliationInput(search.endpoint, reconciliationValues(endpoint, input), {
    position: firstPosition(paging),
    size: 1,
  });
  const found = async (submissionId: string): Promise<readonly unknown[]> => {
    const { answer } = await executeCall(search, asked, { ...aDayLater, records, submissionId });
    const page =
      answer?.type === "value" ? parsePage(paging, answer.value, answer.headers ?? {}) : null;
    return (page?.items ?? []).map((item) => valueAt(item, at));
  };
  const [own, others] = [await found(SUBMISSION_ID), await found(OTHER_SUBMISSION)];
  return [
    ...(isDeepStrictEqual(own.map(String), [String(identifier)])
      ? []
      : [
          `${search.name} by the gateway's reference finds ${shown(own)}, not ${shown(identifier)}`,
        ]),
    ...(others.length === 0
      ? []
      : [`${search.name} by a reference that no submission has finds ${shown(others)}`]),
  ];
}

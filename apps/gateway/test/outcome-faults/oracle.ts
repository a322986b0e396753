import { isDeepStrictEqual } from "node:util";
import {
  type ApplicationContent,
  honestBrands,
  honestDocument,
  type Receipt,
  type StoredApplication,
} from "./book.ts";

/** The caller's result of one request. */
export interface Told {
  /** The caller's action, such as "the same key again". */
  readonly step: string;
  /** Number of the test's call in which the request was made, as in `Receipt`. */
  readonly turn: number;
  /** The idempotency key; null for calls that are not submissions. */
  readonly key: string | null;
  /** The HTTP status; null if no answer came in time. */
  readonly status: number | null;
  /** The body: JSON as a value, a file as text, null if the transfer broke. */
  readonly body: unknown;
  /** The code of a problem; null for a success. */
  readonly code: string | null;
  readonly outcome: string | null;
  readonly retry: string | null;
}

/** The state of a submission, read at the submission's address. */
export interface ToldState {
  readonly key: string;
  readonly state: string;
  readonly insurerId: string | null;
}

/** Everything that one caller did with one application, in order. */
export interface SubmissionCase {
  readonly sent: ApplicationContent;
  readonly told: readonly Told[];
  readonly states: readonly ToldState[];
}

/** A call that changes nothing. */
export interface ReadCase {
  readonly kind: Receipt["kind"];
  /** Tax number of the searched customer. */
  readonly clientAfm: string;
  readonly told: Told;
}

/** Lists the contradictions between a caller's results of a submission and the insurer's log. An empty list is good. */
export function submissionContradictions(
  { sent, states, told }: SubmissionCase,
  log: readonly Receipt[],
): readonly string[] {
  const mine = log.filter((receipt) => afmIn(receipt.request?.body) === sent.holder.afm);
  const answers = told.flatMap((one, index) => {
    const before = told.slice(0, index).filter(({ key }) => key === one.key);
    const facts = factsOf(before, one, mine);
    return [
      ...formOf(one),
      ...outcomeContradictions(one, facts, sent, log),
      ...sentAgain(before.at(-1), facts),
    ].map((line) => `${describe(one)}: ${line}`);
  });
  const settled = states.flatMap(({ insurerId, key, state }) => {
    const turns = told.filter((one) => one.key === key).map(({ turn }) => turn);
    const acted = mine.filter(({ turn, carriedOut }) => turns.includes(turn) && carriedOut);
    return stateContradictions({ key, state, insurerId }, acted, sent, log);
  });
  const copies = mine.filter(({ carriedOut }) => carriedOut !== null).length;
  return [
    ...answers,
    ...settled,
    ...(copies > 1 ? [`the insurer executed the application ${copies} times`] : []),
  ];
}

/**
 * Returns a line for each identifier that two callers received. If an insurer uses an identifier twice, no caller may
 * receive the identifier. Otherwise a caller could believe that another caller's application is its own.
 */
export function sharedIdentifiers(cases: readonly SubmissionCase[]): readonly string[] {
  const owners = new Map<string, string>();
  const lines = new Set<string>();
  for (const { sent, states, told } of cases) {
    const ids = [
      ...told.filter(isSuccess).map(({ body }) => idIn(body, "applicationId")),
      ...told.map(({ body }) => idIn(body, "insurerId")),
      ...states.map(({ insurerId }) => insurerId),
    ];
    for (const id of ids.filter((one) => one !== null)) {
      const owner = owners.get(id) ?? sent.holder.afm;
      owners.set(id, owner);
      if (owner !== sent.holder.afm) lines.add("two callers received the same identifier");
    }
  }
  return [...lines];
}

/** Lists the contradictions between a caller's result of a call that is not a submission and the insurer's log. */
export function readContradictions(
  { clientAfm, kind, told }: ReadCase,
  log: readonly Receipt[],
): readonly string[] {
  const mine = log.filter((receipt) => receipt.kind === kind && receipt.turn === told.turn);
  const received = mine.filter((receipt) => receipt.received);
  const lines = [
    ...formOf(told),
    ...when(isSuccess(told) && received.length === 0, "the insurer received no whole request"),
    ...when(
      isSuccess(told) && !answersRead(kind, told.body, clientAfm),
      "the answer belongs to another request",
    ),
    ...when(
      told.outcome === "not_sent" && received.length > 0,
      "the insurer received the whole request",
    ),
    ...when(
      told.outcome === "rejected" && !mine.some(({ answered }) => (answered ?? 0) >= 400),
      "the insurer refused nothing",
    ),
    ...when(told.outcome === "executed", "this kind of call executes nothing"),
  ];
  return lines.map((line) => `${describe(told)}: ${line}`);
}

/** The exchanges in the insurer's log that belong to one answer. */
interface Facts {
  /** Whole requests with the key since the key was last free, including the request of the answer. */
  readonly received: readonly Receipt[];
  /** Executed requests with the key until the answer. */
  readonly carriedOut: readonly Receipt[];
  /** Whole requests of only the call that got the answer. */
  readonly now: readonly Receipt[];
}

function factsOf(before: readonly Told[], one: Told, mine: readonly Receipt[]): Facts {
  const freed = before.findLastIndex(freesKey);
  const bound = [...before.slice(freed + 1), one].map(({ turn }) => turn);
  const all = [...before, one].map(({ turn }) => turn);
  const within = (turns: readonly number[]): readonly Receipt[] =>
    mine.filter(({ turn }) => turns.includes(turn));
  const whole = (receipts: readonly Receipt[]): readonly Receipt[] =>
    receipts.filter(({ received }) => received);
  return {
    received: whole(within(bound)),
    carriedOut: within(all).filter((receipt) => receipt.carriedOut !== null),
    now: whole(within([one.turn])),
  };
}

function outcomeContradictions(
  one: Told,
  { carriedOut, received }: Facts,
  sent: ApplicationContent,
  log: readonly Receipt[],
): readonly string[] {
  const asSent = carriedOut.filter((receipt) => isSame(receipt.carriedOut, sent));
  if (isSuccess(one))
    return [
      ...when(asSent.length === 0, "the insurer did not execute this application"),
      ...differing(one.body, sent),
      ...foreignId(idIn(one.body, "applicationId"), sent, log),
    ];
  switch (one.outcome) {
    case "not_sent":
      return [
        ...when(carriedOut.length > 0, "the insurer executed it"),
        ...when(received.length > 0, "the insurer received the whole request"),
      ];
    case "rejected":
      return when(carriedOut.length > 0, "the insurer executed it");
    case "executed":
      return [
        ...when(asSent.length === 0, "the insurer did not execute this application"),
        ...foreignId(idIn(one.body, "insurerId"), sent, log),
      ];
    default:
      return [];
  }
}

/** Reports a key that reached the insurer again although the previous answer did not free the key. */
function sentAgain(previous: Told | undefined, { now }: Facts): readonly string[] {
  if (now.length > 1) return [`the insurer received it ${now.length} times`];
  return when(
    now.length > 0 && previous !== undefined && !freesKey(previous),
    `the key was sent again after ${previous?.outcome ?? "a success"}`,
  );
}

function freesKey({ outcome, retry }: Told): boolean {
  return outcome === "not_sent" || (outcome === "rejected" && retry === "safe");
}

function stateContradictions(
  { insurerId, state }: ToldState,
  acted: readonly Receipt[],
  sent: ApplicationContent,
  log: readonly Receipt[],
): readonly string[] {
  const asSent = acted.some(({ carriedOut }) => isSame(carriedOut, sent));
  return [
    ...when(
      state === "succeeded" && !asSent,
      "the submission's state is succeeded, and the insurer did not execute it",
    ),
    ...when(
      state === "failed" && acted.length > 0,
      "the submission's state is failed, and the insurer executed it",
    ),
    ...foreignId(insurerId, sent, log).map((line) => `the submission's state: ${line}`),
  ];
}

/** Lists the faults in the form of an answer, regardless of the insurer's actions. */
function formOf({ body, code, outcome, status }: Told): readonly string[] {
  if (status === null) return ["no answer arrived in time"];
  if (status < 300) return [];
  return [
    ...when(code === null, `the answer is not a problem: ${JSON.stringify(body)?.slice(0, 80)}`),
    ...when(code === "INTERNAL_ERROR", "the gateway reports an internal error"),
    ...when(
      !["not_sent", "rejected", "unknown", "executed"].includes(outcome ?? ""),
      `the outcome is ${outcome}`,
    ),
  ];
}

/** Functions that return the declared match fields of an application, by the name of the field. */
const identity: Readonly<Record<string, (content: Partial<ApplicationContent>) => unknown>> = {
  startDate: ({ policy }) => policy?.startDate,
  endDate: ({ policy }) => policy?.endDate,
  plateNumber: ({ vehicle }) => vehicle?.plateNumber,
  afm: ({ holder }) => holder?.afm,
};

function isSame(stored: ApplicationContent | null, sent: ApplicationContent): boolean {
  return stored !== null && Object.values(identity).every((of) => of(stored) === of(sent));
}

/** Lists the fields of an answer that differ from the sent content. */
function differing(body: unknown, sent: ApplicationContent): readonly string[] {
  // A field that is missing in the answer is undefined, and is not a contradiction.
  const told = Object(body) as Partial<ApplicationContent>;
  return Object.entries(identity)
    .filter(([, of]) => of(told) !== undefined && of(told) !== of(sent))
    .map(([field]) => `the answer has another ${field} than was sent`);
}

function foreignId(
  id: string | null,
  sent: ApplicationContent,
  log: readonly Receipt[],
): readonly string[] {
  const named = log
    .map(({ carriedOut }) => carriedOut)
    .filter((stored): stored is StoredApplication => stored?.applicationId === id);
  return when(
    named.length > 0 && !named.some((stored) => isSame(stored, sent)),
    "the identifier is another application's",
  );
}

function idIn(body: unknown, field: string): string | null {
  const id: unknown = Reflect.get(Object(body), field);
  return typeof id === "string" ? id : null;
}

function answersRead(kind: Receipt["kind"], body: unknown, clientAfm: string): boolean {
  // An answer whose transfer broke after the head has no body to compare.
  if (body === null) return true;
  if (kind === "lookup") return isDeepStrictEqual(body, honestBrands);
  if (kind === "document") return honestDocument.startsWith(String(body));
  const { items }: { items?: unknown } = { ...Object(body) };
  return (
    Array.isArray(items) &&
    items.every((item) => Reflect.get(Object(Object(item).holder), "afm") === clientAfm)
  );
}

/** Returns the customer's tax number in a body. */
function afmIn(body: string | undefined): string | null {
  if (body === undefined || body === "") return null;
  const { holder }: { holder?: { afm?: string } } = JSON.parse(body);
  return holder?.afm ?? null;
}

function isSuccess({ status }: Told): boolean {
  return status !== null && status < 300;
}

function describe({ code, outcome, retry, status, step }: Told): string {
  return `${step} → ${[status, code, outcome, retry].filter((part) => part !== null).join(" ")}`;
}

function when(holds: boolean, line: string): readonly string[] {
  return holds ? [line] : [];
}

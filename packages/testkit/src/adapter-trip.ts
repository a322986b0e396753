import { isDeepStrictEqual } from "node:util";
import type { AdapterAnswer } from "@insurance-gateway/adapter";
import type { DialectAnswer } from "@insurance-gateway/adapter/sandbox";
import {
  answerOf,
  answersOf,
  type CheckedInput,
  check,
  type Endpoint,
  isEmptyAnswer,
  isFilePart,
  isJson,
  jsonAnswerOf,
  pageDefaults,
  pagingOf,
  usualPaging,
  valueAt,
  withoutPage,
} from "@insurance-gateway/core/contract";
import { type Carried, carriedOut, type DialectSubject, handled } from "./dialect-insurer.ts";
import { type Difference, differencesOf, fieldOf, leavesOf } from "./differences.ts";
import type { Manner } from "./leaf-values.ts";
import { asJson, readAtGateway, shown } from "./round-trip.ts";
import { answersWith, type InsurerAnswer, inputsOf, type KnownValues } from "./trip-values.ts";

/** Insurers pad texts with blanks, so no text may begin or end with one. */
const isTrimmed = (text: string): boolean => text !== "" && text === text.trim();

const manners: readonly Manner[] = ["plain", "any"];

/** One endpoint of a package with its own adapter. */
export interface AdapterTrip extends DialectSubject {
  readonly siblings: Readonly<Record<string, Endpoint>>;
  readonly known: KnownValues;
}

/** Faults by subject, so that each is reported once. */
type Faults = Map<string, string>;

/**
 * Generates values from an endpoint's schemas and sends them from the client through the gateway's parsing and the
 * package's own adapter to the routes of the sandbox's dialect, and answers back. Answers of the sandbox's handler must
 * arrive unchanged. A generated answer may change once, if the insurer's format normalises it, and then never again.
 * @returns each fault as one line with its JSON Pointer
 */
export async function adapterTripFaults(trip: AdapterTrip): Promise<readonly string[]> {
  const faults: Faults = new Map();
  const inputs: CheckedInput[] = [];
  const made = manners.flatMap((manner) =>
    inputsOf(trip.endpoint, trip.known, new Set(), { isUsable: isTrimmed, manner, run: trip.run }),
  );
  for (const input of made) {
    const read = await readAtGateway({ ...trip, input });
    if (read !== null) inputs.push(read);
  }
  const sendable: CheckedInput[] = [];
  const places = new Set<string>();
  for (const input of inputs) {
    const carried = await carriedOut(trip, input, null);
    if (carried.answer?.type === "unsendable")
      for (const { pointer } of carried.answer.faults) places.add(pointer);
    else {
      sendable.push(input);
      addRequestFaults(trip, input, carried, faults);
    }
  }
  const [first] = sendable;
  if (first !== undefined) {
    const answers = manners.flatMap((manner) =>
      answersWith(trip.endpoint, trip.known, new Set(), {
        isUsable: isTrimmed,
        manner,
        run: trip.run,
      }),
    );
    await addAnswerFaults(trip, first, [...answers, ...shownAnswers(trip)], faults);
    await addPageFaults(trip, first, answers, faults);
  } else if (inputs.length > 0)
    faults.set("", `its adapter can send none of its requests: ${[...places].join(", ")}`);
  return [...faults.values()];
}

/** Compares the request that reached the sandbox's handler, and the answer that arrived. */
function addRequestFaults(
  trip: AdapterTrip,
  sent: CheckedInput,
  carried: Carried,
  faults: Faults,
): void {
  if (addBrokenFaults(carried, faults)) return;
  const { arrived, answer } = carried;
  const reached = arrived.findLast(({ endpoint }) => endpoint === trip.name);
  if (reached === undefined) {
    const named = answer?.type === "refusal" ? (answer.faults ?? []) : [];
    for (const { pointer } of named.length > 0 ? named : [{ pointer: "/" }])
      faults.set(`refused ${pointer}`, `its insurer refuses a request that fits: ${pointer}`);
    return;
  }
  for (const difference of differencesOf(
    comparable(trip.endpoint, sent),
    comparable(trip.endpoint, reached.input),
  ))
    addDifference(faults, "its request", difference);
  const isSearch = trip.endpoint.kind === "search";
  const expected = isSearch ? handled(trip.sandbox, trip.name, sent) : reached.answer;
  addAnswerDifferences(trip, expected, carried, faults);
}

/**
 * A request's parts as JSON. For a search, without the paging parameters, because an adapter may request several pages.
 */
function comparable(endpoint: Endpoint, { body, headers, params, query }: CheckedInput): unknown {
  const input = { params, query, headers, body };
  return asJson(endpoint.kind === "search" ? withoutPage(pagingOf(endpoint), input) : input);
}

/** Whether the adapter or the sandbox failed completely. */
function addBrokenFaults({ broken, refused }: Carried, faults: Faults): boolean {
  for (const text of broken) faults.set(text, text);
  for (const { message, pointer } of refused)
    faults.set(
      `misses ${pointer}`,
      `its request reaches the insurer as one that breaks the contract: ${pointer || "/"} ${message}`,
    );
  return broken.length + refused.length > 0;
}

function addAnswerDifferences(
  { endpoint }: AdapterTrip,
  expected: DialectAnswer,
  { answer, document }: Carried,
  faults: Faults,
): void {
  if (answer === null) return;
  if ("problem" in expected) {
    if (answer.type === "value" || answer.type === "document")
      faults.set("refusal", `its adapter takes the refusal ${expected.problem.code} for an answer`);
    return;
  }
  if ("file" in expected) {
    const content = answer.type === "value" && isFilePart(answer.value) && answer.value.content;
    const bytes = document ?? (content instanceof Uint8Array ? new Uint8Array(content) : null);
    if (!isDeepStrictEqual(bytes, new Uint8Array(expected.file)))
      faults.set("bytes", `its document does not reach the gateway with the same bytes`);
    return;
  }
  const value = valueIn(endpoint, expected.status, answer, faults);
  if (value === null) return;
  for (const difference of differencesOf(asJson(expected.body), asJson(value.is)))
    addDifference(faults, "its answer", difference);
}

/** The adapter's value if its status is declared; otherwise null and a fault. */
function valueIn(
  endpoint: Endpoint,
  status: number,
  answer: AdapterAnswer,
  faults: Faults,
): { readonly is: unknown } | null {
  if (answer.type !== "value" || answer.status !== status) {
    const made = answer.type === "value" ? `the status ${answer.status}` : answer.type;
    const why = answer.type === "unreadable" ? `: ${answer.detail}` : "";
    faults.set(`answer ${made}`, `its adapter makes ${made} of the insurer's ${status}${why}`);
    return null;
  }
  const declared = answerOf(endpoint, status);
  const schema = declared && jsonAnswerOf(declared);
  const checked = schema === undefined ? null : check(schema, answer.value);
  if (checked?.valid === false) {
    for (const { message, pointer } of checked.faults)
      faults.set(`fit ${pointer}`, `its adapter's answer does not fit: ${pointer} ${message}`);
    return null;
  }
  return { is: answer.value };
}

function addDifference(faults: Faults, what: string, { is, pointer, was }: Difference): void {
  const key = `${what} ${fieldOf(pointer)}`;
  if (!faults.has(key))
    faults.set(
      key,
      `${what} arrives with ${shown(is)} at ${pointer || "/"}, and has ${shown(was)}`,
    );
}

/** The examples' answers in JSON: of an answer that only a few values fit, they may be the only ones. */
function shownAnswers({ endpoint, known }: AdapterTrip): readonly InsurerAnswer[] {
  return known.responses.flatMap((response): readonly InsurerAnswer[] => {
    const [status] =
      answersOf(endpoint).find(([, answer]) => {
        const schema = jsonAnswerOf(answer);
        return schema !== undefined && check(schema, response).valid;
      }) ?? [];
    const headers = { "content-type": "application/json" };
    return status === undefined ? [] : [{ status, content: JSON.stringify(response), headers }];
  });
}

/** Lets the sandbox's handler return generated answers, and those of examples. */
async function addAnswerFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  answers: readonly InsurerAnswer[],
  faults: Faults,
): Promise<void> {
  const { endpoint } = trip;
  // The position and total of another page format cannot be generated to match the requested page.
  if (endpoint.kind === "document" || endpoint.paging !== undefined) return;
  let written = 0;
  // Every item is on the first page.
  const request =
    endpoint.kind === "search" ? { ...input, query: { ...input.query, ...pageDefaults } } : input;
  for (const { content, headers, status } of answers) {
    const declared = answerOf(endpoint, status);
    if (content === undefined || declared === undefined || isEmptyAnswer(declared)) written++;
    // Text and bytes are forwarded unchanged.
    else if (typeof content !== "string" || !isJson(headers["content-type"] ?? "")) written++;
    else if (await addTwiceFaults(trip, request, { status, body: JSON.parse(content) }, faults))
      written++;
  }
  if (answers.length > 0 && written === 0)
    faults.set("written", "its sandbox's dialect can write no answer that fits");
}

/** Positions that mostly differ from the beginnings of the insurer's own pages. */
const POSITION_STEP = 10;

/** Requests the largest pages of a long list from several positions. An adapter may send three requests for each. */
async function addPageFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  answers: readonly InsurerAnswer[],
  faults: Faults,
): Promise<void> {
  const { endpoint } = trip;
  // The items of another page format cannot be counted here.
  if (endpoint.kind !== "search" || endpoint.paging !== undefined) return;
  const { most = pageDefaults.limit } = usualPaging.size;
  const [made] = answers;
  const items: unknown = valueAt(JSON.parse(String(made?.content ?? "null")), usualPaging.items);
  const [item] = Array.isArray(items) ? items : [];
  if (item === undefined) return;
  const list = { status: 200, body: { items: Array.from({ length: 2 * most }, () => item) } };
  for (let start = POSITION_STEP; start <= most; start += POSITION_STEP) {
    const query = { ...input.query, start, limit: most };
    const { broken } = await carriedOut(trip, { ...input, query }, list);
    for (const text of broken) faults.set(text, text);
    if (broken.length > 0) return;
  }
}

/**
 * Sends an answer to the client, and then the received answer once more.
 * @returns whether the sandbox's dialect could write it
 */
async function addTwiceFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  made: { readonly status: number; readonly body: unknown },
  faults: Faults,
): Promise<boolean> {
  const { status } = made;
  const carriedBack = async (body: unknown): Promise<Back> => {
    const answering = { status, body };
    const carried = await carriedOut(trip, input, answering);
    const { answer } = carried;
    const isRefused = carried.statuses.some((one) => one >= 400) || answer?.type === "refusal";
    if (addBrokenFaults(carried, faults) || answer === null) return { isRefused, value: null };
    return { isRefused, value: isRefused ? null : valueIn(trip.endpoint, status, answer, faults) };
  };
  const once = await carriedBack(made.body);
  if (once.value === null) return !once.isRefused;
  const isPage = trip.endpoint.kind === "search";
  const [sent, arrived] = [made.body, once.value.is].map((value) =>
    asJson(isPage ? valueAt(value, "/items") : value),
  );
  const differences = differencesOf(sent, arrived);
  for (const difference of differences)
    if (difference.is === undefined || isOfOtherField(difference, sent))
      addDifference(faults, "its answer", difference);
  if (differences.length === 0) return true;
  const again = await carriedBack(isPage ? { items: arrived } : arrived);
  const last = isPage ? valueAt(again.value?.is, "/items") : again.value?.is;
  if (again.value !== null)
    for (const difference of differencesOf(arrived, asJson(last)))
      addDifference(faults, "its answer", difference);
  return true;
}

/** Whether a field now has the text of another field, which no format explains. Items may change their order. */
function isOfOtherField({ is, pointer }: Difference, sent: unknown): boolean {
  if (typeof is !== "string" || is.length < SHORTEST_TELLING) return false;
  const places = leavesOf(sent).filter(([, value]) => value === is);
  const isOwn = places.some(([place]) => fieldOf(place) === fieldOf(pointer));
  return places.length > 0 && !isOwn;
}

/** Shorter texts are often equal by chance. */
const SHORTEST_TELLING = 3;

interface Back {
  /** Whether the dialect cannot express the answer. */
  readonly isRefused: boolean;
  readonly value: { readonly is: unknown } | null;
}

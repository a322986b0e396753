import {
  answerOf,
  check,
  jsonAnswerOf,
  pageDefaults,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  answersOf,
  type CheckedInput,
  isEmptyAnswer,
  isJson,
  usualPaging,
} from "@insurance-gateway/core/runtime";
import { executeCall, SUBMISSION_ID } from "./dialect-insurer.ts";
import { afterJson, type Difference, differencesOf, fieldOf, leavesOf } from "./differences.ts";
import { addDifficultAnswerFaults, addDifficultRequestFaults } from "./difficult-trip.ts";
import type { ValueStyle } from "./leaf-values.ts";
import { readAtGateway } from "./round-trip.ts";
import { now } from "./sandbox-answers.ts";
import { submissionTripFaults } from "./submission-trip.ts";
import {
  type AdapterTrip,
  addAnswerDifferences,
  addBrokenFaults,
  addDifference,
  addRequestFaults,
  type Faults,
  valueIn,
} from "./trip-faults.ts";
import { answersWith, type Input, type InsurerAnswer, inputsOf } from "./trip-values.ts";

/** Reports whether a text is trimmed. Insurers pad texts, so generated texts must have no white space at their ends. */
const isTrimmed = (text: string): boolean => text !== "" && text === text.trim();

const valueStyles: readonly ValueStyle[] = ["plain", "any"];

/** The faults of an endpoint's round trips, and the data that other checks need. */
export interface TripResult {
  readonly faults: readonly string[];
  /** A request of an example that the adapter can send. */
  readonly sendable: CheckedInput | undefined;
}

/**
 * Sends examples, generated values and examples with difficult values from the client through the gateway's parsing and
 * the package's own adapter to the routes of the sandbox's dialect, and sends answers back. Answers of the sandbox's
 * handler must arrive unchanged. A generated answer may change once, if the insurer's format normalises it, and must be
 * stable afterwards. A search must find the applications that a submission creates.
 * @returns each fault as one line with its JSON Pointer
 */
export async function adapterTripFaults(trip: AdapterTrip): Promise<TripResult> {
  const faults: Faults = new Map();
  const read = async (inputs: readonly Input[]): Promise<readonly CheckedInput[]> => {
    const found = await Promise.all(inputs.map((input) => readAtGateway({ ...trip, input })));
    return found.filter((one) => one !== null);
  };
  const examples = await read(trip.known.requests);
  const generated = await read(
    valueStyles.flatMap((manner) =>
      inputsOf(trip.endpoint, trip.known, new Set(), {
        isUsable: isTrimmed,
        manner,
        run: trip.run,
      }),
    ),
  );
  const places = new Set<string>();
  const sendable: CheckedInput[] = [];
  let hasDocument = false;
  for (const input of [...examples, ...generated]) {
    const carried = await executeCall(trip, input);
    hasDocument ||= carried.document !== null;
    if (carried.answer?.type === "unsendable")
      for (const { pointer } of carried.answer.faults) places.add(pointer);
    else {
      sendable.push(input);
      addRequestFaults(trip, input, carried, faults);
    }
  }
  const [first] = sendable;
  if (first === undefined) {
    if (places.size > 0)
      faults.set("", `its adapter can send none of its requests: ${[...places].join(", ")}`);
    return { faults: [...faults.values()], sendable: first };
  }
  if (trip.endpoint.kind === "document" && !hasDocument)
    faults.set(
      "document",
      "its adapter fetches no document: add an example whose document exists in the sandbox",
    );
  const difficult = await addDifficultRequestFaults(trip, examples, faults);
  const answers = valueStyles.flatMap((manner) =>
    answersWith(trip.endpoint, trip.known, new Set(), {
      isUsable: isTrimmed,
      manner,
      run: trip.run,
    }),
  );
  await addAnswerFaults(trip, first, [...answers, ...shownAnswers(trip)], faults);
  await addDifficultAnswerFaults(trip, first, shownAnswers(trip), faults);
  await addPageFaults(trip, first, answers, faults);
  await addScenarioFaults(trip, first, faults);
  const created = await submissionTripFaults(trip, trip.siblings, [...examples, ...difficult]);
  return { faults: [...faults.values(), ...created], sendable: first };
}

/** Adds the faults of an endpoint's scenarios that have a normal answer. */
async function addScenarioFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  faults: Faults,
): Promise<void> {
  const { endpoint, name, sandbox } = trip;
  for (const { endpoint: owner, name: scenario } of sandbox.scenarios) {
    if (owner !== name) continue;
    const request = { input, scenario, reference: SUBMISSION_ID };
    const played = sandbox.handlers[name]?.(request, sandbox.seed, now) ?? {};
    // No dialect can express silence or an answer that is raw text. The gateway's own tests cover these scenarios.
    if ("silence" in played || "text" in played) continue;
    const carried = await executeCall(trip, input, { scenario });
    if (addBrokenFaults(carried, faults)) continue;
    const reached = carried.arrived.findLast((one) => one.endpoint === name);
    const found: Faults = new Map();
    if (reached !== undefined && endpoint.kind !== "search")
      addAnswerDifferences(trip, reached.answer, carried, found);
    for (const [key, fault] of found) faults.set(key, `scenario ${scenario}: ${fault}`);
  }
}

/** Returns the examples' answers as JSON, because a schema with few valid values may fit no generated answer. */
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

/**
 * Adds the faults of generated answers and of the examples' answers, with which the sandbox answers instead of its
 * handler's answer.
 */
async function addAnswerFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  answers: readonly InsurerAnswer[],
  faults: Faults,
): Promise<void> {
  const { endpoint } = trip;
  // With a declared `paging`, the position and total cannot be generated for the requested page.
  if (endpoint.kind === "document" || endpoint.paging !== undefined) return;
  let written = 0;
  // All generated items are on the first page.
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
    faults.set("written", "its sandbox's dialect can write no valid answer");
}

/** Step between the requested positions. Most of these positions are not the beginning of an insurer's page. */
const POSITION_STEP = 10;

/** Requests the largest pages of a long list from several positions. The adapter may send three requests for a page. */
async function addPageFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  answers: readonly InsurerAnswer[],
  faults: Faults,
): Promise<void> {
  const { endpoint } = trip;
  // The items of a search with a declared `paging` cannot be counted here.
  if (endpoint.kind !== "search" || endpoint.paging !== undefined) return;
  const { most = pageDefaults.limit } = usualPaging.size;
  const [made] = answers;
  const items: unknown = valueAt(JSON.parse(String(made?.content ?? "null")), usualPaging.items);
  const [item] = Array.isArray(items) ? items : [];
  if (item === undefined) return;
  const list = { status: 200, body: { items: Array.from({ length: 2 * most }, () => item) } };
  for (let start = POSITION_STEP; start <= most; start += POSITION_STEP) {
    const query = { ...input.query, start, limit: most };
    const { broken } = await executeCall(trip, { ...input, query }, { made: list });
    for (const text of broken) faults.set(text, text);
    if (broken.length > 0) return;
  }
}

/**
 * Sends an answer through the dialect and the adapter, and then sends the received answer the same way again.
 * @returns true if the sandbox's dialect could write the answer
 */
async function addTwiceFaults(
  trip: AdapterTrip,
  input: CheckedInput,
  made: { readonly status: number; readonly body: unknown },
  faults: Faults,
): Promise<boolean> {
  const { status } = made;
  const carriedBack = async (body: unknown): Promise<ReturnedAnswer> => {
    const carried = await executeCall(trip, input, { made: { status, body } });
    const { answer } = carried;
    const isRefused = carried.statuses.some((one) => one >= 400) || answer?.type === "refusal";
    if (addBrokenFaults(carried, faults) || answer === null) return { isRefused, value: null };
    return { isRefused, value: isRefused ? null : valueIn(trip.endpoint, status, answer, faults) };
  };
  const once = await carriedBack(made.body);
  if (once.value === null) return !once.isRefused;
  const isPage = trip.endpoint.kind === "search";
  const [sent, arrived] = [made.body, once.value.is].map((value) =>
    afterJson(isPage ? valueAt(value, "/items") : value),
  );
  const differences = differencesOf(sent, arrived);
  for (const difference of differences)
    if (difference.is === undefined || isOfOtherField(difference, sent))
      addDifference(faults, "its answer", difference);
  if (differences.length === 0) return true;
  const again = await carriedBack(isPage ? { items: arrived } : arrived);
  const last = isPage ? valueAt(again.value?.is, "/items") : again.value?.is;
  if (again.value !== null)
    for (const difference of differencesOf(arrived, afterJson(last)))
      addDifference(faults, "its answer", difference);
  return true;
}

/** Reports whether a field has received the text of another field. List items may change their order. */
function isOfOtherField({ is, pointer }: Difference, sent: unknown): boolean {
  if (typeof is !== "string" || is.length < SHORTEST_TELLING) return false;
  const places = leavesOf(sent).filter(([, value]) => value === is);
  const isOwn = places.some(([place]) => fieldOf(place) === fieldOf(pointer));
  return places.length > 0 && !isOwn;
}

/** Minimum length of compared texts. Shorter texts of different fields are often equal by chance. */
const SHORTEST_TELLING = 3;

interface ReturnedAnswer {
  /** True if the dialect cannot express the answer. */
  readonly isRefused: boolean;
  readonly value: { readonly is: unknown } | null;
}

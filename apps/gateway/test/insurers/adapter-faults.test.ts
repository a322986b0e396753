import type { Adapter, AdapterAnswer } from "@insurance-gateway/adapter";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { expect, it } from "vitest";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import { attemptsAt, callOf } from "../harness/one-attempt.ts";

const response = { 200: loose<object>({}) };
const at = { provider: "provider-x", path: "/things", response };
const createThing: Endpoint = { ...at, kind: "submission", method: "POST" };
const listThings: Endpoint = { ...at, kind: "lookup", method: "GET" };

/** Connection to an insurer that answers `{}`. `closed` receives the path of the request whose connection is closed. */
const transportOf = (closed: (url: string) => void): ConnectionTransport => ({
  send: async ({ url }) => ({
    status: 200,
    headers: {},
    isNewConnection: true,
    closeConnection: () => closed(new URL(url).pathname),
    body: {
      text: async () => "{}",
      async *stream() {
        yield Buffer.from("{}");
      },
      discard: () => undefined,
    },
  }),
  underWay: () => 0,
  close: async () => undefined,
});

type Send = Parameters<Adapter["call"]>[2];
const value: AdapterAnswer = { type: "value", status: 200, value: {} };
const unsendable: AdapterAnswer = {
  type: "unsendable",
  faults: [{ pointer: "/name", code: "FORMAT", message: "" }],
};
const acts = { method: "POST", path: "/" };
const prepares = { method: "POST", path: "/", acts: false };

/** Makes a call with an adapter that runs the function `call`. Returns the call's result. */
async function made(
  endpoint: Endpoint,
  call: (send: Send) => Promise<AdapterAnswer>,
  closed: (url: string) => void = () => undefined,
) {
  const adapter: Adapter = { name: "x", failures: [], call: (_, __, send) => call(send) };
  const insurer = {
    adapter,
    baseUrl: "http://insurer",
    answers: { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 },
    compare: { except: [] },
    sandbox: false,
  } as unknown as InsurerAccess; // all that an attempt reads
  const attempt = attemptsAt({
    insurer,
    transport: transportOf(closed),
    room: createAnswerBudget(() => 1_000_000).roomOf("x"),
    rowsOf: () => [],
    unmatched: () => undefined,
    received: () => undefined,
  });
  const found: unknown = await attempt(endpoint, callOf()).catch((error) => error);
  if (!(found instanceof Refusal)) return "an answer";
  const { cause, code, facts } = found;
  return [code, facts.outcome, cause instanceof Error ? cause.message : cause];
}

it.each<[string, Endpoint, (send: Send) => Promise<AdapterAnswer>, unknown]>([
  [
    "the adapter sends the request on which the insurer acts",
    createThing,
    (send) => send(acts).then(() => value),
    "an answer",
  ],
  [
    "the adapter sends a submission without marking a request as acting",
    createThing,
    (send) => send(prepares).then(() => value),
    ["OUTCOME_UNKNOWN", "unknown", "The adapter must mark the request on which the insurer acts"],
  ],
  [
    "the adapter returns a success for a submission, but has sent no request",
    createThing,
    async () => value,
    [
      "INTERNAL_ERROR",
      "not_sent",
      "The adapter must send a request to the insurer before it answers",
    ],
  ],
  [
    "the adapter returns a success for a lookup, but has sent no request",
    listThings,
    async () => value,
    [
      "INTERNAL_ERROR",
      "unknown",
      "The adapter must send a request to the insurer before it answers",
    ],
  ],
  [
    "the adapter fails before the request on which the insurer acts",
    createThing,
    (send) => send(prepares).then(() => Promise.reject(new TypeError("a fault"))),
    ["INTERNAL_ERROR", "not_sent", "a fault"],
  ],
  [
    "the adapter fails after the request on which the insurer acts",
    createThing,
    (send) => send(acts).then(() => Promise.reject(new TypeError("a fault"))),
    ["OUTCOME_UNKNOWN", "unknown", "a fault"],
  ],
  [
    "the adapter cannot write a value into the first request",
    createThing,
    async () => unsendable,
    ["INVALID_INPUT", "not_sent", undefined],
  ],
  [
    "the adapter cannot write a value after the request on which the insurer acts",
    createThing,
    (send) => send(acts).then(() => unsendable),
    ["OUTCOME_UNKNOWN", "unknown", "A later request cannot be written"],
  ],
  [
    "the adapter cannot write a value of a lookup's second request",
    listThings,
    (send) => send({ method: "GET", path: "/" }).then(() => unsendable),
    ["INVALID_INPUT", "not_sent", undefined],
  ],
])(
  "the outcome of a call follows from the requests that the adapter has sent, and from the adapter's result: %s",
  async (_, endpoint, call, expected) => {
    expect(await made(endpoint, call)).toEqual(expected);
  },
);

it("the gateway closes only the connection of a call's last request if the adapter cannot read the answer to this request", async () => {
  const closed: string[] = [];
  const readTwice = async (send: Send): Promise<AdapterAnswer> => {
    await send({ method: "GET", path: "/first" });
    await send({ method: "GET", path: "/second" });
    return { type: "unreadable", status: 200, detail: "" };
  };
  await made(listThings, readTwice, (path) => closed.push(path));
  expect(closed).toEqual(["/second"]);
});

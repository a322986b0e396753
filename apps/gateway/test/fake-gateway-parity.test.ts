import { fakeGateway } from "@insurance-gateway/core/testing";
import { sandbox as sandboxA } from "@insurance-gateway/provider-a/sandbox";
import { sandbox as sandboxB } from "@insurance-gateway/provider-b/sandbox";
import { sandbox as sandboxC } from "@insurance-gateway/provider-c/sandbox";
import { sandbox as sandboxD } from "@insurance-gateway/provider-d/sandbox";
import { sandbox as sandboxE } from "@insurance-gateway/provider-e/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody } from "./harness/applications.ts";
import { type GatewayInProcess, startInProcess } from "./harness/gateway-in-process.ts";
import { holdTime } from "./harness/held-time.ts";

/** A request that the test sends to both gateways. */
interface ComparedCall {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** True if the request is sent five seconds later, after the gateway has queried the insurer. */
  readonly later?: true;
}

/** The part of an answer that must be equal in both gateways. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly content: unknown;
}

type Ask = (asked: ComparedCall) => Promise<Answer>;

function providerOf(letter: string): object {
  return {
    package: `@insurance-gateway/provider-${letter}`,
    upstream: "sandbox",
    answers: { freshMinutes: 60 },
  };
}

const sandboxes = [sandboxA, sandboxB, sandboxC, sandboxD, sandboxE];
const time = holdTime();
let gateway: GatewayInProcess;
/** The answers of the real gateway in the scenario SLOW. Each answer takes five seconds. */
let slow: Promise<readonly Answer[]>;
beforeAll(async () => {
  // Calls to these insurers have a timeout of one second, for the scenarios in which the insurer does not answer.
  const hasty = [
    { ...providerOf("d"), segment: "hasty-d", timeouts: { submissionMs: 1_000 } },
    { ...providerOf("e"), segment: "hasty-e", timeouts: { totalMs: 1_000 } },
  ];
  const providers = [...["a", "b", "c", "d", "e"].map(providerOf), ...hasty];
  gateway = await startInProcess({ providers }, {}, { time });
  slow = askAll(askReal, slowRow);
  // This request makes the gateway log in at the insurer, so that the login does not use up a later call's timeout.
  await askReal({ path: "/hasty-d/applications/search?clientAfm=123456789" });
});
afterAll(() => gateway.stop());

async function askAll(ask: Ask, asked: readonly ComparedCall[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const one of asked) answers.push(await ask(one));
  return answers;
}

const COMPARED = [
  "allow",
  "cache-control",
  "content-disposition",
  "content-type",
  "idempotency-replayed",
  "location",
  "preference-applied",
  "retry-after",
  "www-authenticate",
];

/** Replaces addresses, ids and times, which differ between gateways. */
function masked(text: string): string {
  return text
    .replaceAll(/https?:\/\/[^/"]+(?=\/reference\/errors\/)/g, "<gateway>")
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "<id>")
    .replaceAll(/D-\d{6}/g, "<number>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");
}

function answerIn(
  status: number,
  header: (name: string) => string | null | undefined,
  text: string,
): Answer {
  const headers = COMPARED.flatMap((name) => {
    const value = header(name) ?? undefined;
    // The waiting time differs between gateways.
    return value === undefined ? [] : [[name, name === "retry-after" ? "<time>" : masked(value)]];
  });
  return {
    status,
    headers: Object.fromEntries(headers),
    content: text.startsWith("%PDF-") ? "%PDF-" : JSON.parse(masked(text)),
  };
}

/** Sends a request to the real gateway. */
const askReal: Ask = async ({ later, path, ...options }) => {
  if (later) {
    time.forward(5_000);
    await time.tick();
  }
  const response = await gateway.ask(path, options);
  return answerIn(response.status, (name) => response.headers.get(name), await response.text());
};

/** Returns a function that sends requests to a new fake gateway. */
function fakeAsk(): Ask {
  const { clock, options } = fakeGateway({ sandboxes });
  return async ({ headers = {}, json, method, path, later }) => {
    if (later) clock.advance({ seconds: 5 });
    const response = await options.transport.send({
      method: method ?? (json === undefined ? "GET" : "POST"),
      url: options.baseUrl + path.replace("hasty-", "provider-"),
      headers: {
        authorization: `Bearer ${options.token}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      timeoutMs: 60_000,
    });
    const text = await response.body.text(10_000_000);
    return answerIn(response.status, (name) => response.headers[name], text);
  };
}

const pension = { personDob: "1985-06-15", monthlyContribution: 100, durationYears: 20 };
const HASTY_APPLICATIONS = "/hasty-d/applications";
const QUOTE_PATH = "life/core/fast-pension-quote";
const apply = (afm: string, key?: string, more: Partial<ComparedCall> = {}): ComparedCall => ({
  path: "/provider-d/applications",
  json: applicationBody(afm),
  ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  ...more,
});
const byKey = (key: string, more: Partial<ComparedCall> = {}): ComparedCall => ({
  path: "/submissions?segment=provider-d&endpoint=createApplication",
  headers: { "idempotency-key": key },
  ...more,
});
const hastyByKey = (key: string, more: Partial<ComparedCall> = {}): ComparedCall => ({
  ...byKey(key, more),
  path: "/submissions?segment=hasty-d&endpoint=createApplication",
});
const search = (query: string): ComparedCall => ({
  path: `/provider-d/applications/search?${query}`,
});

/** Returns an application for another car than the car in the scenarios. */
const other = (afm: string, key?: string): ComparedCall => ({
  ...apply(afm, key, afm === "000000061" ? { path: HASTY_APPLICATIONS } : {}),
  json: applicationBody(afm, "ΙΚΥ-9999"),
});

/** Returns two equal requests that select a scenario by the scenario's test value. */
const twice = ({ name, when }: (typeof sandboxD.scenarios)[number]): ComparedCall[] => {
  const path = name === "LOST_ANSWER" ? HASTY_APPLICATIONS : "/provider-d/applications";
  const asked = apply(String(when?.equals), `key-${name}`, { path });
  return [asked, asked];
};
const [slowScenarios = [], fastScenarios = []] = [true, false].map((isSlow) =>
  sandboxD.scenarios.filter(({ name }) => (name === "SLOW") === isSlow),
);
const slowRow = slowScenarios.flatMap(twice);

/** Lists of requests, each with a label. The test sends the requests of one list in order. */
const rows: readonly (readonly [title: string, asked: readonly ComparedCall[]])[] = [
  ...fastScenarios.map((scenario): [string, ComparedCall[]] => [
    `an application in the scenario ${scenario.name}, and the same request again`,
    twice(scenario),
  ]),
  [
    "a usual quote and a quote in each scenario",
    [100, 66.66, 77.77].map(
      (monthlyContribution): ComparedCall => ({
        path: `/${monthlyContribution === 100 ? "provider" : "hasty"}-e/${QUOTE_PATH}`,
        json: { ...pension, monthlyContribution },
      }),
    ),
  ],
  [
    "a quote that the insurer rejects",
    [{ path: `/provider-e/${QUOTE_PATH}`, json: { ...pension, durationYears: 100_000 } }],
  ],
  [
    "lookups",
    ["a/auto/brands", "b/countries", "c/vehicle/usages"].map((path) => ({
      path: `/provider-${path}`,
    })),
  ],
  [
    "document requests for a known, an unknown and an unfinished application",
    ["C-0001", "C-7777", "C-0009"].map((id) => ({
      path: `/provider-c/application/ipid?applicationId=${id}`,
    })),
  ],
  [
    "a request that selects its scenario in a header",
    [apply("111111111", "header", { headers: { "x-sandbox-scenario": "DECLINED" } })],
  ],
  [
    "requests with a reused key, with generated keys, and with a chosen key after a generated key",
    [
      apply("222222221", "one"),
      apply("222222222", "one"),
      apply("222222223", '"g1";generated'),
      apply("222222223", '"g2";generated'),
      apply("222222223", "chosen"),
      apply("222222223", "another"),
      byKey("g1"),
      apply("222222224", '"not closed'),
    ],
  ],
  [
    "equal applications without a key, before and after a rejection",
    [apply("333333331"), apply("333333331"), other("000000036"), other("000000036")],
  ],
  [
    "repetitions of an application whose answer was lost, with the same key, another key and no key",
    [
      other("000000061", "lost"),
      other("000000061", "lost"),
      other("000000061", "lost-again"),
      other("000000061"),
      hastyByKey("lost"),
      hastyByKey("lost", { later: true }),
      other("000000061", "lost"),
    ],
  ],
  [
    "a request with `Prefer: wait` whose answer arrives in time",
    [apply("444444441", "wait", { headers: { prefer: "wait=10", "idempotency-key": "wait" } })],
  ],
  [
    "invalid requests without a key, and with the key of an earlier submission",
    [
      { path: "/provider-d/applications", json: {} },
      apply("555555551", "known"),
      { path: "/provider-d/applications", json: {}, headers: { "idempotency-key": "known" } },
      { path: "/provider-d/applications", json: {}, headers: { "idempotency-key": "unknown" } },
      search("clientAfm=1"),
      search("clientAfm=123456789&start=0&more=1"),
    ],
  ],
  [
    "searches for several pages",
    [
      apply("666666661", "p1"),
      apply("666666661", "p2"),
      search("clientAfm=666666661&limit=1"),
      search("clientAfm=666666661&limit=1&start=2"),
      search("clientAfm=666666662"),
    ],
  ],
  [
    "requests with an unknown route or an invalid token",
    [
      { path: "/nowhere" },
      { path: "/provider-d/nowhere" },
      { path: "/provider-d/applications" },
      { path: "/provider-a/auto/brands", headers: { authorization: "Bearer x" } },
      apply("777777771", "k", { headers: { authorization: "Bearer x", "idempotency-key": "k" } }),
    ],
  ],
  [
    "queries about submissions that do not exist",
    [
      { path: "/submissions/00000000-0000-4000-8000-000000000000" },
      byKey("never"),
      byKey("x", { path: "/submissions?segment=provider-d&endpoint=searchApplications" }),
      { path: "/submissions?segment=provider-d" },
    ],
  ],
  ["the status of an unknown provider", [{ path: "/providers/nobody/status" }]],
  [
    "a request with an undeclared query parameter to one of the gateway's own endpoints",
    [{ path: "/providers?state=up" }],
  ],
];

describe("the fake gateway and the gateway with the sandboxes", () => {
  it.each(rows)(
    "the fake gateway and the real gateway send the same answers to %s",
    async (_, asked) => {
      expect(await askAll(fakeAsk(), asked)).toEqual(await askAll(askReal, asked));
    },
  );

  it("the fake gateway and the real gateway send the same answers to a slow application and to the repeated application", async () => {
    expect(await askAll(fakeAsk(), slowRow)).toEqual(await slow);
  });
});

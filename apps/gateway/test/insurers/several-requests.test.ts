import {
  type Adapter,
  type AdapterContext,
  type JsonCall,
  jsonDialect,
} from "@insurance-gateway/adapter";
import {
  defineProvider,
  type Endpoint,
  type PageQuery,
  type Search,
  search,
} from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from "vitest";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import {
  adapter,
  attemptOnce,
  issuePolicy,
  type Step,
  steps,
  WITHIN_MS,
} from "../harness/three-requests.ts";

let insurer: Insurer;
let current: ConnectionTransport | undefined;
let behaviours: Partial<Record<Step, Behaviour>>;
beforeAll(async () => {
  insurer = await startInsurer((response, arrival) => {
    const step = steps.find((path) => arrival.url.endsWith(path));
    const behave = (step && behaviours[step]) ?? json(200, {});
    behave(response, arrival);
  });
});
afterAll(() => insurer.close());
// The clock advances only when an insurer's behaviour advances it.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Makes one attempt; returns the status, or the code, the outcome and the retry advice of the refusal. */
async function outcomeWith(...given: Parameters<typeof answerWith>): Promise<string> {
  const answer = await answerWith(...given);
  return answer instanceof Refusal
    ? `${answer.code} ${answer.facts.outcome} ${answer.facts.retry}`
    : String(answer);
}

/** Makes one attempt; returns the status of the answer, or the refusal. */
function answerWith(
  given: Partial<Record<Step, Behaviour>>,
  speaking: Adapter = adapter,
  endpoint: Endpoint = issuePolicy,
  baseUrl: string = insurer.baseUrl,
): Promise<number | Refusal> {
  behaviours = given;
  return attemptOnce({
    adapter: speaking,
    endpoint,
    baseUrl,
    opened(transport) {
      current = transport;
      onTestFinished(() => transport.close());
    },
  });
}

const reset: Behaviour = (response) => void response.socket?.destroy();
/** Behaviour of an insurer that sends no answer, so that the time limit of the attempt ends. */
const silent: Behaviour = () => void vi.advanceTimersByTime(WITHIN_MS);
const html = json(502, "<h1>", { "content-type": "text/html" });

describe("a submission of several requests", () => {
  it("a submission of several requests succeeds if every request succeeds", async () => {
    expect(await outcomeWith({})).toBe("200");
  });

  it.each<[string, Behaviour, string]>([
    ["connection reset", reset, "PROVIDER_UNREACHABLE not_sent safe"],
    ["no answer in time", silent, "PROVIDER_UNREACHABLE not_sent safe"],
    ["documented rejection", json(422, { code: "NO" }), "PROVIDER_REJECTED rejected never"],
    [
      "a code that proves nothing",
      json(409, { code: "PERHAPS" }),
      "PROVIDER_UNAVAILABLE not_sent safe",
    ],
    ["status 500", json(500, {}), "PROVIDER_UNAVAILABLE not_sent safe"],
    ["status 401", json(401, {}), "PROVIDER_AUTH_FAILED not_sent safe"],
    ["an unreadable answer", html, "INTERNAL_ERROR not_sent safe"],
  ])(
    "a submission with a failed preparing request is rejected or `not_sent`: %s",
    async (_, behaviour, expected) => {
      const before = insurer.arrivals.length;
      expect(await outcomeWith({ "/prepare": behaviour })).toBe(expected);
      expect(insurer.arrivals.slice(before).map(({ url }) => url)).toEqual(["/api/prepare"]);
    },
  );

  it.each<[string, Behaviour, string]>([
    ["connection reset", reset, "OUTCOME_UNKNOWN unknown same_key"],
    ["no answer in time", silent, "OUTCOME_UNKNOWN unknown same_key"],
    ["documented rejection", json(422, { code: "NO" }), "PROVIDER_REJECTED rejected never"],
    ["status 500", json(500, {}), "OUTCOME_UNKNOWN unknown same_key"],
    ["status 401", json(401, {}), "OUTCOME_UNKNOWN unknown same_key"],
    ["status 407 of a proxy", json(407, {}), "OUTCOME_UNKNOWN unknown same_key"],
    ["an unreadable answer", html, "OUTCOME_UNKNOWN unknown same_key"],
  ])(
    "the outcome of a submission follows from the answer to the request on which the insurer acts: %s",
    async (_, behaviour, expected) => {
      expect(await outcomeWith({ "/issue": behaviour })).toBe(expected);
    },
  );

  it.each<[string, Behaviour, string]>([
    ["connection reset", reset, "OUTCOME_UNKNOWN unknown same_key"],
    ["no answer in time", silent, "OUTCOME_UNKNOWN unknown same_key"],
    ["status 500", json(500, {}), "OUTCOME_UNKNOWN unknown same_key"],
    ["status 401", json(401, {}), "OUTCOME_UNKNOWN unknown same_key"],
    [
      "refused credentials with a code",
      json(401, { code: "LOGIN" }),
      "OUTCOME_UNKNOWN unknown same_key",
    ],
    [
      "refused credentials with a code that proves a rejection in later requests",
      json(401, { code: "LOGGED_OUT" }),
      "OUTCOME_UNKNOWN unknown same_key",
    ],
    ["status 407 of a proxy", json(407, {}), "OUTCOME_UNKNOWN unknown same_key"],
    [
      "a code that proves a rejection in later requests",
      json(422, { code: "GONE" }),
      "PROVIDER_REJECTED rejected never",
    ],
    [
      "a code that proves a rejection only in the acting request",
      json(422, { code: "NO" }),
      "OUTCOME_UNKNOWN unknown same_key",
    ],
  ])(
    "a submission is `unknown` if a request fails after the insurer has acted, except if a code proves the rejection: %s",
    async (_, behaviour, expected) => {
      expect(await outcomeWith({ "/state": behaviour })).toBe(expected);
    },
  );

  it("each request of a submission uses a new connection", async () => {
    const sockets = new Set<unknown>();
    const own: Behaviour = (response, arrival) => {
      sockets.add(response.socket);
      json(200, {})(response, arrival);
    };
    expect(await outcomeWith({ "/prepare": own, "/issue": own, "/state": own })).toBe("200");
    expect(sockets.size).toBe(3);
  });

  it("a submission is `unknown` if its answer repeats no match field and arrived on a connection with an earlier exchange", async () => {
    const compared = { ...issuePolicy, same: ["/number"], insurerId: "/number" };
    expect(await outcomeWith({}, adapter, compared)).toBe("OUTCOME_UNKNOWN unknown same_key");
  });

  it("all requests of a submission together have one time limit", async () => {
    const late: Behaviour = (response, arrival) => {
      vi.advanceTimersByTime(WITHIN_MS * 0.6);
      json(200, {})(response, arrival);
    };
    expect(await outcomeWith({ "/prepare": late, "/issue": late })).toBe(
      "OUTCOME_UNKNOWN unknown same_key",
    );
  });

  it("a submission is `unknown` if the gateway cannot connect for the second request, and the insurer has acted on the first", async () => {
    const cutOff: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await (await send({ method: "POST", path: "/issue", acts: true })).text();
        await current?.close();
        await send({ method: "GET", path: "/state" });
        return { type: "value", status: 200, value: {} };
      },
    };
    expect(await answerWith({}, cutOff)).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      facts: { outcome: "unknown", retry: "same_key" },
      details: { attempt: "failed" },
    });
  });

  it("a submission is `unknown` if the gateway cannot connect for the third request, and the insurer has acted on the first", async () => {
    const cutOff: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await (await send({ method: "POST", path: "/issue", acts: true })).text();
        await (await send({ method: "GET", path: "/state" })).text();
        await current?.close();
        await send({ method: "GET", path: "/state" });
        return { type: "value", status: 200, value: {} };
      },
    };
    expect(await outcomeWith({}, cutOff)).toBe("OUTCOME_UNKNOWN unknown same_key");
  });

  it("a submission is `unknown` if its answer is lost and the adapter's query for the result cannot be sent", async () => {
    const asking: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await send({ method: "POST", path: "/issue", acts: true }).catch(() => current?.close());
        await send({ method: "GET", path: "/state" });
        return { type: "value", status: 200, value: {} };
      },
    };
    expect(await outcomeWith({ "/issue": reset }, asking)).toBe("OUTCOME_UNKNOWN unknown same_key");
  });

  it("a submission is `unknown` if the adapter cannot write a value into a request after the request on which the insurer acts", async () => {
    const unwritable: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await (await send({ method: "POST", path: "/issue", acts: true })).text();
        return { type: "unsendable", faults: [] };
      },
    };
    expect(await outcomeWith({}, unwritable)).toBe("OUTCOME_UNKNOWN unknown same_key");
  });

  it("a submission is `not_sent` if the request on which the insurer acts was never sent and the adapter cannot write the next request", async () => {
    const unwritable: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await send({ method: "POST", path: "/issue", acts: true }).catch(() => {});
        return { type: "unsendable", faults: [] };
      },
    };
    const nobody = "http://127.0.0.1:1";
    expect(await outcomeWith({}, unwritable, issuePolicy, nobody)).toBe(
      "INVALID_INPUT not_sent never",
    );
  });

  it("a submission's request without the adapter's mark counts as a request on which the insurer acts, except a GET request", async () => {
    const unmarked: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await (await send({ method: "GET", path: "/prepare" })).text();
        await send({ method: "POST", path: "/issue" });
        return { type: "value", status: 200, value: {} };
      },
    };
    expect(await outcomeWith({ "/issue": silent }, unmarked)).toBe(
      "OUTCOME_UNKNOWN unknown same_key",
    );
    expect(await outcomeWith({ "/prepare": silent }, unmarked)).toBe(
      "PROVIDER_UNREACHABLE not_sent safe",
    );
  });

  it("a submission is `unknown` if the adapter returns a success without a request on which the insurer acts", async () => {
    const idle: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await (await send({ method: "GET", path: "/state" })).text();
        return { type: "value", status: 200, value: {} };
      },
    };
    expect(await outcomeWith({}, idle)).toBe("OUTCOME_UNKNOWN unknown same_key");
  });

  it("a submission leaves no connection in use, even if the adapter has not read a body to its end", async () => {
    const careless: Adapter = {
      ...adapter,
      async call(_, __, send) {
        const response = await send({ method: "POST", path: "/issue", acts: true });
        response.stream();
        return { type: "unreadable", status: 200, detail: "It is too large." };
      },
    };
    const endless: Behaviour = (response) => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.write("%PDF-");
    };
    await outcomeWith({ "/issue": endless }, careless);
    expect(current?.underWay()).toBe(0);
  });

  it("the adapter cannot send a request to another server than the configured insurer", async () => {
    const elsewhere: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await send({ method: "POST", path: "@127.0.0.1:1/issue", acts: true });
        return { type: "value", status: 200, value: {} };
      },
    };
    expect(await outcomeWith({}, elsewhere)).toBe("INTERNAL_ERROR not_sent safe");
  });

  it("the gateway sends only one request on which the insurer acts, even if the adapter tries to send two", async () => {
    const twice: Adapter = {
      ...adapter,
      async call(_, __, send) {
        await send({ method: "POST", path: "/issue", acts: true });
        await send({ method: "POST", path: "/issue", acts: true });
        return { type: "value", status: 200, value: {} };
      },
    };
    const before = insurer.arrivals.length;
    expect(await outcomeWith({}, twice)).toBe("OUTCOME_UNKNOWN unknown same_key");
    expect(insurer.arrivals.length - before).toBe(1);
  });
});

describe("a submission whose result the adapter must query", () => {
  const pollingOf = (endpoint: Endpoint): Adapter => {
    const endpoints = { issuePolicy: endpoint };
    const provider = defineProvider({ id: "provider-x", name: "X", lines: ["motor"], endpoints });
    const dialect = jsonDialect(provider, { failures: [], calls: { issuePolicy: polled } });
    return {
      ...dialect,
      call(called, input, send, context) {
        const wait = skipPauses(context.wait);
        return dialect.call(called, input, send, { ...context, wait });
      },
    };
  };
  /** Advances the clock past each pause of the adapter, as soon as the pause begins. */
  const skipPauses =
    (wait: AdapterContext["wait"]): AdapterContext["wait"] =>
    (milliseconds) => {
      const timersBefore = vi.getTimerCount();
      const pause = wait(milliseconds);
      if (vi.getTimerCount() > timersBefore) vi.advanceTimersByTime(milliseconds);
      return pause;
    };
  const polled: JsonCall = {
    method: "POST",
    path: "/issue",
    value: [],
    poll: {
      pending: { status: 202 },
      ticket: "/job",
      everyMs: 250,
      method: "GET",
      path: "/jobs/{/ticket}/state",
    },
  };
  const polling = pollingOf(issuePolicy);
  const accepted = json(202, { job: 7 });

  it.each<[string, Behaviour, string]>([
    ["finished", json(200, {}), "200"],
    ["connection reset", reset, "OUTCOME_UNKNOWN unknown same_key"],
    ["rejected", json(422, { code: "NO" }), "OUTCOME_UNKNOWN unknown same_key"],
    ["status 401", json(401, {}), "OUTCOME_UNKNOWN unknown same_key"],
    ["still in progress", accepted, "OUTCOME_UNKNOWN unknown same_key"],
  ])(
    "the gateway sends a submission once, and the answer to the adapter's query determines the result: %s",
    async (_, behaviour, expected) => {
      const before = insurer.arrivals.length;
      const given = { "/issue": accepted, "/state": behaviour };
      expect(await outcomeWith(given, polling)).toBe(expected);
      const [first, ...queries] = insurer.arrivals.slice(before);
      expect([first, ...queries].map((arrival) => arrival?.method)).toEqual(["POST", "GET"]);
    },
  );

  it("the headers of a submission's result come from the answer to the adapter's query for the result", async () => {
    const headers = strict<{ "x-policy": string }>({ "x-policy": text(20) });
    const media = { "application/json": loose<object>({}) };
    const named: Endpoint = { ...issuePolicy, response: { 200: { media, headers } } };
    const given = { "/issue": accepted, "/state": json(200, {}, { "x-policy": "P-1" }) };
    expect(await outcomeWith(given, pollingOf(named), named)).toBe("200");
  });

  it("the adapter does not query for the result if the answer to the submission itself is lost", async () => {
    const before = insurer.arrivals.length;
    expect(await outcomeWith({ "/issue": reset }, polling)).toBe(
      "OUTCOME_UNKNOWN unknown same_key",
    );
    expect(insurer.arrivals.length - before).toBe(1);
  });
});

it("a search can send three requests for one page, and fails if the adapter tries to send a fourth", async () => {
  const searchPolicies: Search<{ query: PageQuery; item: object }> = search({
    provider: "provider-x",
    path: "/policies",
    query: strict<PageQuery>(pageQuery()),
    item: loose<object>({}),
  });
  const sending = (count: number): Adapter => ({
    ...adapter,
    async call(_, __, send) {
      for (let sent = 0; sent < count; sent++)
        await (await send({ method: "GET", path: "/state" })).text();
      return { type: "value", status: 200, value: { items: [], start: 1, limit: 20, total: 0 } };
    },
  });
  expect(await outcomeWith({}, sending(3), searchPolicies)).toBe("200");
  const before = insurer.arrivals.length;
  expect(await outcomeWith({}, sending(4), searchPolicies)).toBe("INTERNAL_ERROR unknown safe");
  expect(insurer.arrivals.length - before).toBe(3);
});

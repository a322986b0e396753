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
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { holdTimers } from "../harness/held-timers.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { acting, calling, done, issuePolicy, stepwiseInsurer } from "./stepwise-insurer.ts";

/** Timeout of one attempt, in milliseconds. */
const WITHIN_MS = 400;
const site = stepwiseInsurer(WITHIN_MS);
const { arrivals, outcomeWith } = site;
// The clock advances only when an insurer's behaviour advances it.
beforeEach(() => holdTimers());

const reset: Behaviour = (response) => void response.socket?.destroy();
/** Behaviour of an insurer that sends no answer before the attempt's time limit ends. */
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
      expect(await outcomeWith({ "/prepare": behaviour })).toBe(expected);
      expect(arrivals().map(({ url }) => url)).toEqual(["/api/prepare"]);
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
    expect(await outcomeWith({}, undefined, compared)).toBe("OUTCOME_UNKNOWN unknown same_key");
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

  it("a submission is `not_sent` if the request on which the insurer acts was never sent and the adapter cannot write the next request", async () => {
    const unwritable = calling(async (send) => {
      await send(acting).catch(() => {});
      return { type: "unsendable", faults: [] };
    });
    const nobody = "http://127.0.0.1:1";
    expect(await outcomeWith({}, unwritable, issuePolicy, nobody)).toBe(
      "INVALID_INPUT not_sent never",
    );
  });

  it("a submission's request without the adapter's mark counts as a request on which the insurer acts, unless the method is GET", async () => {
    const unmarked = calling(async (send) => {
      await (await send({ method: "GET", path: "/prepare" })).text();
      await send({ method: "POST", path: "/issue" });
      return done;
    });
    expect(await outcomeWith({ "/issue": silent }, unmarked)).toBe(
      "OUTCOME_UNKNOWN unknown same_key",
    );
    expect(await outcomeWith({ "/prepare": silent }, unmarked)).toBe(
      "PROVIDER_UNREACHABLE not_sent safe",
    );
  });

  it("no connection is in use after a submission, even if the adapter has not read the answer's body to the end", async () => {
    const careless = calling(async (send) => {
      const response = await send(acting);
      response.stream();
      return { type: "unreadable", status: 200, detail: "It is too large." };
    });
    const endless: Behaviour = (response) => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.write("%PDF-");
    };
    await outcomeWith({ "/issue": endless }, careless);
    expect(site.underWay()).toBe(0);
  });

  it("the adapter cannot send a request to another server than the configured insurer", async () => {
    const elsewhere = calling(async (send) => {
      await send({ method: "POST", path: "@127.0.0.1:1/issue", acts: true });
      return done;
    });
    expect(await outcomeWith({}, elsewhere)).toBe("INTERNAL_ERROR not_sent safe");
  });

  it("the gateway sends only one request on which the insurer acts, even if the adapter tries to send two", async () => {
    const twice = calling(async (send) => {
      await send(acting);
      await send(acting);
      return done;
    });
    expect(await outcomeWith({}, twice)).toBe("OUTCOME_UNKNOWN unknown same_key");
    expect(arrivals()).toHaveLength(1);
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
      const given = { "/issue": accepted, "/state": behaviour };
      expect(await outcomeWith(given, polling)).toBe(expected);
      const [first, ...queries] = arrivals();
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
    expect(await outcomeWith({ "/issue": reset }, polling)).toBe(
      "OUTCOME_UNKNOWN unknown same_key",
    );
    expect(arrivals()).toHaveLength(1);
  });
});

it("a search can send three requests for one page, and fails if the adapter tries to send a fourth", async () => {
  const searchPolicies: Search<{ query: PageQuery; item: object }> = search({
    provider: "provider-x",
    path: "/policies",
    query: strict<PageQuery>(pageQuery()),
    item: loose<object>({}),
  });
  const sending = (count: number): Adapter =>
    calling(async (send) => {
      for (let sent = 0; sent < count; sent++)
        await (await send({ method: "GET", path: "/state" })).text();
      return { ...done, value: { items: [], start: 1, limit: 20, total: 0 } };
    });
  expect(await outcomeWith({}, sending(3), searchPolicies)).toBe("200");
  expect(await outcomeWith({}, sending(4), searchPolicies)).toBe("INTERNAL_ERROR unknown safe");
  expect(arrivals()).toHaveLength(3);
});

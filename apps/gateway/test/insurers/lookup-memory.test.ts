import { Readable } from "node:stream";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { expect, it } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import {
  createLookupResponses,
  type LookupPlace,
  type LookupResponses,
} from "../../src/insurers/lookups/lookup-responses.ts";
import { cachedLookups } from "./cached-lookups.ts";

const HOUR = 3_600_000;
const MOST = 16 * 1_024 * 1_024;
const facts = { epoch: 0, freshMs: 0, isShared: true };

/** Creates the place of a cached lookup answer: its key, and the account that sent the lookup. */
const at = (key: string, account = "one"): LookupPlace => ({ key, account });

function answerOf(characters: number, bytes = 0): UpstreamAnswer {
  const answer = { status: 200, headers: {}, content: "x".repeat(characters) };
  return bytes === 0 ? answer : { ...answer, bytes: Buffer.alloc(bytes) };
}

/** Creates a cache that keeps stale answers for this number of hours; `at` sets the clock. */
function responsesAt(staleHours: number): { at: (now: number) => LookupResponses } {
  let now = 0;
  const responses = createLookupResponses(
    () => staleHours,
    () => now,
  );
  return {
    at(instant) {
      now = instant;
      return responses;
    },
  };
}

// The cache has 16 MB. An answer counts 2 bytes for each character, the original bytes, and 2 kB for the rest.
it.each([
  [MOST / 2 - 1_025, 0, true],
  [MOST / 2 - 1_024, 0, false],
  [MOST / 2 - 1_030, 10, true],
  [MOST / 2 - 1_030, 11, false],
])(
  "the lookup cache keeps an answer only if the answer fits into 16 MB: %i characters and %i original bytes, kept %s",
  (characters, bytes, fits) => {
    const responses = responsesAt(1).at(0);
    responses.keep(at("k"), answerOf(characters, bytes), facts);
    expect(responses.find(at("k")) !== null).toBe(fits);
  },
);

it("the lookup cache returns a stale answer and its age for as many hours as the operator allows", () => {
  const clock = responsesAt(2);
  clock.at(0).keep(at("k"), answerOf(1), facts);
  expect(clock.at(1_999).find(at("k"))?.ageMs).toBe(1_999);
  expect(clock.at(2 * HOUR).find(at("k"))?.ageMs).toBe(7_200_000);
  expect(clock.at(2 * HOUR + 1).find(at("k"))).toBeNull();
  expect(clock.at(0).find(at("another"))).toBeNull();
});

it("the lookup cache allows a background refresh of a fresh answer, except for 30 s after a failed refresh", () => {
  const clock = responsesAt(0);
  clock.at(0).keep(at("k"), answerOf(1), { ...facts, freshMs: 60_000 });
  expect(clock.at(59_999).findFresh(at("k"), 60_000)).toMatchObject({
    ageMs: 59_999,
    mayRefresh: true,
  });
  expect(clock.at(60_000).findFresh(at("k"), 60_000)).toBeNull();
  expect(clock.at(0).findFresh(at("k"), 0)).toBeNull();
  expect(clock.at(0).find(at("k")), "without stale answers").toBeNull();
  clock.at(10_000).delayRefresh(at("k"));
  clock.at(10_000).delayRefresh(at("another"));
  expect(clock.at(39_999).findFresh(at("k"), 60_000)?.mayRefresh).toBe(false);
  expect(clock.at(40_000).findFresh(at("k"), 60_000)?.mayRefresh).toBe(true);
});

it("the lookup cache does not keep an answer if neither fresh nor stale answers are allowed", () => {
  const clock = responsesAt(0);
  clock.at(0).keep(at("k"), answerOf(1), facts);
  expect(clock.at(0).findFresh(at("k"), 60_000)).toBeNull();
});

it("the lookup cache does not keep an answer whose request began before the cached answers were dropped", () => {
  const responses = responsesAt(1).at(0);
  responses.keep(at("a"), answerOf(1), facts);
  responses.keep(at("b"), answerOf(1), facts);
  expect(responses.drop()).toBe(2);
  expect(responses.epoch()).toBe(1);
  expect(responses.find(at("a"))).toBeNull();
  responses.keep(at("a"), answerOf(1), facts);
  expect(responses.find(at("a"))).toBeNull();
  responses.keep(at("a"), answerOf(1), { ...facts, epoch: 1 });
  expect(responses.find(at("a"))).not.toBeNull();
});

it("the lookup cache drops an account's own answers when the account changes, and keeps all other answers", () => {
  const responses = responsesAt(1).at(0);
  for (const account of ["one", "two"])
    responses.keep(at("own", account), answerOf(1), { ...facts, isShared: false });
  responses.keep(at("shared"), answerOf(1), facts);
  responses.dropOf((account) => account === "one");
  const places = [at("own", "one"), at("own", "two"), at("shared", "one")];
  expect(places.map((place) => responses.find(place) !== null)).toEqual([false, true, true]);
  expect(responses.epoch()).toBe(1);
  responses.forget(at("own", "two"));
  expect(responses.find(at("own", "two"))).toBeNull();
});

it("the lookup cache returns no stale answer to an account that the insurer has refused, until the account changes", () => {
  const responses = responsesAt(1).at(0);
  responses.keep(at("k"), answerOf(1), facts);
  responses.refuse(at("k"));
  expect([responses.find(at("k")), responses.find(at("k", "two")) !== null]).toEqual([null, true]);
  responses.dropOf((account) => account === "one");
  expect(responses.find(at("k"))).not.toBeNull();
});

it("the lookup cache keeps a copy of an answer's bytes", () => {
  const responses = responsesAt(1).at(0);
  const bytes = Buffer.from("abc");
  responses.keep(at("k"), { ...answerOf(3), bytes }, facts);
  bytes.fill("x");
  expect(responses.find(at("k"))?.answer.bytes?.toString()).toBe("abc");
});

it.each([
  ["a text", "x", "private, max-age=60"],
  ["a stream, which is not cached", Readable.from([]), "private"],
])(
  "the answer to a lookup states in Cache-Control how long the caller may keep the answer: %s",
  async (_, content, expected) => {
    const headers = { "cache-control": "private" };
    const serving = cachedLookups(async () => ({ status: 200, headers, content }), {
      responses: responsesAt(1).at(0),
      freshMs: () => 60_000,
    });
    const input = { params: {}, query: {}, headers: {} };
    const answer = await serving(
      { provider: "x", path: "/x", kind: "lookup", method: "GET", response: {}, freshFor: 60 },
      { account: "default", input, waited() {} } as unknown as UpstreamCall, // the cache reads only these members
    );
    expect(answer.headers["cache-control"]).toBe(expected);
  },
);

it("a fresh lookup answer keeps its ETag, or gets a digest of the content as ETag if the answer has none", async () => {
  const lookup = {
    provider: "x",
    path: "/x",
    kind: "lookup",
    method: "GET",
    response: {},
  } as const;
  const etagOf = async (headers: UpstreamAnswer["headers"], content: string): Promise<unknown> => {
    const serving = cachedLookups(async () => ({ status: 200, headers, content }), {
      responses: responsesAt(1).at(0),
      freshMs: () => 60_000,
    });
    const input = { params: {}, query: {}, headers: {} };
    // The cache needs no other members of a call.
    const call = { account: "default", input, waited() {} } as unknown as UpstreamCall;
    return (await serving({ ...lookup, freshFor: 60 }, call)).headers.etag;
  };
  expect(await etagOf({ etag: '"theirs"' }, "x")).toBe('"theirs"');
  const own = await etagOf({}, "x");
  expect(own).toMatch(/^"[\w-]{43}"$/);
  expect([await etagOf({}, "x"), await etagOf({}, "y")]).toEqual([
    own,
    expect.not.stringMatching(String(own)),
  ]);
});

const lookUp: Endpoint = {
  provider: "x",
  path: "/x",
  kind: "lookup",
  method: "GET",
  response: {},
  freshFor: 36_000,
};

/** Starts a lookup that is fresh for ten hours; `askAt` sets the clock, `asked` counts the calls to the insurer. */
function startLookup() {
  const clock = responsesAt(0);
  const responses = clock.at(0);
  let asked = 0;
  const serving = cachedLookups(
    async () => {
      asked += 1;
      return { status: 200, headers: {}, content: "x" };
    },
    { responses, freshMs: () => 10 * HOUR },
  );
  const input = { params: {}, query: {}, headers: {} };
  // The cache needs no other members of a call.
  const call = { account: "default", input, waited() {} } as unknown as UpstreamCall;
  const askAt = (now: number): UpstreamAnswer | Promise<UpstreamAnswer> => {
    clock.at(now);
    return serving(lookUp, call);
  };
  return { asked: () => asked, askAt };
}

it.each([
  [999, "0", 3_600, 35_999],
  [1_000, "1", 3_601, 35_999],
  [1_001, "1", 3_601, 35_998],
  [10 * HOUR - 1_000, "35999", 36_000, 1],
  [10 * HOUR - 1, "35999", 36_000, 0],
])(
  "a cached lookup answer states its age, and the caller may keep the answer for at most an hour: after %i ms, age %s",
  async (now, age, maxAge, ttl) => {
    const { askAt } = startLookup();
    expect((await askAt(0)).headers["cache-control"]).toBe("private, max-age=3600");
    expect((await askAt(now)).headers).toMatchObject({
      age,
      "cache-control": `private, max-age=${maxAge}`,
      "cache-status": `insurance-gateway; hit; ttl=${ttl}`,
    });
  },
);

it("the gateway refreshes a cached lookup answer in the background after 80 % of the answer's fresh time", async () => {
  const { asked, askAt } = startLookup();
  await askAt(0);
  await askAt(8 * HOUR - 1);
  expect(asked()).toBe(1);
  expect(await askAt(8 * HOUR)).toMatchObject({ headers: { age: String(8 * 3_600) } });
  expect(asked()).toBe(2);
});

import type { CheckedInput, Endpoint } from "@insurance-gateway/core/contract";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { Refusal } from "../../src/problems/refusal.ts";
import {
  type Arrival,
  type Behaviour,
  type Insurer,
  json,
  startInsurer,
} from "../harness/insurer.ts";
import { adapter, endpoints, type Numbers, withAgencyInPath } from "./published-provider.ts";
import { type SpeakingInsurer, speakTo } from "./speaking.ts";

let insurer: Insurer;
let speaking: SpeakingInsurer;
let behave: Behaviour;
let arrivals: Arrival[];

beforeAll(async () => {
  insurer = await startInsurer((response, arrival) => {
    arrivals.push(arrival);
    behave(response, arrival);
  });
  const settings = { agencyCode: "A 1", version: 3 };
  speaking = speakTo(insurer.baseUrl, adapter, undefined, settings);
});
afterAll(async () => {
  await speaking.close();
  await insurer.close();
});

/** Carries a call out: its answer, and the request that reached the insurer. */
async function call(
  endpoint: Endpoint,
  input: Partial<CheckedInput>,
  answering: Behaviour,
): Promise<{
  readonly answer: UpstreamAnswer | Refusal;
  readonly arrival: Arrival;
  readonly address: URL;
}> {
  behave = answering;
  arrivals = [];
  const answer = await speaking.call(endpoint, input);
  const [arrival] = arrivals;
  if (arrival === undefined) throw new Error("Nothing reached the insurer");
  return { answer, arrival, address: new URL(arrival.url, insurer.baseUrl) };
}

/** The JSON that the caller gets. */
function contentOf(answer: UpstreamAnswer | Refusal): unknown {
  return JSON.parse("content" in answer ? String(answer.content) : "null");
}

/** An answer in JSON that is written by hand. */
function written(text: string): Behaviour {
  return (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(text);
}

describe("an insurer that speaks the document its declarations were imported from", () => {
  it("gets its own path, with settings for the parameters that callers do not send", async () => {
    const { address } = await call(
      endpoints.listCovers,
      { params: { product_id: "x/1" }, headers: { session: "s" } },
      json(200, {}),
    );
    expect(address.pathname).toMatch(/\/v2\/A%201\/Covers\('x%2F1'\)\/3$/);
  });

  it("gets its own names and styles of the query", async () => {
    const query = {
      ids: [1, 2],
      tags: ["a", "c+"],
      near: { lat: 1.5 },
      filter: { owner: "9223372036854775807", name: "Ω" },
      deep: { from: "x" },
      more: ["1", "2"],
      csv: ["3", "4"],
    };
    const { address } = await call(
      endpoints.listCovers,
      { params: { product_id: "1" }, query, headers: { session: "s" } },
      json(200, {}),
    );
    expect([...address.searchParams]).toEqual([
      ["id[]", "1|2"],
      ["tags", "a c+"],
      ["lat", "1.5"],
      ["$filter", '{"owner":9223372036854775807,"name":"Ω"}'],
      ["Deep[from]", "x"],
      ["More", "1"],
      ["More", "2"],
      ["csv", "3,4"],
      ["api-version", "3"],
      ["format", "json"],
    ]);
    expect(address.search).toContain("tags=a%20c%2B");
  });

  it("gets no list in one text whose items have the separator", async () => {
    arrivals = [];
    const answer = await speaking.call(endpoints.listCovers, {
      params: { product_id: "1" },
      query: { tags: ["a b"] },
      headers: { session: "s" },
    });
    expect(answer).toMatchObject({
      code: "INVALID_INPUT",
      details: { outcome: "not_sent", errors: [{ pointer: "/query/tags" }] },
    });
    expect(arrivals).toEqual([]);
  });

  it("gets several parameters in one segment", async () => {
    const params = { from: "v1.0.", to: ".1/α" };
    const { address } = await call(
      endpoints.compareVersions,
      { params: { from: "v1.0", to: "1/α" } },
      json(200, {}),
    );
    expect(address.pathname).toMatch(/\/compare\/v1\.0\.\.\.1%2F%CE%B1$/);
    arrivals = [];
    expect(await speaking.call(endpoints.compareVersions, { params })).toMatchObject({
      code: "INVALID_INPUT",
      details: { outcome: "not_sent", errors: [{ pointer: "/path/from" }] },
    });
    expect(arrivals).toEqual([]);
  });

  it.each([["A...1"], [undefined]])(
    "gets no path with the setting %s, which is no fault of the caller",
    async (agencyCode) => {
      const configured = speakTo(insurer.baseUrl, withAgencyInPath, undefined, { agencyCode });
      onTestFinished(() => configured.close());
      arrivals = [];
      const refusal = await configured.call(endpoints.compareVersions, {
        params: { from: "1", to: "2" },
      });
      expect(refusal).toMatchObject({ code: "INTERNAL_ERROR" });
      expect(refusal).not.toMatchObject({ details: { errors: expect.anything() } });
      const cause =
        agencyCode === undefined ? "path parameter agency is missing" : "/settings/agencyCode has";
      expect(refusal).toMatchObject({ cause: { message: expect.stringContaining(cause) } });
      expect(arrivals).toEqual([]);
    },
  );

  it("gets its own headers and cookies", async () => {
    const headers = { language: "el", session: "a b;c", "x-trace": "t" };
    const { arrival } = await call(
      endpoints.listCovers,
      { params: { product_id: "1" }, headers },
      json(200, {}),
    );
    expect(arrival.headers).toMatchObject({
      "accept-language": "el",
      cookie: "JSESSIONID=a%20b%3Bc; AGENCY=A%201",
      "x-trace": "t",
      "x-agency": "A 1",
      "x-client": "broker",
    });
    expect(arrival.headers).not.toHaveProperty("session");
    expect(arrival.headers).not.toHaveProperty("language");
  });

  it("gets and gives 64-bit numbers as JSON numbers, with every digit", async () => {
    const body: Numbers = {
      part: { id: "9223372036854775807", parts: [{ id: "-9007199254740993" }, { id: "0" }] },
      byName: { a: "1", b: "12345678901234567" },
      either: "5",
      owner: { kind: "numbered", no: "12" },
      none: null,
      count: 3,
    };
    const text =
      '{"part":{"id":9223372036854775807,"parts":[{"id":-9007199254740993},{"id":0}]},"byName":{"a":1,"b":12345678901234567},"either":5,"owner":{"kind":"numbered","no":12},"none":null,"count":3}';
    const { address, answer, arrival } = await call(
      endpoints.createNumbers,
      { body },
      written(text),
    );
    expect(arrival.body).toBe(text);
    expect(address.search).toBe("?ref=our-id");
    expect(contentOf(answer)).toEqual(body);
  });

  it.each([
    { kind: "named", no: "12" },
    { kind: "counted", no: 12 },
  ])("keeps what is no 64-bit number where another alternative is one: %j", async (owner) => {
    const body = {
      part: { id: "1", name: "2" },
      byName: {},
      either: true,
      owner,
      none: "4",
      count: 3,
    };
    const { answer, arrival } = await call(endpoints.createNumbers, { body }, (response, one) =>
      written(one.body)(response, one),
    );
    expect(JSON.parse(arrival.body)).toEqual({ ...body, part: { id: 1, name: "2" }, none: 4 });
    expect(contentOf(answer)).toEqual(body);
  });

  it("has its answers passed on as they were written where they have no such number", async () => {
    const { answer } = await call(endpoints.readPlain, {}, written('{ "id": "1" }'));
    expect(answer).toMatchObject({ content: '{ "id": "1" }' });
  });

  it("names the next page with its own parameter, which callers get as a cursor", async () => {
    const { address, answer } = await call(
      endpoints.findAll,
      { query: { q: "Ω", after: "t1" } },
      (response) =>
        void response
          .writeHead(200, {
            "content-type": "application/json",
            link: `<https://internal.invalid/v7?Q=%CE%A9&page_token=t2>; rel="next"`,
          })
          .end('[{"id":1}]'),
    );
    expect([...address.searchParams]).toEqual([
      ["Q", "Ω"],
      ["page_token", "t1"],
    ]);
    expect(contentOf(answer)).toEqual([{ id: "1" }]);
    expect(answer).toMatchObject({ headers: { "next-cursor": "t2" } });
  });

  it("refuses in its own way", async () => {
    const { answer } = await call(endpoints.readPlain, {}, json(404, { error: "no" }));
    expect(answer).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });
});

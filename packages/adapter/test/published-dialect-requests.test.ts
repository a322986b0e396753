import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import type { PublishedCall } from "../src/index.ts";
import { ACCEPT, callPublished } from "./harness/published-dialect.ts";
import { readClaim } from "./sandbox/published-routes.ts";

const params = { claimId: "C/1" };

describe("a request to an insurer with an imported OpenAPI document", () => {
  it("the adapter sends a request as declared if the insurer's interface does not differ from the declaration", async () => {
    const query = { ids: ["1", "2"], filter: { a: "x" }, plain: undefined };
    const { sent } = await callPublished(readClaim, { params, query, headers: { "x-agent": "7" } });
    expect(sent).toEqual([
      {
        method: "GET",
        path: "/claims/C%2F1?ids=1&ids=2&filter%5Ba%5D=x",
        headers: { accept: ACCEPT, "x-agent": "7" },
        acts: false,
      },
    ]);
  });

  it("the adapter sends a request with the insurer's names and formats of parameters, and with the values of settings and constants", async () => {
    const ours: PublishedCall = {
      path: "/v2/{tenant}/claims/{claimId}/{office}",
      query: {
        ids: { name: "id", style: "pipes" },
        tags: { style: "spaces" },
        period: { style: "fields" },
        area: { name: "where", style: "json" },
        filter: { name: "f" },
        plain: { name: "p" },
      },
      headers: { "x-agent": "agent-code" },
      cookies: { "x-session": "session" },
      settings: {
        path: { office: "officeCode" },
        query: { channel: "channelCode", none: "missing" },
        headers: { "x-broker": "brokerCode", "x-none": "missing" },
        cookies: { affinity: "node", none: "missing" },
      },
      constants: { query: { v: "2" }, headers: { "x-api": "1" } },
    };
    const { sent } = await callPublished(
      readClaim,
      {
        params,
        query: {
          ids: ["1", "2"],
          tags: ["a", "b"],
          words: ["one", "two"],
          period: { from: "2026", to: "2027" },
          area: { city: "Athens", code: "9007199254740993" },
          filter: { a: "x", b: "y" },
          plain: "&",
        },
        headers: { "x-agent": "7", "x-session": "Ω;=", "x-plain": "p" },
      },
      {
        ours,
        settings: {
          tenant: "acme",
          officeCode: 12,
          channelCode: "WEB",
          brokerCode: "B-1",
          node: "n 1",
        },
      },
    );
    const area = encodeURIComponent('{"city":"Athens","code":9007199254740993}');
    expect(sent).toEqual([
      {
        method: "GET",
        path: `/v2/acme/claims/C%2F1/12?id=1%7C2&tags=a%20b&words=one&words=two&from=2026&to=2027&where=${area}&f%5Ba%5D=x&f%5Bb%5D=y&p=%26&channel=WEB&v=2`,
        headers: {
          accept: ACCEPT,
          "agent-code": "7",
          "x-plain": "p",
          cookie: "session=%CE%A9%3B%3D; affinity=n%201",
          "x-broker": "B-1",
          "x-api": "1",
        },
        acts: false,
      },
    ]);
  });

  it("the adapter sends parameters whose names are members of every JavaScript object", async () => {
    const { sent } = await callPublished(
      readClaim,
      { params, query: { constructor: "2" }, headers: { constructor: "3" } },
      { ours: { settings: { query: { a: "valueOf" }, headers: { b: "toString" } } } },
    );
    expect(sent).toMatchObject([
      {
        path: "/claims/C%2F1?constructor=2",
        headers: { accept: ACCEPT, constructor: "3" },
      },
    ]);
    expect(sent[0]?.headers).not.toHaveProperty("cookie");
  });

  it.each<[string, PublishedCall, Partial<CheckedInput>, string, string]>([
    [
      "a list item with the character that separates the items",
      { query: { ids: { style: "pipes" } } },
      { params, query: { ids: ["1", "2|3"] } },
      "/query/ids",
      "must not have an item with the character that separates items at the insurer",
    ],
    [
      "a list item with the space that separates the items",
      { query: { tags: { style: "spaces" } } },
      { params, query: { tags: ["a b"] } },
      "/query/tags",
      "must not have an item with the character that separates items at the insurer",
    ],
    [
      "a path value with the text that separates it from the next value",
      { path: "/claims/{claimId}...{tenant}" },
      { params: { claimId: "a...b" } },
      "/path/claimId",
      "must not have the characters that separate values at the insurer",
    ],
  ])("the adapter does not send a request with %s", async (_, ours, input, pointer, message) => {
    const { answer, sent } = await callPublished(readClaim, input, {
      ours,
      settings: { tenant: "acme" },
    });
    expect(sent).toEqual([]);
    expect(answer).toEqual({ type: "unsendable", faults: [{ pointer, code: "VALUE", message }] });
  });

  it.each([
    [{ tenant: "a...b" }, {}, "/settings/tenant"],
    [{ code: "a...b" }, { settings: { path: { tenant: "code" } } }, "/settings/code"],
  ])(
    "the error for an operator's setting that would change the request's path names the setting: %j",
    async (settings, more, place) => {
      const ours = { path: "/claims/{tenant}...{claimId}", ...more };
      await expect(callPublished(readClaim, { params }, { ours, settings })).rejects.toMatchObject({
        name: "UnsendableError",
        place,
      });
    },
  );

  it("a call fails if the operator's configuration has no setting for a parameter of the insurer's path", async () => {
    const ours = { path: "/claims/{claimId}/{tenant}" };
    await expect(callPublished(readClaim, { params }, { ours })).rejects.toThrow(
      "The path parameter tenant is missing or leads to another path",
    );
  });
});

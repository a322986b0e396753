import { lookup } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { type Adapter, endpointsOf, joinedAdapter, jsonDialect } from "../src/index.ts";
import { callOffline } from "./harness/call-offline.ts";
import { providerWith } from "./harness/declarations.ts";

const [one, two] = ["/one", "/two"].map((path) =>
  lookup<{ response: object }>({
    provider: "provider-m",
    path,
    response: { 200: loose<object>({}) },
  }),
) as [ReturnType<typeof lookup>, ReturnType<typeof lookup>];
const provider = providerWith({ one, two });
const ofOne = endpointsOf(provider, "one");
const ofTwo = endpointsOf(provider, "two");
const call = { method: "GET", path: "/" } as const;
const first = jsonDialect(ofOne, { failures: [], calls: { one: { ...call, path: "/first" } } });
const second = jsonDialect(ofTwo, { failures: [], calls: { two: { ...call, path: "/second" } } });

describe("an adapter that joins several dialects", () => {
  it("an adapter of several dialects calls each endpoint in the dialect that supports the endpoint", async () => {
    const joined = joinedAdapter(provider, [first, second]);
    const calls = [one, two].map(
      async (endpoint) => (await callOffline(joined, endpoint, {})).sent,
    );
    expect(await Promise.all(calls)).toMatchObject([[{ path: "/first" }], [{ path: "/second" }]]);
  });

  const unnamed: Adapter = {
    ...second,
    failures: [{ status: 404, code: "RESOURCE_NOT_FOUND", outcome: "rejected", why: "test" }],
  };
  const refusing = (adapter: Adapter): Adapter => ({
    ...adapter,
    failures: unnamed.failures.map((row) => ({ ...row, media: "application/json" })),
  });
  const login: Adapter["login"] = async () => ({ headers: null, expiresInSeconds: null });
  it.each<[string, readonly Adapter[], string]>([
    ["no dialect supports an endpoint", [first], "no dialect supports two"],
    [
      "two dialects support an endpoint",
      [first, second, { ...first }],
      "several dialects support one",
    ],
    ["a row of `failures` has no media type", [first, unnamed], "each row of `failures`"],
    [
      "two dialects have `failures` of the same media type",
      [refusing(first), refusing(second)],
      "one media type",
    ],
    [
      "two dialects have a login",
      [
        { ...first, login },
        { ...second, login },
      ],
      "only one dialect can have `login`",
    ],
  ])("several dialects cannot be joined in one adapter if %s", (_, adapters, fault) => {
    expect(() => joinedAdapter(provider, adapters)).toThrow(fault);
  });
});

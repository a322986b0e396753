import { describe, expect, it } from "vitest";
import type { ProviderHistory, ProviderStatus } from "../src/index.ts";
import { connect } from "./harness/connect.ts";
import { failureOf } from "./harness/failure.ts";
import { json, problem } from "./harness/replies.ts";
import { scriptedServer } from "./harness/scripted-server.ts";

const at = "2026-11-22T14:30:00.000Z";
const up: ProviderStatus = {
  segment: "motor",
  provider: "provider-m",
  state: "up",
  maintenance: [
    { from: "2026-12-05T20:00:00.000Z", to: "2026-12-06T02:00:00.000Z", note: "New system" },
  ],
};
const history: ProviderHistory = {
  ...up,
  days: [
    { day: "2026-11-22", availability: 0.9987 },
    { day: "2026-11-21", availability: null },
  ],
  at,
};

describe("asking how available insurers are", () => {
  it("is one request to the gateway itself, below its path prefix", async () => {
    const server = await scriptedServer(json({ items: [up], at }), json(history));
    const gateway = connect(`${server.address}/insurance`, { segments: { "": "other" } });
    expect(await gateway.providers()).toEqual({ items: [up], at });
    expect(await gateway.providerStatus("motor")).toEqual(history);
    expect(server.arrivals).toMatchObject([
      { method: "GET", target: "/insurance/providers" },
      { method: "GET", target: "/insurance/providers/motor/status" },
    ]);
  });

  it.each<[string, object]>([
    ["a state that this version does not know", { state: "asleep", region: "x" }],
    ["days that the gateway cannot read", { days: null }],
    ["a window without a note", { maintenance: [{ ...up.maintenance[0], note: null }] }],
  ])("gives %s", async (_, parts) => {
    const server = await scriptedServer(json({ ...history, ...parts }));
    expect(await connect(server.address).providerStatus("motor")).toEqual({ ...history, ...parts });
  });

  const window = { from: at, to: at, note: null };
  const day = { day: "2026-11-22", availability: 1 };
  const items = (change: object): object => ({ items: [up, { ...up, ...change }], at });
  it.each<[string, unknown, readonly string[]]>([
    ["a list", [], ["/items", "/at"]],
    ["an object instead of the items", { items: {}, at }, ["/items"]],
    ["null as an item", { items: [null], at }, ["/items"]],
    ["an item without a state", items({ state: undefined }), ["/items"]],
    ["an item without a segment", items({ segment: undefined }), ["/items"]],
    ["an item without a provider", items({ provider: 7 }), ["/items"]],
    ["an item without windows", items({ maintenance: null }), ["/items"]],
    ["a window without an end", items({ maintenance: [{ from: at, note: null }] }), ["/items"]],
    ["a window without a beginning", items({ maintenance: [{ ...window, from: "" }] }), ["/items"]],
    ["a window without a note", items({ maintenance: [{ from: at, to: at }] }), ["/items"]],
    ["no instant", { items: [], at: "now" }, ["/at"]],
    ["an instant with more behind it", { items: [], at: `${at}Z` }, ["/at"]],
  ])("refuses an answer that is or has %s", async (_, answer, pointers) => {
    const server = await scriptedServer(json(answer));
    expect(await failureOf(connect(server.address).providers())).toMatchObject({
      name: "ResponseInvalidError",
      errors: pointers.map((pointer) => ({ pointer, message: expect.any(String) })),
    });
  });

  it.each<[string, object, readonly string[]]>([
    ["a day without a date", { days: [day, { ...day, day: 5 }] }, ["/days"]],
    ["a day without a share", { days: [{ day: "2026-11-22" }] }, ["/days"]],
    ["no days", { days: {} }, ["/days"]],
    [
      "wrong fields",
      { segment: 1, provider: 2, state: 3, maintenance: 4, at: 5 },
      ["/segment", "/provider", "/state", "/maintenance", "/at"],
    ],
  ])("refuses the state of one insurer with %s", async (_, change, pointers) => {
    const server = await scriptedServer(json({ ...history, ...change }));
    expect(await failureOf(connect(server.address).providerStatus("motor"))).toMatchObject({
      errors: pointers.map((pointer) => ({ pointer, message: expect.any(String) })),
    });
  });

  it("of a segment that there is not is a problem like any other", async () => {
    const server = await scriptedServer(
      problem({ status: 404, code: "NOT_FOUND", retry: "never" }),
    );
    const failure = await failureOf(connect(server.address).providerStatus("none"));
    expect(failure).toMatchObject({ name: "ProblemError", code: "NOT_FOUND" });
  });

  it("needs a segment", async () => {
    const failure = await failureOf(connect("http://127.0.0.1:1").providerStatus(""));
    expect(failure).toMatchObject({ name: "RequestInvalidError" });
  });
});

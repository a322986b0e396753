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

  it.each<[string, unknown, string]>([
    ["a list", [], "/items"],
    ["an item without a state", { items: [{ ...up, state: undefined }], at }, "/items"],
    ["a window without an end", { items: [{ ...up, maintenance: [{ from: at }] }], at }, "/items"],
    ["no instant", { items: [], at: "now" }, "/at"],
  ])("refuses an answer that is or has %s", async (_, answer, pointer) => {
    const server = await scriptedServer(json(answer));
    expect(await failureOf(connect(server.address).providers())).toMatchObject({
      name: "ResponseInvalidError",
      errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
    });
  });

  it("refuses a day that is none", async () => {
    const server = await scriptedServer(json({ ...history, days: [{ day: 5 }] }));
    expect(await failureOf(connect(server.address).providerStatus("motor"))).toMatchObject({
      errors: [expect.objectContaining({ pointer: "/days" })],
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

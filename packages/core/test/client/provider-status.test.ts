import { describe, expect, it } from "vitest";
import type { ProviderHistory, ProviderStatus } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { failureOf } from "../harness/failure.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { json, problem } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

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

describe("the availability of insurers", () => {
  it("the client requests the availability of insurers from the gateway itself, below the path prefix of the base address", async () => {
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
    ["`null` instead of the daily values", { days: null }],
    [
      "a maintenance window without a note",
      { maintenance: [{ ...up.maintenance[0], note: null }] },
    ],
  ])("the client accepts an insurer's availability with %s", async (_, parts) => {
    const server = await scriptedServer(json({ ...history, ...parts }));
    expect(await connect(server.address).providerStatus("motor")).toEqual({ ...history, ...parts });
  });

  it("the client reports each fault if the gateway's list of insurers does not match the declared schema", async () => {
    const items = [
      up,
      { ...up, state: undefined, maintenance: [{ from: "", to: at }] },
      { ...up, provider: 7 },
    ];
    const server = await scriptedServer(json({ items, at: `${at}Z` }));
    expect(await failureOf(connect(server.address).providers())).toMatchObject({
      name: "ResponseInvalidError",
      errors: [
        "/items/1/state",
        "/items/1/maintenance/0/from",
        "/items/1/maintenance/0/note",
        "/items/2/provider",
        "/at",
      ].map((pointer) => ({ pointer, message: expect.any(String) })),
    });
  });

  it("the client reports each fault if the availability of one insurer does not match the declared schema", async () => {
    const days = [{ day: 5, availability: 1 }, { day: "2026-11-22" }];
    const server = await scriptedServer(json({ ...history, days, segment: 1 }));
    expect(await failureOf(connect(server.address).providerStatus("motor"))).toMatchObject({
      errors: ["/segment", "/days/0/day", "/days/1/availability"].map((pointer) => ({ pointer })),
    });
  });

  it("the client throws the gateway's problem if an insurer's availability is requested with a path segment that the gateway does not have", async () => {
    const server = await scriptedServer(
      problem({ status: 404, code: "NOT_FOUND", retry: "never" }),
    );
    const failure = await failureOf(connect(server.address).providerStatus("none"));
    expect(failure).toMatchObject({ name: "ProblemError", code: "NOT_FOUND" });
  });

  it("the client refuses to request an insurer's availability with an empty path segment", async () => {
    const failure = await failureOf(connect(NOBODY_LISTENS).providerStatus(""));
    expect(failure).toMatchObject({ name: "RequestInvalidError" });
  });
});

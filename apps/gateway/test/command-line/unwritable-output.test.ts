import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEVELOPMENT_ISSUER } from "../../src/authentication/development-issuer.ts";
import { takeOrders } from "../../src/reload/control.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { keep, sampleSubmission } from "../harness/store-samples.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
const gone = Object.assign(new Error("broken pipe"), { code: "EPIPE" });

let insurer: Insurer;
let place: StoreFolder;
let stopOrders: () => Promise<void>;
const id = randomUUID();
beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [], start: 1, limit: 20, total: 0 }));
  place = await makeStoreFolder({
    providers: [insurerConfiguration("d", insurer.baseUrl)],
    connections: { claim: "broker", keptIn: "store" },
  });
  await keep(place.store, "needs_review", sampleSubmission({ id, segment: "provider-d" }));
  stopOrders = await takeOrders(
    join(place.folder.path, "data"),
    {
      reload: async () => ({ result: "unchanged" }),
      dropLookups: async () => ({ dropped: 1 }),
    },
    { warn: () => {} },
  );
});
afterAll(async () => {
  await stopOrders();
  await place.remove();
  await insurer.close();
});

const credentials = { type: "apiKey", header: "x-key", value: "k" };
const connection = {
  id: "n-1",
  segment: "provider-d",
  tenant: { issuer: DEVELOPMENT_ISSUER, name: "north" },
  credentials,
};

describe("a command whose output cannot be written fails, and says so", () => {
  it.each<[string, unknown?]>([
    ["token"],
    ["providers"],
    ["providers --json"],
    ["routes"],
    ["routes --json"],
    ["openapi"],
    ["openapi provider-d"],
    ["collections"],
    ["reload"],
    ["lookups drop"],
    ["usage"],
    ["usage --format json"],
    ["submissions list"],
    ["submissions list --json"],
    ["submissions list --state in_flight"],
    [`submissions show ${id}`],
    [`submissions settle ${id} --as failed --by M --why w`],
    // It has been settled by the command before, although that could not say so.
    [`submissions reconcile ${id}`],
    ["connections list"],
    ["connections add", connection],
    ["connections list"],
    ["connections list --json"],
    ["connections rotate n-1", { credentials }],
    ["connections verify n-1"],
    ["connections verify n-1 --json"],
    ["connections remove n-1"],
    ["drift --from ADDRESS"],
    ["drift --from ADDRESS --json"],
    ["answers --from ADDRESS"],
    ["answers --from ADDRESS --json"],
    ["answers --from ADDRESS --rows"],
  ])("%s", async (words, given = "") => {
    insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0, complete: true });
    const parameters = words.replace("ADDRESS", insurer.baseUrl).split(" ");
    const input = JSON.stringify(given);
    expect(await place.run(parameters, { input, outputError: full })).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: "standard output cannot be written (ENOSPC)\n",
    });
  });
});

describe("a command whose reader has read enough, as `head` does, has not failed", () => {
  it.each([["usage"], ["usage --format json"], ["providers"], ["submissions list"]])(
    "%s",
    async (words) => {
      expect(await place.run(words.split(" "), { outputError: gone })).toEqual({
        code: 0,
        signal: null,
        stdout: "",
        stderr: "",
      });
    },
  );
});

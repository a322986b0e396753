import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  acceptCommands,
  DEVELOPMENT_ISSUER,
  type Insurer,
  insurerConfiguration,
  json,
  keep,
  sampleSubmission,
  startInsurer,
} from "./gateway.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
const gone = Object.assign(new Error("broken pipe"), { code: "EPIPE" });

let insurer: Insurer;
let place: StoreFolder;
let stopOrders: () => Promise<void>;
/** Two submissions that need a review, and a concluded submission. */
const [shown, settled, ended] = [
  "0192f2a0-0000-4000-8000-000000000001",
  "0192f2a0-0000-4000-8000-000000000002",
  "0192f2a0-0000-4000-8000-000000000003",
] as const;
beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [], start: 1, limit: 20, total: 0 }));
  place = await makeStoreFolder({
    providers: [insurerConfiguration("d", insurer.baseUrl)],
    accounts: { claim: "broker" },
  });
  for (const [id, state] of [
    [shown, "needs_review"],
    [settled, "needs_review"],
    [ended, "failed"],
  ] as const)
    await keep(place.store, state, sampleSubmission({ id, segment: "provider-d" }));
  stopOrders = await acceptCommands(
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
/** Creates an account of a new tenant. */
function newAccount(): {
  readonly id: string;
  readonly segment: string;
  readonly tenant: object;
  readonly credentials: object;
} {
  const id = `n-${randomUUID()}`;
  const tenant = { issuer: DEVELOPMENT_ISSUER, name: id };
  return { id, segment: "provider-d", tenant, credentials };
}

/** Expects that a command fails and reports that the command's output cannot be written. */
async function expectFailure(words: string, given: unknown = ""): Promise<void> {
  insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0, complete: true });
  const parameters = words.replace("ADDRESS", insurer.baseUrl).split(" ");
  const input = JSON.stringify(given);
  expect(await place.run(parameters, { input, outputError: full })).toEqual({
    code: 1,
    signal: null,
    stdout: "",
    stderr: "standard output cannot be written (ENOSPC)\n",
  });
}

describe("a command whose output cannot be written", () => {
  it.each([
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
    [`submissions show ${shown}`],
    [`submissions resolve ${settled} --as failed --by M --why w`],
    [`submissions reconcile ${ended}`],
    ["drift --from ADDRESS"],
    ["drift --from ADDRESS --json"],
    ["answers --from ADDRESS"],
    ["answers --from ADDRESS --json"],
    ["answers --from ADDRESS --rows"],
  ])("a command fails if the command's output cannot be written: %s", (words) =>
    expectFailure(words),
  );

  it("the command `accounts set` fails if the command's output cannot be written", () =>
    expectFailure("accounts set", newAccount()));

  it.each<[string, unknown?]>([
    ["accounts list"],
    ["accounts list --json"],
    ["accounts verify ID"],
    ["accounts verify ID --json"],
    ["accounts remove ID"],
  ])(
    "a command for an account in the store fails if the command's output cannot be written: %s",
    async (words, given) => {
      const account = newAccount();
      const input = JSON.stringify(account);
      expect(await place.run(["accounts", "set"], { input })).toMatchObject({ code: 0 });
      await expectFailure(words.replace("ID", account.id), given);
    },
  );
});

describe("a command whose output is not read to the end", () => {
  it.each([["usage"], ["usage --format json"], ["providers"], ["submissions list"]])(
    "a command does not fail if the program that reads the command's output has ended: %s",
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

import { randomBytes } from "node:crypto";
import { declared } from "@insurance-gateway/adapter";
import type { Provider } from "@insurance-gateway/core/contract";
import { strict, text } from "@insurance-gateway/core/schema";
import { providerD } from "@insurance-gateway/provider-d";
import { generate } from "selfsigned";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountAdministration,
  AccountError,
  createAdministration,
} from "../../src/accounts/administration.ts";
import type { AccountProvider } from "../../src/configuration/file-accounts.ts";
import { examine } from "../../src/configuration/load.ts";
import type { AccountChange } from "../../src/store/account-rows.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { makeStoreFolder } from "../harness/store-places.ts";
import { keep, sampleSubmission } from "../harness/store-samples.ts";

const ISSUER = "https://login.example";
const NOW = Date.parse("2026-11-24T12:00:00Z");

/** A provider as a configuration has it. */
function provided(
  segment: string,
  upstream: unknown,
  { settings, provider = providerD }: { settings?: object; provider?: Provider } = {},
): AccountProvider {
  const providers = [{ package: `package-${segment}`, upstream, settings }];
  const content = JSON.stringify({ providers });
  const { configuration } = examine({}, "/", { read: () => ({ text: content }) });
  const [configured] = configuration?.providers ?? [];
  if (configured === undefined) throw new TypeError("The configuration is wrong");
  return { adapter: declared, provider, segment, settings: configured };
}

const upstream = { baseUrl: "https://insurer.example" };
const asking: Provider = {
  ...providerD,
  settings: strict<{ agency: string; channel: string }>({ agency: text(9), channel: text(9) }),
};
const installed = [
  provided("plain", upstream),
  provided("simulated", "sandbox"),
  provided("asking", upstream, { provider: asking, settings: { channel: "web" } }),
];

let store: SubmissionStore;
let remove: () => Promise<void>;
let administration: AccountAdministration;
let now = NOW;
const changes: AccountChange[] = [];
/** Who changes accounts. */
const BY = "anna (127.0.0.1)";
beforeAll(async () => {
  const folder = makeStoreFolder();
  store = await openSqliteStore({ file: folder.file, mode: "serve" });
  administration = createAdministration({
    store,
    encryption: createEncryption([{ id: "one", secret: randomBytes(32) }]),
    installed,
    issuers: [ISSUER],
    readSecret: (secret) => ("value" in secret ? secret.value : ""),
    now: () => now,
    isProduction: true,
    changed: (change) => changes.push(change),
  });
  remove = async () => {
    await store.close();
    folder.remove();
  };
});
afterAll(() => remove());
beforeEach(() => {
  now = NOW;
});

const none = { type: "none" };
const given = (id: string, more: object = {}): object => ({
  id,
  tenant: { issuer: ISSUER, name: id },
  segment: "plain",
  credentials: none,
  ...more,
});

/** Why a change is not made: the kind of fault, and the details. */
async function faultOf(change: Promise<unknown>): Promise<unknown> {
  const error: unknown = await change.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AccountError ? [error.fault, error.details, error.message] : error;
}

const invalid = (...details: readonly string[]): unknown => [
  "invalid",
  details,
  details.join("\n"),
];

describe("an account of the store", () => {
  it("is added, changed, listed by its id, and removed", async () => {
    const { cert, private: key } = await generate([{ name: "commonName", value: "gateway" }], {
      notAfterDate: new Date("2027-03-01T00:00:00Z"),
    });
    const credentials = [
      { type: "apiKey", header: "x-key", value: "k", expires: "2027-05-01" },
      { type: "bearer", token: "t", expires: "2027-04-01" },
    ];
    const client = {
      type: "oauth2",
      tokenUrl: "https://login.example/token",
      clientId: "c",
      clientSecret: "s",
      tls: { client: { certificate: cert, key } },
    };
    const first = {
      id: "b-1",
      segment: "plain",
      tenant: { issuer: ISSUER, name: "b-1" },
      quotas: { requestsPerDay: 7 },
      expiresAt: "2027-04-01T00:00:00.000Z",
      addedAt: "2026-11-24T12:00:00.000Z",
      changedAt: "2026-11-24T12:00:00.000Z",
    };
    const quotas = { requestsPerDay: 7 };
    expect(await administration.add(given("b-1", { credentials, quotas }), BY)).toEqual(first);
    now += 1_000;
    await administration.add(given("a-1", { quotas: { submissionsPerDay: 3 } }), BY);
    await administration.add(given("c-1", { credentials: client }), BY);
    const listed = async (): Promise<readonly unknown[]> =>
      (await administration.list()).map(({ changedAt, expiresAt, id, quotas: own }) => [
        id,
        own,
        expiresAt,
        changedAt,
      ]);
    const second = "2026-11-24T12:00:01.000Z";
    expect(await listed()).toEqual([
      ["a-1", { submissionsPerDay: 3 }, null, second],
      ["b-1", quotas, first.expiresAt, first.changedAt],
      ["c-1", {}, "2027-03-01T00:00:00.000Z", second],
    ]);
    now += 1_000;
    // Without quotas they stay; with {} there are none.
    await administration.rotate("b-1", { credentials: none }, BY);
    await administration.rotate("a-1", { credentials: none, quotas: {} }, BY);
    await administration.remove("c-1", BY);
    const third = "2026-11-24T12:00:02.000Z";
    expect(await listed()).toEqual([
      ["a-1", {}, null, third],
      ["b-1", quotas, null, third],
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ["another form", { id: "no id", colour: 1 }, []],
    [
      "an unknown issuer",
      { tenant: { issuer: "https://x.example", name: "x" } },
      ["tenant.issuer: is none of the issuers of the configuration"],
    ],
    [
      "an unknown segment",
      { segment: "nowhere" },
      ["segment: is no segment of a provider of the configuration"],
    ],
    [
      "no credentials",
      { credentials: undefined },
      ['credentials: must be set; { "type": "none" } where the insurer asks for none'],
    ],
    [
      "credentials for a simulated insurer",
      { segment: "simulated" },
      ["credentials: are not for a simulated insurer, which has its own"],
    ],
    [
      "a login that the adapter cannot make",
      {
        credentials: [
          { type: "login", username: "u", password: "p" },
          { type: "apiKey", header: "x-key", value: "k" },
        ],
      },
      ["credentials: package-plain has no adapter that logs in"],
    ],
    [
      "settings that the provider does not take",
      { settings: { agency: "a" } },
      ["settings: this provider takes none"],
    ],
    [
      "a tenant's name that looks like another",
      { tenant: { issuer: ISSUER, name: "x-1\u200b" } },
      ["tenant.name: must have no invisible characters, and no white space at its ends"],
    ],
    ["no settings where they are needed", { segment: "asking" }, ["settings.agency: is required"]],
    [
      "wrong settings",
      { segment: "asking", settings: { channel: "too long for it", colour: 1 } },
      [
        "settings.colour: is not known here",
        "settings.agency: is required",
        "settings.channel: must have at most 9 characters",
      ],
    ],
    [
      "a secret that no header can carry",
      {
        credentials: { type: "bearer", token: "κλειδί" },
      },
      ["credentials.token: has characters a header cannot carry"],
    ],
  ])("is not added with %s", async (_, more, details) => {
    const fault = await faultOf(administration.add(given("x-1", more), BY));
    expect(fault).toEqual(
      details.length > 0
        ? invalid(...details)
        : invalid(
            "id: must be 1 to 64 letters, digits and . _ -, and begin with a letter or digit",
            "colour: is not known",
          ),
    );
    expect(JSON.stringify(fault)).not.toMatch(/κλειδί|too long for it/);
  });

  it("completes the settings of its provider, and needs none for a simulated insurer", async () => {
    await administration.add(given("s-1", { segment: "simulated", credentials: undefined }), BY);
    await administration.add(given("s-2", { segment: "asking", settings: { agency: "a" } }), BY);
    expect(await faultOf(administration.rotate("s-2", { credentials: none }, BY))).toEqual(
      invalid("settings.agency: is required"),
    );
    expect(await faultOf(administration.rotate("s-2", { colour: 1 }, BY))).toEqual(
      invalid("colour: is not known"),
    );
  });

  it("is nobody else's, and is not removed while its submissions have no outcome", async () => {
    await administration.add(given("t-1"), BY);
    const conflict = (detail: string): unknown => ["conflict", [detail], detail];
    expect(
      await faultOf(administration.add(given("t-1", { segment: "asking" }), BY)),
    ).not.toBeNull();
    const tenant = { issuer: ISSUER, name: "other" };
    expect(await faultOf(administration.add(given("t-1", { tenant }), BY))).toEqual(
      conflict("id: another account has it, or had it before"),
    );
    const same = { tenant: { issuer: ISSUER, name: "t-1" } };
    expect(await faultOf(administration.add(given("t-2", same), BY))).toEqual(
      conflict("tenant: has another account to this provider"),
    );
    const open = sampleSubmission({ segment: "plain", account: "t-1" });
    await keep(store, "outcome_unknown", open);
    expect(await faultOf(administration.remove("t-1", BY))).toEqual(
      conflict(
        "t-1: submissions that it sent have no outcome yet; only its credentials can find out",
      ),
    );
    const absent = [
      "not_found",
      ["t-9: there is no such account"],
      "t-9: there is no such account",
    ];
    expect(await faultOf(administration.remove("t-9", BY))).toEqual(absent);
    expect(await faultOf(administration.rotate("t-9", { credentials: none }, BY))).toEqual(absent);
  });
});

it("every change is recorded with its author, and none that was refused", async () => {
  const credentials = { type: "none" };
  changes.length = 0;
  await administration.add(given("w-1", { tenant: { issuer: ISSUER, name: "w" } }), BY);
  await administration.rotate("w-1", { credentials }, "ben");
  await administration.remove("w-1", BY);
  await faultOf(administration.remove("w-1", BY));
  await faultOf(administration.add(given("w-1"), BY));
  const made = [
    { at: now, by: BY, account: "w-1", action: "added" },
    { at: now, by: "ben", account: "w-1", action: "rotated" },
    { at: now, by: BY, account: "w-1", action: "removed" },
  ];
  expect(changes).toEqual(made);
  expect(await administration.changes(3)).toEqual(made.toReversed());
});

it("a token server over plain http is refused in production, as in the file", async () => {
  const credentials = {
    type: "oauth2",
    tokenUrl: "http://login.example/token",
    clientId: "id",
    clientSecret: "secret",
  };
  const fault = "credentials.tokenUrl: must be https: a secret and tokens cross it";
  expect(await faultOf(administration.add(given("h-1", { credentials }), BY))).toEqual([
    "invalid",
    [fault],
    fault,
  ]);
  const tenant = { issuer: ISSUER, name: "h" };
  await administration.add(given("h-2", { tenant }), BY);
  expect(await faultOf(administration.rotate("h-2", { credentials }, BY))).toEqual([
    "invalid",
    [fault],
    fault,
  ]);
});

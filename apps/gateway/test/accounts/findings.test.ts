import { lookup, read, submission } from "@insurance-gateway/core/contract";
import {
  INTERNAL_ERROR_DETAIL,
  Refusal,
  type RefusalDetails,
} from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import { TransportError } from "@insurance-gateway/core/transport";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import {
  defaultAccountsOf,
  type Verification,
  type VerifyParts,
  verifyAccounts,
} from "../../src/operator/verification/verify-accounts.ts";

const provider = "provider-x";
const response = { 200: loose<{ id: string }>({ id: z.string() }) };
const endpoints = {
  createThing: submission<{ response: { id: string } }>({ provider, path: "/things", response }),
  readThing: read<{ response: { id: string } }>({ provider, path: "/thing", response }),
  listThings: lookup<{ response: { id: string } }>({ provider, path: "/things", response }),
};
const declared = { id: provider, contract: 2, name: "X", lines: ["motor"], endpoints } as const;
const installed = [
  { provider: declared, segment: "x", folder: "/nowhere" },
  {
    provider: { ...declared, endpoints: { createThing: endpoints.createThing } },
    segment: "acts",
    folder: "/nowhere",
  },
];

/** Returns the arguments of a verification in which every trial call has the result of the given function. */
function parts(
  accounts: VerifyParts["accounts"],
  call: (account: string) => Promise<unknown>,
): VerifyParts {
  const upstream = {
    call: (_endpoint: unknown, { account }: { account: string }) => call(account),
  };
  const upstreams = new Map(installed.map(({ segment }) => [segment, upstream]));
  // The verification uses only the function `call` of these objects.
  return { accounts, installed, upstreams: upstreams as unknown as VerifyParts["upstreams"] };
}

/** Yields one byte of a document, then fails. */
async function* breakingOff(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1);
  throw new TransportError("body", "failed");
}

const account = { id: "north", segment: "x", tenant: { issuer: "i", name: "north" } };

async function verificationOf(call: () => Promise<unknown>): Promise<Verification | undefined> {
  const clock = [1_000, 1_007.6];
  vi.spyOn(performance, "now").mockImplementation(() => clock.shift() ?? 0);
  const [found] = await verifyAccounts(parts([account], call));
  return found;
}
afterEach(() => void vi.restoreAllMocks());

const detail = "What happened.";
const refusal =
  (code: Refusal["code"], more: Partial<RefusalDetails> = {}) =>
  (): Promise<never> =>
    Promise.reject(new Refusal(code, { detail, ...more }));

describe("a trial call of an account", () => {
  it.each<[string, () => Promise<unknown>, Partial<Verification>]>([
    [
      "`usable` if the insurer answers",
      () => Promise.resolve({ content: "{}" }),
      { state: "usable", code: null, detail: null },
    ],
    [
      "`usable` if the insurer rejects the trial call",
      refusal("PROVIDER_REJECTED", { attempt: "answered" }),
      { state: "usable", code: "PROVIDER_REJECTED" },
    ],
    [
      "`unusable` if the insurer is overloaded",
      refusal("PROVIDER_UNAVAILABLE", { attempt: "answered" }),
      { state: "unusable", code: "PROVIDER_UNAVAILABLE" },
    ],
    [
      "`unusable` if the insurer refuses the credentials",
      refusal("PROVIDER_AUTH_FAILED", { attempt: "credentials_refused" }),
      { state: "unusable", code: "PROVIDER_AUTH_FAILED" },
    ],
    [
      "`unusable` if the gateway cannot use the answer",
      refusal("PROVIDER_BAD_RESPONSE", { attempt: "unusable" }),
      { state: "unusable", code: "PROVIDER_BAD_RESPONSE" },
    ],
    [
      "`unusable` if the gateway cannot send the trial call",
      refusal("PROVIDER_UNREACHABLE"),
      { state: "unusable", code: "PROVIDER_UNREACHABLE" },
    ],
    [
      "`busy` if the gateway is overloaded",
      refusal("OVERLOADED"),
      { state: "busy", code: "OVERLOADED" },
    ],
    [
      "`busy` if no slot for the insurer is free",
      refusal("PROVIDER_UNAVAILABLE", { reason: "bulkhead" }),
      { state: "busy", code: "PROVIDER_UNAVAILABLE" },
    ],
    [
      "`unusable` if the document breaks off",
      () => Promise.resolve({ content: breakingOff() }),
      {
        state: "unusable",
        code: "PROVIDER_BAD_RESPONSE",
        detail: "The insurer's document broke off.",
      },
    ],
    [
      "`unusable` if the gateway fails internally",
      () => Promise.reject(new TypeError("wrong")),
      { state: "unusable", code: "INTERNAL_ERROR", detail: INTERNAL_ERROR_DETAIL },
    ],
  ])("the verification of an account reports the account as %s", async (_, call, found) => {
    const called = { ...account, endpoint: "listThings", latencyMs: 8 };
    expect(await verificationOf(call)).toEqual({ ...called, detail, ...found });
  });
});

it("the verification of accounts makes eight trial calls at a time, and returns the results in the accounts' order", async () => {
  const accounts = [
    ...Array.from({ length: 20 }, (_, index) => ({ ...account, id: `c-${index}` })),
    ...defaultAccountsOf([{ segment: "acts" }, { segment: "unknown" }]),
  ];
  let [running, most] = [0, 0];
  const shown: string[] = [];
  const found = await verifyAccounts({
    ...parts(accounts, async (id) => {
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < 20 - Number(id.slice(2)); turn += 1) await Promise.resolve();
      running -= 1;
      return { content: "{}" };
    }),
    progress: (done, of) => void shown.push(`${done}/${of}`),
  });
  expect(most).toBe(8);
  expect(shown).toEqual(accounts.map((_, index) => `${index + 1}/22`));
  expect(found.map(({ id }) => id)).toEqual(accounts.map(({ id }) => id));
  expect(found.slice(20)).toMatchObject([
    { id: "default", segment: "acts", tenant: null, state: "untriable", endpoint: null },
    { id: "default", segment: "unknown", tenant: null, state: "untriable", endpoint: null },
  ]);
});

import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDigests } from "../../src/submissions/identity.ts";
import { applicationBody, createApplicationsInsurer } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { type KeyPair, makeKeyPair } from "../harness/signing.ts";
import { startKeyServer } from "../harness/token-gateway.ts";
import { installRenewals } from "./renewals.ts";

/** Parts in which two requests with the same key, or two requests without a key, may differ. */
const dimensions = ["issuer", "subject", "segment", "endpoint", "content"] as const;
type Dimension = (typeof dimensions)[number];

/** Every combination of the parts in which two requests may differ. */
const differences: readonly (readonly Dimension[])[] = Array.from(
  { length: 2 ** dimensions.length },
  (_, number) => dimensions.filter((_, index) => (number >> index) % 2 === 1),
);

const issuers = ["https://one.example", "https://two.example"];
let gateway: GatewayInProcess;
let insurer: Insurer;
let keyServer: Insurer;
let pair: KeyPair;

beforeAll(async () => {
  pair = makeKeyPair("rsa", { kid: "rsa-1" });
  keyServer = await startKeyServer([pair.jwk]);
  const applications = createApplicationsInsurer();
  insurer = await startInsurer((response, arrival) => {
    const { body, status } = applications.execute({ ...arrival, query: "" });
    json(status, body ?? "")(response, arrival);
  });
  const folder = makeGatewayFolder();
  const renewals = installRenewals(folder);
  const { upstream } = insurerConfiguration("d", insurer.baseUrl);
  const configuration = {
    issuers: issuers.map((issuer) => issuerConfiguration(`${keyServer.baseUrl}/jwks`, { issuer })),
    providers: ["motor", "fleet"].map((segment) => ({ package: renewals, segment, upstream })),
    reference: { served: false },
  };
  gateway = await startInProcess(configuration, {}, { folder });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
  await keyServer.close();
});

/** Sends a request that differs from the first request in the given parts. */
function send(
  different: readonly Dimension[],
  contents: readonly [object, object],
  key: string | null,
): Promise<Response> {
  const choose = <Value>(dimension: Dimension, [one, other]: readonly [Value, Value]): Value =>
    different.includes(dimension) ? other : one;
  const token = makeToken(pair, {
    claims: {
      iss: choose("issuer", ["https://one.example", "https://two.example"]),
      sub: choose("subject", ["broker one", "broker two"]),
    },
  });
  const segment = choose("segment", ["motor", "fleet"]);
  const path = choose("endpoint", ["applications", "renewals"]);
  return fetch(`${gateway.address}/${segment}/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key === null ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify(choose("content", contents)),
  });
}

/** Returns the result of the second request: sent as a separate submission, replayed or refused. */
async function secondOf(
  different: readonly Dimension[],
  key: string | null,
  secondKey = key,
): Promise<string> {
  const afm = String(randomInt(100_000_000, 999_999_999));
  const contents = [applicationBody(afm), applicationBody(afm, "ΑΒΓ-9999")] as const;
  expect((await send([], contents, key)).status).toBe(201);
  const before = insurer.arrivals.length;
  const second = await send(different, contents, secondKey);
  const sent = insurer.arrivals.length - before;
  if (second.status !== 201) {
    const { code, outcome } = await problemIn(second);
    return `${second.status} ${code} ${outcome}, ${sent} sent`;
  }
  const isReplay = second.headers.get("idempotency-replayed") === "true";
  return `${isReplay ? "replayed" : "a separate submission"}, ${sent} sent`;
}

const OWN = "a separate submission, 1 sent";
const REPLAYED = "replayed, 0 sent";
const REFUSED = "422 IDEMPOTENCY_KEY_REUSED not_sent, 0 sent";
const ELSEWHERE = "422 IDEMPOTENCY_KEY_REUSED unknown, 0 sent";

const named = differences.map((different): [string, readonly Dimension[]] => [
  different.join(", ") || "nothing",
  different,
]);
const has = (different: readonly Dimension[], ...some: readonly Dimension[]): boolean =>
  some.some((one) => different.includes(one));

describe("two requests with the same key", () => {
  it.each(named)(
    "the gateway sends, replays or refuses a second request with the same idempotency key, depending on how the requests differ: %s",
    async (_, different) => {
      const isOtherKey = has(different, "issuer", "subject", "endpoint");
      const same = has(different, "segment") ? ELSEWHERE : REPLAYED;
      const expected = isOtherKey ? OWN : has(different, "content") ? REFUSED : same;
      expect(await secondOf(different, randomUUID())).toBe(expected);
    },
  );
});

describe("two requests without a key", () => {
  it.each(named)(
    "the gateway sends, replays or refuses a second request without an idempotency key, depending on how the requests differ: %s",
    async (_, different) => {
      const isOtherContent = has(different, "issuer", "subject", "endpoint", "content");
      const isElsewhere = has(different, "segment");
      const expected = isOtherContent ? OWN : isElsewhere ? ELSEWHERE : REPLAYED;
      expect(await secondOf(different, null)).toBe(expected);
    },
  );
});

it("the gateway refuses a request with a new idempotency key as not sent if an equal request was sent at another segment", async () => {
  expect(await secondOf(["segment"], randomUUID(), randomUUID())).toBe(REFUSED);
});

it("a caller's idempotency key at one provider is not the same key at another provider, even for an endpoint of the same name", () => {
  const identity = createDigests(randomBytes(32));
  const caller = {
    issuer: "https://one.example",
    subject: "broker one",
    tenant: null,
    scopes: null,
  };
  const [one, other, again] = ["provider-d", "provider-e", "provider-d"].map((provider) =>
    Buffer.from(identity.key({ caller, provider, endpoint: "createApplication" }, "key 1")),
  );
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPublishedKeys } from "../../src/callers/published-keys.ts";
import { issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Behaviour, type Insurer, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { type KeyPair, makeKeyPair } from "../harness/signing.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const first = makeKeyPair("rsa", { kid: "rsa-1" });
const second = makeKeyPair("rsa", { kid: "rsa-2" });

/** Returns a token that is signed with a key. The token stays valid longer than these tests last. */
function tokenOf(pair: KeyPair): string {
  const exp = Math.floor(Date.now() / SECOND) + 86_400;
  return makeToken(pair, { header: { kid: pair.jwk.kid }, claims: { exp } });
}

function publishing(...pairs: readonly KeyPair[]): Behaviour {
  return json(200, { keys: pairs.map(({ jwk }) => jwk) });
}

describe("an issuer's keys", () => {
  let keyServer: Insurer;
  let world: TokenGateway;
  beforeEach(async () => {
    keyServer = await startKeyServer([first.jwk]);
    const jwksUri = `${keyServer.baseUrl}/jwks?tenant=7`;
    world = await startGatewayWithIssuers({ issuers: [issuerConfiguration(jwksUri)] });
  });
  afterEach(async () => {
    await world.stop();
    await keyServer.close();
  });

  /** Sends a token that is signed with a key. Returns the status, and the logged reason of a refusal. */
  async function show(pair: KeyPair): Promise<string> {
    const response = await world.ask(`Bearer ${tokenOf(pair)}`);
    const reason = await world.loggedReason(response);
    return reason === null ? `${response.status}` : `${response.status} ${reason}`;
  }

  it("the gateway fetches an issuer's keys only when a first token arrives, and only once for several simultaneous tokens", async () => {
    expect(keyServer.arrivals).toEqual([]);
    let answer: (() => void) | undefined;
    keyServer.behaviour = (response, arrival) => {
      answer = () => publishing(first)(response, arrival);
    };
    const asked = keyServer.nextArrival();
    const shown = Promise.all([1, 2, 3, 4, 5].map(() => show(first)));
    expect(await asked).toMatchObject({
      method: "GET",
      url: "/api/jwks?tenant=7",
      headers: { accept: "application/jwk-set+json, application/json" },
    });
    answer?.();
    expect(await shown).toEqual(["200", "200", "200", "200", "200"]);
    expect(keyServer.arrivals).toHaveLength(1);
  });

  it("the gateway caches an issuer's keys for ten minutes, and then refuses tokens of a withdrawn key", async () => {
    expect(await show(first)).toBe("200");
    keyServer.behaviour = publishing(second);
    world.time.forward(10 * MINUTE - 1);
    expect(await show(first)).toBe("200");
    expect(keyServer.arrivals).toHaveLength(1);
    world.time.forward(1);
    expect(await show(first)).toBe("401 unknown_key");
    expect(keyServer.arrivals).toHaveLength(2);
  });

  it.each([
    ["withdrawn", second],
    ["replaced under the same kid", makeKeyPair("rsa", { kid: "rsa-1" })],
  ])(
    "the gateway forgets a key's verified tokens as soon as a fetch of the issuer's keys shows that the key was %s",
    async (_, replacement) => {
      const remembered = `Bearer ${tokenOf(first)}`;
      expect(await show(first)).toBe("200");
      world.time.forward(9 * MINUTE);
      expect((await world.ask(remembered)).status).toBe(200);
      keyServer.behaviour = publishing(replacement);
      world.time.forward(MINUTE);
      expect((await world.ask(remembered)).status).toBe(200);
      expect(await show(replacement)).toBe("200");
      expect(keyServer.arrivals).toHaveLength(2);
      expect((await world.ask(remembered)).status).toBe(401);
    },
  );

  it("the gateway accepts a cached token while the token's key stays published, even if the issuer becomes unavailable", async () => {
    const remembered = `Bearer ${tokenOf(first)}`;
    expect(await show(first)).toBe("200");
    world.time.forward(9 * MINUTE);
    expect((await world.ask(remembered)).status).toBe(200);
    keyServer.behaviour = publishing(second, first);
    world.time.forward(MINUTE);
    expect(await show(second)).toBe("200");
    // The issuer fails from now on, so the gateway could not fetch the token's key again.
    keyServer.behaviour = json(503, {});
    expect((await world.ask(remembered)).status).toBe(200);
    expect(keyServer.arrivals).toHaveLength(2);
  });

  it("the gateway fetches an issuer's keys before the cached keys expire if a token names an unknown key", async () => {
    expect(await show(first)).toBe("200");
    keyServer.behaviour = publishing(first, second);
    world.time.forward(30 * SECOND);
    expect(await show(second)).toBe("200");
    expect(await show(first)).toBe("200");
    expect(keyServer.arrivals).toHaveLength(2);
  });

  it("the gateway fetches an issuer's keys at most once in 30 seconds, regardless of the number of tokens with unknown keys", async () => {
    expect(await show(first)).toBe("200");
    const flood = (): Promise<readonly string[]> =>
      Promise.all(Array.from({ length: 20 }, () => show(second)));
    const refused = Array.from({ length: 20 }, () => "401 unknown_key");
    expect(await flood()).toEqual(refused);
    expect(keyServer.arrivals).toHaveLength(1);
    world.time.forward(30 * SECOND);
    expect(await flood()).toEqual(refused);
    expect(keyServer.arrivals).toHaveLength(2);
    world.time.forward(30 * SECOND - 1);
    expect(await flood()).toEqual(refused);
    expect(keyServer.arrivals).toHaveLength(2);
  });

  it("the gateway uses the cached keys of an unavailable issuer for one more hour, and tries a fetch every 30 seconds", async () => {
    expect(await show(first)).toBe("200");
    keyServer.behaviour = json(503, {});
    world.time.forward(10 * MINUTE);
    for (const _ of [1, 2, 3]) expect(await show(first)).toBe("200");
    expect(keyServer.arrivals).toHaveLength(2);
    world.time.forward(30 * SECOND);
    expect(await show(first)).toBe("200");
    expect(keyServer.arrivals).toHaveLength(3);
    world.time.forward(49 * MINUTE + 30 * SECOND - 1);
    expect(await show(first)).toBe("200");
    world.time.forward(MINUTE);
    expect(await show(first)).toBe("503 keys_unavailable");
    keyServer.behaviour = publishing(first);
    world.time.forward(5 * SECOND);
    expect(await show(first)).toBe("200");
  });

  it("the gateway sends only one request for keys for many simultaneous tokens if the issuer is unavailable", async () => {
    let fail: (() => void) | undefined;
    keyServer.behaviour = (response, arrival) => {
      fail = () => json(503, {})(response, arrival);
    };
    const asked = keyServer.nextArrival();
    const shown = Promise.all([1, 2, 3, 4, 5].map(() => show(first)));
    await asked;
    fail?.();
    const unavailable = Array.from({ length: 5 }, () => "503 keys_unavailable");
    expect(await shown).toEqual(unavailable);
    expect(await Promise.all([1, 2, 3, 4, 5].map(() => show(first)))).toEqual(unavailable);
    expect(keyServer.arrivals).toHaveLength(1);
    const metrics = await (await fetch(`${world.gateway.operationsAddress}/metrics`)).text();
    expect(metrics).toContain(
      'insurance_gateway_issuer_key_fetches_failed_total{issuer="https://login.example"} 1',
    );
    // An unreachable issuer does not count as a failure of the gateway.
    expect(metrics).not.toContain('status="500"');
  });

  it("the gateway logs a failed fetch of keys without the issuer's answer", async () => {
    keyServer.behaviour = json(503, { secret: "of the issuer" });
    expect(await show(first)).toBe("503 keys_unavailable");
    const warning = world.gateway.log
      .map((line) => JSON.parse(line))
      .find(({ level }) => level === 40);
    expect(warning).toMatchObject({
      issuer: "https://login.example",
      reason: "not_ok",
    });
    expect(world.gateway.log.join("")).not.toContain("of the issuer");
  });

  it("the gateway answers 503 with Retry-After and calls no insurer if every fetch of the issuer's keys has failed", async () => {
    keyServer.behaviour = json(503, {});
    const response = await world.ask(`Bearer ${tokenOf(first)}`);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("www-authenticate")).toBeNull();
    expect(await problemIn(response)).toMatchObject({
      code: "AUTHENTICATION_UNAVAILABLE",
      outcome: "not_sent",
      retry: "safe",
    });
    expect(world.insurer.arrivals).toEqual([]);
    // The gateway does not retry before the time in Retry-After has passed.
    expect(await show(first)).toBe("503 keys_unavailable");
    expect(keyServer.arrivals).toHaveLength(1);
    keyServer.behaviour = publishing(first);
    world.time.forward(5 * SECOND);
    expect(await show(first)).toBe("200");
    expect(keyServer.arrivals).toHaveLength(2);
  });
});

it("the id of an issuer's key does not depend on the order of the key's members, but changes with the key's material", async () => {
  const header = { alg: "RS256", kid: "rsa-1" };
  const reordered = Object.fromEntries(Object.entries(first.jwk).toReversed());
  const ids: unknown[] = [];
  for (const jwk of [first.jwk, reordered, { ...second.jwk, kid: "rsa-1" }])
    ids.push((await readPublishedKeys({ keys: [{ kty: "", ...jwk }] }).findKey(header)).id);
  expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
});

import type { TransportRequest } from "@insurance-gateway/core/transport";
import { errors } from "jose";
import { describe, expect, it } from "vitest";
import { KeysUnavailableError } from "../../src/callers/issuer.ts";
import { createKeySet, type KeySet } from "../../src/callers/key-set.ts";
import { makeKeyPair } from "../harness/signing.ts";
import { createMemoryTransport, type MemoryInsurer } from "./memory-transport.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const [one, other] = [
  makeKeyPair("rsa", { kid: "one" }).jwk,
  makeKeyPair("rsa", { kid: "other" }).jwk,
];
const publishing =
  (...keys: readonly unknown[]): MemoryInsurer =>
  () => ({ status: 200, body: JSON.stringify({ keys }) });
const failing: MemoryInsurer = () => ({ status: 503, body: "busy" });

/** Returns a key set with a clock and a server that the test controls. */
function held(first: MemoryInsurer = publishing(one)) {
  const state = { now: 0, server: first };
  const requests: TransportRequest[] = [];
  const faults: string[] = [];
  const transport = createMemoryTransport((arrival) => state.server(arrival));
  const keySet: KeySet = createKeySet({
    url: "https://login.example/keys",
    transport: {
      ...transport,
      send(request) {
        requests.push(request);
        return transport.send(request);
      },
    },
    time: { now: () => state.now, elapsed: () => state.now, every: () => async () => {} },
    fetchFailed: ({ fault }) => void faults.push(fault),
    keyRefused: (fault) => void faults.push(fault),
  });
  /** Searches the key set for a key. Returns `found` or `unknown`, or the fault if the keys are unavailable. */
  const ask = (kid: string): Promise<string> =>
    keySet.findKey({ alg: "RS256", kid }).then(
      () => "found",
      (error: unknown) =>
        error instanceof KeysUnavailableError
          ? error.fault
          : error instanceof errors.JWKSNoMatchingKey
            ? "unknown"
            : "?",
    );
  /** Sets the clock and searches the key set for a key. Returns the result and the number of fetches so far. */
  const at = async (now: number, kid = "one"): Promise<readonly [string, number]> => {
    state.now = now;
    return [await ask(kid), requests.length];
  };
  return { at, ask, faults, keySet, requests, state };
}

describe("an issuer's key set", () => {
  it("the gateway fetches an issuer's key set once for simultaneous queries, and again after ten minutes", async () => {
    const { ask, at, requests } = held();
    expect(await Promise.all([ask("one"), ask("one"), ask("one")])).toEqual(Array(3).fill("found"));
    expect(requests).toEqual([
      {
        method: "GET",
        url: "https://login.example/keys",
        headers: { accept: "application/jwk-set+json, application/json" },
        timeoutMs: 5_000,
      },
    ]);
    expect(await at(10 * MINUTE - 1)).toEqual(["found", 1]);
    expect(await at(10 * MINUTE)).toEqual(["found", 2]);
    expect(await at(20 * MINUTE - 1)).toEqual(["found", 2]);
  });

  it("the gateway fetches an issuer's key set again if a key is missing, but at most once in 30 seconds", async () => {
    const { at, state } = held();
    expect(await at(0, "other")).toEqual(["unknown", 1]);
    state.server = publishing(one, other);
    expect(await at(30 * SECOND - 1, "other")).toEqual(["unknown", 1]);
    expect(await at(30 * SECOND, "other")).toEqual(["found", 2]);
    expect(await at(30 * SECOND + 1, "another")).toEqual(["unknown", 2]);
    expect(await at(60 * SECOND, "another")).toEqual(["unknown", 3]);
  });

  it("the gateway uses an issuer's key set for an hour while the issuer fails, and tries a new fetch every 30 seconds", async () => {
    const { at, faults, keySet, state } = held();
    await at(0);
    state.server = failing;
    expect(await at(10 * MINUTE)).toEqual(["found", 2]);
    expect(await at(10 * MINUTE + 30 * SECOND - 1)).toEqual(["found", 2]);
    expect(await at(10 * MINUTE + 30 * SECOND)).toEqual(["found", 3]);
    expect(await at(60 * MINUTE - 1)).toEqual(["found", 4]);
    // No keys are usable now, so the gateway fetches the keys more often.
    expect(await at(60 * MINUTE + 30 * SECOND - 1)).toEqual(["none_fetched", 5]);
    expect(await at(60 * MINUTE + 35 * SECOND - 2)).toEqual(["none_fetched", 5]);
    expect(await at(60 * MINUTE + 35 * SECOND - 1)).toEqual(["none_fetched", 6]);
    expect(faults).toEqual(Array(5).fill("not_ok"));
    expect([keySet.hasKey("nothing"), held().keySet.hasKey("nothing")]).toEqual([false, false]);
  });

  it.each<[string, string, string]>([
    ["invalid JSON", "{", "no_key_set"],
    ["null", "null", "no_key_set"],
    ["a text", '"keys"', "no_key_set"],
    ["a list", "[]", "no_key_set"],
    ["an object without keys", "{}", "no_key_set"],
    ["keys that are not a list", '{"keys":{}}', "no_key_set"],
    ["a key that is a text", '{"keys":["one"]}', "no_key_set"],
    ["a key that is null", '{"keys":[null]}', "no_key_set"],
    ["a key that is a list", '{"keys":[[]]}', "no_key_set"],
  ])("an issuer's key set is unavailable if the issuer's answer is %s", async (_, body, fault) => {
    const { at, faults } = held(() => ({ status: 200, body }));
    expect(await at(0)).toEqual(["none_fetched", 1]);
    expect(await at(5 * SECOND - 1)).toEqual(["none_fetched", 1]);
    expect(await at(5 * SECOND)).toEqual(["none_fetched", 2]);
    expect(faults).toEqual([fault, fault]);
  });

  it("an issuer's key set is unavailable if the issuer's answer is lost, and a fetched key set omits weak keys", async () => {
    const lost = held(() => null);
    expect(await lost.at(0)).toEqual(["none_fetched", 1]);
    expect(lost.faults).toEqual(["failed"]);
    const weak = held(publishing({ ...one, e: "AQ" }));
    expect(await weak.at(0)).toEqual(["unknown", 1]);
    expect(weak.faults).toEqual(["weak_exponent"]);
  });

  it("a requested fetch of an issuer's key set starts after a fetch in progress has ended", async () => {
    const { ask, keySet, requests, state } = held();
    const asked = ask("other");
    state.server = publishing(other);
    const fetched = keySet.fetchKeys();
    expect(await asked).toBe("found");
    await fetched;
    expect(requests).toHaveLength(2);
    state.server = publishing(one);
    await keySet.fetchKeys();
    expect([await ask("one"), requests.length]).toEqual(["found", 3]);
  });
});

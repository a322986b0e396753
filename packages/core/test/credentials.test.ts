import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type CredentialContent,
  type Credentials,
  CredentialsError,
  type FetchResult,
  fetchedCredentials,
  fixedCredentials,
  jointCredentials,
} from "../src/auth/index.ts";

const wait = { timeoutMs: 1_000, signal: null };
const content: CredentialContent = { headers: { "x-key": "1" }, login: null };

/** Returns credentials with the given parts. */
function fake(parts: Partial<Credentials>): Credentials {
  return {
    current: () => ({ ...content, refused: () => false }),
    ready: async () => undefined,
    waiting: () => 0,
    ageMs: () => null,
    ...parts,
  };
}

describe("fixed credentials", () => {
  it("fixed credentials are always available, and report after an insurer's refusal whether the operator has replaced the credentials", async () => {
    let isReplaced = false;
    const credentials = fixedCredentials({ content, isReplaced: () => isReplaced });
    const shown = credentials.current();
    expect(shown).toMatchObject(content);
    expect(shown?.refused()).toBe(false);
    isReplaced = true;
    expect(shown?.refused()).toBe(true);
    await expect(credentials.ready(wait)).resolves.toBeUndefined();
    expect([credentials.waiting(), credentials.ageMs()]).toEqual([0, null]);
  });
});

describe("combined credentials", () => {
  const login = { username: "u", password: "p" };

  it("combined credentials contain the headers of all parts and the first login of a part", () => {
    const parts = [
      fake({}),
      fake({ current: () => ({ headers: { authorization: "2" }, login, refused: () => false }) }),
      fake({ current: () => ({ headers: { "x-key": "3" }, login: null, refused: () => false }) }),
    ];
    expect(jointCredentials(parts).current()).toMatchObject({
      headers: { "x-key": "3", authorization: "2" },
      login,
    });
    expect(jointCredentials([fake({})]).current()).toMatchObject({ login: null });
    expect(jointCredentials([fake({}), fake({ current: () => null })]).current()).toBeNull();
  });

  it("combined credentials report an insurer's refusal to every part, and report a replacement if one part was replaced", () => {
    const refused: string[] = [];
    const part = (name: string, isReplaced: boolean): Credentials =>
      fake({
        current: () => ({
          ...content,
          refused() {
            refused.push(name);
            return isReplaced;
          },
        }),
      });
    expect(
      jointCredentials([part("a", true), part("b", false)])
        .current()
        ?.refused(),
    ).toBe(true);
    expect(
      jointCredentials([part("c", false), part("d", false)])
        .current()
        ?.refused(),
    ).toBe(false);
    expect(refused).toEqual(["a", "b", "c", "d"]);
  });

  it("combined credentials are ready when all parts are ready, and have the age of the oldest part", async () => {
    const parts = [fake({ ageMs: () => 7, waiting: () => 2 }), fake({ waiting: () => 3 })];
    const joint = jointCredentials(parts);
    expect([joint.ageMs(), joint.waiting()]).toEqual([7, 3]);
    expect(jointCredentials([...parts, fake({ ageMs: () => 9 })]).ageMs()).toBe(9);
    expect([jointCredentials([fake({})]).ageMs(), jointCredentials([]).waiting()]).toEqual([
      null,
      0,
    ]);
    const failing = fake({ ready: () => Promise.reject(new CredentialsError("refused")) });
    await expect(joint.ready(wait)).resolves.toBeUndefined();
    await expect(jointCredentials([...parts, failing]).ready(wait)).rejects.toMatchObject({
      fault: "refused",
    });
  });
});

describe("credentials that cannot be fetched", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    // With the random number 1, each pause has its maximum length.
    vi.spyOn(Math, "random").mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  interface Fetching {
    readonly credentials: Credentials;
    /** Start time of each fetch. */
    readonly times: readonly number[];
    readonly results: readonly FetchResult[];
  }

  /** Returns credentials whose fetches have the given results one after the other. */
  function fetching(outcomeOf: (count: number) => unknown): Fetching {
    const times: number[] = [];
    const results: FetchResult[] = [];
    const credentials = fetchedCredentials({
      async fetch() {
        times.push(performance.now());
        const outcome = outcomeOf(times.length);
        if (outcome !== null) throw outcome;
        return { ...content, lifeMs: null };
      },
      now: () => performance.now(),
      ended: (result) => results.push(result),
    });
    return { credentials, times, results };
  }

  it("the pauses between fetches of credentials double from 0.1 to 2 seconds while the token server is unreachable", async () => {
    const start = performance.now();
    const unreachable = new CredentialsError("unreachable");
    const { credentials, results, times } = fetching((count) => (count < 8 ? unreachable : null));
    const ready = credentials.ready({ timeoutMs: 60_000, signal: null });
    await vi.advanceTimersByTimeAsync(60_000);
    await ready;
    expect(times.map((time) => time - start)).toEqual([
      0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100,
    ]);
    expect(results).toEqual([...Array(7).fill("unreachable"), "fetched"]);
  });

  it("calls fail at once after the token server refused the gateway, until the next fetch, which starts after 1 to 10 seconds", async () => {
    const start = performance.now();
    const refused = new CredentialsError("refused");
    const { credentials, results, times } = fetching((count) => (count < 6 ? refused : null));
    let failed = 0;
    for (let at = 0; at < 45_000; at += 250) {
      if (credentials.current() === null)
        void credentials.ready({ timeoutMs: 60_000, signal: null }).catch((error: unknown) => {
          expect(error).toMatchObject({ name: "CredentialsError", fault: "refused" });
          failed += 1;
        });
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(times.map((time) => time - start)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 25_000]);
    expect(results).toEqual([...Array(5).fill("refused"), "fetched"]);
    // All 100 calls before the last fetch, four in each of 25 seconds, failed at once.
    expect(failed).toBe(100);
  });

  it.each([
    ["an unexpected error occurs", new TypeError("no"), "unusable"],
    ["too many other fetches run", new CredentialsError("crowded"), "unreachable"],
    ["the fetch is cancelled", new CredentialsError("cancelled"), "unreachable"],
    ["the answer is unusable", new CredentialsError("unusable"), "unusable"],
  ])("a call that waits for credentials fails at its time limit if %s", async (_, error, fault) => {
    const { credentials, results } = fetching(() => error);
    const ready = credentials.ready({ timeoutMs: 50, signal: null });
    const failure = expect(ready).rejects.toMatchObject({
      fault,
      message: `No credentials for the insurer: ${fault}`,
    });
    await vi.advanceTimersByTimeAsync(50);
    await failure;
    expect(results).toEqual([fault]);
    expect([credentials.current(), credentials.ageMs(), credentials.waiting()]).toEqual([
      null,
      null,
      0,
    ]);
  });

  it("a call that waits for credentials fails at the call's time limit or cancellation if the fetch never ends", async () => {
    const credentials = fetchedCredentials({
      fetch: () => new Promise(() => undefined),
      now: () => performance.now(),
      ended: () => undefined,
    });
    const late = expect(credentials.ready({ timeoutMs: 50, signal: null })).rejects.toMatchObject({
      fault: "unreachable",
    });
    await vi.advanceTimersByTimeAsync(50);
    await late;
    const controller = new AbortController();
    const cancelled = expect(
      credentials.ready({ timeoutMs: 50, signal: controller.signal }),
    ).rejects.toMatchObject({ fault: "cancelled" });
    expect(credentials.waiting()).toBe(1);
    controller.abort();
    await cancelled;
    await expect(
      credentials.ready({ timeoutMs: 50, signal: controller.signal }),
    ).rejects.toMatchObject({ fault: "cancelled" });
    expect(credentials.waiting()).toBe(0);
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { type Credentials, type FetchedContent, fetchedCredentials } from "../src/auth/index.ts";

afterEach(() => vi.restoreAllMocks());

interface Fetching {
  readonly credentials: Credentials;
  /** Returns the number of requests to the token server. */
  readonly asked: () => number;
  /** Sets the clock, in milliseconds. */
  readonly setClock: (milliseconds: number) => void;
}

/** Creates credentials that are fetched at the instant 0 with the given lifetime; each fetch ends at once. */
async function fetchedAtZero(lifeMs: number | null): Promise<Fetching> {
  let clock = 0;
  let asked = 0;
  const credentials = fetchedCredentials({
    async fetch(): Promise<FetchedContent> {
      asked += 1;
      return { headers: { authorization: `token ${asked}` }, login: null, lifeMs };
    },
    now: () => clock,
    ended: () => undefined,
  });
  await credentials.ready({ timeoutMs: 1_000, signal: null });
  return {
    credentials,
    asked: () => asked,
    setClock(milliseconds) {
      clock = milliseconds;
    },
  };
}

describe("the lifetime of fetched credentials", () => {
  it.each([
    // The shortest lifetime is one second, and the last tenth of a lifetime is not used.
    [0, 900],
    [999, 900],
    [1_000, 900],
    [1_001, 900.9],
    [10_000, 9_000],
    [49_999, 44_999.1],
    [50_000, 45_000],
    [50_001, 45_001],
    [3_600_000, 3_595_000],
  ])(
    "credentials with a lifetime of %i ms are used until %d ms after their fetch",
    async (lifeMs, end) => {
      const { credentials, setClock } = await fetchedAtZero(lifeMs);
      setClock(end - 0.01);
      expect(credentials.current()?.headers).toEqual({ authorization: "token 1" });
      expect(credentials.ageMs()).toBe(end - 0.01);
      setClock(end);
      expect([credentials.current(), credentials.ageMs()]).toEqual([null, null]);
    },
  );

  it.each([
    [0, 0, 500],
    [1_000, 0, 500],
    [1_000, 0.5, 450],
    [40_000, 0, 20_000],
    [60_000, 0, 30_000],
    [100_000, 0, 70_000],
    [100_000, 0.5, 65_000],
    [150_000, 0, 120_000],
    [3_600_000, 0, 2_880_000],
    [3_600_000, 0.5, 2_700_000],
    [null, 0, 300_000],
    [null, 0.5, 300_000],
  ])(
    "fetched credentials with a lifetime of %s ms and the random factor %d are renewed in the background after %d ms",
    async (lifeMs, chance, renewal) => {
      vi.spyOn(Math, "random").mockReturnValue(chance);
      const { asked, credentials, setClock } = await fetchedAtZero(lifeMs);
      setClock(renewal - 0.01);
      credentials.current();
      await expect.poll(asked).toBe(1);
      setClock(renewal);
      expect(credentials.current()?.headers).toEqual({ authorization: "token 1" });
      await expect.poll(asked).toBe(2);
      expect(credentials.current()?.headers).toEqual({ authorization: "token 2" });
    },
  );
});

describe("credentials that the insurer refuses", () => {
  /** Reports at a given time that the insurer refused the credentials. Returns whether the credentials are renewed. */
  async function reportAfter(
    { asked, credentials, setClock }: Fetching,
    clock: number,
  ): Promise<boolean> {
    const before = asked();
    setClock(clock);
    const willBeOthers = credentials.current()?.refused() ?? false;
    if (willBeOthers) await expect.poll(asked).toBe(before + 1);
    await credentials.ready({ timeoutMs: 1_000, signal: null });
    return willBeOthers;
  }

  it("credentials are renewed at once after the insurer's first refusal, and after 1, 2, 4, 8 and 10 seconds if refusals follow", async () => {
    const fetching = await fetchedAtZero(null);
    expect(await reportAfter(fetching, 0)).toBe(true);
    let clock = 0;
    for (const pause of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      expect([pause, await reportAfter(fetching, clock + pause - 1)]).toEqual([pause, false]);
      clock += pause;
      expect([pause, await reportAfter(fetching, clock)]).toEqual([pause, true]);
    }
  });

  it("credentials that worked for more than a minute are renewed at once if the insurer refuses these credentials", async () => {
    const fetching = await fetchedAtZero(null);
    expect(await reportAfter(fetching, 0)).toBe(true);
    expect(await reportAfter(fetching, 60_001)).toBe(true);
    expect(await reportAfter(fetching, 61_000)).toBe(false);
    expect(await reportAfter(fetching, 61_001)).toBe(true);
    expect(await reportAfter(fetching, 121_001)).toBe(true);
    expect(await reportAfter(fetching, 125_000)).toBe(false);
  });

  it("credentials are fetched again only once if several calls report the same refusal", async () => {
    const { asked, credentials } = await fetchedAtZero(null);
    const shown = [credentials.current(), credentials.current()];
    expect(shown.map((one) => one?.refused())).toEqual([true, true]);
    await credentials.ready({ timeoutMs: 1_000, signal: null });
    expect(asked()).toBe(2);
  });
});

it("a call fails if 4,096 other calls are already waiting for fetched credentials", async () => {
  const fetch = Promise.withResolvers<FetchedContent>();
  const credentials = fetchedCredentials({
    fetch: () => fetch.promise,
    now: () => 0,
    ended: () => undefined,
  });
  const wait = { timeoutMs: 60_000, signal: null };
  const waiting = Array.from({ length: 4_096 }, () => credentials.ready(wait));
  expect(credentials.waiting()).toBe(4_096);
  await expect(credentials.ready(wait)).rejects.toMatchObject({ fault: "crowded" });
  expect(credentials.waiting()).toBe(4_096);
  fetch.resolve({ headers: {}, login: null, lifeMs: null });
  await Promise.all(waiting);
  expect(credentials.waiting()).toBe(0);
});

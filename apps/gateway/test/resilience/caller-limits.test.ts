import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCallerLimit } from "../../src/resilience/caller-limits.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [] }));
  const providers = ["a", "b"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    callerLimit: { requests: 3, windowSeconds: 3_600 },
  }));
  gateway = await startInProcess({ providers });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

async function ask(subject: string, path = "/provider-a/auto/brands"): Promise<Response> {
  const token = await gateway.tokenFor(subject);
  return fetch(gateway.address + path, { headers: { authorization: `Bearer ${token}` } });
}

describe("a caller's limit with a provider", () => {
  it("is told with every answer, whatever the answer is", async () => {
    const first = await ask("one");
    expect(first.headers.get("ratelimit-policy")).toBe('"caller";q=3;w=3600');
    expect(first.headers.get("ratelimit")).toMatch(/^"caller";r=2;t=3(600|5\d\d)$/);
    const second = await ask("one", "/provider-a/auto/brands?unknown=1");
    expect(second.status).toBe(400);
    expect(second.headers.get("ratelimit")).toMatch(/^"caller";r=1;t=/);
  });

  it("refuses one request too many before anything is sent, and says when to come back", async () => {
    for (let request = 0; request < 3; request += 1) await ask("two");
    const before = insurer.arrivals.length;
    const response = await ask("two");
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(response.headers.get("ratelimit")).toMatch(/^"caller";r=0;t=/);
    expect(await problemIn(response)).toMatchObject({
      code: "RATE_LIMITED",
      outcome: "not_sent",
      retry: "safe",
    });
    expect(insurer.arrivals).toHaveLength(before);
  });

  it("is another one for the same subject of another issuer", async () => {
    const limit = createCallerLimit({ requests: 1, windowSeconds: 60 });
    const one = { issuer: "https://one.example", subject: "sub broker", scopes: null };
    await limit(one);
    await expect(limit(one)).rejects.toThrow(/RATE_LIMITED/);
    await expect(limit({ ...one, issuer: "https://two.example" })).resolves.toMatchObject({
      ratelimit: expect.stringContaining("r=0"),
    });
  });

  it("is nobody else's, and counts for this provider alone", async () => {
    for (let request = 0; request < 4; request += 1) await ask("three");
    expect((await ask("four")).status).toBe(200);
    expect((await ask("three", "/provider-b/countries")).status).toBe(200);
  });
});

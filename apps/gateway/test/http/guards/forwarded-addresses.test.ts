import { afterEach, describe, expect, it } from "vitest";
import { type LimitedGateway, startLimited } from "./limited-gateway.ts";

let gateway: LimitedGateway;
afterEach(() => gateway.stop());

// After this number of refused tokens from an address, the gateway refuses the address's tokens without a check.
const authentication = { refusedTokens: 2 };

/** Sends an invalid token; returns the status. */
async function refused(forwardedFor: string): Promise<number> {
  const { status } = await fetch(`${gateway.address}/provider-a/auto/brands`, {
    headers: { authorization: "Bearer x", "x-forwarded-for": forwardedFor },
  });
  return status;
}

async function refusedOf(forwardedFor: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const address of forwardedFor) statuses.push(await refused(address));
  return statuses;
}

describe("the caller's address in X-Forwarded-For", () => {
  it("the gateway reads the caller's address only from the part of X-Forwarded-For that a trusted proxy added", async () => {
    const listen = { trustedProxies: ["127.0.0.0/8"] };
    gateway = await startLimited({}, { authentication, listen });
    const flood = ["203.0.113.1", "203.0.113.1", "203.0.113.1"];
    expect(await refusedOf(flood)).toEqual([401, 401, 429]);
    expect(await refusedOf(["203.0.113.2", "203.0.113.3"])).toEqual([401, 401]);
    // The caller may write other addresses before the address that the proxy adds.
    expect(await refusedOf(["198.51.100.7, 203.0.113.1"])).toEqual([429]);
    expect(await refusedOf(["203.0.113.1, 203.0.113.9"])).toEqual([401]);
  });

  it.each([[[]], [["10.0.0.0/8", "::1"]]])(
    "the gateway ignores the header X-Forwarded-For if the sender is not one of the trusted proxies: %j",
    async (trustedProxies) => {
      gateway = await startLimited({}, { authentication, listen: { trustedProxies } });
      const addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
      expect(await refusedOf(addresses)).toEqual([401, 401, 429]);
    },
  );
});

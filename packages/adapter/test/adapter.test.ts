import { describe, expect, it } from "vitest";
import {
  type InsurerRequest,
  type InsurerResponse,
  limitedSend,
  PageRequestsError,
} from "../src/index.ts";
import { insurerResponse } from "./harness/call-offline.ts";
import { readPolicy, searchPolicies } from "./harness/declarations.ts";

describe("the number of an adapter's requests", () => {
  const response = insurerResponse({});
  const request: InsurerRequest = { method: "GET", path: "/" };

  it("an adapter can send at most three requests for one page of a search", async () => {
    let sent = 0;
    const send = limitedSend(searchPolicies, async () => {
      sent += 1;
      return response;
    });
    for (let count = 0; count < 3; count += 1) expect(await send(request)).toBe(response);
    await expect(send(request)).rejects.toThrow(new PageRequestsError(searchPolicies));
    await expect(send(request)).rejects.toMatchObject({
      name: "PageRequestsError",
      message:
        "The adapter of provider-m must send at most 3 requests for one page of GET /policies; the page may have fewer items than requested",
    });
    expect(sent).toBe(3);
  });

  it("an adapter can send any number of requests for a call that is not a search", () => {
    const send = async (): Promise<InsurerResponse> => response;
    expect(limitedSend(readPolicy, send)).toBe(send);
  });
});

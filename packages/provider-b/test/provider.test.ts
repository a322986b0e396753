import { conformanceFaults, type InsurerRefusal } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { providerB } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

/** Returns an error answer in the insurer's format. */
function refusal(status: number, code: string): Omit<InsurerRefusal, "code"> {
  const body = `{"error":{"code":"${code}","message":"-"}}`;
  return { endpoint: "listCountries", status, body };
}

const refusals: readonly InsurerRefusal[] = [
  { ...refusal(403, "API_KEY"), code: "PROVIDER_AUTH_FAILED" },
  { ...refusal(429, "QUOTA"), code: "TOO_MANY" },
  { ...refusal(503, "MAINTENANCE"), code: "PROVIDER_UNAVAILABLE" },
  { ...refusal(404, "UNKNOWN"), code: "RESOURCE_NOT_FOUND" },
  { ...refusal(400, "PAGE"), code: "INVALID_INPUT" },
  { ...refusal(422, "REQUEST"), code: "INVALID_INPUT" },
];

it("provider B passes the conformance tests for every provider", async () => {
  const subject = { id: "provider-b", provider: providerB, examples, sandbox, adapter, refusals };
  expect(await conformanceFaults(subject)).toEqual([]);
});

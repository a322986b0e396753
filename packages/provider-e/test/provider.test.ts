import { conformanceFaults, type InsurerRefusal } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { providerE } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

/** Returns an error answer in the insurer's format. */
function refusal(status: number, code: string): Omit<InsurerRefusal, "code"> {
  const body = `{"errors":[{"code":"${code}","field":null}]}`;
  return { endpoint: "calculatePensionQuote", status, body };
}

const refusals: readonly InsurerRefusal[] = [
  { ...refusal(400, "Q-100"), code: "INVALID_INPUT" },
  { ...refusal(422, "Q-107"), code: "PROVIDER_REJECTED" },
  { ...refusal(403, "A-403"), code: "NOT_ALLOWED" },
  { ...refusal(429, "A-429"), code: "TOO_MANY" },
];

it("provider E passes the conformance tests for every provider", async () => {
  const subject = { id: "provider-e", provider: providerE, examples, sandbox, adapter, refusals };
  expect(await conformanceFaults(subject)).toEqual([]);
});

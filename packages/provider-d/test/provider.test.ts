import { conformanceFaults, type InsurerRefusal } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { providerD } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

/** Returns an error answer in the insurer's format. */
function refusal(status: number, code: string): Omit<InsurerRefusal, "code"> {
  const body = `{"code":"${code}","message":"-","fields":[]}`;
  return { endpoint: "createApplication", status, body };
}

const refusals: readonly InsurerRefusal[] = [
  { ...refusal(409, "MTR-4091"), code: "DUPLICATE_APPLICATION" },
  { ...refusal(403, "GW-403"), code: "PROVIDER_AUTH_FAILED" },
];

it("provider D passes the conformance tests for every provider", async () => {
  const subject = { id: "provider-d", provider: providerD, examples, sandbox, adapter, refusals };
  expect(await conformanceFaults(subject)).toEqual([]);
});

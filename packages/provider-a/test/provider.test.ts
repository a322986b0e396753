import { conformanceFaults, type InsurerRefusal } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { providerA } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

/** Returns an error answer in the insurer's format. */
function refusal(ErrorCode: string): Pick<InsurerRefusal, "body" | "endpoint"> {
  return {
    endpoint: "listBrands",
    body: `{"Header":{"CultureName":"GR","ServiceVersion":"1"},"Success":false,"Errors":[{"ErrorCode":"${ErrorCode}","ErrorString":"-"}]}`,
  };
}

const refusals: readonly InsurerRefusal[] = [
  { ...refusal("AUTH"), code: "PROVIDER_AUTH_FAILED" },
  { ...refusal("CLOSED"), code: "PROVIDER_UNAVAILABLE" },
  { ...refusal("QUOTA"), code: "TOO_MANY" },
  { ...refusal("SELECTOR"), code: "INVALID_INPUT" },
  { ...refusal("INPUT"), code: "INVALID_INPUT" },
  { ...refusal("NOT_FOUND"), code: "RESOURCE_NOT_FOUND" },
];

it("provider A passes the conformance tests for every provider", async () => {
  const subject = { id: "provider-a", provider: providerA, examples, sandbox, adapter, refusals };
  expect(await conformanceFaults(subject)).toEqual([]);
});

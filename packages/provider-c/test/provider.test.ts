import { conformanceFaults, type InsurerRefusal } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { providerC } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

/** Returns a SOAP fault in the insurer's format. */
function fault(errorCode: string): Omit<InsurerRefusal, "code"> {
  return {
    endpoint: "downloadIpid",
    status: 500,
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault><faultcode>S:Client</faultcode><faultstring>-</faultstring><detail><serviceFault xmlns="http://ws.provider-c.example/quotation/v2"><errorCode>${errorCode}</errorCode></serviceFault></detail></S:Fault></S:Body></S:Envelope>`,
  };
}

const refusals: readonly InsurerRefusal[] = [
  { ...fault("E101"), code: "APPLICATION_NOT_FOUND" },
  { ...fault("E102"), code: "INVALID_INPUT" },
  { ...fault("E103"), code: "INVALID_INPUT" },
  { ...fault("E301"), code: "BROKER_LIMIT_EXCEEDED" },
  { ...fault("E403"), code: "NOT_ALLOWED" },
  { ...fault("E503"), code: "PROVIDER_UNAVAILABLE" },
];

it("provider C passes the conformance tests for every provider", async () => {
  const subject = { id: "provider-c", provider: providerC, examples, sandbox, adapter, refusals };
  expect(await conformanceFaults(subject)).toEqual([]);
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const fault =
  '<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>' +
  '<faultcode>S:Client</faultcode><detail><serviceFault xmlns="http://ws.provider-c.example/quotation/v2">' +
  "<errorCode>E101</errorCode></serviceFault></detail></S:Fault></S:Body></S:Envelope>";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer((response) => {
    response.writeHead(500, { "content-type": "text/xml" }).end(fault);
  });
  const providers = ["c", "e"].map((letter) => ({
    package: `@insurance-gateway/provider-${letter}`,
    upstream: { baseUrl: insurer.baseUrl },
    breaker: { failuresInRow: 2 },
  }));
  gateway = await startInProcess({ providers, reference: { served: false } });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const headers = (): object => ({
  authorization: `Bearer ${gateway.token}`,
  "content-type": "application/json",
});

it("a SOAP fault with the insurer's error code is neither retried nor counted by the circuit breaker", async () => {
  for (const count of [1, 2, 3, 4]) {
    const answer = await fetch(
      `${gateway.address}/provider-c/application/ipid?applicationId=C-0004`,
      { headers: { ...headers() } },
    );
    expect(answer.status).toBe(404);
    expect(await problemIn(answer)).toMatchObject({
      code: "APPLICATION_NOT_FOUND",
      outcome: "rejected",
    });
    expect(insurer.arrivals).toHaveLength(count);
  }
});

it("the gateway refuses a value that the insurer's dialect cannot express, and sends nothing to the insurer", async () => {
  const before = insurer.arrivals.length;
  const answer = await fetch(`${gateway.address}/provider-e/life/core/fast-pension-quote`, {
    method: "POST",
    headers: { ...headers() },
    body: '{"personDob":"1985-04-12","monthlyContribution":1e20,"durationYears":20}',
  });
  expect(answer.status).toBe(422);
  expect(await problemIn(answer)).toMatchObject({
    code: "INVALID_INPUT",
    outcome: "not_sent",
    retry: "never",
    errors: [{ pointer: "/monthlyContribution", code: "VALUE" }],
  });
  expect(insurer.arrivals).toHaveLength(before);
});

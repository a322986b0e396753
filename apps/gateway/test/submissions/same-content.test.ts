import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { CHANGES_PACKAGE } from "./changes-package.ts";
import { startWithProvider } from "./installed-provider.ts";

const answer = json(200, { policyId: "P-1" });
const time = holdTime();
let gateway: GatewayInProcess;
let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer(answer);
  gateway = await startWithProvider(CHANGES_PACKAGE, insurer.baseUrl, { time });
});
beforeEach(() => {
  insurer.behaviour = answer;
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

function call(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${gateway.address}/provider-m/policies/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function send(method: string, path: string, body?: object): Promise<string> {
  const response = await call(method, path, body);
  await response.arrayBuffer();
  return `${response.status}${response.headers.has("idempotency-replayed") ? " replayed" : ""}`;
}

it("the gateway sends three changes without an idempotency key as three submissions, even if the third change equals the first", async () => {
  const before = insurer.arrivals.length;
  for (const colour of ["red", "blue", "red"])
    expect(await send("PUT", "P-1", { colour })).toBe("200");
  expect(insurer.arrivals.length - before).toBe(3);
});

it("two requests without a body and without an idempotency key are the same submission only if their path parameters are equal", async () => {
  const before = insurer.arrivals.length;
  expect(await send("POST", "P-1/confirmations")).toBe("200");
  expect(await send("POST", "P-2/confirmations")).toBe("200");
  expect(await send("POST", "P-1/confirmations")).toBe("200 replayed");
  expect(insurer.arrivals.length - before).toBe(2);
});

it("the gateway sends every equal request if the endpoint declares `sameContent: none`", async () => {
  const before = insurer.arrivals.length;
  for (let count = 0; count < 2; count++)
    expect(await send("POST", "P-1/notes", { colour: "red" })).toBe("200");
  expect(insurer.arrivals.length - before).toBe(2);
});

it.each([
  ["PUT", "P-7", "An equal request is not sent again."],
  ["POST", "P-7/notes", "An equal request is another submission, and is sent."],
])(
  "the error for an unknown outcome explains whether an equal request is sent: %s %s",
  async (method, path, text) => {
    insurer.behaviour = (response) => void response.destroy();
    const { detail } = await problemIn(await call(method, path, { colour: "green" }));
    expect(detail).toContain(text);
  },
);

it("the error for an unknown outcome has no `Retry-After` if no query can find the result", async () => {
  insurer.behaviour = (response) => void response.destroy();
  const key = { "idempotency-key": "one" };
  const response = await call("PUT", "P-8", { colour: "green" }, key);
  expect(response.status).toBe(504);
  expect(response.headers.get("retry-after")).toBeNull();
  await time.tick();
  const again = await problemIn(await call("PUT", "P-8", { colour: "green" }, key));
  expect(again.detail).toContain("the operator has to ask");
  expect(again.retry).toBe("same_key");
  // A request without the key may be another submission, so the gateway advises to check before a repetition.
  const equal = await problemIn(await call("PUT", "P-8", { colour: "green" }));
  expect(equal).toMatchObject({ code: "OUTCOME_UNKNOWN", retry: "after_check" });
});

import { createGateway, type Gateway } from "@insurance-gateway/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GatewayInProcess } from "../../harness/gateway-in-process.ts";
import {
  answerDone,
  type BytesArrival,
  type BytesInsurer,
  startBytesInsurer,
  startGatewayBefore,
} from "./bytes-insurer.ts";
import { providerM } from "./provider-m.ts";

let insurer: BytesInsurer;
let gateway: GatewayInProcess;
let client: Gateway;
beforeAll(async () => {
  insurer = await startBytesInsurer();
  gateway = await startGatewayBefore(insurer);
  client = createGateway({ baseUrl: gateway.address, token: gateway.token });
});
beforeEach(() => {
  insurer.arrivals.length = 0;
  insurer.behaviour = answerDone;
});
afterAll(async () => {
  await client.close();
  await gateway.stop();
  await insurer.close();
});

function send(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream,
  contentType?: string,
): Promise<Response> {
  return fetch(`${gateway.address}/provider-m${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    },
    ...(body === undefined ? {} : { body, duplex: "half" }),
  });
}

async function outcomeOf(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  const problem: unknown = await response.json();
  return { status: response.status, ...Object(problem) };
}

function arrived(): Pick<BytesArrival, "method" | "url"> & { type: unknown; text: string } {
  const [arrival] = insurer.arrivals.slice(-1);
  if (arrival === undefined) throw new Error("Nothing has arrived at the insurer");
  const { body, headers, method, url } = arrival;
  return { method, url, type: headers["content-type"], text: body.toString() };
}

describe("an optional body", () => {
  const params = { claimId: "1" };
  it("a caller can omit or send an optional request body, even in a DELETE request", async () => {
    await client.call(providerM.endpoints.withdrawClaim, { params });
    expect(arrived()).toEqual({ method: "DELETE", url: "/claims/1", type: undefined, text: "" });
    await client.call(providerM.endpoints.withdrawClaim, { params, body: { reason: "sold" } });
    expect(arrived()).toMatchObject({ type: "application/json", text: '{"reason":"sold"}' });
  });

  it("a caller can send an empty request body in every way that HTTP allows if the endpoint declares the body as optional", async () => {
    const empty = (): ReadableStream => new Blob([]).stream();
    expect((await send("DELETE", "/claims/2", "", "application/json")).status).toBe(200);
    expect((await send("DELETE", "/claims/3", empty(), "application/json")).status).toBe(200);
    expect((await send("DELETE", "/claims/4", empty())).status).toBe(200);
    expect(insurer.arrivals.map(({ body }) => body.length)).toEqual([0, 0, 0]);
  });

  it("the gateway checks an optional request body by the declared schema if the caller sends the body", async () => {
    expect(await outcomeOf(send("DELETE", "/claims/5", "{}", "application/json"))).toMatchObject({
      status: 400,
      errors: [{ pointer: "/reason", code: "REQUIRED" }],
    });
    const untyped = new Blob(['{"reason":"x"}']).stream();
    expect(await outcomeOf(send("DELETE", "/claims/5", untyped))).toMatchObject({
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
    expect(insurer.arrivals).toEqual([]);
  });
});

it("the gateway passes on a request body of a declared JSON-based media type, and refuses application/json in place of that type", async () => {
  const params = { claimId: "1" };
  await client.call(providerM.endpoints.patchClaim, { params, body: { reason: "x" } });
  expect(arrived()).toMatchObject({
    method: "PATCH",
    type: "application/merge-patch+json",
    text: '{"reason":"x"}',
  });
  const plain = send("PATCH", "/claims/1", '{"reason":"y"}', "application/json");
  expect(await outcomeOf(plain)).toMatchObject({
    status: 415,
    detail: expect.stringContaining("Send Content-Type: application/merge-patch+json, in UTF-8."),
  });
});

describe("a URL-encoded form", () => {
  const form = "application/x-www-form-urlencoded";
  it("values and lists of a URL-encoded form arrive at the insurer as the client sent them", async () => {
    const body = { user: "Ελένη & co", attempts: 2, roles: ["a b", "c"] };
    expect(await client.call(providerM.endpoints.checkLogin, { body })).toEqual({ done: true });
    expect(arrived()).toMatchObject({ type: form });
    expect([...new URLSearchParams(arrived().text)]).toEqual([
      ["user", "Ελένη & co"],
      ["attempts", "2"],
      ["roles", "a b"],
      ["roles", "c"],
    ]);
  });

  it.each([
    ["user=x&user=y&attempts=1&roles=a", "/user REPEATED"],
    ["user=x&attempts=two&roles=a", "/attempts TYPE"],
    ["user=x&attempts=1", "/roles REQUIRED"],
    ["user=x&attempts=1&roles=a&admin=true", "/admin UNKNOWN_FIELD"],
    ["user=x%0Ay&attempts=1&roles=a", "/user FORMAT"],
  ])("the gateway refuses a URL-encoded form that breaks its schema: %s", async (text, fault) => {
    const outcome = await outcomeOf(send("POST", "/logins", text, form));
    const [pointer, code] = fault.split(" ");
    expect(outcome).toMatchObject({
      status: 400,
      code: "VALIDATION_FAILED",
      errors: [{ pointer, code }],
    });
  });

  it.each(["user=%", "user=%ff", "user=a b", "user=é"])(
    "the gateway refuses a malformed URL-encoded form: %s",
    async (text) => {
      const outcome = await outcomeOf(send("POST", "/logins", text, form));
      expect(outcome).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    },
  );
});

describe("a text body", () => {
  it("the gateway accepts a text body of several lines, and checks the text by its schema", async () => {
    const body = "Πρώτη\nδεύτερη\t!";
    const params = { claimId: "1" };
    await client.call(providerM.endpoints.describeClaim, { params, body });
    expect(arrived()).toMatchObject({ type: "text/plain; charset=utf-8", text: body });
    const long = send("PUT", "/claims/1/description", "x".repeat(201), "text/plain");
    expect(await outcomeOf(long)).toMatchObject({ errors: [{ pointer: "", code: "LENGTH" }] });
    const turned = send("PUT", "/claims/1/description", "a\u202eb", "text/plain");
    expect(await outcomeOf(turned)).toMatchObject({ errors: [{ pointer: "", code: "FORMAT" }] });
  });

  it.each([
    ["text/plain; charset=iso-8859-7", "x", 415],
    ["text/plain", new Uint8Array([0xe1, 0xe2]), 400],
  ])("the gateway accepts a text body only in UTF-8: %s", async (type, body, status) => {
    expect(await outcomeOf(send("PUT", "/claims/1/description", body, type))).toMatchObject({
      status,
    });
  });
});

describe("a binary body", () => {
  const body = {
    mediaType: "application/pdf",
    content: Buffer.from("%PDF-1.7\u0000\u00ff", "latin1"),
  };
  it("a binary body arrives at the insurer unchanged, and a repetition with the same bytes counts as the same submission", async () => {
    const params = { claimId: "1" };
    const { scanClaim } = providerM.endpoints;
    await client.call(scanClaim, { params, body });
    expect(insurer.arrivals).toMatchObject([{ headers: { "content-type": "application/pdf" } }]);
    expect(insurer.arrivals[0]?.body).toEqual(body.content);
    const again = await send("POST", "/claims/1/scans", body.content, "application/pdf");
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await send("POST", "/claims/1/scans", "%PDF-1.7 other", "application/pdf");
    expect(other.headers.get("idempotency-replayed")).toBeNull();
  });

  it.each([
    ["sent as a stream", new Blob(["x".repeat(100_001)]).stream()],
    ["sent with a length", "x".repeat(100_001)],
  ])(
    "the gateway refuses a binary body that exceeds the endpoint's limit: %s",
    async (_, content) => {
      const outcome = await outcomeOf(send("POST", "/claims/1/scans", content, "application/pdf"));
      expect(outcome).toMatchObject({
        status: 413,
        code: "PAYLOAD_TOO_LARGE",
        outcome: "not_sent",
      });
    },
  );
});

it("the gateway accepts JSON up to the endpoint's declared maximum size, and refuses larger JSON", async () => {
  const reason = "x".repeat(1_000_000);
  const { importClaims } = providerM.endpoints;
  expect(await client.call(importClaims, { body: { reason } })).toEqual({ done: true });
  await expect(
    client.call(importClaims, { body: { reason: reason + reason } }),
  ).rejects.toMatchObject({
    code: "PAYLOAD_TOO_LARGE",
  });
});

it("the client sends a body in the first declared media type that fits the body, or in the media type that the calling program names", async () => {
  const { noteClaim } = providerM.endpoints;
  const params = { claimId: "1" };
  await client.call(noteClaim, { params, body: { reason: "x" } });
  expect(arrived().type).toBe("application/json");
  await client.call(noteClaim, { params, body: "x" });
  expect(arrived()).toMatchObject({ type: "text/plain; charset=utf-8", text: "x" });
  const named = client.call(noteClaim, { params, body: { reason: "x" }, mediaType: "text/plain" });
  await expect(named).rejects.toMatchObject({ errors: [{ pointer: "", code: "TYPE" }] });
  const unknown = client.call(noteClaim, { params, body: "x", mediaType: "text/html" });
  await expect(unknown).rejects.toMatchObject({
    errors: [{ pointer: "/mediaType", code: "VALUE" }],
  });
  const problem = await outcomeOf(send("POST", "/claims/1/notes", "<p>", "text/html"));
  expect(problem).toMatchObject({
    detail: expect.stringContaining("Send Content-Type: application/json or text/plain, in UTF-8."),
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { faultsIn, problemIn } from "../harness/problem.ts";
import { sendRaw } from "../harness/send-raw.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;

beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [] }));
  gateway = await startInProcess({
    providers: ["a", "c", "d"].map((letter) => insurerConfiguration(letter, insurer.baseUrl)),
  });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const valid = {
  policy: { startDate: "2019-03-01", endDate: "2020-03-01" },
  vehicle: { plateNumber: "ΙΚΥ1234", manufacturerCode: "TOY", modelCode: "YARIS" },
  holder: { afm: "123456789", fullName: "Μαρία Παπαδοπούλου" },
};

function post(
  body: string | Uint8Array<ArrayBuffer> | null,
  contentType = "application/json",
): Promise<Response> {
  return gateway.ask("/provider-d/applications", {
    method: "POST",
    headers: { "content-type": contentType },
    body,
  });
}

const requests: Readonly<Record<string, [() => Promise<Response>, number, string]>> = {
  "an unknown path": [() => gateway.ask("/provider-a/auto/brand"), 404, "NOT_FOUND"],
  "an unknown provider": [() => gateway.ask("/provider-z/auto/brands"), 404, "NOT_FOUND"],
  "a slash at the end": [() => gateway.ask("/provider-a/auto/brands/"), 404, "NOT_FOUND"],
  "a path in other case": [() => gateway.ask("/Provider-A/auto/brands"), 404, "NOT_FOUND"],
  "a path that cannot be decoded": [() => gateway.ask("/provider-a/%E0%A4%A"), 404, "NOT_FOUND"],
  "a wrong method": [() => gateway.ask("/provider-d/applications"), 405, "METHOD_NOT_ALLOWED"],
  "an unknown method": [
    () => gateway.ask("/provider-d/applications", { method: "PROPFIND" }),
    405,
    "METHOD_NOT_ALLOWED",
  ],
  "an unavailable media type in Accept": [
    () => gateway.ask("/provider-a/auto/brands", { headers: { accept: "text/html" } }),
    406,
    "NOT_ACCEPTABLE",
  ],
  "no content type": [
    () => gateway.ask("/provider-d/applications", { method: "POST", body: new Blob(["{}"]) }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  "a form": [() => post("a=b", "application/x-www-form-urlencoded"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  "JSON in another encoding": [
    () => post("{}", "application/json; charset=iso-8859-7"),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  "a compressed body": [
    () =>
      gateway.ask("/provider-d/applications", {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
        body: "{}",
      }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  "a body over 64 kB": [() => post(JSON.stringify("x".repeat(66_000))), 413, "PAYLOAD_TOO_LARGE"],
  "a body that is not JSON": [() => post("{"), 400, "MALFORMED_JSON"],
  "no body": [() => post(null), 400, "MALFORMED_JSON"],
  "a body that is not UTF-8": [
    () => post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    400,
    "MALFORMED_JSON",
  ],
  "a body that is a list": [() => post("[]"), 400, "VALIDATION_FAILED"],
  "an undeclared field": [
    () => post(JSON.stringify({ ...valid, broker: 7 })),
    400,
    "VALIDATION_FAILED",
  ],
  "a line break in a text": [
    () => post(JSON.stringify(valid).replace(/(?<="fullName":")/, "\\n")),
    400,
    "VALIDATION_FAILED",
  ],
  "a change of direction in a parameter": [
    () => gateway.ask("/provider-c/application/ipid?applicationId=C-%E2%80%AE1"),
    400,
    "VALIDATION_FAILED",
  ],
  "a prototype in the body": [
    () => post(JSON.stringify(valid).replace("{", '{"__proto__":{"admin":true},')),
    400,
    "VALIDATION_FAILED",
  ],
  "an unknown parameter": [
    () => gateway.ask("/provider-a/auto/brands?x=1"),
    400,
    "VALIDATION_FAILED",
  ],
  "a missing parameter": [
    () => gateway.ask("/provider-c/application/ipid"),
    400,
    "VALIDATION_FAILED",
  ],
};

describe("requests that the gateway refuses", () => {
  it.each(Object.entries(requests))(
    "the gateway refuses a request with %s, and sends nothing to the insurer",
    async (_, [send, status, code]) => {
      const before = insurer.arrivals.length;
      const response = await send();
      const body = await problemIn(response);

      expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
      expect(body).toMatchObject({ status, code, outcome: "not_sent", retry: "never" });
      expect(response.status).toBe(status);
      expect(body.requestId).toBe(response.headers.get("x-request-id"));
      expect(body.type).toBe(`${gateway.address}/reference/errors/${code}`);
      expect(body.detail.length).toBeGreaterThan(10);
      expect(insurer.arrivals).toHaveLength(before);
    },
  );

  it("the gateway's answer to a request with a wrong method lists the allowed methods", async () => {
    const response = await gateway.ask("/provider-d/applications", { method: "DELETE" });
    expect(response.headers.get("allow")).toBe("POST");
  });

  it("the gateway lists all faults of a request at once, and repeats no value of the request", async () => {
    const response = await post(
      JSON.stringify({
        policy: { startDate: "2023-02-29", endDate: "soon" },
        vehicle: {
          plateNumber: " ",
          manufacturerCode: "TOY\u001b[2J",
          modelCode: 7,
          colour: "red",
        },
        holder: { afm: "98765432", fullName: "Κ".repeat(201) },
        "123456789": "x",
        "Ma\u202eria": "x",
      }),
    );
    const text = await response.text();
    const body: { errors: { pointer: string; code: string }[] } = JSON.parse(text);
    expect(body.errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      " UNKNOWN_FIELD",
      " UNKNOWN_FIELD",
      "/holder/afm FORMAT",
      "/holder/fullName LENGTH",
      "/policy/endDate FORMAT",
      "/policy/startDate FORMAT",
      "/vehicle/colour UNKNOWN_FIELD",
      "/vehicle/manufacturerCode FORMAT",
      "/vehicle/modelCode TYPE",
      "/vehicle/plateNumber FORMAT",
    ]);
    for (const value of ["2023-02-29", "soon", "98765432", "ΚΚ", "123456789", "red", "TOY", "ria"])
      expect(text).not.toContain(value);
  });

  it.each([
    ["clientAfm=123456789&start=0", "/query/start RANGE"],
    ["clientAfm=123456789&start=1.5", "/query/start TYPE"],
    ["clientAfm=123456789&start=one", "/query/start TYPE"],
    ["clientAfm=123456789&limit=101", "/query/limit RANGE"],
    ["clientAfm=123456789&limit=0", "/query/limit RANGE"],
    ["clientAfm=12345678", "/query/clientAfm FORMAT"],
    ["clientAfm=123456789&clientAfm=123456789", "/query/clientAfm REPEATED"],
    ["clientAfm=123456789&page=2", "/query/page UNKNOWN_FIELD"],
    ["", "/query/clientAfm REQUIRED"],
  ])(
    "the gateway refuses a search with an invalid, missing, repeated or unknown parameter: %s",
    async (query, fault) => {
      const response = await gateway.ask(`/provider-d/applications/search?${query}`);
      const problem = await problemIn(response);
      expect(response.status).toBe(400);
      expect(faultsIn(problem)).toEqual([fault]);
    },
  );

  it.each([
    ["GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n", 400, "INVALID_REQUEST"],
    ["GET / HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "INVALID_REQUEST"],
    ["GET / HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n", 400, "INVALID_REQUEST"],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(40_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
  ])(
    "the gateway answers invalid HTTP and too large headers with a problem: %j",
    async (bytes, status, code) => {
      const text = await sendRaw(gateway.address, bytes);
      const [head = "", body = ""] = text.split("\r\n\r\n");
      expect(head).toContain(`HTTP/1.1 ${status} `);
      expect(JSON.parse(body)).toMatchObject({ status, code, outcome: "not_sent" });
    },
  );
});

describe("invalid bytes on a connection with a running request", () => {
  it("the gateway still answers a running submission, with an `unknown` outcome, after invalid bytes on the same connection", async () => {
    const body = JSON.stringify(valid);
    const head = [
      "POST /provider-d/applications HTTP/1.1",
      "host: x",
      `authorization: Bearer ${gateway.token}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    const before = insurer.arrivals.length;
    const answer = await sendRaw(
      gateway.address,
      `${head.join("\r\n")}\r\n\r\n${body}x y z\r\n\r\n`,
    );
    expect(insurer.arrivals).toHaveLength(before + 1);
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 504"]);
    expect(answer).toContain("OUTCOME_UNKNOWN");
  });
});

describe("requests with an unexpected body", () => {
  it("the gateway refuses a GET request with a body", async () => {
    const lines = [
      "GET /provider-a/auto/brands HTTP/1.1",
      "host: x",
      `authorization: Bearer ${gateway.token}`,
      "content-length: 2",
      "connection: close",
    ];
    const answer = await sendRaw(gateway.address, `${lines.join("\r\n")}\r\n\r\n{}`);
    expect(answer).toContain("HTTP/1.1 400");
    expect(answer).toContain("INVALID_REQUEST");
  });
});

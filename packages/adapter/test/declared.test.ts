import { type Endpoint, none } from "@insurance-gateway/core/contract";
import { type CheckedInput, type KeyPlace, usualPaging } from "@insurance-gateway/core/runtime";
import { file, string, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { type AdapterAnswer, declared } from "../src/index.ts";
import { callOffline, type InsurerAnswer, type OfflineCall } from "./harness/call-offline.ts";
import {
  createPolicy,
  downloadTerms,
  policyBody,
  readPolicy,
  searchPolicies,
} from "./harness/declarations.ts";

/** Calls an endpoint of an insurer that offers the declared contract. */
function callOf(
  endpoint: Endpoint,
  input: Partial<CheckedInput>,
  insurer: InsurerAnswer,
  submissionId: string | null = null,
): Promise<OfflineCall> {
  return callOffline(declared, endpoint, input, insurer, { submissionId });
}

const json = { text: '{"items":[]}' };

/** A submission whose successful answer has no body. */
const voidPolicy: Endpoint = { ...createPolicy, response: { 200: none } };

describe("the adapter of the declared contract", () => {
  it("the adapter returns the body of an answer even if the endpoint declares an answer without a body", async () => {
    const html = { status: 200, mediaType: "text/html", text: "<h1>Blocked</h1>" };
    expect(await callOf(voidPolicy, {}, { ...html, text: "" })).toMatchObject({
      answer: { type: "value", status: 200, value: undefined },
    });
    expect(await callOf(voidPolicy, {}, html)).toMatchObject({
      answer: { type: "value", mediaType: "text/html", value: html.text },
    });
  });

  it("the adapter sends a call with the declared method, path, query and `accept` header", async () => {
    const read = await callOf(readPolicy, { params: { policyId: "M/1" } }, json);
    expect(read.sent).toEqual([
      {
        method: "GET",
        path: "/policies/M%2F1",
        headers: { accept: "application/json, application/problem+json" },
        acts: false,
      },
    ]);
    const query = { clientAfm: "123456789", start: 1, limit: 20 };
    const searched = await callOf(searchPolicies, { query }, json);
    expect(searched.sent).toMatchObject([
      { path: "/policies?clientAfm=123456789&start=1&limit=20", acts: false },
    ]);
    const pdf = { status: 200, mediaType: "application/pdf", text: "%PDF-" };
    const terms = await callOf(downloadTerms, { query: { policyId: "M-1" } }, pdf);
    expect(terms.sent).toMatchObject([
      {
        method: "GET",
        path: "/terms?policyId=M-1",
        headers: { accept: "application/pdf, application/problem+json" },
      },
    ]);
    expect(terms.answer).toMatchObject({ type: "document", mediaType: "application/pdf" });
  });

  it("the adapter sends a submission as one JSON request that is marked as acting at the insurer, with the ID in `idempotency-key`", async () => {
    const { answer, sent } = await callOf(createPolicy, { body: policyBody }, json, "our-id");
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/policies",
        headers: {
          accept: "application/json, application/problem+json",
          "content-type": "application/json",
          "idempotency-key": "our-id",
        },
        body: JSON.stringify(policyBody),
        acts: true,
      },
    ]);
    expect(answer).toEqual({
      type: "value",
      status: 200,
      value: { items: [] },
      text: '{"items":[]}',
    });
  });

  it.each<[string, KeyPlace, object]>([
    ["another header", { header: "x-request-key" }, { headers: { "x-request-key": "our-id" } }],
    ["the query", { query: "requestKey" }, { path: "/policies?requestKey=our-id" }],
    [
      "the body",
      { body: "/meta/key" },
      { body: JSON.stringify({ ...policyBody, meta: { key: "our-id" } }) },
    ],
  ])(
    "the adapter sends a submission's ID in the place that the endpoint declares (`keyAt`): %s",
    async (_, keyAt, expected) => {
      const endpoint = { ...createPolicy, keyAt };
      const { sent } = await callOf(endpoint, { body: policyBody }, json, "our-id");
      expect(sent).toMatchObject([expected]);
      expect(sent[0]?.headers).not.toHaveProperty("idempotency-key");
    },
  );

  describe("the answer to a document call", () => {
    const pdf = { status: 200, mediaType: "application/pdf", text: "%PDF-" };
    const terms: Endpoint = { ...downloadTerms, notReady: 202 };
    const input = { query: { policyId: "M-1" } };

    it.each([
      ["application/pdf", {}, {}],
      ["application/octet-stream", { "content-length": "5" }, { size: 5 }],
      ["application/pdf", { "content-length": "x" }, {}],
    ])(
      "the adapter returns a successful answer as a document, with the document's size if `content-length` is a number: type %s, headers %j",
      async (mediaType, headers, size) => {
        const { answer } = await callOf(terms, input, { ...pdf, mediaType, headers });
        const content = expect.anything();
        expect(answer).toEqual({ type: "document", mediaType, content, ...size });
      },
    );

    it.each<[string, Endpoint, number, AdapterAnswer]>([
      [
        "`notReady` if the endpoint declares the status 202 for a document that is not ready",
        terms,
        202,
        { type: "notReady" },
      ],
      [
        "unreadable if the endpoint does not declare the status 202",
        downloadTerms,
        202,
        { type: "unreadable", status: 202, detail: "The insurer's answer is not JSON." },
      ],
      [
        "a refusal if the status is 404",
        terms,
        404,
        {
          type: "refusal",
          status: 404,
          mediaType: "application/pdf",
          content: null,
          faults: [],
        },
      ],
    ])(
      "the adapter reads the answer to a document call as %s",
      async (_, endpoint, status, expected) => {
        const { answer } = await callOf(endpoint, input, { ...pdf, status });
        expect(answer).toEqual(expected);
      },
    );
  });

  const notJson = {
    type: "unreadable",
    status: 200,
    detail: "The insurer's answer is not JSON.",
  } as const;
  it.each<[string, string, AdapterAnswer]>([
    ["text/csv", "5", { type: "value", status: 200, mediaType: "text/csv", value: "5", text: "5" }],
    [
      "image/png",
      "png",
      {
        type: "value",
        status: 200,
        mediaType: "image/png",
        value: { mediaType: "image/png", content: new TextEncoder().encode("png") },
      },
    ],
    ["application/json", "5", { type: "value", status: 200, value: 5, text: "5" }],
    ["text/plain", "5", notJson],
    ["image/gif", "5", notJson],
  ])(
    "the adapter reads an answer of a declared media type, and reports any other type as unreadable: %s",
    async (mediaType, text, expected) => {
      const word = zodSchema(string());
      const media = { "text/csv": word, "image/png": word, "application/json": word };
      const endpoint: Endpoint = { ...readPolicy, response: { 200: { media } } };
      const given = { status: 200, mediaType, text };
      const { answer } = await callOf(endpoint, { params: { policyId: "M-1" } }, given);
      expect(answer).toEqual(expected);
    },
  );

  it("the adapter passes on only the declared paging headers of a search page", async () => {
    const paging = { ...usualPaging, total: { header: "x-total" } };
    const headers = { "x-total": "7", "x-other": "1" };
    const input = { query: { clientAfm: "123456789" } };
    const page = await callOf({ ...searchPolicies, paging }, input, { ...json, headers });
    expect(page.answer).toEqual({
      type: "value",
      status: 200,
      value: { items: [] },
      text: '{"items":[]}',
      headers: { "x-total": "7" },
    });
  });

  it.each([
    [["text/csv", "a/b"], "text/csv, a/b, application/problem+json"],
    [[], "application/problem+json"],
  ])(
    "the `accept` header of the adapter's request lists the types that the caller accepts, and problem+json: %j",
    async (accept, header) => {
      const { sent } = await callOf(readPolicy, { params: { policyId: "M-1" }, accept }, json);
      expect(sent).toMatchObject([{ headers: { accept: header } }]);
    },
  );

  it("the adapter sends the bytes and the size of a file, but reads no file from the disk if the request's body names a path", async () => {
    const body = { media: { "application/pdf": zodSchema(file()) } };
    const endpoint: Endpoint = { ...createPolicy, body };
    const part = { mediaType: "application/pdf", content: new Uint8Array([1, 2]) };
    const { sent } = await callOf(endpoint, { body: part, mediaType: "application/pdf" }, json);
    expect(sent).toMatchObject([
      { headers: { "content-type": "application/pdf", "content-length": "2" } },
    ]);
    const onDisk = { ...part, content: { path: "/etc/hosts" } };
    const other = await callOf(endpoint, { body: onDisk, mediaType: "application/pdf" }, json);
    expect(other.sent).toMatchObject([
      {
        body: `mediaType=application%2Fpdf&content=${encodeURIComponent('{"path":"/etc/hosts"}')}`,
      },
    ]);
  });

  it.each([
    [
      "a problem as a refusal with its code and the places of its faults",
      { status: 422, mediaType: "application/problem+json" },
      '{"code":"PROVIDER_REJECTED","errors":[{"pointer":"/holder/afm","message":"123456789"},{"pointer":"no"}]}',
      {
        type: "refusal",
        status: 422,
        content: { code: "PROVIDER_REJECTED" },
        faults: [
          { pointer: "/holder/afm", code: "INVALID", message: "was refused by the insurer" },
        ],
      },
    ],
    [
      "any other error answer as a refusal without its content",
      { status: 418, mediaType: "text/html" },
      "<h1>",
      { type: "refusal", status: 418, mediaType: "text/html", content: null },
    ],
    [
      "a 64-bit number as a string of its digits",
      { status: 201, mediaType: "application/hal+json" },
      '{"id":9007199254740993}',
      { type: "value", status: 201, value: { id: "9007199254740993" } },
    ],
    [
      "a success that is not JSON as unreadable",
      { status: 201, mediaType: "application/json" },
      "{",
      { type: "unreadable", status: 201 },
    ],
  ])("the adapter returns %s", async (_, head, text, expected) => {
    const { answer } = await callOf(createPolicy, { body: policyBody }, { ...head, text });
    expect(answer).toMatchObject(expected);
  });
});

it("the adapter of the declared contract assigns a gateway code and the outcome `rejected` to each error answer", () => {
  expect(
    declared.failures.map(({ at, code, is, media, outcome, status }) =>
      [status, is?.join(), code, outcome, media, at].join(" "),
    ),
  ).toEqual(
    [
      "400 VALIDATION_FAILED PROVIDER_REJECTED rejected",
      "400 PROVIDER_REJECTED PROVIDER_REJECTED rejected",
      "422 VALIDATION_FAILED PROVIDER_REJECTED rejected",
      "422 PROVIDER_REJECTED PROVIDER_REJECTED rejected",
      "400 INVALID_REQUEST PROVIDER_REJECTED rejected",
      "422 BROKER_LIMIT_EXCEEDED BROKER_LIMIT_EXCEEDED rejected",
      "409 DUPLICATE_APPLICATION DUPLICATE_APPLICATION rejected",
      "404 APPLICATION_NOT_FOUND APPLICATION_NOT_FOUND rejected",
      "409 DOCUMENT_NOT_READY DOCUMENT_NOT_READY rejected",
      "401 UNAUTHENTICATED PROVIDER_AUTH_FAILED rejected",
      "403 FORBIDDEN PROVIDER_AUTH_FAILED rejected",
      "429 RATE_LIMITED PROVIDER_UNAVAILABLE rejected",
      "503 PROVIDER_UNAVAILABLE PROVIDER_UNAVAILABLE rejected",
    ].map((row) => `${row} application/problem+json /code`),
  );
});

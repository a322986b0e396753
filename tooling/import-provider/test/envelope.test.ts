import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callAdapter, conformanceFaults } from "@insurance-gateway/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { importProvider } from "../src/import-provider.ts";
import { suggestOverlay } from "../src/suggest/suggest-overlay.ts";
import { writeImport } from "../src/write-import.ts";
import { documentFile, temporaryFolder } from "./sample.ts";
import { element, int, wsdlWith } from "./small-wsdl.ts";
import { writtenPackage } from "./written-package.ts";

const text = { type: "string" };
const error = { type: "object", properties: { code: text, message: text } };
const policy = { type: "object", required: ["number"], properties: { number: text } };

/** Returns an object schema in which all properties are required. */
function object(properties: object): object {
  return { type: "object", required: Object.keys(properties), properties };
}

function answering(schema: object, example?: unknown): object {
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { responses: { 200: { description: "", content: { "application/json": media } } } };
}

/** Returns a document in which all answers except one have an envelope. */
function documentOf(wrap: (payload: object) => object, example?: unknown): string {
  const page = object({ items: { type: "array", items: policy }, total: { type: "integer" } });
  const parameters = [
    { name: "offset", in: "query", schema: { type: "integer", minimum: 0 } },
    { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 50 } },
  ];
  return documentFile({
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: {
      "/policies": {
        get: { operationId: "listPolicies", parameters, ...answering(wrap(page)) },
        post: { operationId: "issuePolicy", ...answering(wrap(policy), example) },
      },
      "/greeting": { get: { operationId: "greeting", ...answering(object({ text })) } },
    },
  });
}

const flagged = (data: object): object => object({ success: { type: "boolean" }, data, error });

/** Returns a document with one submission that has these answer schemas by status. */
function submissionDocument(answers: Readonly<Record<number, object>>): string {
  const responses = Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      { description: "", content: { "application/json": { schema } } },
    ]),
  );
  return documentFile({
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: { "/policies": { post: { operationId: "issuePolicy", responses } } },
  });
}

/** Writes an overlay that declares an envelope for the whole document. */
function overlayWith(envelope: object): string {
  return documentFile(
    {
      overlay: "1.0.0",
      info: { title: "A", version: "1" },
      actions: [{ target: "$", update: { "x-insurance-gateway": { envelope } } }],
    },
    "overlay.yaml",
  );
}

/** Returns the adapter's results for these answers of the insurer to the submission of `submissionDocument`. */
async function answersOf(
  request: { readonly from: string; readonly overlay: string },
  contents: readonly { readonly status: number; readonly content: object }[],
): Promise<readonly unknown[]> {
  const written = await writtenPackage({ ...request, all: true });
  onTestFinished(() => written.remove());
  const { issuePolicy } = written.provider.endpoints;
  if (issuePolicy === undefined) throw new TypeError("There is no issuePolicy");
  const headers = { "content-type": "application/json" };
  const answers: unknown[] = [];
  for (const { content, status } of contents) {
    const answered = [{ status, headers, body: JSON.stringify(content) }];
    const { answer } = await callAdapter(written.adapter, issuePolicy, {}, answered);
    answers.push(answer);
  }
  return answers;
}

/** Returns the suggested overlay's options for the whole document, with their reason. */
function suggestedOf(from: string): { readonly reason: string; readonly options: object } {
  const [action] = parse(suggestOverlay(from)).actions;
  return { reason: action.description, options: action.update["x-insurance-gateway"] };
}

describe("suggested envelopes", () => {
  const states = { type: "string", enum: ["ERROR", "OK"] };
  it.each([
    ["a flag", flagged, { at: "/success", success: [true] }],
    [
      "a state",
      (result: object) => object({ status: states, result }),
      { at: "/status", success: ["OK"] },
    ],
    [
      "a flag in a header",
      (body: object) => object({ header: object({ isSuccess: { type: "boolean" } }), body }),
      { at: "/header/isSuccess", success: [true] },
    ],
    [
      "an error beside the payload",
      (data: object) => ({ type: "object", properties: { data, error } }),
      { at: "/error", success: [null] },
    ],
  ])(
    "the suggested overlay declares an envelope if most answers have the same envelope: %s",
    (_, wrap, envelope) => {
      expect(suggestedOf(documentOf(wrap)).options).toMatchObject({ envelope });
    },
  );

  it("the suggested overlay gives the reason for an envelope and names the place of an error's code", () => {
    expect(suggestedOf(documentOf(flagged)).reason).toBe(
      "2 of 3 JSON answers have a flag for success: without true at /success, an answer is an error, whatever its status. A submission then has an unknown outcome; add rows to failures with status 200 and the codes at /error/code for what proves that the insurer has done nothing.",
    );
  });

  it.each([
    ["the state of a policy", { status: { type: "string", enum: ["ACTIVE", "REJECTED"] } }],
    ["a text", { success: text }],
  ])("the suggested overlay declares no envelope for an ordinary field: %s", (_, properties) => {
    const from = documentOf((data) => object({ ...properties, data }));
    expect(suggestedOf(from).options).not.toHaveProperty("envelope");
  });

  it("the suggested overlay finds a page of items inside the envelope", () => {
    const overlay = suggestOverlay(documentOf(flagged));
    expect(overlay).toContain("items: /data/items\n");
    expect(overlay).toContain("total: /data/total\n");
  });
});

describe("declared envelopes", () => {
  it.each([
    ["an example that is a failure", flagged, { success: false, data: { number: "1" }, error: {} }],
    [
      "a state whose first value is a failure",
      (result: object) => object({ status: { type: "string", enum: ["ERROR", "OK"] }, result }),
      undefined,
    ],
    [
      "an error beside the payload",
      (data: object) => ({ type: "object", properties: { data, error } }),
      undefined,
    ],
  ])("a package with an envelope passes the conformance tests: %s", async (_, wrap, example) => {
    const from = documentOf(wrap, example);
    const overlay = documentFile(suggestOverlay(from), "overlay.yaml");
    const written = await writtenPackage({ from, overlay });
    onTestFinished(() => written.remove());
    expect(written.imported.endpoints.map(({ name }) => name)).toContain("issuePolicy");
    expect(await conformanceFaults(written)).toEqual([]);
  });

  it("the written package declares the envelope once and lists the endpoints without the envelope", () => {
    const from = documentOf(flagged);
    const overlay = documentFile(suggestOverlay(from), "overlay.yaml");
    const folder = temporaryFolder();
    const imported = importProvider({ provider: "provider-x", from, overlay, all: false });
    writeImport(folder, { id: "provider-x" }, imported);
    const sourceOf = (file: string): string =>
      readFileSync(join(folder, "src", file), "utf8").replaceAll(/\s+/g, " ");
    expect(sourceOf("adapter.ts")).toContain(`envelope: { at: "/success", success: [true], },`);
    expect(sourceOf("dialect.ts")).toContain("{ greeting: { envelope: false, }, }");
  });

  it("the importer refuses an envelope if no answer has the envelope's field", () => {
    const overlay = overlayWith({ at: "/succes", success: [true] });
    const request = { provider: "provider-x", from: documentOf(flagged), overlay, all: true };
    expect(() => importProvider(request)).toThrow("no answer has the field /succes of /envelope");
  });

  it("the imported adapter applies an envelope only to the statuses whose answers contain the envelope's field", async () => {
    const from = submissionDocument({
      200: object({ code: text, number: text }),
      202: object({ ticket: text }),
    });
    const overlay = overlayWith({ at: "/code", success: ["OK"] });
    const answered = await answersOf({ from, overlay }, [
      { status: 200, content: { code: "OK", number: "1" } },
      { status: 200, content: { code: "E17", number: "" } },
      { status: 202, content: { ticket: "T-1" } },
    ]);
    expect(answered).toMatchObject([
      { type: "value", status: 200 },
      { type: "refusal", status: 200 },
      { type: "value", status: 202, value: { ticket: "T-1" } },
    ]);
  });

  it("the field that marks a success in an envelope may be a 64-bit number, whose value is a text of digits", async () => {
    const from = submissionDocument({
      200: object({ code: { type: "integer", format: "int64" }, number: text }),
    });
    const overlay = overlayWith({ at: "/code", success: ["0"] });
    const answered = await answersOf({ from, overlay }, [
      { status: 200, content: { code: 0, number: "1" } },
      { status: 200, content: { code: 17, number: "" } },
    ]);
    expect(answered).toMatchObject([
      { type: "value", value: { code: "0", number: "1" } },
      { type: "refusal", content: { code: 17 } },
    ]);
  });

  it.each([
    ["the number 0 in a text field", text, 0, "0"],
    ["a text in a whole-number field", { type: "integer" }, "0", '"0"'],
    ["a text in a boolean field", { type: "boolean" }, "true", '"true"'],
    [
      "a number in a 64-bit field, whose values are texts",
      { type: "integer", format: "int64" },
      0,
      "0",
    ],
  ])(
    "the importer refuses an envelope whose success value has another type than the envelope's field: %s",
    (_, code, mark, printed) => {
      const from = submissionDocument({ 200: object({ code, number: text }) });
      const overlay = overlayWith({ at: "/code", success: [null, mark] });
      const request = { provider: "provider-x", from, overlay, all: true };
      expect(() => importProvider(request)).toThrow(
        `/envelope has the success value ${printed}, which the field /code cannot have`,
      );
    },
  );

  it("the suggested overlay of a WSDL declares an envelope if answers report errors without a SOAP fault", async () => {
    const inside = `<x:element name="ok" type="x:boolean"/><x:element name="code" type="x:token" minOccurs="0"/>`;
    const from = wsdlWith(element("op", int("a")) + element("opResponse", inside), {}, "issue");
    const suggested = suggestOverlay(from);
    expect(suggestedOf(from).options).toMatchObject({ envelope: { at: "/ok", success: [true] } });
    const written = await writtenPackage({ from, overlay: documentFile(suggested, "o.yaml") });
    onTestFinished(() => written.remove());
    expect(await conformanceFaults(written)).toEqual([]);

    const { issue } = written.provider.endpoints;
    if (issue === undefined) throw new TypeError("There is no issue");
    const called = async (ok: boolean): Promise<unknown> => {
      const body = `<opResponse xmlns="u:a"><ok>${ok}</ok><code>E17</code></opResponse>`;
      const message = `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>${body}</S:Body></S:Envelope>`;
      const headers = { "content-type": "text/xml; charset=utf-8" };
      const answered = [{ status: 200, headers, body: message }];
      const { answer } = await callAdapter(written.adapter, issue, { body: { a: 1 } }, answered);
      return answer;
    };
    expect(await called(true)).toMatchObject({ type: "value", value: { ok: true, code: "E17" } });
    expect(await called(false)).toEqual({
      type: "refusal",
      status: 200,
      mediaType: "text/xml",
      content: { ok: false, code: "E17" },
    });
  });
});

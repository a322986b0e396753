import { type Endpoint, none, pdf } from "@insurance-gateway/core/contract";
import { string, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { asking, issued, policy, readPolicy } from "./simulations.ts";

describe("the answer of a simulated insurer", () => {
  const asked: Endpoint = { ...readPolicy, path: "/x" };
  const { params: _, ...endpoint } = asked;
  const answers = (
    response: Endpoint["response"],
    example: unknown,
    more: Partial<Endpoint> = {},
  ) =>
    asking(
      { one: { ...endpoint, response, ...more } },
      { one: { usual: { request: {}, response: example } } },
    )("one", { body: "text of the request" });
  const word = zodSchema(string());

  it("a simulated insurer answers with a text or without a body if the endpoint declares a text or no body", () => {
    expect(answers({ 200: { media: { "text/csv": word } } }, "a;b")).toEqual({
      status: 200,
      body: "a;b",
    });
    expect(answers({ 200: { media: { "text/csv": word } } }, undefined)).toEqual({
      status: 200,
      body: "Simulated",
    });
    expect(answers({ 204: none }, undefined)).toEqual({ status: 204, body: undefined });
  });

  it("a simulated JSON answer that is only a text has the text of the example and not of the request", () => {
    expect(answers({ 200: word }, "answer")).toEqual({ status: 200, body: "answer" });
  });

  it("a simulated answer has the status whose schema or media type accepts the example", () => {
    const both = { 200: policy, 202: zodSchema(z.number()) };
    expect(answers(both, 5)).toEqual({ status: 202, body: 5 });
    expect(answers(both, issued)).toEqual({ status: 200, body: issued });
    const text = { 200: policy, 203: { media: { "text/plain": word } }, 204: none };
    expect(answers(text, "a")).toEqual({ status: 203, body: "a" });
    expect(answers({ 201: policy, 202: policy }, "a")).toEqual({ status: 201, body: "a" });
  });

  const textOf = (content: Uint8Array): string => Buffer.from(content).toString("latin1");
  it.each([
    ["image/gif", "GIF89a\u0001\0\u0001\0", ";", 42],
    ["image/png", "\u0089PNG\r\n\u001a\n", "IEND\u00aeB`\u0082", 70],
    ["application/zip", `PK\u0005\u0006${"\0".repeat(18)}`, "", 22],
    ["application/xml", '<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n', "", 52],
    ["application/octet-stream", "", "", 0],
  ])(
    "a simulated answer of the type %s is a small file of this type",
    (mediaType, begin, end, size) => {
      const answer = Object(answers({ 200: { media: { [mediaType]: word } } }, undefined));
      expect(answer).toEqual({ status: 200, file: { mediaType, content: expect.any(Uint8Array) } });
      const text = textOf(answer.file.content);
      expect([text.startsWith(begin), text.endsWith(end), text.length]).toEqual([true, true, size]);
    },
  );

  it.each([
    ["text/xml", '<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n'],
    ["text/html", "<!doctype html>\n<title>Simulated</title>\n"],
    ["text/csv", "simulated\r\n"],
    ["text/plain", "Simulated\n"],
    ["application/json", "{}\n"],
  ])(
    "a simulated insurer answers a document call with a small document of the type %s",
    (mediaType, text) => {
      const more = { kind: "document", files: [{ mediaType, extension: "x" }] } as const;
      const answer = Object(answers({}, undefined, more));
      expect(answer).toEqual({ status: 200, file: { mediaType, content: expect.any(Uint8Array) } });
      expect(textOf(answer.file.content)).toBe(text);
    },
  );

  it("a simulated document begins with the declared signature of its type", () => {
    const more = (signature: string) =>
      ({
        kind: "document",
        files: [{ mediaType: "text/plain", extension: "x", signature }, pdf],
      }) as const;
    const file = (signature: string) => Object(answers({}, undefined, more(signature))).file;
    expect(textOf(file("Simul").content)).toBe("Simulated\n");
    expect(textOf(file("\u00ff\u00fe").content)).toBe("\u00ff\u00fe");
  });

  it("a simulated PDF has a table with the offset of every object", () => {
    const files = [pdf] as const;
    for (const more of [{ files }, {}]) {
      const answer = Object(answers({}, undefined, { kind: "document", ...more }));
      expect(answer).toMatchObject({ status: 200, file: { mediaType: "application/pdf" } });
      const text = textOf(answer.file.content);
      const [, start = "", end] = /\nstartxref\n(\d+)\n(%%EOF\n)$/.exec(text) ?? [];
      expect(end).toBe("%%EOF\n");
      expect(text).toMatch(/^%PDF-1\.4\n1 0 obj\n/);
      const table = text.slice(Number(start)).split("\n");
      expect(table.slice(0, 3)).toEqual(["xref", "0 6", "0000000000 65535 f "]);
      expect(table.slice(8, 10)).toEqual(["trailer", "<< /Size 6 /Root 1 0 R >>"]);
      const found = table.slice(3, 8).map((line) => {
        expect(line).toMatch(/^\d{10} 00000 n $/);
        return text.slice(Number(line.slice(0, 10))).split("\n", 1)[0];
      });
      expect(found).toEqual([1, 2, 3, 4, 5].map((number) => `${number} 0 obj`));
      const [, length, stream = ""] =
        /<< \/Length (\d+) >>\nstream\n(.*)\nendstream/.exec(text) ?? [];
      expect(stream).toBe("BT /F1 24 Tf 72 720 Td (Simulated) Tj ET");
      expect(stream).toHaveLength(Number(length));
    }
  });
});

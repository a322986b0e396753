import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { documentFile } from "./sample.ts";
import { writtenPackage } from "./written-package.ts";

const text = { type: "string" };
const inPath = (name: string): object => ({ in: "path", name, required: true, schema: text });
const answer = { type: "object", properties: { changes: text } };
const responses = {
  200: { description: "OK", content: { "application/json": { schema: answer } } },
};

it("an imported package with several parameters in one path segment and an optional file passes the conformance tests", async () => {
  const document = {
    openapi: "3.0.3",
    info: { title: "Test", version: "1" },
    paths: {
      "/policies/{id}/compare/{version}": {
        get: { operationId: "readVersion", parameters: ["id", "version"].map(inPath), responses },
      },
      "/policies/{id}/compare/{from}...{to}": {
        get: { operationId: "compare", parameters: ["id", "from", "to"].map(inPath), responses },
      },
      "/policies/{id}/photo": {
        post: {
          operationId: "addPhoto",
          parameters: [inPath("id")],
          requestBody: {
            content: { "application/octet-stream": { schema: { ...text, format: "binary" } } },
          },
          responses,
        },
      },
    },
  };
  const written = await writtenPackage({ from: documentFile(document), all: true });
  try {
    expect(written.imported.losses.filter(({ severity }) => severity === "lost")).toEqual([]);
    expect(await conformanceFaults(written)).toEqual([]);
  } finally {
    written.remove();
  }
});

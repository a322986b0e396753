import {
  defineProvider,
  type FilePart,
  type Provider,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { file, loose, strict, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { collectionRequests } from "../src/collections/collection-request.ts";
import { noDocumentation } from "../src/documentation/documentation.ts";
import { type Operation, operationsOf, packagedDocument, snippetsOf } from "../src/index.ts";

const provider = "provider-m";
interface Evidence {
  readonly note: string;
  readonly photo: FilePart;
}
interface Login {
  readonly user: string;
  readonly roles: readonly string[];
}
const response = { 200: loose<{ done: boolean }>({ done: z.boolean() }) };
interface Endpoints {
  addEvidence: Submission<{ body: Evidence; response: unknown }>;
  addScan: Submission<{ body: FilePart; response: unknown }>;
  logIn: Submission<{ body: Login; response: unknown }>;
  addNote: Submission<{ body: Login | string | undefined; response: unknown }>;
}
const login = strict<Login>({ user: z.string(), roles: z.array(z.string()) });
const endpoints: Endpoints = {
  addEvidence: submission({
    provider,
    path: "/evidence",
    body: {
      media: {
        "multipart/form-data": strict<Evidence>({
          note: z.string(),
          photo: file({ mediaTypes: ["image/png", "image/jpeg"], maxBytes: 1_000 }),
        }),
      },
    },
    response,
  }),
  addScan: submission({
    provider,
    path: "/scans",
    body: { media: { "application/pdf": zodSchema(file()) } },
    response,
  }),
  logIn: submission({
    provider,
    path: "/logins",
    body: { media: { "application/x-www-form-urlencoded": login } },
    response,
  }),
  addNote: submission({
    provider,
    path: "/notes",
    body: {
      required: false,
      media: { "text/plain": zodSchema(z.string()), "application/json": login },
    },
    response,
  }),
};
const providerM: Provider = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: { ...endpoints },
});

const photo = { mediaType: "image/png", name: "photo.png", content: new Uint8Array(3) };
const done = { done: true };
const example = (body: unknown): object => ({ summary: "x", request: { body }, response: done });
const document = packagedDocument({
  provider: providerM,
  package: { name: "provider-m", version: "1.0.0" },
  documentation: noDocumentation,
  // These examples lack the types of a real provider's examples.
  examples: {
    addEvidence: { usual: example({ note: "it's", photo }) },
    addScan: { usual: example({ mediaType: "application/pdf", content: new Uint8Array(3) }) },
    logIn: { usual: example({ user: "Ελένη", roles: ["a b", "c"] }) },
    addNote: { usual: example("a note"), json: example({ user: "x", roles: [] }) },
  } as never,
});
const deployment = { address: "http://127.0.0.1:8080", segment: provider };

function operation(name: string): Operation {
  const found = operationsOf(document).find(({ operation: each }) => each.operationId === name);
  if (found === undefined) throw new TypeError(`${name} is not there`);
  return found.operation;
}

function snippet(name: string, label: string): string | undefined {
  const placed = operationsOf(document).find(({ operation: each }) => each.operationId === name);
  if (placed === undefined) throw new TypeError(`${name} is not there`);
  return snippetsOf(placed, document, deployment as never).find((one) => one.label === label)
    ?.source;
}

describe("the reference of bodies other than JSON", () => {
  it("a provider's OpenAPI document lists every media type of a body with schema and examples, and whether the body is required", () => {
    expect(operation("addNote").requestBody).toMatchObject({
      required: false,
      content: {
        "text/plain": { schema: { type: "string" }, examples: { usual: { value: "a note" } } },
        "application/json": { examples: { json: { value: { user: "x", roles: [] } } } },
      },
    });
    expect(operation("logIn").requestBody?.required).toBe(true);
  });

  it("a provider's OpenAPI document describes the rules of a file, and the examples show the file's name instead of the file's bytes", () => {
    const media = operation("addEvidence").requestBody?.content["multipart/form-data"];
    expect(media?.schema.properties?.photo).toEqual({
      type: "string",
      format: "binary",
      "x-file": { mediaTypes: ["image/png", "image/jpeg"], maxBytes: 1_000 },
    });
    expect(media?.encoding).toEqual({ photo: { contentType: "image/png, image/jpeg" } });
    expect(media?.examples?.usual?.value).toEqual({ note: "it's", photo: "photo.png" });
    expect(operation("addScan").requestBody?.content["application/pdf"]).toEqual({
      schema: { type: "string", format: "binary", "x-file": {} },
    });
  });

  it("the code snippets send the files of a request from disk", () => {
    const curl = snippet("addEvidence", "curl");
    expect(curl).toContain("--form-string 'note=it'\\''s'");
    expect(curl).toContain("--form 'photo=@photo.png;type=image/png'");
    expect(snippet("addScan", "curl")).toContain("--data-binary '@file'");
    expect(snippet("addEvidence", "TypeScript")).toContain('path: "photo.png"');
    expect(snippet("addEvidence", "Python")).toBeUndefined();
  });

  it("the code snippets and collection requests send forms and texts in the declared format", () => {
    expect(snippet("logIn", "curl")).toContain("roles=a+b&roles=c");
    expect(snippet("addNote", "TypeScript")).toContain('body: "a note"');
    const requests = collectionRequests(document).map(({ body, name }) => [name, body]);
    expect(requests).toEqual([
      ["logIn", `user=${encodeURIComponent("Ελένη")}&roles=a+b&roles=c`],
      ["addNote", "a note"],
    ]);
  });
});

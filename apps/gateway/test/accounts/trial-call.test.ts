import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  document,
  type Endpoint,
  lookup,
  pdf,
  quote,
  read,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import { count, loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";
import { findTrialCall } from "../../src/operator/verification/verify-accounts.ts";

const provider = "provider-x";
const response = { 200: loose<{ id: string }>({ id: z.string() }) };
const query = strict<{ afm: string }>({ afm: text() });
interface OptionalSearch {
  afm?: string;
  start?: number;
  limit?: number;
}
const all: Readonly<Record<string, Endpoint>> = {
  createThing: submission<{ response: { id: string } }>({ provider, path: "/create", response }),
  download: document<{ query: { afm?: string } }>({
    provider,
    path: "/download",
    query: strict<{ afm?: string }>({ afm: z.exactOptional(text()) }),
    files: [pdf],
    fileName: "x",
  }),
  quoteOf: quote<{ body: { age: number }; response: { id: string } }>({
    provider,
    path: "/quote",
    body: strict<{ age: number }>({ age: count() }),
    response,
  }),
  readOf: read<{ query: { afm: string }; response: { id: string } }>({
    provider,
    path: "/read-of",
    query,
    response,
  }),
  find: search<{ query: OptionalSearch; item: { id: string } }>({
    provider,
    path: "/find",
    query: strict<OptionalSearch>({ afm: z.exactOptional(text()), ...pageQuery() }),
    item: response[200],
  }),
  lookUpOne: lookup<{ params: { id: string }; response: { id: string } }>({
    provider,
    path: "/one/{id}",
    params: strict<{ id: string }>({ id: text() }),
    response,
  }),
  quoteOfNothing: quote<{ response: { id: string } }>({ provider, path: "/nothing", response }),
  readAll: read<{ response: { id: string } }>({ provider, path: "/read", response }),
  list: lookup<{ response: { id: string } }>({ provider, path: "/list", response }),
};

/** Returns a package folder whose OpenAPI document has the given paths, with examples of parameters and bodies. */
function folderWith(paths: object): string {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "dist/reference"), { recursive: true });
  writeFileSync(
    join(folder, "dist/reference/openapi.json"),
    JSON.stringify({ openapi: "3.1.0", paths }),
  );
  return folder;
}

function triedOf(names: readonly string[], folder = "/nowhere"): unknown {
  const endpoints = Object.fromEntries(names.map((name) => [name, all[name]]));
  const declared = { id: provider, contract: 2, name: "X", lines: ["motor"], endpoints };
  // Every name is a key of `all`, so no endpoint is undefined.
  const found = findTrialCall({ folder, provider: declared as never });
  return found === null ? null : [found.name, found.input];
}

const empty = { params: {}, query: {}, headers: {}, body: undefined };

it.each<[readonly string[], unknown]>([
  [Object.keys(all), ["list", empty]],
  [
    ["download", "quoteOf", "find", "readAll"],
    ["readAll", empty],
  ],
  [
    ["download", "readOf", "find"],
    ["find", expect.objectContaining({ query: expect.anything() })],
  ],
  [
    ["download", "quoteOf", "readOf"],
    ["download", empty],
  ],
  [["quoteOf", "readOf"], null],
  [
    ["lookUpOne", "quoteOfNothing"],
    ["quoteOfNothing", empty],
  ],
  [["createThing"], null],
  [[], null],
])(
  "the trial call of an account uses, if possible, a cheap endpoint without required input: %j",
  (names, tried) => {
    expect(triedOf(names)).toEqual(tried);
  },
);

it("a trial call with required input uses the endpoint's published example, and downloads a document only if no other endpoint fits", () => {
  const folder = folderWith({
    "/provider-x/read-of": {
      get: {
        parameters: [{ in: "query", name: "afm", examples: { one: { value: 123_456_789 } } }],
      },
    },
    "/provider-x/one/{id}": {
      get: { parameters: [{ in: "path", name: "id", examples: { one: { value: "T-1" } } }] },
    },
    "/provider-x/quote": {
      post: {
        requestBody: {
          content: { "application/json": { examples: { one: { value: { age: 41 } } } } },
        },
      },
    },
  });
  expect(triedOf(["download", "quoteOf", "readOf"], folder)).toEqual([
    "readOf",
    { ...empty, query: { afm: "123456789" } },
  ]);
  expect(triedOf(["lookUpOne", "download", "readOf"], folder)).toEqual([
    "lookUpOne",
    { ...empty, params: { id: "T-1" } },
  ]);
  for (const name of ["readOf", "lookUpOne"])
    expect(triedOf([name, "quoteOfNothing"], folder)).toEqual(["quoteOfNothing", empty]);
  expect(triedOf(["download", "quoteOf"], folder)).toEqual([
    "quoteOf",
    { ...empty, body: { age: 41 }, mediaType: "application/json" },
  ]);
});

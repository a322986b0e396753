import {
  document,
  type Endpoint,
  type FilePart,
  none,
  pdf,
  submission,
} from "@insurance-gateway/core/contract";

import {
  date,
  decimal,
  file,
  joined,
  loose,
  strict,
  text,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { roundTripFaults } from "../src/round-trip.ts";

const named = loose<{ name: string }>({ name: text() });
const four = z.array(z.string()).check(z.minLength(4), z.maxLength(5));
const listed = z.array(z.string()).check(z.minLength(1));

const reading: Endpoint = {
  kind: "read",
  method: "GET",
  provider: "provider-m",
  path: "/things",
  response: { 200: named },
};

const form = strict<{ user: string; attempts: number; roles: string[]; place: { city: string } }>({
  user: z.string(),
  attempts: z.int(),
  roles: listed,
  place: z.strictObject({ city: z.string() }),
});

/** Endpoints whose kinds bring the client's code with them. */
const place = { provider: "provider-m", path: "/others" };
const withCode: Readonly<Partial<Record<Endpoint["kind"], Endpoint>>> = {
  document: document<object>({ ...place, files: [pdf] }),
  submission: submission<{ response: { name: string } }>({
    ...place,
    response: { 200: named },
    idempotency: "none",
  }),
};

/** Returns the faults of an endpoint's round trip, with other endpoints of its provider. */
function faultsOf(
  change: Partial<Endpoint>,
  siblings: Readonly<Record<string, Endpoint>> = {},
): Promise<readonly string[]> {
  const endpoint: Endpoint = { ...withCode[change.kind ?? "read"], ...reading, ...change };
  return roundTripFaults(endpoint, { endpoint, ...siblings }, { requests: [], responses: [] });
}

describe("the round-trip check with generated values", () => {
  it.each<[string, Partial<Endpoint>]>([
    [
      "lists, repeated and joined, objects, numbers and flags in a query",
      {
        query: strict<{ ids: number[]; tags?: string[]; filter: object; exact: boolean }>({
          ids: z.array(z.number()).check(z.minLength(1)),
          tags: z.exactOptional(joined(listed)),
          filter: z.strictObject({ from: date(), most: z.exactOptional(z.number()) }),
          exact: z.boolean(),
        }),
      },
    ],
    [
      "path parameters beside literal text",
      {
        path: "/v{version}/things/{thing-id}.v1:read",
        params: strict<{ version: number; "thing-id": string }>({
          version: z.int(),
          "thing-id": text(),
        }),
      },
    ],
    [
      "headers with texts and lists",
      {
        headers: strict<{ "x-agent": string; "x-ids"?: string[] }>({
          "x-agent": text(),
          "x-ids": z.exactOptional(joined(listed)),
        }),
      },
    ],
    [
      "a body with a rule across its fields, and answers of several statuses",
      {
        kind: "submission",
        method: "POST",
        body: strict<{ from: string; to: string; sum: number }>(
          { from: date(), to: date(), sum: z.number() },
          {
            path: ["to"],
            code: "DATE_ORDER",
            message: "must be after from",
            holds: ({ from, to }) => to > from,
          },
        ),
        response: {
          201: {
            media: { "application/json": named },
            headers: strict<{ "x-total": number }>({ "x-total": z.int() }),
          },
          202: zodSchema<string[]>(z.array(decimal())),
          204: none,
        },
      },
    ],
    [
      "a form with lists and objects",
      {
        method: "POST",
        body: { media: { "application/x-www-form-urlencoded": form } },
      },
    ],
    [
      "a form with files",
      {
        kind: "submission",
        method: "POST",
        body: {
          media: {
            "multipart/form-data": strict<{ photo: FilePart; more?: FilePart[]; note: string }>({
              photo: file({ mediaTypes: ["image/png"], maxBytes: 8 }),
              more: z.exactOptional(z.array(file()).check(z.minLength(1))),
              note: z.string(),
            }),
          },
        },
      },
    ],
    [
      "an optional body of JSON, text or a file",
      {
        method: "POST",
        body: {
          required: false,
          media: {
            "application/merge-patch+json": named,
            "text/plain": zodSchema(z.string().check(z.minLength(1))),
            "application/pdf": zodSchema(file()),
          },
        },
      },
    ],
    [
      "a text with digits in brackets",
      {
        response: {
          200: loose<{ name: string }>({ name: z.string().check(z.regex(/^\[\d+\]$/)) }),
        },
      },
    ],
    [
      "texts with patterns from which no text can be generated",
      {
        response: {
          200: loose<{ a: string; b: string }>({
            a: z.string().check(z.regex(/^(?!new$)[a-z]*/)),
            b: z.string().check(z.regex(/^[\w\- ]*/)),
          }),
        },
      },
    ],
    [
      "deeply nested lists with a minimum length",
      {
        method: "POST",
        body: zodSchema<unknown>(
          z.strictObject({
            a: z.strictObject({ b: z.strictObject({ c: z.strictObject({ d: four }) }) }),
          }),
        ),
      },
    ],
    [
      "texts that may end with white space",
      {
        method: "POST",
        body: zodSchema<unknown>(z.array(z.string().check(z.regex(/^q\s?$/)))),
      },
    ],
    [
      "the intersection of two schemas",
      {
        response: {
          200: zodSchema<unknown>(
            z.intersection(z.looseObject({ a: z.string() }), z.looseObject({ b: z.int() })),
          ),
        },
      },
    ],
    [
      "texts of the usual formats",
      {
        query: strict<Record<"url" | "mail" | "id" | "time", string>>({
          url: z.url(),
          mail: z.email(),
          id: z.uuid(),
          time: z.iso.time(),
        }),
      },
    ],
    ["a document", { kind: "document", files: [pdf], response: {} }],
    ["a recursive value", { response: { 200: tree() } }],
  ])(
    "a value arrives unchanged after the round trip between client and insurer: %s",
    async (_, change) => {
      expect(await faultsOf(change)).toEqual([]);
    },
  );

  // The declarations in the following tests compile, but could not work over HTTP.
  it("the round-trip check reports a query parameter whose list may be empty", async () => {
    const query = strict<{ ids: string[] }>({ ids: z.array(z.string()) });
    expect(await faultsOf({ query })).toContain(
      'the gateway refuses {"query":{"ids":[]}}, although it is valid: /query/ids is required',
    );
  });

  it("the round-trip check reports a comma-separated list whose items may contain a comma", async () => {
    const query = strict<{ ids: string[] }>({
      ids: listed.check(z.meta({ "x-joined": true })),
    });
    expect(await faultsOf({ query })).toContainEqual(
      expect.stringMatching(/^the gateway reads the query .* as /),
    );
  });

  it("the round-trip check reports a query parameter whose object may be empty or contains another object", async () => {
    const nested = strict<{ a: { b: { c: string } } }>({
      a: z.strictObject({ b: z.strictObject({ c: z.string() }) }),
    });
    expect((await faultsOf({ query: nested }))[0]).toMatch(/^the gateway refuses /);
    const empty = strict<{ a: { b?: string } }>({
      a: z.strictObject({ b: z.exactOptional(z.string()) }),
    });
    expect(await faultsOf({ query: empty })).toContain(
      'the gateway refuses {"query":{"a":{}}}, although it is valid: /query/a is required',
    );
  });

  it("the round-trip check reports a nullable query parameter, because the gateway reads the null as a text", async () => {
    const query = strict<{ a: string | null }>({ a: z.nullable(z.string()) });
    expect(await faultsOf({ query })).toContain(
      'the gateway reads the query {"a":null} as {"a":"null"}',
    );
  });

  it("the round-trip check reports two endpoints that match the same requests, unless one path has more literal segments", async () => {
    const params = strict<{ id: string }>({ id: text() });
    const path = "/things/{id}";
    const twin: Endpoint = { ...reading, path: "/things/{name}" };
    const literal: Endpoint = { ...reading, path: "/things/0012" };
    expect(await faultsOf({ path, params }, { twin })).toEqual([
      "its request GET /things/{id} also matches twin, /things/{name}",
    ]);
    expect(await faultsOf({ path, params }, { literal })).toEqual([]);
  });

  it("the round-trip check accepts an HTML answer whose schema lists all possible texts", async () => {
    const state = zodSchema(z.enum(["OPEN", "CLOSED <soon>"]));
    const response = { 200: { media: { "text/html": state } } };
    expect(await faultsOf({ response })).toEqual([]);
  });

  it("the round-trip check accepts an answer of bytes although the endpoint is not a document", async () => {
    const response = {
      200: { media: { "image/png": zodSchema<FilePart>(file({ maxBytes: 8 })) } },
    };
    expect(await faultsOf({ response })).toEqual([]);
  });

  it("the round-trip check reports an answer of bytes if the file's schema refuses the declared media type", async () => {
    const photo = file({ mediaTypes: ["image/png"] });
    const response = { 200: { media: { "image/jpeg": zodSchema<FilePart>(photo) } } };
    expect((await faultsOf({ response })).join()).toContain(
      "the gateway refuses the insurer's answer",
    );
  });

  it("the round-trip check accepts a schema of numbers, because every number arrives unchanged or is refused", async () => {
    // Numbers arrive unchanged or are refused.
    const numbers = loose<{ id: number; more: { id: number }[] }>({
      id: z.number(),
      more: z.array(z.looseObject({ id: z.int() })),
    });
    expect(await faultsOf({ response: { 200: numbers } })).toEqual([]);
  });

  it("the round-trip check reports a form field whose list may be empty", async () => {
    const body = strict<{ roles: string[] }>({ roles: z.array(z.string()) });
    const media = { "application/x-www-form-urlencoded": body };
    expect((await faultsOf({ method: "POST", body: { media } })).join()).toMatch(
      /the gateway refuses .*"roles":\[\].* although it is valid: \/roles is required/,
    );
  });

  it("the round-trip check skips whole numbers that JavaScript cannot represent exactly", async () => {
    const sums = loose<{ sum: number }>({ sum: z.number().check(z.gte(2 ** 52)) });
    const endpoint: Endpoint = { ...reading, response: { 200: sums } };
    const known = { requests: [], responses: [{ sum: 2 ** 57 }] };
    expect(await roundTripFaults(endpoint, { endpoint }, known)).toEqual([]);
  });

  it("the round-trip check reports a recursive schema whose values would be infinitely deep", async () => {
    const endless = z.looseObject({
      get inner() {
        return z.looseObject({ outer: endless });
      },
    });
    expect(await faultsOf({ response: { 200: zodSchema<unknown>(endless) } })).toEqual([
      "no valid value could be generated for the answer 200: add an example",
    ]);
  });

  it("the round-trip check reports a schema for which no value can be generated", async () => {
    const query = strict<{ code: string }>({
      code: z.string().check(z.refine((code) => code === "one of a kind")),
    });
    expect(await faultsOf({ query })).toEqual([
      "no valid value could be generated for `query`: add an example",
    ]);
  });
});

/** Returns the schema of a recursive answer. */
function tree(): ReturnType<typeof zodSchema<unknown>> {
  const node = z.looseObject({
    name: z.string(),
    get children() {
      return z.array(node);
    },
  });
  return zodSchema<unknown>(node);
}

import { document, type Endpoint, none, pdf, submission } from "@insurance-gateway/core/contract";
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

type Change = Partial<Endpoint>;
type Values = Readonly<Record<string, unknown>>;

const named = loose<{ name: string }>({ name: text() });
const listed = z.array(z.string()).check(z.minLength(1));

const reading: Endpoint = {
  kind: "read",
  method: "GET",
  provider: "provider-m",
  path: "/things",
  response: { 200: named },
};
const querying = (shape: z.core.$ZodShape): Change => ({ query: strict<Values>(shape) });
const answering = (schema: z.ZodMiniType): Change => ({ response: { 200: zodSchema(schema) } });
const answeringAs = (mediaType: string, schema: z.ZodMiniType): Change => ({
  response: { 200: { media: { [mediaType]: zodSchema(schema) } } },
});
const posting = (
  ...bodies: readonly (readonly [mediaType: string, schema: z.ZodMiniType])[]
): Change => ({
  method: "POST",
  body: { media: Object.fromEntries(bodies.map(([type, schema]) => [type, zodSchema(schema)])) },
});

const form = z.strictObject({
  user: z.string(),
  attempts: z.int(),
  roles: listed,
  place: z.strictObject({ city: z.string() }),
});
const tree = z.looseObject({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});
const endless = z.looseObject({
  get inner() {
    return z.looseObject({ outer: endless });
  },
});

const place = { provider: "provider-m", path: "/others" };
/** Endpoints of the kinds for which the client needs its own code, which the declaring function adds. */
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
  change: Change,
  siblings: Readonly<Record<string, Endpoint>> = {},
): Promise<readonly string[]> {
  const endpoint: Endpoint = { ...withCode[change.kind ?? "read"], ...reading, ...change };
  return roundTripFaults(endpoint, { endpoint, ...siblings }, { requests: [], responses: [] });
}

describe("the round-trip check with generated values", () => {
  it.each<[string, Change]>([
    [
      "lists, repeated and joined, objects, numbers and flags in a query",
      querying({
        ids: z.array(z.number()).check(z.minLength(1)),
        tags: z.exactOptional(joined(listed)),
        filter: z.strictObject({ from: date(), most: z.exactOptional(z.number()) }),
        exact: z.boolean(),
      }),
    ],
    [
      "path parameters beside literal text",
      {
        path: "/v{version}/things/{thing-id}.v1:read",
        params: strict<Values>({ version: z.int(), "thing-id": text() }),
      },
    ],
    [
      "headers with texts and lists",
      {
        headers: strict<Values>({ "x-agent": text(), "x-ids": z.exactOptional(joined(listed)) }),
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
    ["a form with lists and objects", posting(["application/x-www-form-urlencoded", form])],
    [
      "a form with files",
      {
        kind: "submission",
        ...posting([
          "multipart/form-data",
          z.strictObject({
            photo: file({ mediaTypes: ["image/png"], maxBytes: 8 }),
            more: z.exactOptional(z.array(file()).check(z.minLength(1))),
            note: z.string(),
          }),
        ]),
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
      answering(z.looseObject({ name: z.string().check(z.regex(/^\[\d+\]$/)) })),
    ],
    [
      "texts with patterns from which no text can be generated",
      answering(
        z.looseObject({
          a: z.string().check(z.regex(/^(?!new$)[a-z]*/)),
          b: z.string().check(z.regex(/^[\w\- ]*/)),
        }),
      ),
    ],
    [
      "deeply nested lists with a minimum length",
      posting([
        "application/json",
        z.strictObject({
          a: z.strictObject({
            b: z.strictObject({ c: z.array(z.string()).check(z.minLength(4), z.maxLength(5)) }),
          }),
        }),
      ]),
    ],
    [
      "texts that may end with white space",
      posting(["application/json", z.array(z.string().check(z.regex(/^q\s?$/)))]),
    ],
    [
      "the intersection of two schemas",
      answering(z.intersection(z.looseObject({ a: z.string() }), z.looseObject({ b: z.int() }))),
    ],
    [
      "texts of the usual formats",
      querying({ url: z.url(), mail: z.email(), id: z.uuid(), time: z.iso.time() }),
    ],
    ["a document", { kind: "document", files: [pdf], response: {} }],
    ["a recursive value", answering(tree)],
    [
      "an HTML answer whose schema lists all possible texts",
      answeringAs("text/html", z.enum(["OPEN", "CLOSED <soon>"])),
    ],
    [
      "an answer of bytes although the endpoint is not a document",
      answeringAs("image/png", file({ maxBytes: 8 })),
    ],
    [
      "numbers, which arrive unchanged or are refused",
      answering(z.looseObject({ id: z.number(), more: z.array(z.looseObject({ id: z.int() })) })),
    ],
  ])(
    "a value arrives unchanged after the round trip between client and insurer: %s",
    async (_, change) => {
      expect(await faultsOf(change)).toEqual([]);
    },
  );

  // These declarations compile, but could not work over HTTP.
  it.each<[string, Change, RegExp]>([
    [
      "a query parameter whose list may be empty",
      querying({ ids: z.array(z.string()) }),
      /^the gateway refuses {"query":{"ids":\[\]}}, although it is valid: \/query\/ids is required$/m,
    ],
    [
      "a comma-separated list whose items may contain a comma",
      querying({ ids: listed.check(z.meta({ "x-joined": true })) }),
      /^the gateway reads the query .* as /m,
    ],
    [
      "a query parameter whose object contains another object",
      querying({ a: z.strictObject({ b: z.strictObject({ c: z.string() }) }) }),
      /^the gateway refuses /,
    ],
    [
      "a query parameter whose object may be empty",
      querying({ a: z.strictObject({ b: z.exactOptional(z.string()) }) }),
      /^the gateway refuses {"query":{"a":{}}}, although it is valid: \/query\/a is required$/m,
    ],
    [
      "a nullable query parameter, whose null the gateway reads as a text",
      querying({ a: z.nullable(z.string()) }),
      /^the gateway reads the query {"a":null} as {"a":"null"}$/m,
    ],
    [
      "an answer of bytes, if the file's schema refuses the declared media type",
      answeringAs("image/jpeg", file({ mediaTypes: ["image/png"] })),
      /^the gateway refuses the insurer's answer/m,
    ],
    [
      "a form field whose list may be empty",
      posting([
        "application/x-www-form-urlencoded",
        z.strictObject({ roles: z.array(z.string()) }),
      ]),
      /^the gateway refuses .*"roles":\[\].* although it is valid: \/roles is required/m,
    ],
    [
      "a recursive schema whose values would be infinitely deep",
      answering(endless),
      /^no valid value could be generated for the answer 200: add an example$/,
    ],
    [
      "a schema for which no value can be generated",
      querying({ code: z.string().check(z.refine((code) => code === "one of a kind")) }),
      /^no valid value could be generated for `query`: add an example$/,
    ],
  ])("the round-trip check reports %s", async (_, change, fault) => {
    expect((await faultsOf(change)).join("\n")).toMatch(fault);
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

  it("the round-trip check skips whole numbers that JavaScript cannot represent exactly", async () => {
    const sums = loose<{ sum: number }>({ sum: z.number().check(z.gte(2 ** 52)) });
    const endpoint: Endpoint = { ...reading, response: { 200: sums } };
    const known = { requests: [], responses: [{ sum: 2 ** 57 }] };
    expect(await roundTripFaults(endpoint, { endpoint }, known)).toEqual([]);
  });
});

import type { AdapterAnswer } from "@insurance-gateway/adapter";
import { type Endpoint, none } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { file, loose, zodSchema } from "@insurance-gateway/core/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createThing,
  listThings,
  type ReadInsurer,
  said,
  searchThings,
  sent,
  startReadInsurer,
  value,
} from "./read-insurer.ts";

let site: ReadInsurer;
beforeAll(async () => {
  site = await startReadInsurer();
});
afterAll(() => site.close());

const anything = loose<object>({});
const BAD = "PROVIDER_BAD_RESPONSE unknown unusable";
const LOST = "OUTCOME_UNKNOWN unknown unusable";

function nested(levels: number): unknown {
  let inner: unknown = [null, "no level"];
  for (let level = 1; level < levels; level += 1) inner = level % 2 === 0 ? [inner] : { inner };
  return inner;
}

/** The insurer's answer to the submission `sent`, with the identifier of the created item. */
const named = { ...sent, id: "X-0" };

describe("successful answers", () => {
  it.each([
    [64, "200", "201"],
    [65, BAD, LOST],
  ])(
    "the gateway accepts an answer whose JSON has at most 64 nested levels: %i levels",
    async (levels, others, submitted) => {
      const deep = Object(nested(levels));
      const object = Array.isArray(deep) ? { inner: Object(nested(levels - 1)) } : deep;
      expect(said(await site.ask(listThings, value(200, object)))).toBe(others);
      const created = value(201, { ...named, ...object }, { headers: { "x-id": "1" } });
      expect(said(await site.ask(createThing, created))).toBe(submitted);
    },
  );

  it("the caller receives the insurer's original JSON text if the adapter keeps this text, and newly written JSON otherwise", async () => {
    const written = '{ "a" : 1 }';
    expect(await site.ask(listThings, value(200, { a: 1 }, { text: written }))).toMatchObject({
      content: written,
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    expect(await site.ask(listThings, value(200, { a: 1 }))).toMatchObject({ content: '{"a":1}' });
  });

  it("the drift comparison receives the content of every answer of an insurer, except the content of a file", async () => {
    const photo: Endpoint = {
      ...listThings,
      response: { 200: { media: { "image/png": zodSchema(file({ maxBytes: 3 })) } } },
    };
    const png = { mediaType: "image/png" };
    const [one, large] = [
      { ...png, content: Buffer.alloc(1) },
      { ...png, content: Buffer.alloc(9) },
    ];
    expect(said(await site.ask(photo, value(200, one, png)))).toBe("200");
    expect(said(await site.ask(photo, value(200, large, png)))).toBe(BAD);
    expect(said(await site.ask(listThings, value(200, { a: 1 })))).toBe("200");
    expect(site.received.splice(0).slice(-3)).toEqual([
      { bodies: [], value: null, isBroken: false },
      { bodies: [], value: null, isBroken: true },
      {
        bodies: [],
        value: { status: 200, mediaType: "application/json", content: { a: 1 } },
        isBroken: false,
      },
    ]);
  });

  it("the gateway reports an insurer's unreadable answer as broken to the drift comparison", async () => {
    site.received.length = 0;
    await site.ask(listThings, { type: "unreadable", status: 200, detail: "" });
    expect(site.received).toEqual([{ bodies: [], value: null, isBroken: true }]);
  });

  it("the gateway passes on the insurer's bytes of a file, with the declared media type", async () => {
    const response = { 200: { media: { "image/png": zodSchema(file({ maxBytes: 3 })) } } };
    const png = { mediaType: "image/png" };
    const picture = value(200, { ...png, content: Buffer.from("png") }, png);
    const found = await site.ask({ ...listThings, response }, picture);
    if (!("content" in found) || typeof found.content === "string") throw new TypeError("No file");
    expect(found.headers["content-type"]).toBe("image/png");
    expect(Buffer.concat(await found.content.toArray()).toString()).toBe("png");
  });

  it("the gateway accepts an insurer's answer without content only if the answer's status is declared without content", async () => {
    const lookup: Endpoint = { ...listThings, response: { 200: anything, 204: none } };
    const found = await site.ask(lookup, value(204, undefined), { accept: ["text/csv"] });
    expect(found).toMatchObject({ status: 204, content: "" });
    expect(found).not.toHaveProperty(["headers", "content-type"]);
    expect(said(await site.ask(lookup, value(204, {})))).toBe(BAD);
    expect(said(await site.ask(lookup, value(200, undefined, { mediaType: "text/plain" })))).toBe(
      BAD,
    );
  });

  it("the caller receives only declared headers of an answer, and a header that the adapter sets replaces the insurer's header", async () => {
    const created = value(201, named, { headers: { "x-id": "own" } });
    const found = await site.ask(createThing, created, {
      headers: { "x-id": "theirs", "x-other": "1" },
    });
    expect(found).toMatchObject({ headers: { "x-id": "own", "cache-control": "no-store" } });
    expect(found).not.toHaveProperty(["headers", "x-other"]);
    expect(
      said(await site.ask(createThing, value(201, named), { headers: { "x-id": "theirs" } })),
    ).toBe("201");
    expect(said(await site.ask(createThing, value(201, sent))), "without a declared header").toBe(
      LOST,
    );
    const long = { "x-id": "x".repeat(201) };
    expect(
      said(await site.ask(createThing, value(201, sent), { headers: long })),
      "with a header that breaks its schema",
    ).toBe(LOST);
  });

  it("the gateway refuses an insurer's answer in a media type that the caller does not accept, except the result of a submission", async () => {
    const accept = ["text/csv"];
    expect(said(await site.ask(listThings, value(200, {}), { accept }))).toBe(
      "NOT_ACCEPTABLE rejected answered",
    );
    const created = value(201, named, { headers: { "x-id": "1" } });
    expect(said(await site.ask(createThing, created, { accept }))).toBe("201");
  });

  it.each([
    ["an undeclared status", value(203, {}), BAD],
    ["an undeclared media type", value(200, {}, { mediaType: "text/plain" }), BAD],
    ["a number instead of a JSON object", value(200, 1), BAD],
    ["null instead of a JSON object", value(200, null), BAD],
    [
      "an answer that the adapter cannot read",
      { type: "unreadable", status: 200, detail: "" },
      BAD,
    ],
    ["a document that is not ready", { type: "notReady" }, "DOCUMENT_NOT_READY rejected answered"],
  ] as const)(
    "a lookup fails if the insurer's answer is not a declared success: %s",
    async (_, answer, expected) => {
      expect(said(await site.ask(listThings, answer))).toBe(expected);
    },
  );

  it.each([
    ["a lookup", listThings, true],
    ["a search", searchThings, false],
    ["a submission", createThing, false],
  ] as const)(
    "only the answer to a lookup has an ETag, which is a digest of the insurer's ETag if the insurer's ETag is valid: %s",
    async (_, endpoint, has) => {
      const answered =
        endpoint === createThing
          ? value(201, named, { headers: { "x-id": "1" } })
          : value(200, { items: [] });
      for (const [etag, form] of [
        ['"one"', /^"[\w-]{43}"$/],
        ['W/"one"', /^W\/"[\w-]{43}"$/],
        ['"o"ne"', null],
        ["one", null],
        [`"${"x".repeat(128)}"`, /^"[\w-]{43}"$/],
        [`"${"x".repeat(129)}"`, null],
      ] as const) {
        const found = await site.ask(endpoint, answered, { headers: { etag } });
        const given = found instanceof Refusal ? said(found) : found.headers.etag;
        if (has && form !== null) expect(given).toMatch(form);
        else expect(given).toBeUndefined();
      }
    },
  );
});

it("the gateway's credentials, `Via` and request id replace the adapter's headers of the same names in a request to the insurer", async () => {
  await site.ask(listThings, value(200, {}));
  expect(site.arrivals.at(-1)?.headers).toMatchObject({
    authorization: "Bearer token",
    via: "1.1 insurance-gateway",
    "x-request-id": "request",
    "x-own": "own",
  });
});

describe("the paging headers of a search", () => {
  const page = value(200, { items: [] });
  it.each([
    [
      "a next page and a total",
      { "x-next": "c", "x-total": "7" },
      { "x-next": "c", "x-total": "7" },
    ],
    ["an empty next page", { "x-next": "", "x-total": "7" }, { "x-total": "7" }],
    [
      "a cursor of 2,048 characters",
      { "x-next": "c".repeat(2_048) },
      { "x-next": "c".repeat(2_048) },
    ],
    ["a cursor of 2,049 characters", { "x-next": "c".repeat(2_049) }, BAD],
    ["a cursor with a space", { "x-next": "c c" }, BAD],
    ["a cursor with a Greek letter", { "x-next": "γ" }, BAD],
  ])(
    "the gateway passes on valid paging headers, and refuses an answer with an invalid cursor: %s",
    async (_, given, expected) => {
      const found = await site.ask(searchThings, { ...page, headers: given } as AdapterAnswer);
      if (typeof expected === "string") return expect(said(found)).toBe(expected);
      if (found instanceof Refusal) throw found;
      const { "cache-control": _cached, "content-type": _type, ...rest } = found.headers;
      expect(rest).toEqual(expected);
    },
  );
});

describe("an error answer that matches no `failures` row", () => {
  const row = { status: 400, code: "CONFLICT", outcome: "rejected", why: "" } as const;
  const refusal = (content: unknown, mediaType = "application/json"): AdapterAnswer => ({
    type: "refusal",
    status: 409,
    mediaType,
    content,
  });
  it.each([
    ["shown: a short code", { code: "E-17" }, "E-17", "/code"],
    ["shown: a number", { code: 17 }, "17", "/code"],
    ["shown: a code with six digits", { code: "E123456" }, "E123456", "/code"],
    ["hidden: a code with seven digits, as in a tax number", { code: "E1234567" }, null, null],
    ["hidden: a code that repeats a sent value", { code: "A-1" }, null, null],
    ["hidden: a sentence", { code: "No more" }, null, null],
    ["shown: a code of 40 characters", { code: "x".repeat(40) }, "x".repeat(40), "/code"],
    ["hidden: a code of 41 characters", { code: "x".repeat(41) }, null, null],
    ["shown: a code in the place that a second row names", { error: "E-18" }, "E-18", "/error"],
    [
      "hidden: a code in a place that only a row for another format names",
      { xml: "E-19" },
      null,
      null,
    ],
  ])(
    "the operator sees an unknown error code of the insurer only if the code cannot be personal data: %s",
    async (_, content, code, at) => {
      site.settings.rows = [
        row,
        { ...row, at: "/xml", media: "text/xml" },
        { ...row, at: "/code" },
        { ...row, at: "/error" },
      ];
      site.unmatched.length = 0;
      expect(said(await site.ask(createThing, refusal(content)))).toBe(LOST);
      expect(site.unmatched).toEqual([{ status: 409, mediaType: "application/json", code, at }]);
      site.settings.rows = [];
    },
  );

  it("the gateway shows the operator an insurer's unknown error code, but not a code that a `failures` row matches", async () => {
    site.settings.rows = [{ ...row, at: "/code", is: ["E-17"] }];
    site.unmatched.length = 0;
    expect(said(await site.ask(listThings, refusal({ code: "E-18" })))).toBe(BAD);
    expect(site.unmatched).toMatchObject([{ code: "E-18" }]);
    const faults = [{ pointer: "/name", code: "VALUE", message: "is too long" }];
    const matched = { ...refusal({ code: "E-17" }), status: 400, faults } as AdapterAnswer;
    const found = await site.ask(listThings, matched);
    expect(found).toMatchObject({ code: "CONFLICT", details: { errors: faults } });
    expect(site.unmatched).toHaveLength(1);
    site.settings.rows = [];
  });
});

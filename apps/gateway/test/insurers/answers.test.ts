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

/** An answer to it. */
const named = { ...sent, id: "X-0" };

describe("a declared answer", () => {
  it.each([
    [64, "200", "201"],
    [65, BAD, LOST],
  ])("a declared answer of %i levels is read or refused", async (levels, others, submitted) => {
    const deep = Object(nested(levels));
    const object = Array.isArray(deep) ? { inner: Object(nested(levels - 1)) } : deep;
    expect(said(await site.ask(listThings, value(200, object)))).toBe(others);
    const created = value(201, { ...named, ...object }, { headers: { "x-id": "1" } });
    expect(said(await site.ask(createThing, created))).toBe(submitted);
  });

  it("has its text as the insurer wrote it, otherwise its value written again", async () => {
    const written = '{ "a" : 1 }';
    expect(await site.ask(listThings, value(200, { a: 1 }, { text: written }))).toMatchObject({
      content: written,
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    expect(await site.ask(listThings, value(200, { a: 1 }))).toMatchObject({ content: '{"a":1}' });
  });

  it("an answer is compared with its declaration afterwards, a file without its content", async () => {
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

  it("an unreadable answer is reported as broken to the comparison", async () => {
    site.received.length = 0;
    await site.ask(listThings, { type: "unreadable", status: 200, detail: "" });
    expect(site.received).toEqual([{ bodies: [], value: null, isBroken: true }]);
  });

  it("may be a file, which has its own type", async () => {
    const response = { 200: { media: { "image/png": zodSchema(file({ maxBytes: 3 })) } } };
    const png = { mediaType: "image/png" };
    const picture = value(200, { ...png, content: Buffer.from("png") }, png);
    const found = await site.ask({ ...listThings, response }, picture);
    if (!("content" in found) || typeof found.content === "string") throw new TypeError("No file");
    expect(found.headers["content-type"]).toBe("image/png");
    expect(Buffer.concat(await found.content.toArray()).toString()).toBe("png");
  });

  it("may be empty where that is declared", async () => {
    const lookup: Endpoint = { ...listThings, response: { 200: anything, 204: none } };
    const found = await site.ask(lookup, value(204, undefined), { accept: ["text/csv"] });
    expect(found).toMatchObject({ status: 204, content: "" });
    expect(found).not.toHaveProperty(["headers", "content-type"]);
    expect(said(await site.ask(lookup, value(204, {})))).toBe(BAD);
    expect(said(await site.ask(lookup, value(200, undefined, { mediaType: "text/plain" })))).toBe(
      BAD,
    );
  });

  it("has the declared headers of the adapter rather than of the insurer, and none that is not declared", async () => {
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
      "one that breaks its schema",
    ).toBe(LOST);
  });

  it("an answer in a type that its caller does not accept is refused, except for the result of a submission", async () => {
    const accept = ["text/csv"];
    expect(said(await site.ask(listThings, value(200, {}), { accept }))).toBe(
      "NOT_ACCEPTABLE rejected answered",
    );
    const created = value(201, named, { headers: { "x-id": "1" } });
    expect(said(await site.ask(createThing, created, { accept }))).toBe("201");
  });

  it.each([
    ["a status that is not declared", value(203, {}), BAD],
    ["a media type that is not declared", value(200, {}, { mediaType: "text/plain" }), BAD],
    ["no JSON object", value(200, 1), BAD],
    ["nothing at all", value(200, null), BAD],
    [
      "an answer that the adapter cannot read",
      { type: "unreadable", status: 200, detail: "" },
      BAD,
    ],
    ["a document that is not ready", { type: "notReady" }, "DOCUMENT_NOT_READY rejected answered"],
  ] as const)("is not %s", async (_, answer, expected) => {
    expect(said(await site.ask(listThings, answer))).toBe(expected);
  });

  it.each([
    ["a lookup", listThings, true],
    ["a search", searchThings, false],
    ["a submission", createThing, false],
  ] as const)("a declared answer of %s has an ETag: %s", async (_, endpoint, has) => {
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
  });
});

it("a request has the gateway's credentials, name and id, whatever its adapter writes", async () => {
  await site.ask(listThings, value(200, {}));
  expect(site.arrivals.at(-1)?.headers).toMatchObject({
    authorization: "Bearer token",
    via: "1.1 insurance-gateway",
    "x-request-id": "request",
    "x-own": "own",
  });
});

/** No answer is empty, so that it may be sent on a connection that was used before. */
const alwaysNamed: Endpoint = { ...createThing, response: { 201: anything, 202: anything } };

describe("an answer to a submission", () => {
  it.each([
    ["names what was created", value(201, { ...sent, id: "X-1" }), "201", "X-1"],
    ["has no name for it", value(201, sent), LOST, undefined],
    ["takes it for later, by name", value(202, { ...sent, id: "X-1" }), "202", "X-1"],
    ["takes it for later, without a name", value(202, sent), LOST, undefined],
    ["has a name that was sent", value(202, { ...sent, id: "A-1" }), LOST, undefined],
    [
      "has a name of 200 characters",
      value(202, { ...sent, id: "x".repeat(200) }),
      "202",
      "x".repeat(200),
    ],
    ["has a name of 201", value(202, { ...sent, id: "x".repeat(201) }), LOST, undefined],
    ["has a name that is none", value(201, { ...sent, id: ["X"] }), LOST, undefined],
    ["has a number as its name", value(201, { ...sent, id: 7 }), "201", "7"],
    ["is another's in one field", value(201, { ...sent, note: "B" }), LOST, undefined],
  ])(
    "an answer to a submission that %s has the expected result",
    async (_, answer, expected, insurerId) => {
      const found = await site.ask(alwaysNamed, answer);
      expect([
        said(found),
        found instanceof Refusal ? found.details.insurerId : found.insurerId,
      ]).toEqual([expected, insurerId]);
      // After an answer that may be another's, or whose late copy could be taken for another's, nothing follows on its connection.
      const before = site.sockets.at(-1);
      await site.ask(alwaysNamed, value(201, { ...sent, id: "X-2" }));
      expect(site.sockets.at(-1) === before).toBe(typeof insurerId === "string");
    },
  );

  it("may take it for later without a name where none is declared", async () => {
    const { insurerId: _, ...unnamed } = createThing;
    expect(said(await site.ask(unnamed, value(202, sent)))).toBe("202");
  });

  it("an answer to a submission is compared field by field, except for the fields that the operator excludes", async () => {
    const mixed = value(201, { id: "X-1", name: "Maria", note: "B" }, { headers: { "x-id": "1" } });
    const mismatched = async (): Promise<unknown> => {
      const found = await site.ask(createThing, mixed);
      return found instanceof Refusal ? found.details.mismatched : found.status;
    };
    expect(await mismatched()).toEqual(["/name", "/note"]);
    site.settings.except = ["/note"];
    expect(await mismatched()).toEqual(["/name"]);
    site.settings.except = ["/name", "/note"];
    expect(await mismatched(), "on a connection of its own, there is nothing to compare").toBe(201);
    site.settings.except = [];
  });
});

describe("what a page says of the next", () => {
  const page = value(200, { items: [] });
  it.each([
    ["is passed on", { "x-next": "c", "x-total": "7" }, { "x-next": "c", "x-total": "7" }],
    ["may be nothing", { "x-next": "", "x-total": "7" }, { "x-total": "7" }],
    ["may have 2,048 characters", { "x-next": "c".repeat(2_048) }, { "x-next": "c".repeat(2_048) }],
    ["makes a bad answer with more", { "x-next": "c".repeat(2_049) }, BAD],
    ["makes a bad answer with a space", { "x-next": "c c" }, BAD],
    ["makes a bad answer with another letter", { "x-next": "γ" }, BAD],
  ])("%s", async (_, given, expected) => {
    const found = await site.ask(searchThings, { ...page, headers: given } as AdapterAnswer);
    if (typeof expected === "string") return expect(said(found)).toBe(expected);
    if (found instanceof Refusal) throw found;
    const { "cache-control": _cached, "content-type": _type, ...rest } = found.headers;
    expect(rest).toEqual(expected);
  });
});

describe("a refusal that no row matches", () => {
  const row = { status: 400, code: "CONFLICT", outcome: "rejected", why: "" } as const;
  const refusal = (content: unknown, mediaType = "application/json"): AdapterAnswer => ({
    type: "refusal",
    status: 409,
    mediaType,
    content,
  });
  it.each([
    ["its code", { code: "E-17" }, "E-17", "/code"],
    ["a number", { code: 17 }, "17", "/code"],
    ["six digits", { code: "E123456" }, "E123456", "/code"],
    ["not seven, which could be a tax number's", { code: "E1234567" }, null, null],
    ["not what was sent", { code: "A-1" }, null, null],
    ["no sentence", { code: "No more" }, null, null],
    ["40 characters", { code: "x".repeat(40) }, "x".repeat(40), "/code"],
    ["not 41", { code: "x".repeat(41) }, null, null],
    ["the place of the next row", { error: "E-18" }, "E-18", "/error"],
    ["not the place of a row for another format", { xml: "E-19" }, null, null],
  ])("shows the operator %s", async (_, content, code, at) => {
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
  });

  it("shows the code also where nothing was sent, and the matched one to nobody", async () => {
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

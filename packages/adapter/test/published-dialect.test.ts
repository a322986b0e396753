import {
  defineProvider,
  type Endpoint,
  type FilePart,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  digits,
  file,
  list,
  loose,
  map,
  oneOf,
  strict,
  string,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  type AdapterAnswer,
  marksSuccess,
  type PublishedCall,
  publishedDialect,
} from "../src/index.ts";
import { ACCEPT, callPublished } from "./harness/published-dialect.ts";
import { type Claim, provider, readClaim, texts } from "./sandbox/published-routes.ts";

const params = { claimId: "C/1" };

interface NewClaim {
  readonly serial: string;
  readonly all?: string[];
  readonly byName?: Record<string, { serial: string }>;
  readonly pair?: readonly [string, string];
  readonly either?: string | { serial: string };
  readonly both?: { serial: string; more: string };
}
const serial = z.looseObject({ serial: digits() });
const newClaim = loose<NewClaim>({
  serial: digits(),
  all: z.exactOptional(list(digits())),
  byName: z.exactOptional(map(serial)),
  pair: z.exactOptional(z.readonly(z.tuple([digits(), string()]))),
  either: z.exactOptional(oneOf(z.string().check(z.regex(/^[A-Z]/)), serial)),
  both: z.exactOptional(
    z.intersection(serial, z.looseObject({ more: digits() })) as z.ZodMiniType<{
      serial: string;
      more: string;
    }>,
  ),
});
const createClaim: Submission<{ body: NewClaim | FilePart | string; response: NewClaim }> =
  submission({
    provider,
    path: "/claims",
    body: {
      media: {
        "application/json": newClaim,
        "application/pdf": zodSchema(file()),
        "text/plain": zodSchema(string()),
      },
    },
    response: { 201: newClaim },
    idempotency: "native",
  });
const long = "9007199254740993";
const numbers = {
  serial: long,
  all: ["1", long, "007", "x"],
  byName: { one: { serial: "-5", plain: "6" } },
  pair: [long, "7"],
  either: { serial: "8" },
  both: { serial: "9", more: "10" },
  unknown: "11",
};
const written = `{"serial":${long},"all":[1,${long},"007","x"],"byName":{"one":{"serial":-5,"plain":"6"}},"pair":[${long},"7"],"either":{"serial":8},"both":{"serial":9,"more":10},"unknown":"11"}`;

describe("a submission to an insurer with an imported OpenAPI document", () => {
  it("a submission is sent with 64-bit numbers as JSON numbers, and with the submission's ID in `idempotency-key`", async () => {
    const { sent } = await callPublished(
      createClaim,
      { body: numbers },
      { submissionId: "our-id" },
    );
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/claims",
        headers: {
          accept: ACCEPT,
          "content-type": "application/json",
          "idempotency-key": "our-id",
        },
        body: written,
        acts: true,
      },
    ]);
  });

  it("a submission with a text body is sent as plain text in UTF-8", async () => {
    const { sent } = await callPublished(createClaim, { body: "5", mediaType: "text/plain" });
    expect(sent).toMatchObject([
      { headers: { accept: ACCEPT, "content-type": "text/plain; charset=utf-8" } },
    ]);
  });

  it("a submission without a declared body is sent without a body", async () => {
    const { body: _, ...bare } = createClaim;
    const { sent } = await callPublished(bare, {});
    expect(sent).toEqual([
      { method: "POST", path: "/claims", headers: { accept: ACCEPT }, acts: true },
    ]);
  });

  it("the 64-bit numbers of an insurer's JSON answer become strings of digits", async () => {
    const { answer, decoded } = await callPublished(
      createClaim,
      { body: numbers },
      { insurer: { status: 201, text: written } },
    );
    expect(answer).toEqual({ type: "value", status: 201, value: numbers });
    expect(decoded).toEqual([
      {
        content: numbers,
        form: { type: "declared", status: 201, mediaType: "application/json" },
      },
    ]);
  });

  it("the adapter does not change a value of an answer if the value does not have the declared form of a 64-bit number", async () => {
    const valueIn = async (text: string): Promise<unknown> =>
      Object(
        (await callPublished(createClaim, { body: numbers }, { insurer: { status: 201, text } }))
          .answer,
      ).value;
    expect(await valueIn('{"serial":1,"either":"ABC"}')).toEqual({ serial: "1", either: "ABC" });
    expect(await valueIn('{"serial":1,"either":5,"all":{},"byName":[1],"pair":2}')).toEqual({
      serial: "1",
      either: 5,
      all: {},
      byName: [1],
      pair: 2,
    });
    expect(await valueIn("null")).toBeNull();
  });
});

describe("an answer of an insurer with an imported OpenAPI document", () => {
  it("an answer without 64-bit numbers is passed on with its original text", async () => {
    const plain: Endpoint = { ...readClaim, response: { 200: loose<object>({}) } };
    const text = '{ "serial": 1.0 }';
    expect((await callPublished(plain, { params }, { insurer: { text } })).answer).toEqual({
      type: "value",
      status: 200,
      value: { serial: 1 },
      text,
    });
  });

  it.each<[string, PublishedCall["envelope"], number, boolean]>([
    ["an error by default", undefined, 200, true],
    ["a value if the call has no envelope", false, 200, false],
    ["an error if the envelope is declared for its status", [200, 201], 200, true],
    ["a value if the envelope is declared for another status", [201], 200, false],
  ])(
    "the dialect's `envelope` determines whether an insurer's answer without a success value is an error: %s",
    async (_, envelope, status, isError) => {
      const dialect = { envelope: { at: "/serial", success: ["0"] } };
      const ours = envelope === undefined ? {} : { envelope };
      const answerTo = async (text: string): Promise<AdapterAnswer> =>
        (await callPublished(readClaim, { params }, { dialect, ours, insurer: { status, text } }))
          .answer;
      expect(await answerTo('{"serial":0}')).toEqual({
        type: "value",
        status,
        value: { serial: "0" },
      });
      expect(await answerTo('{"serial":5}')).toEqual(
        isError
          ? {
              type: "refusal",
              status,
              mediaType: "application/json",
              content: { serial: 5 },
              faults: [],
            }
          : { type: "value", status, value: { serial: "5" } },
      );
    },
  );

  it("the adapter reads the next page's cursor by the insurer's parameter name, and only from a link to the same search", async () => {
    interface PageOfClaims {
      readonly items: Claim[];
    }
    interface Cursor {
      readonly cursor?: string;
      readonly tags?: string[];
    }
    const linked: Search<{ query: Cursor; item: Claim; page: PageOfClaims }> = search({
      provider,
      path: "/claims",
      query: strict<Cursor>({
        cursor: z.exactOptional(string()),
        tags: z.exactOptional(texts),
      }),
      page: loose<PageOfClaims>({ items: z.array(z.looseObject({ claimId: string() })) }),
      paging: { style: "link", position: "cursor", size: { usual: 2 }, items: "/items" },
    });
    const ours: PublishedCall = {
      query: { cursor: { name: "after" }, tags: { style: "pipes" } },
    };
    const linkTo = async (address: string, differs = ours): Promise<AdapterAnswer> => {
      const headers = { link: `<${address}>; rel="next"` };
      const insurer = { headers, text: '{"items":[]}' };
      const query = { cursor: "1", tags: ["a", "b"] };
      return (await callPublished(linked, { query }, { ours: differs, insurer })).answer;
    };
    const value = { type: "value", status: 200, value: { items: [] }, text: '{"items":[]}' };
    expect(await linkTo("/x?tags=a%7Cb&after=2")).toEqual({
      ...value,
      headers: { "next-cursor": "2" },
    });
    expect(await linkTo("/x?tags=a&after=2")).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's next page cannot be requested.",
    });
    expect(await linkTo("/x?cursor=2")).toMatchObject({ type: "unreadable" });
    expect(await linkTo("/x?tags=b&tags=a&cursor=2", {})).toEqual({
      ...value,
      headers: { "next-cursor": "2" },
    });
  });

  it.each([
    [{ ok: true }, [true], true],
    [{ ok: "true" }, [true], false],
    [{ ok: 0 }, [1, 0], true],
    [{}, [null], true],
    [{ ok: [] }, [null], true],
    [{ ok: [1] }, [null], false],
    [{ ok: null }, [true], false],
    [null, [null], true],
  ])(
    "an insurer's answer is a success only if the field that the dialect's `envelope` names has a declared value: answer %j, values %j, success %j",
    (content, success, isOne) => {
      expect(marksSuccess({ at: "/ok", success }, content)).toBe(isOne);
    },
  );
});

it("the adapter of an imported OpenAPI document has the `failures` table and the credentials of its dialect", () => {
  const declared = defineProvider({ id: provider, name: "P", lines: ["motor"], endpoints: {} });
  const functions = { call: expect.any(Function), speaks: expect.any(Function) };
  expect(publishedDialect(declared)).toEqual({ name: provider, failures: [], ...functions });
  const row = { status: 500, code: "CONFLICT", outcome: "rejected", why: "It says so." } as const;
  const credentials = [[{ type: "basic" }]] as const;
  expect(publishedDialect(declared, { failures: [row], credentials })).toEqual({
    name: provider,
    failures: [row],
    credentials,
    ...functions,
  });
});

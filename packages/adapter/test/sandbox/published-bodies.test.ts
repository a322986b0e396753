import {
  type Endpoint,
  type FilePart,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import {
  digits,
  file,
  integer,
  list,
  strict,
  string,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { jsonAnswer } from "../../src/sandbox/index.ts";
import { type Claim, claim, provider, readBy, routeOf, type Sent } from "./published-routes.ts";

interface NewClaim {
  readonly text: string;
  readonly serial?: string;
  readonly count?: number;
}
interface Photo {
  readonly note: string;
  readonly photos?: FilePart[];
}
const newClaim = strict<NewClaim>({
  text: string(),
  serial: z.exactOptional(digits()),
  count: z.exactOptional(integer()),
});
const createClaim: Submission<{
  body: NewClaim | Photo | string | FilePart;
  response: Claim;
}> = submission({
  provider,
  path: "/claims",
  body: {
    media: {
      "application/json": newClaim,
      "application/vnd.plain+json": strict<{ text: string }>({ text: string() }),
      "application/x-www-form-urlencoded": newClaim,
      "multipart/form-data": strict<Photo>({
        note: string(),
        photos: z.exactOptional(list(file())),
      }),
      "text/plain": zodSchema(string()),
      "application/pdf": zodSchema(file()),
    },
  },
  response: { 201: claim },
});

/** Creates a multipart form from the sections, each without its boundary. */
function form(...sections: readonly string[]): Pick<Sent, "headers" | "body"> {
  const text = sections.map((section) => `--limit\r\n${section}\r\n`).join("");
  return {
    headers: { "content-type": "multipart/form-data; boundary=limit" },
    body: Buffer.from(`preamble\r\n${text}--limit--\r\n`),
  };
}

describe("the body of a request to a simulated insurer", () => {
  const route = routeOf(createClaim);
  const note = 'Content-Disposition: form-data; name="note"\r\n\r\nΕλένη';

  it.each<[string, string, string | Uint8Array, unknown]>([
    [
      "JSON with 64-bit numbers",
      "application/json",
      '{"text":"a","serial":9007199254740993}',
      { text: "a", serial: "9007199254740993" },
    ],
    ["JSON without 64-bit numbers", "application/vnd.plain+json", '{"text":"a"}', { text: "a" }],
    ["a form", "application/x-www-form-urlencoded", "text=%CE%A9&count=2", { text: "Ω", count: 2 }],
    ["a text", "text/plain", "Ελένη", "Ελένη"],
    [
      "a file",
      "application/pdf",
      "%PDF-",
      { mediaType: "application/pdf", content: new TextEncoder().encode("%PDF-") },
    ],
  ])(
    "the simulated insurer reads a body with its declared media type: %s",
    (_, mediaType, body, value) => {
      expect(readBy(route, { headers: { "content-type": mediaType }, body })).toEqual({
        call: {
          endpoint: "declared",
          input: { params: {}, query: {}, headers: {}, mediaType, body: value },
        },
      });
    },
  );

  it.each<[string, Pick<Sent, "headers" | "body">, unknown]>([
    ["a text", form(note), { note: "Ελένη" }],
    [
      "files, byte for byte",
      form(
        note,
        'content-disposition: form-data; filename="a%22b.png"; name="photos"\r\nContent-Type: Image/PNG; q=1\r\n\r\n\r\n\r\n--lim',
        'Content-Disposition: form-data; name="photos"; filename="%0D%0A"\r\n\r\n',
      ),
      {
        note: "Ελένη",
        photos: [
          {
            name: 'a"b.png',
            mediaType: "image/png",
            content: new TextEncoder().encode("\r\n\r\n--lim"),
          },
          { name: "\r\n", mediaType: "application/octet-stream", content: new Uint8Array() },
        ],
      },
    ],
    [
      "an unknown field",
      form('Content-Disposition: form-data; name="a%22"\r\n\r\n1\r\n\r\n2'),
      { 'a"': "1\r\n\r\n2" },
    ],
    ["no sections", form(), {}],
    [
      "a quoted boundary",
      {
        headers: { "content-type": 'multipart/form-data; a=b; boundary="li mit"' },
        body: `--li mit\r\n${note}\r\n--li mit--`,
      },
      { note: "Ελένη" },
    ],
  ])("the simulated insurer reads a multipart form with %s", (_, sent, body) => {
    expect(readBy(route, sent)).toEqual({
      call: {
        endpoint: "declared",
        input: { params: {}, query: {}, headers: {}, mediaType: "multipart/form-data", body },
      },
    });
  });

  it.each<[string, Sent]>([
    ["incomplete JSON", { headers: { "content-type": "application/json" }, body: '{"a":' }],
    ["a JSON type but no body", { headers: { "content-type": "application/json" } }],
    ["an undeclared media type", { headers: { "content-type": "application/xml" }, body: "<a/>" }],
    ["a body but no media type", { body: "{}" }],
    [
      "a form type without a boundary",
      { headers: { "content-type": "multipart/form-data" }, body: "a=b" },
    ],
    ["a form section without a name", form(note, "Content-Type: text/plain\r\n\r\n1")],
  ])("the simulated insurer refuses a request with %s", (_, sent) => {
    expect(readBy(route, sent)).toEqual({
      answer: jsonAnswer(400, { detail: "The body cannot be read." }),
    });
  });

  it("the simulated insurer accepts a request without a body if the request has no media type or the body is optional", () => {
    const call = {
      call: { endpoint: "declared", input: { params: {}, query: {}, headers: {} } },
    };
    expect(readBy(route, {})).toEqual(call);
    const optional: Endpoint = {
      ...createClaim,
      body: { required: false, media: { "application/json": newClaim } },
    };
    const headers = { "content-type": "application/json" };
    expect(readBy(routeOf(optional), { headers })).toEqual(call);
    expect(readBy(routeOf(optional), { headers, body: '{"text":"a"}' })).toMatchObject({
      call: { input: { body: { text: "a" } } },
    });
  });
});

describe("the client's reference in a request to a simulated insurer", () => {
  const headers = { "content-type": "application/json", "idempotency-key": "K-1", "x-key": "K-2" };
  const sent: Sent = { headers, body: '{"text":"a","meta":{"key":"K-4"}}', search: "key=K-3" };
  const body = { text: "a", meta: { key: "K-4" } };

  it.each<[string, Partial<Endpoint>, Sent, string | undefined, unknown]>([
    ["the default header", {}, sent, "K-1", body],
    ["another header", { keyAt: { header: "x-key" } }, sent, "K-2", body],
    ["the query", { keyAt: { query: "key" } }, sent, "K-3", body],
    ["the body", { keyAt: { body: "/meta/key" } }, sent, "K-4", { text: "a", meta: {} }],
    [
      "the default header, which the request does not have",
      {},
      { ...sent, headers: { "content-type": "application/json" } },
      undefined,
      body,
    ],
    [
      "the query, which the request does not have",
      { keyAt: { query: "key" } },
      { ...sent, search: "" },
      undefined,
      body,
    ],
    [
      "a number in the body, which is ignored",
      { keyAt: { body: "/key" } },
      { ...sent, body: '{"text":"a","key":4}' },
      undefined,
      { text: "a" },
    ],
  ])(
    "the simulated insurer reads the client's reference for a submission from %s",
    (_, change, request, reference, content) => {
      const read = readBy(routeOf({ ...createClaim, ...change }), request);
      expect(read).toEqual({
        call: {
          endpoint: "declared",
          input: {
            params: {},
            query: {},
            headers: {},
            mediaType: "application/json",
            body: content,
          },
          ...(reference === undefined ? {} : { reference }),
        },
      });
      expect("call" in read && "reference" in read.call).toBe(reference !== undefined);
    },
  );

  it("the simulated insurer reads no client's reference from a call that is not a submission", () => {
    const asking: Endpoint = { ...createClaim, kind: "quote" };
    expect(readBy(routeOf(asking), sent)).toEqual({
      call: {
        endpoint: "declared",
        input: { params: {}, query: {}, headers: {}, mediaType: "application/json", body },
      },
    });
  });
});

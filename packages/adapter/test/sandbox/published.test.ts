import {
  type Document,
  defineProvider,
  document,
  type Endpoint,
  type FilePart,
  none,
  pdf,
  type Read,
  read,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  digits,
  file,
  integer,
  list,
  loose,
  strict,
  string,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { PublishedCall } from "../../src/index.ts";
import {
  type DialectAnswer,
  jsonAnswer,
  publishedInsurer,
  type RawAnswer,
  type RawRequest,
  rawRequestOf,
  type SandboxRoute,
} from "../../src/sandbox/index.ts";

const provider = "provider-p";
const clock = (): Date => new Date(0);

/** The routes of a simulated insurer with these endpoints. */
function routesOf(
  endpoints: Readonly<Record<string, Endpoint>>,
  calls: Readonly<Record<string, PublishedCall>> = {},
): readonly SandboxRoute[] {
  const declared = defineProvider({ id: provider, name: "P", lines: ["motor"], endpoints });
  return publishedInsurer(declared, calls).routes;
}

/** The only route of a simulated insurer with one endpoint. */
function routeOf(declared: Endpoint, call: PublishedCall = {}): SandboxRoute {
  const [route, ...others] = routesOf({ declared }, { declared: call });
  if (route === undefined || others.length > 0) throw new TypeError("There is not one route");
  return route;
}

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

function requestOf({ body = "", headers = {}, params = {}, search = "" }: Sent): RawRequest {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return rawRequestOf({ method: "POST", path: "/own/path", params, headers, bytes, search });
}

/** What a route reads of a request. */
function readBy(route: SandboxRoute, sent: Sent): ReturnType<SandboxRoute["read"]> {
  return route.read(requestOf(sent), clock, []);
}

function writtenBy(route: SandboxRoute, answer: DialectAnswer, sent: Sent = {}): RawAnswer {
  return route.write(answer, requestOf(sent));
}

interface ClaimQuery {
  readonly ids?: string[];
  readonly tags?: string[];
  readonly words?: string[];
  readonly period?: { from: string; to?: string };
  readonly area?: { city: string; code: string };
  readonly filter?: { a: string; b?: string };
  readonly plain?: string;
}
interface ClaimHeaders {
  readonly "x-agent"?: string;
  readonly "x-session"?: string;
  readonly "x-plain"?: string;
}
interface Claim {
  readonly claimId: string;
  readonly serial?: string;
}
const texts = list(string(), { minItems: 1 });
const claim = loose<Claim>({ claimId: string(), serial: z.exactOptional(digits()) });
const claimPath = strict<{ claimId: string }>({ claimId: string() });

const readClaim: Read<{
  params: { claimId: string };
  query: ClaimQuery;
  headers: ClaimHeaders;
  response: Claim;
}> = read({
  provider,
  path: "/claims/{claimId}",
  params: claimPath,
  query: strict<ClaimQuery>({
    ids: z.exactOptional(texts),
    tags: z.exactOptional(texts),
    words: z.exactOptional(texts),
    period: z.exactOptional(z.strictObject({ from: string(), to: z.exactOptional(string()) })),
    area: z.exactOptional(z.strictObject({ city: string(), code: digits() })),
    filter: z.exactOptional(z.strictObject({ a: string(), b: z.exactOptional(string()) })),
    plain: z.exactOptional(string()),
  }),
  headers: strict<ClaimHeaders>({
    "x-agent": z.exactOptional(string()),
    "x-session": z.exactOptional(string()),
    "x-plain": z.exactOptional(string()),
  }),
  response: { 200: claim },
});
const readCall: PublishedCall = {
  path: "/v2/claims/{claimId}/of/{tenant}",
  query: {
    ids: { name: "id", style: "pipes" },
    tags: { style: "spaces" },
    period: { style: "fields" },
    area: { name: "where", style: "json" },
    filter: { name: "f" },
    plain: { name: "p" },
  },
  headers: { "x-agent": "agent-code" },
  cookies: { "x-session": "session" },
};

describe("a request to an insurer whose interface was published", () => {
  const route = routeOf(readClaim, readCall);

  it("has the insurer's method and path", () => {
    expect([route.method, route.path]).toEqual(["GET", "/v2/claims/{claimId}/of/{tenant}"]);
  });

  it("is read with the insurer's names and formats", () => {
    const query: [string, string][] = [
      ["id", "1|2"],
      ["tags", "a b"],
      ["words", "one"],
      ["words", "two"],
      ["from", "2026"],
      ["where", '{"city":"Athens","code":5}'],
      ["f[a]", "x"],
      ["p", "y"],
      ["other", "z"],
    ];
    expect(
      readBy(route, {
        params: { claimId: "C-1", tenant: "acme" },
        search: new URLSearchParams(query).toString(),
        headers: {
          "agent-code": "7",
          "x-agent": "8",
          "x-session": "none",
          "x-plain": "p",
          cookie: "a=b; session=%CE%A9%3Dx=y ;last",
        },
      }),
    ).toEqual({
      call: {
        endpoint: "declared",
        input: {
          params: { claimId: "C-1" },
          query: {
            ids: ["1", "2"],
            tags: ["a", "b"],
            words: ["one", "two"],
            period: { from: "2026" },
            area: { city: "Athens", code: "5" },
            filter: { a: "x" },
            plain: "y",
          },
          headers: { "x-agent": "7", "x-session": "Ω=x=y ", "x-plain": "p" },
        },
      },
    });
  });

  it.each([
    ["nothing", {}, {}, {}],
    ["the public names", { search: "ids=1&plain=x&filter[a]=b" }, {}, {}],
    ["a text that is no JSON", { search: "where=%7B" }, {}, {}],
    ["a cookie that is not encoded", { headers: { cookie: "session=100%" } }, {}, "100%"],
    ["an empty cookie", { headers: { cookie: "session" } }, {}, ""],
    ["an empty list", { search: "tags=" }, { tags: [""] }, {}],
    [
      "one of several fields",
      { search: "to=2027&f[b]=1" },
      { period: { to: "2027" }, filter: { b: "1" } },
      {},
    ],
  ])("with %s has only what is there", (_, sent, query, session) => {
    const headers = typeof session === "string" ? { "x-session": session } : {};
    expect(readBy(route, { params: { claimId: "C-1" }, ...sent })).toEqual({
      call: { endpoint: "declared", input: { params: { claimId: "C-1" }, query, headers } },
    });
  });

  it("of an endpoint without parameters has none", () => {
    const plain: Endpoint = { ...readClaim, path: "/plain" };
    const { headers: _, params: __, query: ___, ...bare } = plain;
    const sent = { search: "plain=x", headers: { "x-agent": "7" } };
    expect(readBy(routeOf(bare), sent)).toEqual({
      call: { endpoint: "declared", input: { params: {}, query: {}, headers: {} } },
    });
  });
});

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

/** A form with these sections, each without its boundary. */
function form(...sections: readonly string[]): Pick<Sent, "headers" | "body"> {
  const text = sections.map((section) => `--limit\r\n${section}\r\n`).join("");
  return {
    headers: { "content-type": "multipart/form-data; boundary=limit" },
    body: Buffer.from(`preamble\r\n${text}--limit--\r\n`),
  };
}

describe("the body of a request to an insurer whose interface was published", () => {
  const route = routeOf(createClaim);
  const note = 'Content-Disposition: form-data; name="note"\r\n\r\nΕλένη';

  it.each<[string, string, string | Uint8Array, unknown]>([
    [
      "JSON with 64-bit numbers",
      "application/json",
      '{"text":"a","serial":9007199254740993}',
      { text: "a", serial: "9007199254740993" },
    ],
    ["JSON without any", "application/vnd.plain+json", '{"text":"a"}', { text: "a" }],
    ["a form", "application/x-www-form-urlencoded", "text=%CE%A9&count=2", { text: "Ω", count: 2 }],
    ["a text", "text/plain", "Ελένη", "Ελένη"],
    [
      "a file",
      "application/pdf",
      "%PDF-",
      { mediaType: "application/pdf", content: new TextEncoder().encode("%PDF-") },
    ],
  ])("is %s", (_, mediaType, body, value) => {
    expect(readBy(route, { headers: { "content-type": mediaType }, body })).toEqual({
      call: {
        endpoint: "declared",
        input: { params: {}, query: {}, headers: {}, mediaType, body: value },
      },
    });
  });

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
    ["nothing", form(), {}],
    [
      "a quoted boundary",
      {
        headers: { "content-type": 'multipart/form-data; a=b; boundary="li mit"' },
        body: `--li mit\r\n${note}\r\n--li mit--`,
      },
      { note: "Ελένη" },
    ],
  ])("is a form with %s", (_, sent, body) => {
    expect(readBy(route, sent)).toEqual({
      call: {
        endpoint: "declared",
        input: { params: {}, query: {}, headers: {}, mediaType: "multipart/form-data", body },
      },
    });
  });

  it.each<[string, Sent]>([
    ["JSON that is cut off", { headers: { "content-type": "application/json" }, body: '{"a":' }],
    ["no JSON at all", { headers: { "content-type": "application/json" } }],
    ["another type", { headers: { "content-type": "application/xml" }, body: "<a/>" }],
    ["no type", { body: "{}" }],
    [
      "a form without its boundary",
      { headers: { "content-type": "multipart/form-data" }, body: "a=b" },
    ],
    ["a form with a section without a name", form(note, "Content-Type: text/plain\r\n\r\n1")],
  ])("that is %s is refused", (_, sent) => {
    expect(readBy(route, sent)).toEqual({
      answer: jsonAnswer(400, { detail: "The body cannot be read." }),
    });
  });

  it("may be missing without a type, and if it is optional, with one", () => {
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

describe("the client's own name for a submission", () => {
  const headers = { "content-type": "application/json", "idempotency-key": "K-1", "x-key": "K-2" };
  const sent: Sent = { headers, body: '{"text":"a","meta":{"key":"K-4"}}', search: "key=K-3" };
  const body = { text: "a", meta: { key: "K-4" } };

  it.each<[string, Partial<Endpoint>, Sent, string | undefined, unknown]>([
    ["the usual header", {}, sent, "K-1", body],
    ["another header", { keyAt: { header: "x-key" } }, sent, "K-2", body],
    ["the query", { keyAt: { query: "key" } }, sent, "K-3", body],
    ["the body", { keyAt: { body: "/meta/key" } }, sent, "K-4", { text: "a", meta: {} }],
    [
      "the header, without one",
      {},
      { ...sent, headers: { "content-type": "application/json" } },
      undefined,
      body,
    ],
    [
      "the query, without one",
      { keyAt: { query: "key" } },
      { ...sent, search: "" },
      undefined,
      body,
    ],
    [
      "the body, as a number",
      { keyAt: { body: "/key" } },
      { ...sent, body: '{"text":"a","key":4}' },
      undefined,
      { text: "a" },
    ],
  ])("is in %s", (_, change, request, reference, content) => {
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
  });

  it("is not in a call that changes nothing", () => {
    const asking: Endpoint = { ...createClaim, kind: "quote" };
    expect(readBy(routeOf(asking), sent)).toEqual({
      call: {
        endpoint: "declared",
        input: { params: {}, query: {}, headers: {}, mediaType: "application/json", body },
      },
    });
  });
});

interface PageOfClaims {
  readonly items: Claim[];
}
interface CursorQuery {
  readonly cursor?: string;
  readonly tag?: string[];
}
const linkedClaims: Search<{ query: CursorQuery; item: Claim; page: PageOfClaims }> = search({
  provider,
  path: "/claims",
  query: strict<CursorQuery>({
    cursor: z.exactOptional(string()),
    tag: z.exactOptional(texts),
  }),
  page: loose<PageOfClaims>({ items: z.array(z.looseObject({ claimId: string() })) }),
  paging: { style: "link", position: "cursor", size: { usual: 2 }, items: "/items" },
});
const downloadTerms: Document<Record<never, never>> = document({
  provider,
  path: "/terms",
  files: [pdf],
});

describe("an answer of an insurer whose interface was published", () => {
  const content = new Uint8Array([1, 2]);
  const answering = (response: Endpoint["response"]): SandboxRoute =>
    routeOf({ ...readClaim, response });

  it("is a file", () => {
    const route = routeOf(downloadTerms);
    expect(writtenBy(route, { status: 200, file: content })).toEqual({
      status: 200,
      headers: { "content-type": "application/pdf" },
      body: content,
    });
    const headers = { etag: '"1"' };
    expect(
      writtenBy(route, { status: 203, headers, file: content, mediaType: "image/png" }),
    ).toEqual({
      status: 203,
      headers: { etag: '"1"', "content-type": "image/png" },
      body: content,
    });
  });

  it("is a problem", () => {
    const problem = { code: "CONFLICT", detail: "It exists." };
    const answer = writtenBy(routeOf(readClaim), { status: 409, headers: { a: "b" }, problem });
    expect(answer).toEqual({
      status: 409,
      headers: { a: "b", "content-type": "application/problem+json" },
      body: '{"title":"CONFLICT","status":409,"code":"CONFLICT","detail":"It exists."}',
    });
  });

  it("has no body if there is none", () => {
    expect(
      writtenBy(answering({ 204: none }), { status: 204, headers: { a: "b" }, body: undefined }),
    ).toEqual({ status: 204, headers: { a: "b" } });
  });

  it.each<[string, Endpoint["response"], number, unknown, string, string]>([
    [
      "JSON with 64-bit numbers",
      { 200: claim },
      200,
      { claimId: "C", serial: "9007199254740993" },
      "application/json",
      '{"claimId":"C","serial":9007199254740993}',
    ],
    [
      "JSON of its own type, before other types",
      {
        200: { media: { "text/plain": zodSchema(string()), "application/hal+json": claim } },
      },
      200,
      { claimId: "C" },
      "application/hal+json",
      '{"claimId":"C"}',
    ],
    [
      "text",
      { 200: { media: { "text/csv": zodSchema(string()) } } },
      200,
      "a;b",
      "text/csv; charset=utf-8",
      "a;b",
    ],
    [
      "JSON for a status that is not declared",
      { 200: claim },
      202,
      { serial: "5" },
      "application/json; charset=utf-8",
      '{"serial":"5"}',
    ],
  ])("is %s", (_, response, status, body, type, text) => {
    expect(writtenBy(answering(response), { status, headers: { a: "b" }, body })).toEqual({
      status,
      headers: { a: "b", "content-type": type },
      body: text,
    });
  });

  it("has the link to the next page in the insurer's names", () => {
    const route = routeOf(linkedClaims, {
      path: "/v2/claims",
      query: { cursor: { name: "after" } },
    });
    const sent = { search: "tag=a&tag=b&after=1" };
    const linkIn = (link: string, from: SandboxRoute): unknown =>
      writtenBy(from, { status: 200, headers: { link, a: "b" }, body: {} }, sent).headers;
    const type = { "content-type": "application/json" };
    expect(linkIn('</claims?tag=a&cursor=x%26y>; rel="next"', route)).toEqual({
      ...type,
      a: "b",
      link: '</own/path?tag=a&tag=b&after=x%26y>; rel="next"',
    });
    expect(linkIn('</claims?tag=a>; rel="next"', routeOf(linkedClaims))).toEqual({
      ...type,
      a: "b",
      link: '</own/path?tag=a&tag=b&after=1&cursor=>; rel="next"',
    });
    expect(linkIn('</claims>; rel="next"', route)).toEqual({
      ...type,
      a: "b",
      link: '</claims>; rel="next"',
    });
  });
});

describe("the routes of an insurer whose interface was published", () => {
  interface Versions {
    readonly policy: string;
    readonly from: string;
    readonly to: string;
  }
  interface Version {
    readonly id: string;
    readonly version: string;
  }
  const compareVersions: Read<{ params: Versions; response: Claim }> = read({
    provider,
    path: "/policies/{policy}/compare/{from}/{to}",
    params: strict<Versions>({ policy: string(), from: string(), to: string() }),
    response: { 200: claim },
  });
  const readVersion: Read<{ params: Version; response: Claim }> = read({
    provider,
    path: "/contracts/{id}/compare/{version}",
    params: strict<Version>({ id: string(), version: string() }),
    response: { 200: { media: { "application/hal+json": claim } } },
  });
  const calls = {
    compareVersions: { path: "/policies/{policy}/compare/{from}...{to}" },
    readVersion: { path: "/policies/{id}/compare/{version}" },
    sumVersions: { path: "/policies/{policy}/compare/{from}+{to}" },
  };
  const sumVersions: Endpoint = { ...compareVersions, path: "/policies/{policy}/sum/{from}/{to}" };

  it("leave out a path that is no template", () => {
    const odd = { compareVersions: { path: "/policies/*/{policy}" } };
    expect(routesOf({ compareVersions }, odd)).toEqual([]);
    expect(routesOf({ compareVersions, readVersion }, odd).map(({ path }) => path)).toEqual([
      "/contracts/{id}/compare/{version}",
    ]);
  });

  it.each([
    ["first", { compareVersions, readVersion }],
    ["last", { readVersion, compareVersions }],
  ])("are one route for what a router cannot distinguish, the special path %s", (_, endpoints) => {
    const [route, ...others] = routesOf(endpoints, calls);
    if (route === undefined) throw new TypeError("There is no route");
    expect(others).toEqual([]);
    expect([route.method, route.path]).toEqual(["GET", "/policies/{id}/compare/{version}"]);
    const joined = { params: { id: "P-1", version: "2025...2026" } };
    const plain = { params: { id: "P-1", version: "2026" } };
    expect([readBy(route, joined), readBy(route, plain)]).toEqual([
      {
        call: {
          endpoint: "compareVersions",
          input: { params: { policy: "P-1", from: "2025", to: "2026" }, query: {}, headers: {} },
        },
      },
      {
        call: {
          endpoint: "readVersion",
          input: { params: { id: "P-1", version: "2026" }, query: {}, headers: {} },
        },
      },
    ]);
    const typeOf = (sent: Sent): unknown =>
      writtenBy(route, { status: 200, body: {} }, sent).headers;
    expect([typeOf(joined), typeOf(plain)]).toEqual([
      { "content-type": "application/json" },
      { "content-type": "application/hal+json" },
    ]);
  });

  it("answer 404 if no operation has the form of the path", () => {
    const [route] = routesOf({ compareVersions, sumVersions }, calls);
    if (route === undefined) throw new TypeError("There is no route");
    const [policy = "", segment = ""] = [...route.path.matchAll(/\{([^}]+)\}/g)].map(
      ([, name]) => name,
    );
    const callOf = (text: string): unknown =>
      readBy(route, { params: { [policy]: "P-1", [segment]: text } });
    const input = { params: { policy: "P-1", from: "1", to: "2" }, query: {}, headers: {} };
    expect([callOf("1...2"), callOf("1+2"), callOf("1-2")]).toEqual([
      { call: { endpoint: "compareVersions", input } },
      { call: { endpoint: "sumVersions", input } },
      { answer: jsonAnswer(404, { detail: "There is no such path." }) },
    ]);
    expect(writtenBy(route, { status: 200, body: {} }, { params: {} })).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      body: "{}",
    });
  });
});

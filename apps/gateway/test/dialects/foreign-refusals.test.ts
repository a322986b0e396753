import { type Adapter, jsonDialect, type Mapping, plainText } from "@insurance-gateway/adapter";
import { soapDialect } from "@insurance-gateway/adapter/soap";
import {
  defineProvider,
  type Provider,
  type Schema,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { text as anyText, loose, strict } from "@insurance-gateway/core/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { adapterOf, speakTo } from "./speaking.ts";

interface Note {
  words: string;
}
const note: Schema<Note> = strict<Note>({ words: anyText() });
const keptNote: Schema<Note> = loose<Note>({ words: anyText() });

const createNote: Submission<{ body: Note; response: Note }> = submission({
  provider: "notes",
  path: "/notes",
  body: note,
  response: { 201: keptNote },
});
const notes: Provider<{ createNote: typeof createNote }> = defineProvider({
  id: "notes",
  name: "Notes",
  lines: ["motor"],
  endpoints: { createNote },
});

const sent: Mapping = [["/body/words", "/words", plainText]];
const value: Mapping = [["/words", "/words", plainText]];
const namespace = "u:notes";

/** Functions that create a dialect for the submission `createNote`, with the rows of `failures` of one provider. */
const dialects: Readonly<Record<string, (provider: Adapter) => Adapter>> = {
  a: ({ failures }) =>
    jsonDialect(notes, {
      failures,
      envelope: { request: { Header: {} }, success: "/Success" },
      calls: { createNote: { method: "POST", path: "/notes", body: sent, status: 201, value } },
    }),
  b: plainJson,
  c: ({ failures }) =>
    soapDialect(notes, {
      failures,
      path: "/notes",
      namespace,
      calls: { createNote: { operation: "create", body: sent, status: 201, value } },
    }),
  d: plainJson,
  e: plainJson,
};

function plainJson({ failures }: Adapter): Adapter {
  return jsonDialect(notes, {
    failures,
    calls: { createNote: { method: "POST", path: "/notes", body: sent, value } },
  });
}

/** Functions that return a refusal with a code in each insurer's format. */
const envelopes: Readonly<Record<string, (code: string) => string>> = {
  a: (ErrorCode) => JSON.stringify({ Success: false, Errors: [{ ErrorCode, ErrorString: "No." }] }),
  b: (code) => JSON.stringify({ error: { code, message: "No." } }),
  c: (code) =>
    '<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>' +
    `<faultcode>S:Client</faultcode><detail><serviceFault xmlns="${namespace}">` +
    `<errorCode>${code}</errorCode></serviceFault></detail></S:Fault></S:Body></S:Envelope>`,
  d: (code) => JSON.stringify({ code, message: "No." }),
  e: (code) => JSON.stringify({ errors: [{ code }] }),
};

const ownType = (letter: string): string => (letter === "c" ? "text/xml" : "application/json");

/** The codes with which each insurer refuses in these tests. The insurer's documentation lacks the last code. */
const codes: Readonly<Record<string, readonly string[]>> = {
  a: ["CLOSED", "INPUT", "NOT_FOUND", "???"],
  b: ["QUOTA", "MAINTENANCE", "API_KEY", "PAGE", "???"],
  c: ["E102", "E301", "E403", "???"],
  d: ["MTR-4022", "MTR-4091", "GW-401", "???"],
  e: ["Q-100", "Q-107", "S-001", "???"],
};

const statuses = [200, 201, 400, 401, 403, 404, 408, 409, 422, 429, 500, 503];

/** The documented rejections of each insurer: status and code, with the gateway's code for callers. */
const proofs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  a: {
    "200 CLOSED": "PROVIDER_UNAVAILABLE",
    "200 INPUT": "INVALID_INPUT",
    "200 NOT_FOUND": "RESOURCE_NOT_FOUND",
  },
  b: {
    "401 API_KEY": "PROVIDER_AUTH_FAILED",
    "403 API_KEY": "PROVIDER_AUTH_FAILED",
    "429 QUOTA": "TOO_MANY",
    "503 MAINTENANCE": "PROVIDER_UNAVAILABLE",
    "400 PAGE": "INVALID_INPUT",
    "422 PAGE": "INVALID_INPUT",
  },
  c: {
    "400 E102": "INVALID_INPUT",
    "500 E102": "INVALID_INPUT",
    "400 E301": "BROKER_LIMIT_EXCEEDED",
    "500 E301": "BROKER_LIMIT_EXCEEDED",
    "400 E403": "NOT_ALLOWED",
    "500 E403": "NOT_ALLOWED",
  },
  d: {
    "422 MTR-4022": "BROKER_LIMIT_EXCEEDED",
    "409 MTR-4091": "DUPLICATE_APPLICATION",
    "401 GW-401": "PROVIDER_AUTH_FAILED",
    "403 GW-401": "PROVIDER_AUTH_FAILED",
    "400 MTR-4022": "PROVIDER_REJECTED",
    "400 MTR-4091": "PROVIDER_REJECTED",
    "404 MTR-4022": "PROVIDER_REJECTED",
    "404 MTR-4091": "PROVIDER_REJECTED",
    "422 MTR-4091": "PROVIDER_REJECTED",
  },
  e: {
    "400 Q-100": "INVALID_INPUT",
    "422 Q-100": "INVALID_INPUT",
    "422 Q-107": "PROVIDER_REJECTED",
    "503 S-001": "PROVIDER_UNAVAILABLE",
  },
};

interface Case {
  readonly status: number;
  readonly mediaType: string;
  readonly body: string;
  /** The expected problem code and outcome. */
  readonly expected: string;
}

/** Returns every answer of one insurer in these tests. */
function casesOf(letter: string): readonly Case[] {
  const envelope = envelopes[letter] ?? String;
  const proved = proofs[letter] ?? {};
  return statuses.flatMap((status) => {
    const own = (codes[letter] ?? []).map((code) => {
      const ours = proved[`${status} ${code}`];
      const expected = ours === undefined ? "OUTCOME_UNKNOWN unknown" : `${ours} rejected`;
      return { status, mediaType: ownType(letter), body: envelope(code), expected };
    });
    const [code = ""] = codes[letter] ?? [];
    const foreign = [
      { mediaType: "text/html", body: "<h1>No</h1>" },
      // A proxy's HTML page that quotes the insurer's answer.
      { mediaType: "text/html", body: envelope(code) },
      { mediaType: "text/plain", body: envelope(code) },
      { mediaType: "application/problem+json", body: '{"code":"PROVIDER_REJECTED"}' },
      // A proxy's JSON answer with a gRPC code.
      { mediaType: ownType(letter), body: envelope("1") },
      { mediaType: "application/json", body: '{"code":1,"message":"context canceled"}' },
      { mediaType: ownType(letter), body: envelope(code).slice(0, -3) },
      { mediaType: ownType(letter), body: "" },
    ];
    const unknown = { status, expected: "OUTCOME_UNKNOWN unknown" };
    return [...own, ...foreign.map((answer) => ({ ...unknown, ...answer }))];
  });
}

let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer((response, { body }) => {
    const number = Number(/case (\d+)/.exec(body)?.[1]);
    const { body: answer = "", mediaType = "", status = 500 } = cases[number] ?? {};
    response.writeHead(status, { "content-type": mediaType }).end(answer);
  });
});
afterAll(() => insurer.close());

/** The tested dialect's cases. A request contains the index of its case. */
let cases: readonly Case[] = [];

describe.each(Object.keys(dialects))("submissions in the dialect of provider %s", (letter) => {
  it("a failed submission has an unknown outcome unless an error code of the insurer proves the rejection", async () => {
    const dialect = dialects[letter]?.(await adapterOf(letter));
    if (dialect === undefined) throw new TypeError(letter);
    cases = casesOf(letter);
    expect(cases.length).toBeGreaterThanOrEqual(100);
    const speaking = speakTo(insurer.baseUrl, dialect);
    const found = await Promise.all(
      cases.map((_, number) => speaking.call(createNote, { body: { words: `case ${number}` } })),
    );
    const said = found.map((answer) =>
      answer instanceof Refusal ? `${answer.code} ${answer.facts.outcome}` : answer.status,
    );
    const of = ({ body, mediaType, status }: Case): string => `${status} ${mediaType} ${body}`;
    expect(said.map((one, number) => [of(cases[number] ?? nothing), one])).toEqual(
      cases.map((one) => [of(one), one.expected]),
    );
    await speaking.close();
  });
});

const nothing: Case = { status: 0, mediaType: "", body: "", expected: "" };

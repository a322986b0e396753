import { defineProvider, lookup, read, submission } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import {
  type AdapterAnswer,
  type InsurerRequest,
  type JsonDialect,
  jsonDialect,
} from "../src/index.ts";

const provider = "provider-m";
const anything = loose<object>({});
const endpoints = {
  readThing: read<{ params: { id: string }; response: object }>({
    provider,
    path: "/things/{id}",
    response: { 200: anything },
    params: strict<{ id: string }>({ id: text() }),
  }),
  createThing: submission<{ body: { name: string }; response: object }>({
    provider,
    path: "/things",
    response: { 201: anything },
    idempotency: "none",
    body: strict<{ name: string }>({ name: text() }),
  }),
  listThings: lookup<{ response: object }>({
    provider,
    path: "/list",
    response: { 200: anything },
  }),
};
const providerM = defineProvider({ id: provider, name: "M", lines: ["motor"], endpoints });

const dialect: JsonDialect<typeof providerM> = {
  failures: [],
  envelope: { request: { Channel: "GW" }, success: "/ok" },
  faults: { list: "/errors", field: "/field", names: { Name: "/name" } },
  login: {
    path: "/login",
    body: [
      ["/username", "/user"],
      ["/password", "/pass"],
    ],
    token: "/token",
    expiresIn: "/seconds",
  },
  calls: {
    readThing: { method: "GET", path: "/their/{/params/id}/things", value: [["/a", "/a"]] },
    createThing: {
      method: "POST",
      path: "/create",
      headers: [["/body/name", "/x-name"]],
      query: [["/submissionId", "/ref"]],
      body: [["/body/name", "/Name"]],
      status: 201,
      value: [["/a", "/a"]],
    },
    listThings: { method: "POST", path: "/list", value: [["/a", "/a"]] },
  },
};
const adapter = jsonDialect(providerM, dialect);
const context = {
  submissionId: "our-id",
  settings: {},
  login: null,
  now: () => new Date(0),
  wait: async () => true,
};

interface Given {
  readonly status?: number;
  readonly mediaType?: string;
  readonly body?: string;
}

/** A way to send that gives one answer, and the requests that it got. */
function answering({
  body = '{"ok":true,"a":1}',
  mediaType = "application/json",
  status = 200,
}: Given) {
  const sent: InsurerRequest[] = [];
  const bytes = new TextEncoder().encode(body);
  return {
    sent,
    send: async (request: InsurerRequest) => {
      sent.push(request);
      return {
        status,
        headers: {},
        mediaType,
        text: async () => body,
        textWithDocuments: () => Promise.reject(new TypeError("It has no documents")),
        bytes: async () => bytes,
        async *stream() {
          yield bytes;
        },
      };
    },
  };
}

async function call(name: keyof typeof endpoints, input: object, given: Given = {}) {
  const { send, sent } = answering(given);
  const all = { params: {}, query: {}, headers: {}, body: undefined, ...input };
  const answer: AdapterAnswer = await adapter.call(endpoints[name], all, send, context);
  return { answer, sent };
}

describe("a request in a JSON dialect", () => {
  it("a GET request has no body, and an accept header", async () => {
    const { sent } = await call("readThing", { params: { id: "a/ü" } });
    expect(sent).toEqual([
      {
        method: "GET",
        path: "/their/a%2F%C3%BC/things",
        headers: { accept: "application/json" },
        acts: false,
      },
    ]);
  });

  it("has the envelope's members, the mapped body, query and headers, and acts as a submission", async () => {
    const { sent } = await call("createThing", { body: { name: "Eleni" } });
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/create?ref=our-id",
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          "x-name": "Eleni",
        },
        body: '{"Channel":"GW","Name":"Eleni"}',
        acts: true,
      },
    ]);
    const { sent: others } = await call("listThings", {});
    expect(others[0]).toMatchObject({ body: '{"Channel":"GW"}', acts: false });
  });

  it.each(["", ".", ".."])("never has %j in its path", async (id) => {
    const { answer, sent } = await call("readThing", { params: { id } });
    expect(sent).toEqual([]);
    expect(answer).toMatchObject({
      type: "unsendable",
      faults: [{ pointer: "/path/id", code: "VALUE" }],
    });
  });

  it("a request never has a header with forbidden characters or with an object", async () => {
    for (const name of ["a\nb", { first: "Eleni" }]) {
      const { answer, sent } = await call("createThing", { body: { name } });
      expect([sent, answer.type]).toEqual([[], "unsendable"]);
    }
    expect((await call("readThing", { params: { id: 7 } })).sent[0]?.path).toBe("/their/7/things");
  });
});

describe("a JSON dialect in another charset", () => {
  it("a dialect in another charset writes the charset's characters, and escapes the others", async () => {
    const createThing = { ...dialect.calls.createThing, headers: [] };
    const calls = { ...dialect.calls, createThing };
    const greek = jsonDialect(providerM, { ...dialect, calls, charset: "windows-1253" });
    const { send, sent } = answering({});
    const input = { params: {}, query: {}, headers: {}, body: { name: "Άж😀" } };
    await greek.call(endpoints.createThing, input, send, context);
    expect(sent[0]?.headers).toMatchObject({
      "content-type": "application/json; charset=windows-1253",
    });
    const { body } = sent[0] ?? {};
    const text = new TextDecoder("windows-1253").decode(body instanceof Uint8Array ? body : null);
    expect(text).toBe('{"Channel":"GW","Name":"Ά\\u0436\\ud83d\\ude00"}');
  });
});

it("values of a field mark the successes of a JSON dialect, and all others are refusals", async () => {
  const success = { at: "/result/code", success: ["0", 0] };
  const marked = jsonDialect(providerM, { ...dialect, envelope: { success } });
  const answerTo = async (result: unknown): Promise<AdapterAnswer> => {
    const { send } = answering({ body: JSON.stringify({ result, a: 1 }) });
    const input = { params: { id: "a" }, query: {}, headers: {}, body: undefined };
    return marked.call(endpoints.readThing, input, send, context);
  };
  expect(await answerTo({ code: 0 })).toMatchObject({ type: "value", value: { a: 1 } });
  expect(await answerTo({ code: "E7" })).toMatchObject({
    type: "refusal",
    content: { result: { code: "E7" } },
  });
  expect(await answerTo(null)).toMatchObject({ type: "refusal", status: 200 });
});

describe("a query by reference", () => {
  it("a query by reference is refused for a search without `start` and `limit`", () => {
    const plain = { method: "GET", path: "/", value: [] } as const;
    const readThing = { ...plain, byReference: { path: "/ref/{/submissionId}", item: [] } };
    const calls = { readThing, createThing: plain, listThings: plain };
    expect(() => jsonDialect(providerM, { failures: [], calls })).toThrow(/`byReference` is for/);
  });

  it("is none where the dialect names none", () => {
    expect(adapter.findsByReference?.(endpoints.readThing)).toBe(false);
  });
});

describe("an answer in a JSON dialect", () => {
  const refusal = { type: "refusal" };
  it.each<[string, Given, object]>([
    ["says that it is a success", {}, { type: "value", status: 200, value: { a: 1 } }],
    ["with 299", { status: 299 }, { type: "value", status: 299 }],
    ["says that it is none", { body: '{"ok":false}' }, { ...refusal, content: { ok: false } }],
    ["does not say", { body: '{"a":1}' }, { type: "unreadable" }],
    ["says it with another word", { body: '{"ok":"true","a":1}' }, { type: "unreadable" }],
    ["is no JSON by its name", { mediaType: "text/plain" }, { type: "unreadable" }],
    ["is no JSON", { body: "{" }, { type: "unreadable" }],
    ["is empty", { body: "" }, { type: "unreadable" }],
    ["with 300", { status: 300 }, refusal],
    ["with 199", { status: 199 }, refusal],
    [
      "names a field at fault",
      { status: 422, body: '{"errors":[{"field":"Name"},{"field":"Other"},{"field":"toString"}]}' },
      { ...refusal, status: 422, faults: [{ pointer: "/name", code: "INVALID" }] },
    ],
    [
      "names one alone",
      { status: 422, body: '{"errors":{"field":"Name"}}' },
      { faults: [{ pointer: "/name" }] },
    ],
    ["refuses with a page", { status: 500, mediaType: "text/html" }, { ...refusal, content: null }],
  ])("an answer in a JSON dialect that %s has the expected result", async (_, given, expected) => {
    expect((await call("readThing", { params: { id: "a" } }, given)).answer).toMatchObject(
      expected,
    );
  });

  it("the sign that a submission is accepted for later takes precedence over the rows", async () => {
    const statusOf = async (status: number): Promise<unknown> =>
      Reflect.get(
        (await call("createThing", { body: { name: "E" } }, { status })).answer,
        "status",
      );
    expect([await statusOf(200), await statusOf(202)]).toEqual([201, 202]);
  });
});

describe("a login in a JSON dialect", () => {
  const none = { headers: null, expiresInSeconds: null };
  const token = { authorization: "Bearer t" };
  it.each<[Given, object | "unreadable"]>([
    [{ body: '{"token":"t","seconds":60}' }, { headers: token, expiresInSeconds: 60 }],
    [{ body: '{"token":"t","seconds":"60"}' }, { headers: token, expiresInSeconds: 60 }],
    [{ body: '{"token":"t","seconds":"soon"}' }, { headers: token, expiresInSeconds: null }],
    [{ body: '{"token":"t"}' }, { headers: token, expiresInSeconds: null }],
    [{ body: '{"token":""}' }, "unreadable"],
    [{ body: '{"token":7}' }, "unreadable"],
    [{ body: "<html>" }, "unreadable"],
    [{ status: 201, body: '{"token":"t"}' }, "unreadable"],
    [{ status: 400 }, none],
    [{ status: 401, body: "<html>" }, none],
    [{ status: 403 }, none],
    [{ status: 404 }, "unreadable"],
    [{ status: 500 }, "unreadable"],
  ])("answered with %j", async (given, expected) => {
    const { send, sent } = answering(given);
    const login = adapter.login?.({ username: "u", password: "p" }, send, context);
    if (expected === "unreadable")
      await expect(login).rejects.toMatchObject({ phase: "body", reason: "unreadable" });
    else expect(await login).toEqual(expected);
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/login",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: '{"user":"u","pass":"p"}',
      },
    ]);
  });
});

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

/** Creates a `send` function that always returns the same answer, and a list of the requests that it received. */
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
  it("a GET request in a JSON dialect has an accept header and no body", async () => {
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

  it("a submission in a JSON dialect has the fixed fields of the envelope, and the mapped body, query and headers", async () => {
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

  it.each(["", ".", ".."])(
    "the adapter refuses a path parameter that would change the path: %j",
    async (id) => {
      const { answer, sent } = await call("readThing", { params: { id } });
      expect(sent).toEqual([]);
      expect(answer).toMatchObject({
        type: "unsendable",
        faults: [{ pointer: "/path/id", code: "VALUE" }],
      });
    },
  );

  it("the adapter refuses a header value that is an object or has a line break", async () => {
    for (const name of ["a\nb", { first: "Eleni" }]) {
      const { answer, sent } = await call("createThing", { body: { name } });
      expect([sent, answer.type]).toEqual([[], "unsendable"]);
    }
    expect((await call("readThing", { params: { id: 7 } })).sent[0]?.path).toBe("/their/7/things");
  });
});

describe("a JSON dialect with another charset", () => {
  it("a JSON request has an escape for each character that the insurer's charset does not have", async () => {
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

it("an answer in a JSON dialect is a success only if the dialect's success field has a declared value in the answer", async () => {
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

describe("a search by reference", () => {
  it("a dialect cannot declare `byReference` for an endpoint that is not a search by `start` and `limit`", () => {
    const plain = { method: "GET", path: "/", value: [] } as const;
    const readThing = { ...plain, byReference: { path: "/ref/{/submissionId}", item: [] } };
    const calls = { readThing, createThing: plain, listThings: plain };
    expect(() => jsonDialect(providerM, { failures: [], calls })).toThrow(/may have `byReference`/);
  });

  it("the adapter reports that the insurer cannot search by a submission's ID if the dialect does not declare `byReference`", () => {
    expect(adapter.findsByReference?.(endpoints.readThing)).toBe(false);
  });
});

describe("an answer in a JSON dialect", () => {
  const refusal = { type: "refusal" };
  it.each<[string, Given, object]>([
    [
      "an answer with a true success field as a value",
      {},
      { type: "value", status: 200, value: { a: 1 } },
    ],
    ["an answer with the status 299 as a value", { status: 299 }, { type: "value", status: 299 }],
    [
      "an answer with a false success field as a refusal",
      { body: '{"ok":false}' },
      { ...refusal, content: { ok: false } },
    ],
    [
      "an answer without a success field as unreadable",
      { body: '{"a":1}' },
      { type: "unreadable" },
    ],
    [
      "an answer with a text as its success field as unreadable",
      { body: '{"ok":"true","a":1}' },
      { type: "unreadable" },
    ],
    [
      "an answer of the type text/plain as unreadable",
      { mediaType: "text/plain" },
      { type: "unreadable" },
    ],
    ["an answer that is not JSON as unreadable", { body: "{" }, { type: "unreadable" }],
    ["an empty answer as unreadable", { body: "" }, { type: "unreadable" }],
    ["an answer with the status 300 as a refusal", { status: 300 }, refusal],
    ["an answer with the status 199 as a refusal", { status: 199 }, refusal],
    [
      "the fields that an error answer lists as faults",
      { status: 422, body: '{"errors":[{"field":"Name"},{"field":"Other"},{"field":"toString"}]}' },
      { ...refusal, status: 422, faults: [{ pointer: "/name", code: "INVALID" }] },
    ],
    [
      "a field that an error answer names without a list as a fault",
      { status: 422, body: '{"errors":{"field":"Name"}}' },
      { faults: [{ pointer: "/name" }] },
    ],
    [
      "an HTML error page as a refusal without content",
      { status: 500, mediaType: "text/html" },
      { ...refusal, content: null },
    ],
  ])(
    "the adapter of a JSON dialect returns the expected result for an insurer's answer: %s",
    async (_, given, expected) => {
      expect((await call("readThing", { params: { id: "a" } }, given)).answer).toMatchObject(
        expected,
      );
    },
  );

  it("a submission keeps the insurer's status 202 even if the dialect maps a success to another status", async () => {
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
  ])(
    "a login in a JSON dialect returns a token with its lifetime, or reports refused credentials: answer %j",
    async (given, expected) => {
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
    },
  );
});

import { lookup, read, submission } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import {
  type AdapterAnswer,
  type InsurerRequest,
  type JsonDialect,
  jsonDialect,
  type Send,
} from "../src/index.ts";
import {
  callContext,
  callOffline,
  type InsurerAnswer,
  insurerResponse,
  type OfflineCall,
} from "./harness/call-offline.ts";
import { providerWith } from "./harness/declarations.ts";

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
const providerM = providerWith(endpoints);

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

/** Calls an endpoint for a submission with the ID `our-id`. The insurer's default answer is a success. */
function call(
  name: keyof typeof endpoints,
  input: Partial<CheckedInput>,
  insurer: InsurerAnswer = {},
  dialectAdapter = adapter,
): Promise<OfflineCall> {
  const answer = { text: '{"ok":true,"a":1}', ...insurer };
  return callOffline(dialectAdapter, endpoints[name], input, answer, { submissionId: "our-id" });
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
    const { sent } = await call("createThing", { body: { name: "Άж😀" } }, {}, greek);
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
    const text = JSON.stringify({ result, a: 1 });
    return (await call("readThing", { params: { id: "a" } }, { text }, marked)).answer;
  };
  expect(await answerTo({ code: 0 })).toMatchObject({ type: "value", value: { a: 1 } });
  expect(await answerTo({ code: "E7" })).toMatchObject({
    type: "refusal",
    content: { result: { code: "E7" } },
  });
  expect(await answerTo(null)).toMatchObject({ type: "refusal", status: 200 });
});

describe("an answer in a JSON dialect", () => {
  const refusal = { type: "refusal" };
  it.each<[string, InsurerAnswer, object]>([
    [
      "an answer with a true success field as a value",
      {},
      { type: "value", status: 200, value: { a: 1 } },
    ],
    ["an answer with the status 299 as a value", { status: 299 }, { type: "value", status: 299 }],
    [
      "an answer with a false success field as a refusal",
      { text: '{"ok":false}' },
      { ...refusal, content: { ok: false } },
    ],
    [
      "an answer without a success field as unreadable",
      { text: '{"a":1}' },
      { type: "unreadable" },
    ],
    [
      "an answer with a text as its success field as unreadable",
      { text: '{"ok":"true","a":1}' },
      { type: "unreadable" },
    ],
    [
      "an answer of the type text/plain as unreadable",
      { mediaType: "text/plain" },
      { type: "unreadable" },
    ],
    ["an answer that is not JSON as unreadable", { text: "{" }, { type: "unreadable" }],
    ["an empty answer as unreadable", { text: "" }, { type: "unreadable" }],
    ["an answer with the status 300 as a refusal", { status: 300 }, refusal],
    ["an answer with the status 199 as a refusal", { status: 199 }, refusal],
    [
      "the fields that an error answer lists as faults",
      { status: 422, text: '{"errors":[{"field":"Name"},{"field":"Other"},{"field":"toString"}]}' },
      { ...refusal, status: 422, faults: [{ pointer: "/name", code: "INVALID" }] },
    ],
    [
      "a field that an error answer names without a list as a fault",
      { status: 422, text: '{"errors":{"field":"Name"}}' },
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
  it.each<[InsurerAnswer, object | "unreadable"]>([
    [{ text: '{"token":"t","seconds":60}' }, { headers: token, expiresInSeconds: 60 }],
    [{ text: '{"token":"t","seconds":"60"}' }, { headers: token, expiresInSeconds: 60 }],
    [{ text: '{"token":"t","seconds":"soon"}' }, { headers: token, expiresInSeconds: null }],
    [{ text: '{"token":"t"}' }, { headers: token, expiresInSeconds: null }],
    [{ text: '{"token":""}' }, "unreadable"],
    [{ text: '{"token":7}' }, "unreadable"],
    [{ text: "<html>" }, "unreadable"],
    [{ status: 201, text: '{"token":"t"}' }, "unreadable"],
    [{ status: 400, text: '{"token":"t"}' }, none],
    [{ status: 401, text: "<html>" }, none],
    [{ status: 403, text: '{"token":"t"}' }, none],
    [{ status: 404, text: '{"token":"t"}' }, "unreadable"],
    [{ status: 500, text: '{"token":"t"}' }, "unreadable"],
  ])(
    "a login in a JSON dialect returns a token with its lifetime, or reports refused credentials: answer %j",
    async (given, expected) => {
      const sent: InsurerRequest[] = [];
      const send: Send = async (request) => {
        sent.push(request);
        return insurerResponse(given);
      };
      const login = adapter.login?.({ username: "u", password: "p" }, send, callContext);
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

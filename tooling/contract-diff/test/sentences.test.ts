import { describe, expect, it } from "vitest";
import { type Contract, compareContracts } from "../src/index.ts";
import { answering, contractWith, requesting } from "./harness/contracts.ts";
import { body, json, query } from "./harness/operations.ts";
import { text } from "./harness/schema-changes.ts";

describe("sentences of the report", () => {
  it.each<[string, Contract, Contract, string]>([
    [
      "another kind",
      contractWith({ "x-kind": "read" }),
      contractWith({}),
      "The endpoint was a read and is now a submission: it acts at the insurer, is never repeated by itself and takes an `Idempotency-Key`.",
    ],
    [
      "a parameter that is now required",
      contractWith(query("a")),
      contractWith(query("a", { required: true })),
      "The query parameter `a` is now required.",
    ],
    [
      "a limited field",
      requesting({ properties: { a: { items: text } } }),
      requesting({ properties: { a: { items: { type: "string", maxLength: 3 } } } }),
      "The field `/a/*` of the request body must now be at most 3 characters long.",
    ],
    [
      "other allowed values",
      answering({ enum: ["A", "B"] }),
      answering({ enum: ["A", "C"] }),
      'The answer 200 can no longer be `"B"`, and can now be `"C"`.',
    ],
    [
      "null",
      answering({ type: "string" }),
      answering({ type: ["string", "null"] }),
      "The answer 200 can now be null.",
    ],
    [
      "a field of an answer that can be absent",
      answering({ required: ["a"], properties: { a: text } }),
      answering({ properties: { a: text } }),
      "The field `/a` of the answer 200 can now be absent.",
    ],
    [
      "a page of items",
      answering({ "x-page": "P", items: text }),
      answering({ "x-page": "P", items: { type: "boolean" } }),
      "The field `/items/*` of the answer 200 can no longer be a string, and can now be true or false.",
    ],
    [
      "a new rule",
      requesting({}),
      requesting({
        "x-rules": [{ path: ["end"], code: "DATE_ORDER", message: "must be after start" }],
      }),
      "The request body must now keep the rule `/end` `DATE_ORDER: must be after start`.",
    ],
    [
      "a new media type",
      contractWith(body(true)),
      contractWith(body(true, { ...json, "text/plain": {} })),
      "The request body as `text/plain` is new.",
    ],
  ])(
    "contract-diff describes a change in a whole sentence: %s",
    (_name, before, after, sentence) => {
      expect(compareContracts(before, after).map(({ text: words }) => words)).toEqual([sentence]);
    },
  );

  it("contract-diff lists changes by path, method and pointer, regardless of the order in the documents", () => {
    const wide = { type: "object", properties: { b: text, a: text }, additionalProperties: false };
    const paths = (...methods: readonly string[]): Contract => {
      const { paths: all, ...contract } = requesting(wide);
      const [[path, item] = ["", {}]] = Object.entries(all);
      const operation = Object.values(item)[0] as object; // The only operation of the path.
      return {
        ...contract,
        paths: { [path]: Object.fromEntries(methods.map((method) => [method, operation])) },
      };
    };
    const narrow = (contract: Contract): Contract =>
      JSON.parse(
        JSON.stringify(contract).replaceAll('{"type":"string"}', '{"type":"null"}'),
      ) as Contract; // A contract with other types, of the same shape.
    const changes = compareContracts(paths("put", "post"), narrow(paths("post", "put")));
    expect(changes.map(({ operation, pointer }) => `${operation} ${pointer.at(-6)}`)).toEqual([
      "POST /things a",
      "POST /things b",
      "PUT /things a",
      "PUT /things b",
    ]);
  });
});

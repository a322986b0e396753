import { describe, expect, it } from "vitest";
import { type ContractChange, compareContracts } from "../src/index.ts";
import { contractWith, short } from "./harness/contracts.ts";
import { body, json, query } from "./harness/operations.ts";
import { text } from "./harness/schema-changes.ts";

function answers(responses: object): object {
  return { responses };
}

/** A change of an operation: its name, two versions, and the expected report as `level pointer`. */
const rows: readonly (readonly [name: string, before: object, after: object, change: string])[] = [
  ["the kind changes", { "x-kind": "read" }, { "x-kind": "submission" }, "major /x-kind"],
  ["the name changes", { operationId: "makeThing" }, {}, "major /operationId"],
  [
    "the paging changes",
    { "x-paging": { style: "page" } },
    { "x-paging": { style: "cursor" } },
    "major /x-paging",
  ],
  ["the paging is declared", {}, { "x-paging": { style: "page" } }, "major /x-paging"],
  ["the summary changes", { summary: "Makes a thing" }, {}, "patch /summary"],
  ["the description changes", { description: "More." }, {}, "patch /description"],
  ["an unknown member is added", {}, { "x-new": true }, "minor /x-new"],
  ["an optional parameter is added", {}, query("a"), "minor /parameters/0"],
  ["a required parameter is added", {}, query("a", { required: true }), "major /parameters/0"],
  ["a parameter is removed", query("a"), {}, "major /parameters/0"],
  [
    "a parameter becomes required",
    query("a"),
    query("a", { required: true }),
    "major /parameters/0/required",
  ],
  [
    "a parameter becomes optional",
    query("a", { required: true }),
    query("a"),
    "minor /parameters/0/required",
  ],
  [
    "a parameter accepts fewer values",
    query("a"),
    query("a", { schema: { type: "string", maxLength: 1 } }),
    "major /parameters/0/schema/maxLength",
  ],
  [
    "a parameter accepts more values",
    query("a", { schema: { type: "string", maxLength: 1 } }),
    query("a"),
    "minor /parameters/0/schema/maxLength",
  ],
  [
    "the syntax of a parameter changes",
    query("a", { style: "form", explode: true }),
    query("a", { style: "form", explode: false }),
    "major /parameters/0/explode",
  ],
  [
    "the description of a parameter changes",
    query("a"),
    query("a", { description: "An a." }),
    "patch /parameters/0/description",
  ],
  ["an optional body is added", {}, body(false), "minor /requestBody"],
  ["a required body is added", {}, body(true), "major /requestBody"],
  ["a body is removed", body(false), {}, "major /requestBody"],
  ["a body becomes required", body(false), body(true), "major /requestBody/required"],
  ["a body becomes optional", body(true), body(false), "minor /requestBody/required"],
  [
    "a media type of the body is added",
    body(true),
    body(true, { ...json, "text/plain": {} }),
    "minor /requestBody/content/text~1plain",
  ],
  [
    "a media type of the body is removed",
    body(true, { ...json, "text/plain": {} }),
    body(true),
    "major /requestBody/content/text~1plain",
  ],
  [
    "an example of the body is added",
    body(true),
    body(true, { "application/json": { schema: text, examples: { one: {} } } }),
    "patch /requestBody/content/application~1json/examples",
  ],
  [
    "the encoding of a form changes",
    body(true),
    body(true, { "application/json": { schema: text, encoding: {} } }),
    "minor /requestBody/content/application~1json/encoding",
  ],
  ["a status is added", {}, answers({ 202: {}, 204: { description: "" } }), "major /responses/202"],
  [
    "a status is removed",
    answers({ 202: {}, 204: { description: "" } }),
    {},
    "minor /responses/202",
  ],
  [
    "a media type of an answer is added",
    answers({ 200: { content: json } }),
    answers({ 200: { content: { ...json, "text/plain": {} } } }),
    "minor /responses/200/content/text~1plain",
  ],
  [
    "a media type of an answer is removed",
    answers({ 200: { content: { ...json, "text/plain": {} } } }),
    answers({ 200: { content: json } }),
    "major /responses/200/content/text~1plain",
  ],
  [
    "a body is added to an answer",
    answers({ 200: {} }),
    answers({ 200: { content: json } }),
    "major /responses/200/content/application~1json",
  ],
  [
    "the body of an answer is removed",
    answers({ 200: { content: json } }),
    answers({ 200: {} }),
    "major /responses/200/content/application~1json",
  ],
  [
    "a header is added to an answer",
    answers({ 200: {} }),
    answers({ 200: { headers: { "x-total": { schema: text } } } }),
    "minor /responses/200/headers/x-total",
  ],
  [
    "a header of an answer is removed",
    answers({ 200: { headers: { "x-total": { schema: text } } } }),
    answers({ 200: {} }),
    "major /responses/200/headers/x-total",
  ],
  [
    "a header of an answer can have more values",
    answers({ 200: { headers: { "x-total": { schema: { type: "integer" } } } } }),
    answers({ 200: { headers: { "x-total": { schema: { type: "number" } } } } }),
    "major /responses/200/headers/x-total/schema/type",
  ],
];

describe("operations", () => {
  it.each(rows)(
    "contract-diff reports the level and the place of a changed operation: %s",
    (_name, before, after, change) => {
      expect(short(compareContracts(contractWith(before), contractWith(after)))).toEqual([change]);
    },
  );

  it("contract-diff matches parameters by place and name, regardless of their order and of the case of header names", () => {
    const a = { name: "a", in: "query", schema: text };
    const header = { name: "x-a", in: "header", schema: text };
    const before = contractWith({ parameters: [a, header] });
    const after = contractWith({ parameters: [{ ...header, name: "X-A" }, a] });
    expect(compareContracts(before, after).map(({ level }) => level)).toEqual(["minor"]);
  });

  it("contract-diff reports an endpoint with a new path as one added and one removed endpoint", () => {
    const before = contractWith({});
    const [path = "", item = {}] = Object.entries(before.paths)[0] ?? [];
    const after = { ...before, paths: { [path.replace("things", "items")]: item } };
    expect(compareContracts(before, after)).toEqual<readonly ContractChange[]>([
      {
        operation: "POST /items",
        endpoint: "createThing",
        pointer: "",
        change: "added",
        level: "minor",
        text: "The endpoint is new.",
      },
      {
        operation: "POST /things",
        endpoint: "createThing",
        pointer: "",
        change: "removed",
        level: "major",
        text: "The endpoint is removed.",
      },
    ]);
  });
});

const row = { status: 422, is: ["M-1"], code: "CONFLICT", outcome: "rejected", why: "Manual, 4." };
const plate = { at: "/plate", normaliser: "plate", forms: { "ΙΚΥ-1": "ΙΚΥ1" } };

/** A change of an endpoint's outcome rules: its name, two versions, and the expected report as `level pointer`. */
const ruleRows: readonly (readonly [
  name: string,
  before: object,
  after: object,
  change: string,
])[] = [
  ["the idempotency", { idempotency: "native" }, { idempotency: "none" }, "major /idempotency"],
  ["a match field", { same: ["/a", "/b"] }, { same: ["/a", "/c"] }, "major /same/1"],
  ["the number of match fields", { same: ["/a", "/b"] }, { same: ["/a"] }, "major /same"],
  ["the presence of match fields", {}, { same: ["/a"] }, "major /same"],
  [
    "the normal form of a text",
    { same: [plate] },
    { same: [{ ...plate, forms: { "ΙΚΥ-1": "ΙΚΥ-1" } }] },
    "major /same/0/forms/ΙΚΥ-1",
  ],
  [
    "the examples of a normaliser",
    { same: [plate] },
    { same: [{ ...plate, forms: { ...plate.forms, "iky 1": "ΙΚΥ1" } }] },
    "patch /same/0/forms/iky 1",
  ],
  [
    "a parameter of the reconciliation",
    { reconcile: { endpoint: "find", parameters: { afm: { from: "/a" } }, createdAt: "/at" } },
    { reconcile: { endpoint: "find", parameters: { afm: { from: "/b" } }, createdAt: "/at" } },
    "major /reconcile/parameters/afm/from",
  ],
  [
    "the outcome of a row",
    { failures: [row] },
    { failures: [{ ...row, outcome: "unknown" }] },
    "major /failures/0/outcome",
  ],
  ["the number of rows", { failures: [row] }, { failures: [row, row] }, "major /failures"],
  [
    "the reason of a row",
    { failures: [row] },
    { failures: [{ ...row, why: "Manual, 5." }] },
    "patch /failures/0/why",
  ],
];

describe("outcome rules", () => {
  it.each(ruleRows)(
    "contract-diff reports a change of an endpoint's outcome rules at the right level and place: %s",
    (...of) => {
      const [, before, after, change] = of;
      const contracts = [before, after].map((rules) => contractWith({ "x-outcome-rules": rules }));
      const [old = contractWith({}), current = contractWith({})] = contracts;
      const changes = compareContracts(old, current);
      expect(short(changes)).toEqual([change.replace(" ", " /x-outcome-rules")]);
      if (change.startsWith("major")) expect(changes[0]?.text).toContain("twice");
    },
  );
});

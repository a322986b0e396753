import type { Checked, Endpoint, Example } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import { expect, it } from "vitest";
import { echoFaults } from "../src/echo-faults.ts";

const plate = {
  at: "/plate",
  normaliser: {
    name: "plate",
    normalise: (text: string) => text.replaceAll("-", ""),
    examples: [["IKY-1", "IKY1"]] as const,
  },
};
const search: Endpoint = {
  kind: "search",
  provider: "provider-m",
  method: "GET",
  path: "/policies",
  query: loose<object>({}),
  response: { 200: loose<object>({}) },
  echoes: { afm: "/holder/afm", plate },
};

function exampleOf(
  query: Readonly<Record<string, string>>,
  ...items: readonly object[]
): readonly [Checked<CheckedInput>, Example<Endpoint>] {
  const value: CheckedInput = { params: {}, query, headers: {}, body: undefined };
  const example = { summary: "One", request: { query }, response: { items } };
  return [{ valid: true, value }, example];
}

const full = exampleOf({ afm: "1", plate: "IKY-1" }, { holder: { afm: "1" }, plate: "IKY1" });

it.each([
  ["an example that repeats each parameter", [full], []],
  [
    "several examples that together repeat each parameter",
    [exampleOf({ afm: "1" }, { holder: { afm: "1" } }), full],
    [],
  ],
  [
    "an example that repeats only one parameter",
    [exampleOf({ afm: "1", plate: "X" }, { holder: { afm: "1" } })],
    ["an example must have an item that repeats the parameter plate, as `echoes` declares"],
  ],
  [
    "an example with a masked value",
    [full, exampleOf({ afm: "1" }, { holder: { afm: "*" } })],
    ["an example's items must repeat the parameter afm at /holder/afm"],
  ],
])(
  "the conformance check requires that an example repeats each search parameter in `echoes`: %s",
  (_, examples, faults) => {
    expect(echoFaults(search, examples)).toEqual(faults);
  },
);

it("the conformance check refuses a normaliser that returns different forms for equal examples", () => {
  const wrong = { ...plate.normaliser, normalise: (text: string) => text };
  const endpoint = { ...search, echoes: { plate: { ...plate, normaliser: wrong } } };
  expect(echoFaults(endpoint, [exampleOf({ plate: "X" }, { plate: "X" })])).toEqual([
    "the normaliser plate of /plate must return the same form for IKY-1 and IKY1",
  ]);
});

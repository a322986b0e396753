import dns, { type LookupAddress } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLookup } from "../../src/transport/lookup.ts";

type Answer = (error: Error | null, addresses: LookupAddress[]) => void;

/** Queries that the system's resolver has not answered yet. */
let asked: { readonly name: string; readonly answer: Answer }[];
beforeEach(() => {
  asked = [];
  // The resolver's own type has several overloads.
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, _: object, answer: Answer) => {
    asked.push({ name, answer });
  }) as never);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const one: LookupAddress = { address: "192.0.2.1", family: 4 };
const other: LookupAddress = { address: "2001:db8::1", family: 6 };

function ask(
  lookup: ReturnType<typeof createLookup>,
  name: string,
  options: Parameters<typeof lookup>[1] = {},
): Promise<readonly unknown[]> {
  return new Promise((resolve) => lookup(name, options, (...answer) => resolve(answer)));
}

it("the transport queries the resolver once for simultaneous requests to one host name, and again for a later request", async () => {
  const lookup = createLookup();
  const first = [ask(lookup, "a.example"), ask(lookup, "a.example", { all: true })];
  const another = ask(lookup, "b.example");
  expect(asked.map(({ name }) => name)).toEqual(["a.example", "b.example"]);
  for (const { answer } of asked.splice(0)) answer(null, [one, other]);
  expect(await Promise.all(first)).toEqual([
    [null, one.address, 4],
    [null, [one, other]],
  ]);
  await another;
  const again = ask(lookup, "a.example");
  expect(asked).toHaveLength(1);
  for (const { answer } of asked.splice(0)) answer(null, [other]);
  expect(await again).toEqual([null, other.address, 6]);
});

it("the transport queries the resolver again after a failed query, and separately for IPv4 and IPv6", async () => {
  const lookup = createLookup();
  const failed = ask(lookup, "a.example");
  const fault = new Error("ENOTFOUND");
  for (const { answer } of asked.splice(0)) answer(fault, []);
  expect(await failed).toEqual([fault, []]);
  const both = [ask(lookup, "a.example", { family: 4 }), ask(lookup, "a.example", { family: 6 })];
  expect(asked).toHaveLength(2);
  const [four, six] = asked;
  four?.answer(null, [one]);
  six?.answer(null, [other]);
  expect(await Promise.all(both)).toEqual([
    [null, one.address, 4],
    [null, other.address, 6],
  ]);
});

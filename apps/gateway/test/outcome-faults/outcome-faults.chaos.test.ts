import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { families } from "./faults.ts";
import { runFaults, type Verdicts } from "./scenes.ts";

/** So many faults share a gateway, each with an insurer of its own. */
const FAULTS_OF_A_GATEWAY = 24;

const faults = families.flatMap((family) => family.faults);
const verdicts = new Map<string, Verdicts>();

let running: Promise<void>;
beforeAll(async () => {
  running = runAll();
  await running;
}, 300_000);
afterAll(() => running);

async function runAll(): Promise<void> {
  for (let first = 0; first < faults.length; first += FAULTS_OF_A_GATEWAY) {
    const some = faults.slice(first, first + FAULTS_OF_A_GATEWAY);
    const results = await runFaults(some, first);
    for (const [index, { name }] of some.entries()) {
      const result = results[index];
      if (result !== undefined) verdicts.set(name, result);
    }
  }
}

function verdictsOf(name: string): Verdicts {
  const found = verdicts.get(name);
  if (found === undefined) throw new Error(`The fault "${name}" was not run`);
  return found;
}

describe.each(families)("$title: when the insurer", (family) => {
  it.each(family.faults)("$name, submissions tell what its log says", ({ certain, name }) => {
    const { outcome, submissions } = verdictsOf(name);
    expect(submissions).toEqual([]);
    if (certain !== undefined) expect(outcome).toBe(certain);
  });

  const withReads = family.faults.filter(({ kinds }) => kinds.length > 1);
  if (withReads.length > 0)
    it.each(withReads)("$name, other calls tell what its log says", ({ name }) => {
      expect(verdictsOf(name).reads).toEqual([]);
    });
});

describe("the table", () => {
  it("names each fault once", () => {
    expect(faults.map(({ name }) => name)).toHaveLength(
      new Set(faults.map(({ name }) => name)).size,
    );
  });
});

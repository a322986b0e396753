import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Receipt } from "./book.ts";
import { families } from "./faults.ts";
import {
  readContradictions,
  sharedIdentifiers,
  submissionContradictions,
  type Told,
} from "./oracle.ts";
import { runFaults, type Verdicts } from "./scenes.ts";

/** The number of faults that share a gateway, each with an insurer of its own. */
const FAULTS_OF_A_GATEWAY = 24;

const faults = families.flatMap((family) => family.faults);
const verdicts = new Map<string, Verdicts>();

let running: Promise<void>;
beforeAll(async () => {
  running = runAll();
  await running;
}, 300_000);
afterAll(async () => {
  await running;
  report();
});

/** Counts the outcomes, and lists what was contradicted first under each fault: a failed test shows only its own. */
function report(): void {
  const lines = [...verdicts].flatMap(([name, { reads, submissions }]) => {
    const [line, ...more] = [...submissions, ...reads];
    return line === undefined ? [] : [`  ${name} | ${line} (and ${more.length} more)\n`];
  });
  const counts = new Map<string, number>();
  for (const { acted, outcome } of verdicts.values()) {
    const what = `${outcome} ${acted ? "after it acted" : "where it did not act"}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const told = [...counts].map(([what, count]) => `${count} ${what}`).join(", ");
  process.stderr.write(`${verdicts.size} faults of an insurer; the first answer: ${told}\n`);
  if (lines.length > 0) process.stderr.write(`${lines.length} contradicted:\n${lines.join("")}`);
}

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
  const named = family.faults.map((fault) => [fault.name, fault] as const);
  it.each(named)("%s: submissions", (name, { certain }) => {
    const { outcome, submissions } = verdictsOf(name);
    expect(submissions).toEqual([]);
    if (certain !== undefined) expect(outcome).toBe(certain);
  });

  const read = named.filter(([, { kinds }]) => kinds.some((kind) => kind !== "submission"));
  it.for(read)("%s: other calls", ([name]) => {
    expect(verdictsOf(name).reads).toEqual([]);
  });
});

describe("the table", () => {
  it("names each fault once", () => {
    const names = faults.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe("the oracle", () => {
  const application = {
    applicationId: "D-1",
    policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
    vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
    holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
  };
  const strangers = {
    ...application,
    applicationId: "D-2",
    holder: { ...application.holder, afm: "987654321" },
  };

  /** An answer to a submission; a success unless it says otherwise. */
  function told(turn: number, changes: Partial<Told> = {}): Told {
    const success = { status: 201, body: application, code: null, outcome: null, retry: null };
    return { step: "a submission", turn, key: "k", ...success, ...changes };
  }

  function problem(turn: number, outcome: string, retry = "never"): Told {
    return told(turn, { status: 502, code: "CODE", outcome, retry, body: { insurerId: null } });
  }

  /** The insurer's log of a request that it received whole and carried out. */
  function receipt(turn: number, changes: Partial<Receipt> = {}): Receipt {
    const request = { method: "POST", path: "/", query: "", body: JSON.stringify(application) };
    return {
      kind: "submission",
      turn,
      request,
      received: true,
      answered: 201,
      carriedOut: application,
      ...changes,
    };
  }
  const notActed = { carriedOut: null };
  const notReceived = { request: null, received: false, carriedOut: null };

  const honest: Readonly<Record<string, readonly [readonly Told[], readonly Receipt[]]>> = {
    "a success that was carried out": [[told(1)], [receipt(1)]],
    "an execution that was carried out": [[problem(1, "executed")], [receipt(1)]],
    "unknown, carried out": [[problem(1, "unknown", "same_key")], [receipt(1)]],
    "unknown, not carried out": [[problem(1, "unknown", "same_key")], [receipt(1, notActed)]],
    "rejected and not carried out": [[problem(1, "rejected")], [receipt(1, notActed)]],
    "not sent and half received": [[problem(1, "not_sent")], [receipt(1, notReceived)]],
    "not sent, then sent": [[problem(1, "not_sent", "safe"), told(2)], [receipt(2)]],
    "rejected and safe, then sent": [
      [problem(1, "rejected", "safe"), told(2)],
      [receipt(1, notActed), receipt(2)],
    ],
    "a replay": [[told(1), told(2)], [receipt(1)]],
  };
  it.each(Object.entries(honest))("accepts %s", (_, [answers, log]) => {
    expect(submissionContradictions({ sent: application, told: answers, states: [] }, log)).toEqual(
      [],
    );
  });

  const falsified: Readonly<Record<string, readonly [readonly Told[], readonly Receipt[]]>> = {
    "a success that was not carried out": [[told(1)], [receipt(1, notActed)]],
    "a success that never arrived": [[told(1)], []],
    "a success with another's content": [[told(1, { body: strangers })], [receipt(1)]],
    "a success with another's identifier": [
      [told(1, { body: { applicationId: "D-2" } })],
      [receipt(1), receipt(0, { request: null, carriedOut: strangers })],
    ],
    "an execution that was not carried out": [[problem(1, "executed")], [receipt(1, notActed)]],
    "not sent and carried out": [[problem(1, "not_sent")], [receipt(1)]],
    "not sent and received whole": [[problem(1, "not_sent")], [receipt(1, notActed)]],
    "not sent, although an earlier one with the key was": [
      [problem(1, "unknown", "same_key"), problem(2, "not_sent")],
      [receipt(1, notActed)],
    ],
    "rejected and carried out": [[problem(1, "rejected")], [receipt(1)]],
    "a key that is sent again after unknown": [
      [problem(1, "unknown", "same_key"), told(2)],
      [receipt(1, notActed), receipt(2)],
    ],
    "a key that is sent again after rejected": [
      [problem(1, "rejected"), told(2)],
      [receipt(1, notActed), receipt(2)],
    ],
    "one request that arrives twice": [[told(1)], [receipt(1, notActed), receipt(1)]],
    "two keys that are both carried out": [
      [problem(1, "unknown", "same_key"), told(2, { key: "another" })],
      [receipt(1), receipt(2)],
    ],
    "no answer": [[told(1, { status: null })], []],
    "an answer without an outcome": [[told(1, { status: 502 })], []],
    "a failure of the gateway's own": [
      [told(1, { status: 500, code: "INTERNAL_ERROR", outcome: "unknown", retry: "safe" })],
      [],
    ],
  };
  it.each(Object.entries(falsified))("notices %s", (_, [answers, log]) => {
    expect(
      submissionContradictions({ sent: application, told: answers, states: [] }, log),
    ).not.toEqual([]);
  });

  it.each([
    ["succeeded", [receipt(1, notActed)]],
    ["failed", [receipt(1)]],
  ] as const)("notices the state %s against the log", (state, log) => {
    const answers = [problem(1, "unknown", "same_key")];
    const states = [{ key: "k", state, insurerId: null }];
    expect(submissionContradictions({ sent: application, told: answers, states }, log)).not.toEqual(
      [],
    );
  });

  it("notices one identifier for two applications", () => {
    const cases = [application, strangers].map((sent) => ({ sent, told: [told(1)], states: [] }));
    expect(sharedIdentifiers(cases)).not.toEqual([]);
  });

  it.each([
    ["a success that never arrived", told(1), []],
    ["a success that is not to the question", told(1, { body: { items: [] } }), [receipt(1)]],
    ["not sent and received", problem(1, "not_sent"), [receipt(1)]],
    ["rejected, which nobody did", problem(1, "rejected"), [receipt(1)]],
    ["executed", problem(1, "executed"), [receipt(1)]],
  ] as const)("notices of a lookup %s", (_, answer, log) => {
    const one = { kind: "lookup", clientAfm: "123456789", told: answer } as const;
    const lookups = log.map((entry): Receipt => ({ ...entry, kind: "lookup" }));
    expect(readContradictions(one, lookups)).not.toEqual([]);
  });
});

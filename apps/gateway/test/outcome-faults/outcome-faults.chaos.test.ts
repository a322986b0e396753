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

/** Number of faults that share a gateway, each with a separate insurer. */
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

/** Prints the number of each outcome, and the first contradiction of every fault in one list. */
function report(): void {
  const lines = [...verdicts].flatMap(([name, { reads, submissions }]) => {
    const [line, ...more] = [...submissions, ...reads];
    return line === undefined ? [] : [`  ${name} | ${line} (and ${more.length} more)\n`];
  });
  const counts = new Map<string, number>();
  for (const { acted, outcome } of verdicts.values()) {
    const what = `${outcome} ${acted ? "after it acted" : "and it did not act"}`;
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

describe.each(families)("faults of an insurer: $title", (family) => {
  const named = family.faults.map((fault) => [fault.name, fault] as const);
  it.each(named)(
    "the caller's results of a submission agree with the insurer's log if the insurer %s",
    (name, { certain }) => {
      const { outcome, submissions } = verdictsOf(name);
      expect(submissions).toEqual([]);
      if (certain !== undefined) expect(outcome).toBe(certain);
    },
  );

  const read = named.filter(([, { kinds }]) => kinds.some((kind) => kind !== "submission"));
  it.for(read)(
    "the caller's results of other calls agree with the insurer's log if the insurer %s",
    ([name]) => {
      expect(verdictsOf(name).reads).toEqual([]);
    },
  );
});

describe("the list of simulated faults", () => {
  it("each fault has a different name", () => {
    const names = faults.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe("the oracle that compares a caller's results with the insurer's log", () => {
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

  /** Returns an answer to a submission, by default a success. */
  function told(turn: number, changes: Partial<Told> = {}): Told {
    const success = { status: 201, body: application, code: null, outcome: null, retry: null };
    return { step: "a submission", turn, key: "k", ...success, ...changes };
  }

  function problem(turn: number, outcome: string, retry = "never"): Told {
    return told(turn, { status: 502, code: "CODE", outcome, retry, body: { insurerId: null } });
  }

  /** Returns the log entry of a request that the insurer received whole and executed. */
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
    "a success, and the insurer acted": [[told(1)], [receipt(1)]],
    "executed, and the insurer acted": [[problem(1, "executed")], [receipt(1)]],
    "unknown, and the insurer acted": [[problem(1, "unknown", "same_key")], [receipt(1)]],
    "unknown, and the insurer did not act": [
      [problem(1, "unknown", "same_key")],
      [receipt(1, notActed)],
    ],
    "rejected, and the insurer did not act": [[problem(1, "rejected")], [receipt(1, notActed)]],
    "not sent, and only a part of the request arrived": [
      [problem(1, "not_sent")],
      [receipt(1, notReceived)],
    ],
    "not sent, then a success": [[problem(1, "not_sent", "safe"), told(2)], [receipt(2)]],
    "rejected but safe to repeat, then a success": [
      [problem(1, "rejected", "safe"), told(2)],
      [receipt(1, notActed), receipt(2)],
    ],
    "a replay": [[told(1), told(2)], [receipt(1)]],
  };
  it.each(Object.entries(honest))("the oracle accepts a true result: %s", (_, [answers, log]) => {
    expect(submissionContradictions({ sent: application, told: answers, states: [] }, log)).toEqual(
      [],
    );
  });

  const falsified: Readonly<Record<string, readonly [readonly Told[], readonly Receipt[]]>> = {
    "a success, but the insurer did not act": [[told(1)], [receipt(1, notActed)]],
    "a success without a request at the insurer": [[told(1)], []],
    "a success with another application's content": [[told(1, { body: strangers })], [receipt(1)]],
    "a success with another application's identifier": [
      [told(1, { body: { applicationId: "D-2" } })],
      [receipt(1), receipt(0, { request: null, carriedOut: strangers })],
    ],
    "executed, but the insurer did not act": [[problem(1, "executed")], [receipt(1, notActed)]],
    "not sent, but the insurer acted": [[problem(1, "not_sent")], [receipt(1)]],
    "not sent, but the whole request arrived": [[problem(1, "not_sent")], [receipt(1, notActed)]],
    "not sent, but an earlier request with the key was sent": [
      [problem(1, "unknown", "same_key"), problem(2, "not_sent")],
      [receipt(1, notActed)],
    ],
    "rejected, but the insurer acted": [[problem(1, "rejected")], [receipt(1)]],
    "a key that is sent again after unknown": [
      [problem(1, "unknown", "same_key"), told(2)],
      [receipt(1, notActed), receipt(2)],
    ],
    "a key that is sent again after rejected": [
      [problem(1, "rejected"), told(2)],
      [receipt(1, notActed), receipt(2)],
    ],
    "one request that arrives twice": [[told(1)], [receipt(1, notActed), receipt(1)]],
    "two keys whose requests are both executed": [
      [problem(1, "unknown", "same_key"), told(2, { key: "another" })],
      [receipt(1), receipt(2)],
    ],
    "no answer": [[told(1, { status: null })], []],
    "an answer without an outcome": [[told(1, { status: 502 })], []],
    "an internal error of the gateway": [
      [told(1, { status: 500, code: "INTERNAL_ERROR", outcome: "unknown", retry: "safe" })],
      [],
    ],
  };
  it.each(Object.entries(falsified))(
    "the oracle notices a false result: %s",
    (_, [answers, log]) => {
      expect(
        submissionContradictions({ sent: application, told: answers, states: [] }, log),
      ).not.toEqual([]);
    },
  );

  it.each([
    ["succeeded", [receipt(1, notActed)]],
    ["failed", [receipt(1)]],
  ] as const)(
    "the oracle notices a submission's state that contradicts the insurer's log: %s",
    (state, log) => {
      const answers = [problem(1, "unknown", "same_key")];
      const states = [{ key: "k", state, insurerId: null }];
      expect(
        submissionContradictions({ sent: application, told: answers, states }, log),
      ).not.toEqual([]);
    },
  );

  it("the oracle notices that two applications have the same identifier", () => {
    const cases = [application, strangers].map((sent) => ({ sent, told: [told(1)], states: [] }));
    expect(sharedIdentifiers(cases)).not.toEqual([]);
  });

  it.each([
    ["a success without a request at the insurer", told(1), []],
    ["a success that answers another request", told(1, { body: { items: [] } }), [receipt(1)]],
    ["not sent, but the request arrived", problem(1, "not_sent"), [receipt(1)]],
    ["rejected, but the insurer refused nothing", problem(1, "rejected"), [receipt(1)]],
    ["executed", problem(1, "executed"), [receipt(1)]],
  ] as const)("the oracle notices a false result of a lookup: %s", (_, answer, log) => {
    const one = { kind: "lookup", clientAfm: "123456789", told: answer } as const;
    const lookups = log.map((entry): Receipt => ({ ...entry, kind: "lookup" }));
    expect(readContradictions(one, lookups)).not.toEqual([]);
  });
});

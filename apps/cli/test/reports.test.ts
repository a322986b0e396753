import { submission } from "@insurance-gateway/core/contract";
import { zodSchema } from "@insurance-gateway/core/schema";
import { referenceOf } from "@insurance-gateway/gateway/reference";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  type AnsweredCall,
  AnswerNotWrittenError,
  faultLines,
  reportFailure,
} from "../src/call/call-failure.ts";
import { commonOptions } from "../src/call/common-options.ts";
import { failureText } from "../src/call/failure.ts";
import { flagsOf } from "../src/call/flags.ts";
import { OutputError } from "../src/output/print.ts";

const text = z.string();
const endpoint = submission<{ query: unknown; body: unknown; response: unknown }>({
  provider: "provider-x",
  path: "/things",
  query: zodSchema<unknown>(
    z.strictObject({ afm: text, place: z.exactOptional(z.strictObject({ city: text })) }),
  ),
  body: zodSchema<unknown>(
    z.strictObject({
      one: z.strictObject({ only: text, other: z.exactOptional(text) }),
      two: z.strictObject({ first: text, second: text }),
      none: z.strictObject({ may: z.exactOptional(text) }),
      drivers: z.array(z.strictObject({ name: text })),
    }),
  ),
  response: { 200: zodSchema<unknown>(z.unknown()) },
});
const flags = flagsOf(endpoint, referenceOf(null, endpoint), commonOptions(endpoint));

describe("the report of a fault", () => {
  it.each([
    ["/one/only", "TYPE", ["--one-only is wrong"]],
    ["/query/afm", "TYPE", ["--afm is wrong"]],
    // A missing object has no flag, so the report names the flags of its required fields.
    ["/one", "REQUIRED", ["--one-only is wrong"]],
    ["/two", "REQUIRED", ["--two-first is wrong", "--two-second is wrong"]],
    ["/none", "REQUIRED", ["--body (/none) is wrong"]],
    ["/one", "TYPE", ["--body (/one) is wrong"]],
    ["/tw", "REQUIRED", ["--body (/tw) is wrong"]],
    // The fault is inside the value of a flag.
    ["/drivers/0/name", "REQUIRED", ["--drivers (/drivers/0/name) is wrong"]],
    ["/query/afm/x", "TYPE", ["--afm (/query/afm/x) is wrong"]],
    ["/drivers1", "TYPE", ["--body (/drivers1) is wrong"]],
    // Every call has these parameters.
    ["/idempotencyKey", "PATTERN", ["--idempotency-key is wrong"]],
    ["/idempotencyKey/x", "PATTERN", ["--body (/idempotencyKey/x) is wrong"]],
    ["/headers/x-sandbox-scenario", "PATTERN", ["--scenario is wrong"]],
    // All other faults are in a part of the request that the user gave as a whole.
    ["/query", "TYPE", ["--query is wrong"]],
    ["/query/broker", "UNKNOWN", ["--query (/broker) is wrong"]],
    ["/query/place", "TYPE", ["--query (/place) is wrong"]],
    ["/queryx", "UNKNOWN", ["--body (/queryx) is wrong"]],
    ["/broker", "UNKNOWN", ["--body (/broker) is wrong"]],
    ["", "TYPE", ["--body is wrong"]],
  ] as const)(
    "the report of a fault contains the flag of the faulty value: %j, fault %s",
    (pointer, code, lines) => {
      expect(faultLines([{ pointer, code: code as "TYPE", message: "is wrong" }], flags)).toEqual(
        lines,
      );
    },
  );
});

const answered: AnsweredCall = {
  acted: true,
  idempotencyKey: "k-1",
  submissionId: "s-1",
  insurerId: "D-7",
  requestId: "req-1",
};
const unacted: AnsweredCall = {
  acted: false,
  idempotencyKey: null,
  submissionId: null,
  insurerId: null,
  requestId: "req-1",
};
const call = {
  flags,
  again: (key: string): string => `AGAIN ${key}`,
  ask: (id: string): string => `ASK ${id}`,
};
const full = new OutputError(Object.assign(new Error("no"), { code: "ENOSPC" }));
const gone = new OutputError(Object.assign(new Error("no"), { code: "EPIPE" }));
const aborted = new DOMException("This operation was aborted", "AbortError");
const unshown = "the answer cannot be shown as a table; try --output json";

describe("an answer that could not be written", () => {
  const carriedOut = (reason: string): string =>
    [
      "error: the insurer acted, but the answer could not be written",
      `  what happened  ${reason}`,
      "  the insurer    carried it out (executed)",
      "  its identifier D-7",
      "  key            k-1",
      "  what to do     send it again with the same key to get the answer:",
      "                   AGAIN k-1",
      "  request id     req-1",
    ].join("\n");

  it.each([
    [full, "standard output cannot be written (ENOSPC)"],
    [gone, "standard output cannot be written (EPIPE)"],
    [new OutputError({} as Error), "standard output cannot be written (no reason)"],
    [Object.assign(new Error("ENOSPC: full, write"), { syscall: "write" }), "ENOSPC: full, write"],
    [aborted, "The call was cancelled while its answer was written."],
    [new TypeError("Μαρία"), unshown],
    ["Μαρία", unshown],
  ])(
    "the report after a submission with an unwritable answer has the cause and the insurer's identifier: %s",
    (cause, reason) => {
      const report = reportFailure(new AnswerNotWrittenError(answered, cause), call, {});
      expect(report).toEqual({
        exitCode: 5,
        text: carriedOut(reason),
        facts: {
          code: "ANSWER_NOT_WRITTEN",
          outcome: "executed",
          retry: "same_key",
          message: `the insurer acted, but the answer could not be written: ${reason}`,
          errors: [],
          idempotencyKey: "k-1",
          submissionId: "s-1",
          requestId: "req-1",
          insurerId: "D-7",
        },
      });
    },
  );

  it("the report of an unwritten answer advises to run the command again if the report cannot show a command with the same key", () => {
    const keyless = new AnswerNotWrittenError({ ...answered, idempotencyKey: null }, full);
    expect(reportFailure(keyless, call, {})?.text).toMatch(
      /^ {2}what to do {5}run the command again$/m,
    );
    const none = new AnswerNotWrittenError(answered, full);
    expect(reportFailure(none, { ...call, again: null }, {})?.text).toMatch(
      /what to do {5}run the command again$/m,
    );
  });

  it("the report of an answer that could not be written advises to repeat the call if the call changes nothing", () => {
    const error = new AnswerNotWrittenError(unacted, full);
    expect(reportFailure(error, { ...call, again: null }, {})).toMatchObject({
      exitCode: 5,
      text: [
        "error: the answer could not be written",
        "  what happened  standard output cannot be written (ENOSPC)",
        "  what to do     run the command again",
        "  request id     req-1",
      ].join("\n"),
      facts: { code: "ANSWER_NOT_WRITTEN", outcome: "executed", retry: "safe" },
    });
  });

  it("a call that changes nothing at the insurer does not fail if the program that reads the output has ended", () => {
    expect(reportFailure(new AnswerNotWrittenError(unacted, gone), call, {})).toBeNull();
  });

  it("a call that changes nothing at the insurer is reported as cancelled if Ctrl-C interrupts the output", () => {
    const error = new AnswerNotWrittenError(unacted, aborted);
    expect(reportFailure(error, { ...call, again: null }, {})).toMatchObject({
      exitCode: 4,
      text: expect.stringMatching(/^error: CANCELLED\n/),
      facts: { code: "CANCELLED", outcome: "unknown", retry: "safe" },
    });
  });
});

describe("the report of an unexpected error", () => {
  it.each([
    [new TypeError("Μαρία"), "TypeError"],
    [Object.assign(new Error("EACCES: denied, open"), { syscall: "open" }), "EACCES: denied, open"],
    [full, "standard output cannot be written (ENOSPC)"],
    ["Μαρία", "no error was given"],
  ])(
    "the report of an unexpected error hides texts that may quote data, and has the outcome `unknown` for a submission: %s",
    (error, message) => {
      expect(reportFailure(error, call, {})).toEqual({
        exitCode: 4,
        text: `error: unexpected\n  what happened  ${message}\n  the insurer    may have acted (unknown)\n  what to do     check first whether the insurer has the submission`,
        facts: {
          code: "UNEXPECTED",
          outcome: "unknown",
          retry: "after_check",
          message,
          errors: [],
          idempotencyKey: null,
          submissionId: null,
          requestId: null,
          insurerId: null,
        },
      });
      expect(reportFailure(error, { ...call, again: null }, {})).toMatchObject({
        exitCode: 1,
        text: `error: unexpected\n  what happened  ${message}\n  what to do     run the command again`,
        facts: { code: "UNEXPECTED", retry: "safe", message },
      });
    },
  );
});

describe("the text of a failure", () => {
  it("the printed text of a failure has no empty lines and no control characters", () => {
    const rows = [
      ["a", ["", "b\u001b", "c"]],
      ["d", []],
      ["e", [""]],
    ] as const;
    expect(failureText("T\n", rows)).toBe(
      "error: T\\u000a\n  a              b\\u001b\n                 c",
    );
  });
});

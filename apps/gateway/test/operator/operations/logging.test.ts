import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../src/operator/logging/failure.ts";
import { logFields } from "../../../src/operator/logging/fields.ts";
import { createLogger, type Logger } from "../../../src/operator/logging/logger.ts";
import { canaries, goodValues } from "./log-values.ts";

const secrets = Object.values(canaries);

/** Returns the text that a logger writes. */
function written(tell: (logger: Logger) => void): string {
  let text = "";
  const write = (line: string): void => {
    text += line;
  };
  tell(createLogger({ write }));
  return text;
}

/** Returns the log line of the given fields. The types do not check the fields. */
function lineOf(fields: object, message = "request"): Readonly<Record<string, unknown>> {
  // A program without types could call the function with these arguments.
  const text = written((logger) => (logger.info as (...given: unknown[]) => void)(fields, message));
  expect(text.split("\n")).toHaveLength(2);
  return JSON.parse(text);
}

describe("the lines of the log", () => {
  it("a log line has a level, a time and a message, but no data of the machine", () => {
    const line = JSON.parse(written((logger) => logger.warn("a reconciliation query failed")));
    expect(line).toEqual({
      level: 40,
      time: expect.any(String),
      msg: "a reconciliation query failed",
    });
    expect(new Date(line.time).toISOString()).toBe(line.time);
  });

  it.each(Object.entries(goodValues))(
    "the gateway's log contains valid values of the field %s unchanged",
    (name, values) => {
      for (const value of [...values, null])
        expect(lineOf({ [name]: value })).toMatchObject({ [name]: value });
    },
  );

  it("a log line has only the allowed fields, and the number of omitted fields", () => {
    const line = lineOf({ status: 400, clientAfm: canaries.afm, url: "/x?a=1", body: {} });
    expect(line).toMatchObject({ status: 400, dropped: 3 });
    expect(Object.keys(line).toSorted()).toEqual(["dropped", "level", "msg", "status", "time"]);
  });

  it.each(Object.keys(logFields))(
    "the gateway's log never contains a customer's data in the field %s",
    (name) => {
      for (const secret of secrets) {
        const values = [
          secret,
          [secret],
          { secret },
          { kind: secret },
          { kind: "E", places: [secret] },
        ];
        for (const value of [
          ...values,
          `x ${secret}`,
          new Error(secret),
          Number.parseInt(secret, 10),
        ])
          expect(JSON.stringify(lineOf({ [name]: value }))).not.toContain(secret);
      }
    },
  );

  it("the gateway's log contains a question mark instead of a value that does not have the form of the value's field", () => {
    const line = lineOf({
      status: "400",
      code: "maria",
      requestId: "1",
      callerGone: 1,
      durationMs: -1,
    });
    expect(line).toMatchObject({
      status: "?",
      code: "?",
      requestId: "?",
      callerGone: "?",
      durationMs: "?",
    });
  });

  it("the gateway's log contains a question mark instead of a message outside the fixed list of messages", () => {
    expect(lineOf({}, `no such customer: ${canaries.name}`)).toMatchObject({ msg: "?" });
    expect(lineOf(new Error(canaries.email))).toMatchObject({ msg: "request" });
  });

  it("the log's last filter removes values that look like a tax number, a date, a token or an e-mail address", () => {
    const route = `/provider-d/${canaries.afm}`;
    expect(lineOf({ route }).route).toBe("/provider-d/[removed]");
    expect(lineOf({ route: "/provider-d/123456784" }).route).toBe("/provider-d/123456784");
    expect(lineOf({ segment: canaries.token }).segment).toBe("[removed]");
    const places = [`at x (/home/${canaries.email}/a.js:1:2)`];
    expect(lineOf({ failure: { kind: "Error", places } }).failure).toEqual({
      kind: "Error",
      places: ["at x (/home/[removed]/a.js:1:2)"],
    });
  });

  it("a log line is one line of JSON without a secret, regardless of the logged values", () => {
    const secret = fc.constantFrom(...secrets);
    const anything = fc.anything({ values: [fc.string(), secret, fc.double(), fc.boolean()] });
    const name = fc.oneof(fc.constantFrom(...Object.keys(logFields)), fc.string(), secret);
    fc.assert(
      fc.property(
        fc.dictionary(name, anything),
        fc.oneof(fc.string(), secret),
        (fields, message) => {
          const line = JSON.stringify(lineOf(fields, message));
          for (const text of secrets) expect(line).not.toContain(text);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("failures in the log", () => {
  it("a logged failure has the error's kind and places in code, but not the error's text", () => {
    const failure = failureOf(new RangeError(`no customer ${canaries.name}`));
    expect(failure.kind).toBe("RangeError");
    expect(failure.places?.[0]).toMatch(/^at .*logging\.test\.ts:\d+:\d+\)?$/);
    expect(JSON.stringify(failure)).not.toContain("customer");
  });

  it("a logged failure contains no part of the error's message, even if the part looks like a place in code", () => {
    const failure = failureOf(
      new Error(`wrong:\n    at Maria (/street:12:3)\n    at ${canaries.afm}`),
    );
    expect(failure.places?.length).toBeGreaterThan(0);
    expect(JSON.stringify(failure)).not.toMatch(/Maria|123456783/);
  });

  it.each([
    ["a text", canaries.name, "string"],
    ["`undefined`", undefined, "undefined"],
    ["an object", { message: canaries.name }, "object"],
    ["an error whose class has a strange name", strangelyNamed(), "Error"],
  ])("the gateway's log contains only the kind of an error that is %s", (_, error, kind) => {
    expect(failureOf(error).kind).toBe(kind);
    expect(JSON.stringify(failureOf(error))).not.toContain(canaries.name);
  });
});

function strangelyNamed(): Error {
  const error = new Error("x");
  Object.defineProperty(error, "constructor", { value: { name: canaries.name } });
  return error;
}

import { execFileSync } from "node:child_process";
import { type Endpoint, quote, submission } from "@insurance-gateway/core/contract";
import { zodSchema } from "@insurance-gateway/core/schema";
import { referenceOf } from "@insurance-gateway/gateway/reference";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { faultLines } from "../src/call/call-failure.ts";
import { commonOptions } from "../src/call/common-options.ts";
import { type CallFlag, flagsOf } from "../src/call/flags.ts";
import { applyFlags } from "../src/call/input.ts";
import { repeatCommandOf } from "../src/call/make-call.ts";

/** Returns an endpoint that declares the given body. */
function taking(body: z.ZodMiniType): Endpoint {
  return quote<{ body: unknown; response: unknown }>({
    provider: "provider-x",
    path: "/everything",
    body: zodSchema<unknown>(body),
    response: { 200: zodSchema<unknown>(z.unknown()) },
  });
}

function flagsFor(endpoint: Endpoint): readonly CallFlag[] {
  return flagsOf(endpoint, referenceOf(null, endpoint), commonOptions(endpoint));
}

/** Returns the texts of flags as commander passes them. */
function given(
  flags: readonly CallFlag[],
  texts: Readonly<Record<string, readonly string[]>>,
): object {
  return Object.fromEntries(
    flags.flatMap(({ name, option }) =>
      texts[name] === undefined ? [] : [[option.attributeName(), texts[name]]],
    ),
  );
}

describe("the flags of a body", () => {
  it("each field of a body has a flag with a unique name in kebab case", () => {
    const text = z.string();
    const body = z.strictObject({
      personDOB: text,
      ΑΦΜ: text,
      full_name: text,
      a: z.strictObject({ b: text }),
      aB: text,
      body: text,
      timeout: text,
      help: text,
      noClaims: text,
      "@": text,
      anyone: z.strictObject({}),
    });
    expect(flagsFor(taking(body)).map(({ keys, name }) => `${keys.join(".")} ${name}`)).toEqual([
      "personDOB --person-dob",
      "ΑΦΜ --αφμ",
      "full_name --full-name",
      "a.b --a-b",
      "aB --body-a-b",
      "body --body-body",
      "timeout --body-timeout",
      "help --body-help",
      "noClaims --body-no-claims",
      "@ --value",
      "anyone --anyone",
    ]);
  });

  it("a body without named fields, such as a list, has no flags", () => {
    expect(flagsFor(taking(z.array(z.string())))).toEqual([]);
    expect(flagsFor(taking(z.strictObject({})))).toEqual([]);
  });

  it("path, query and body fields with the same name have flags with different names", () => {
    const one = zodSchema<unknown>(z.strictObject({ id: z.string() }));
    const endpoint = submission<{
      params: unknown;
      query: unknown;
      body: unknown;
      response: unknown;
    }>({
      provider: "provider-x",
      path: "/things/{id}",
      params: one,
      query: one,
      body: one,
      response: { 200: zodSchema<unknown>(z.unknown()) },
    });
    const flags = flagsFor(endpoint);
    expect(flags.map(({ name }) => name)).toEqual(["--id", "--query-id", "--body-id"]);
    expect(
      applyFlags(
        flags,
        given(flags, { "--id": ["1"], "--query-id": ["2"], "--body-id": ["3"] }),
        {},
      ),
    ).toEqual({ params: { id: "1" }, query: { id: "2" }, body: { id: "3" } });
  });

  it("the description of a flag has the type, the format and the limits, and whether the value is required", () => {
    const body = z.strictObject({
      date: z.iso.date(),
      at: z.iso.datetime(),
      afm: z.string().check(z.regex(/^\d{9}$/)),
      name: z.exactOptional(z.string().check(z.minLength(2), z.maxLength(9))),
      code: z.string().check(z.regex(/^[A-Z]+$/)),
      years: z.int().check(z.minimum(1), z.maximum(40)),
      amount: z.number().check(z.positive(), z.meta({ multipleOf: 0.01 })),
      cover: z.enum(["BASIC", "FULL"]),
      known: z.string().check(z.meta({ examples: ["A", "B"] })),
      agreed: z.boolean(),
      countries: z.array(z.string()),
      drivers: z.array(z.strictObject({ name: z.string() })),
      extra: z.record(z.string(), z.number()),
      agent: z.exactOptional(z.strictObject({ code: z.string() })),
    });
    const options = flagsFor(taking(body)).map(
      ({ option }) => `${option.flags} ${option.description}`,
    );
    expect(options).toEqual([
      "--date <date> date YYYY-MM-DD; required",
      "--at <instant> instant, RFC 3339 in UTC; required",
      "--afm <text> text, 9 digits; required",
      "--name <text> text, at least 2 characters, at most 9 characters",
      "--code <text> text, like ^[A-Z]+$; required",
      "--years <integer> whole number, at least 1, at most 40; required",
      "--amount <number> number, more than 0, in steps of 0.01; required",
      "--cover <text> one of BASIC, FULL; required",
      "--known <text> text, such as A, B; required",
      "--agreed <true|false> true or false; required",
      "--countries <text> text; repeat the flag for each item; required",
      "--drivers <json> JSON; repeat the flag for each item; required",
      "--extra <json> JSON; required",
      "--agent-code <text> text",
    ]);
  });

  it("the example of a flag has the value in the reference documentation, or a placeholder if the documentation has no value", () => {
    const endpoint = taking(
      z.strictObject({ date: z.iso.date(), many: z.array(z.string()), of: z.int() }),
    );
    const reference = referenceOf(null, endpoint);
    const values: Readonly<Record<string, unknown>> = { many: ["a b", "c"], of: 7 };
    const exampleOf = ({ keys }: { readonly keys: readonly string[] }): unknown =>
      values[keys.join(".")];
    const flags = flagsOf(endpoint, { ...reference, exampleOf }, commonOptions(endpoint));
    expect(flags.map(({ example }) => example)).toEqual([
      "--date <date>",
      "--many 'a b'",
      "--of 7",
    ]);
  });

  it("the text of a flag becomes a value of the declared type, or stays a text if the type does not match", () => {
    const body = z.strictObject({
      years: z.int(),
      amount: z.nullable(z.number()),
      agreed: z.boolean(),
      name: z.nullable(z.string()),
      countries: z.array(z.string()),
      drivers: z.array(z.strictObject({ name: z.string() })),
      agent: z.nullable(z.strictObject({ code: z.string() })),
    });
    const flags = flagsFor(taking(body));
    const texts = {
      "--years": ["20"],
      "--amount": ["null"],
      "--agreed": ["false"],
      "--name": ["null"],
      "--countries": ["GR", "IT"],
      "--drivers": ['{"name":"X"}'],
      "--agent-code": ["007"],
    };
    expect(applyFlags(flags, given(flags, texts), {}).body).toEqual({
      years: 20,
      amount: null,
      agreed: false,
      name: "null",
      countries: ["GR", "IT"],
      drivers: [{ name: "X" }],
      agent: { code: "007" },
    });
    const wrong = { "--years": ["0x10"], "--agreed": ["yes"], "--drivers": ["X"] };
    expect(applyFlags(flags, given(flags, wrong), {}).body).toEqual({
      years: "0x10",
      agreed: "yes",
      drivers: ["X"],
    });
  });

  it("a flag replaces a value in a copy of the given body", () => {
    const flags = flagsFor(
      taking(z.strictObject({ a: z.strictObject({ b: z.string(), c: z.string() }) })),
    );
    const whole = { a: { b: "1", c: "2" } };
    expect(applyFlags(flags, given(flags, { "--a-b": ["3"] }), { body: whole }).body).toEqual({
      a: { b: "3", c: "2" },
    });
    expect(whole).toEqual({ a: { b: "1", c: "2" } });
    for (const broken of [[], "text", 7, { a: "text" }])
      expect(applyFlags(flags, given(flags, { "--a-b": ["3"] }), { body: broken }).body).toEqual(
        broken,
      );
  });

  it("the report of an invalid value contains the name of the value's flag", () => {
    const flags = flagsFor(
      taking(z.strictObject({ drivers: z.array(z.strictObject({ name: z.string() })) })),
    );
    const fault = { pointer: "/drivers/0/name", code: "REQUIRED", message: "is required" } as const;
    expect(faultLines([fault], flags)).toEqual(["--drivers (/drivers/0/name) is required"]);
  });
});

describe("the command that repeats a submission", () => {
  const flags = flagsFor(taking(z.strictObject({ afm: z.string(), fullName: z.string() })));
  const parameters = [
    "provider-x",
    "everything",
    "--afm",
    "123456789",
    "--full-name=Μαρία d'Arc $HOME",

    "--idempotency-key",
    "old",
    "--output=json",
    "--idempotency-key=older",
    "--body",
    "a b.json",
  ];

  it("the printed command that repeats a submission can be pasted into a shell, and has the submission's idempotency key", () => {
    const command = repeatCommandOf(parameters, flags, { idempotencyKey: "k-1", shown: true });
    const words = execFileSync(
      "bash",
      ["-c", `insurance-gateway() { printf '%s\\n' "$@"; }\n${command}`],
      {
        encoding: "utf8",
      },
    );
    expect(words.trimEnd().split("\n")).toEqual([
      "call",
      "provider-x",
      "everything",
      "--afm",
      "123456789",
      "--full-name=Μαρία d'Arc $HOME",
      "--output=json",
      "--body",
      "a b.json",
      "--idempotency-key",
      "k-1",
    ]);
  });

  it("the printed command that repeats a submission hides the input's values if other people may read the output", () => {
    expect(repeatCommandOf(parameters, flags, { idempotencyKey: "k-1", shown: false })).toBe(
      "insurance-gateway call provider-x everything --afm … --full-name=… --output=json --body 'a b.json' --idempotency-key k-1",
    );
  });
});

import { defineProvider, type Quote, quote } from "@insurance-gateway/core/contract";
import { list, loose, map, strict, string, zod } from "@insurance-gateway/core/schema";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { patternFaults } from "../../src/patterns/index.ts";

interface Name {
  readonly name: string;
}

interface Names {
  readonly names: Name[];
}
interface ByName {
  readonly byName: Record<string, string>;
}

function faultsOf(...patterns: readonly z.ZodMiniType<string, string>[]): readonly string[] {
  const provider = "provider-x";
  const body = strict<Names>({
    names: list(zod(strict<Name>({ name: patterns[0] ?? string() }))),
  });
  const response = loose<ByName>({
    byName: map(patterns[1] ?? string(), { names: /^[a-z]+$/ }),
  });
  const price: Quote<{ body: Names; response: ByName }> = quote({
    provider,
    path: "/price",
    body,
    response: { 200: response },
  });
  return patternFaults(
    defineProvider({ id: provider, name: "X", lines: ["motor"], endpoints: { price } }),
  );
}

it("the pattern check reports each pattern in a provider's schemas that takes more than linear time", () => {
  expect(
    faultsOf(string({ pattern: /^(a+)+$/ }), z.string().check(z.regex(/^[^@]+@[^@]+\.[^@]+$/))).map(
      (fault) => /^price: the pattern (\S+) takes more than linear time;/.exec(fault)?.[1],
    ),
  ).toEqual(["/^(a+)+$/", "/^[^@]+@[^@]+\\.[^@]+$/"]);
});

it("the pattern check accepts patterns that take linear time, and patterns that take quadratic time for short texts", () => {
  expect(
    faultsOf(
      string({ maxLength: 100, pattern: /^[^@]+@[^@]+\.[^@]+$/ }),
      z.string().check(z.regex(/^[a-z]+$/)),
    ),
  ).toEqual([]);
});

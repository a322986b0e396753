import { expect, it } from "vitest";
import { defineProvider, type Endpoint, read, type Schema } from "../../src/contract/index.ts";
import { pathParameters, providerFaults } from "../../src/runtime.ts";
import { loose, strict, text } from "../../src/schema/index.ts";

export interface Code {
  code: string;
}
/** Answer schema of the endpoints that the tests declare. */
export const answer: Schema<Code> = loose<Code>({ code: text() });

/** Returns a read endpoint at a path, which may have one parameter. */
export function reading(path: string): Endpoint {
  const declared = { provider: "provider-m", path, response: { 200: answer } };
  const [name] = pathParameters(path);
  if (name === undefined) return read<{ response: Code }>(declared);
  const schema = strict<Record<string, string>>({ [name]: text() });
  return read<{ params: Record<string, string>; response: Code }>({ ...declared, params: schema });
}

/** Declares a provider with the given endpoints. Returns the faults of the provider, or `accepted`. */
export function refusalOf(endpoints: object, id = "provider-m", more: object = {}): string {
  const provider = { id, name: "Provider M", lines: ["motor"], endpoints, ...more };
  return providerFaults(defineProvider(provider)).join("\n") || "accepted";
}

/** A change of a declaration, and the faults of the changed declaration. */
export type Declaration = readonly [name: string, change: object, ...faults: readonly string[]];

/**
 * Tests changed declarations. The declaration check must report exactly the given faults, or accept a declaration
 * without given faults.
 * @param base - the declaration to change. Default: a read at `/x`
 * @param siblings - other endpoints of the provider
 */
export function testDeclarations(
  subject: string,
  declarations: readonly Declaration[],
  { base = reading("/x"), siblings = {} }: { base?: object; siblings?: object } = {},
): void {
  for (const [name, change, ...faults] of declarations) {
    const verb = faults.length === 0 ? "accepts" : "refuses";
    it(`the declaration check ${verb} ${subject}: ${name}`, () => {
      const expected = faults.map((fault) => `declared: ${fault}`).join("\n") || "accepted";
      expect(refusalOf({ ...siblings, declared: { ...base, ...change } })).toBe(expected);
    });
  }
}

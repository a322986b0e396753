import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Authenticate } from "../../src/callers/authenticate.ts";
import { makeToken, SUBJECT } from "../harness/good-token.ts";
import { makeKeyPair, signWith } from "../harness/signing.ts";
import { authenticateBy, issuerOf, verdictOn } from "./direct.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \t~,";

/** One change of a text. `place` is the position as a share of the length. */
interface Mutation {
  readonly kind: "replace" | "insert" | "delete" | "swap";
  readonly place: number;
  readonly letter: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom("replace", "insert", "delete", "swap"),
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  letter: fc.oneof(
    // The characters of tokens, and other characters that a header may contain.
    fc.constantFrom(...LETTERS.split("")),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
});

function mutate(text: string, { kind, letter, place }: Mutation): string {
  const at = Math.floor(place * text.length);
  const [before, here, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
  const mutated = {
    replace: before + letter + after,
    insert: before + letter + here + after,
    delete: before + after,
    swap: before + after.slice(0, 1) + here + after.slice(1),
  };
  return mutated[kind];
}

describe("mutated tokens", () => {
  const rsa = makeKeyPair("rsa", { kid: "rsa-1", alg: "RS256" });
  const ec = makeKeyPair("ec", { kid: "ec-1", alg: "ES256" });
  const authenticate: Authenticate = authenticateBy([issuerOf([rsa, ec])], {
    refusedTokens: 100_000,
  });
  const tokens = {
    RS256: makeToken(rsa),
    ES256: makeToken(rsa, {
      header: { alg: "ES256", kid: "ec-1" },
      sign: signWith.ES256(ec.key),
    }),
  };

  it.each(["RS256", "ES256"] as const)(
    "the gateway refuses a token that differs from a valid token by up to three random changes: %s",
    async (algorithm) => {
      const token = tokens[algorithm];
      // The gateway has cached the original token. A similar token must still be refused.
      expect(await verdictOn(authenticate, token)).toBe(SUBJECT);
      await fc.assert(
        fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
          const mutated = mutations.reduce(mutate, token);
          // Spaces after the scheme are not part of the token.
          fc.pre(mutated.replace(/^ +/, "") !== token);
          expect(await verdictOn(authenticate, mutated)).toMatch(/^UNAUTHENTICATED [a-z_]+$/);
        }),
        { numRuns: 400 },
      );
    },
  );

  it("the gateway refuses a token that differs from a valid token in any one character", async () => {
    for (const token of Object.values(tokens))
      for (let at = 0; at < token.length; at += 1) {
        const letter = token.charAt(at) === "A" ? "B" : "A";
        const mutated = token.slice(0, at) + letter + token.slice(at + 1);
        expect(await verdictOn(authenticate, mutated)).toMatch(/^UNAUTHENTICATED [a-z_]+$/);
      }
  });
});

import { idempotencyKeyOf, Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import {
  createDigests,
  type IdentifiedRequest,
  pseudonymOf,
} from "../../src/submissions/identity.ts";

const identity = createDigests(Buffer.alloc(32, 1));
const caller = { issuer: "https://one.example", subject: "sub broker", tenant: null, scopes: null };
const request: IdentifiedRequest = {
  caller,
  provider: "provider-d",
  endpoint: "createApplication",
  input: {
    params: { id: "1" },
    query: { a: "1" },
    headers: { "x-a": "1" },
    body: { a: 1, b: [2] },
  },
  scenario: "slow",
};
const [query, same] = [{ clientAfm: "1" }, { "/holder/afm": "1" }];
const { endpoint, input, provider } = request;

function hex(digest: Uint8Array | null): string | null {
  return digest && Buffer.from(digest).toString("hex");
}

/** Digests of each kind. Each input after the first differs from the first input in one part. */
const digests: Readonly<Record<string, () => readonly (Uint8Array | null)[]>> = {
  caller: () => [
    identity.caller(caller),
    identity.caller({ ...caller, issuer: "https://two.example" }),
    identity.caller({ ...caller, subject: "client_id broker" }),
    identity.caller({ ...caller, issuer: caller.subject, subject: caller.issuer }),
    // The concatenated parts are the same as in the first input, but one character belongs to another part.
    identity.caller({ ...caller, issuer: `${caller.issuer}s`, subject: caller.subject.slice(1) }),
  ],
  key: () => [
    identity.key(request, "k"),
    identity.key(request, "K"),
    identity.key({ ...request, endpoint: "changeApplication" }, "k"),
    identity.key({ ...request, provider: "provider-e" }, "k"),
    identity.key({ ...request, caller: { ...caller, issuer: "https://two.example" } }, "k"),
    identity.key({ ...request, caller: { ...caller, subject: "sub other" } }, "k"),
    identity.key({ ...request, endpoint: "createApplicatio" }, "nk"),
  ],
  content: () => [
    identity.content(request),
    identity.content({ ...request, provider: "provider-e" }),
    identity.content({ ...request, endpoint: "changeApplication" }),
    identity.content({ ...request, scenario: null }),
    identity.content({ ...request, scenario: "fast" }),
    identity.content({ ...request, input: { ...input, params: { id: "2" } } }),
    identity.content({ ...request, input: { ...input, query: { a: "2" } } }),
    identity.content({ ...request, input: { ...input, headers: { "x-a": "2" } } }),
    identity.content({ ...request, input: { ...input, body: { a: 1, b: [3] } } }),
    identity.content({ ...request, input: { ...input, body: { a: 1, b: "2" } } }),
    identity.content({ ...request, input: { ...input, body: undefined } }),
  ],
  match: () => [
    identity.match(provider, "applications", same),
    identity.match("provider-e", "applications", same),
    identity.match(provider, "claims", same),
    identity.match(provider, "applications", { "/holder/afm": "2" }),
  ],
  search: () => [
    identity.search(provider, endpoint, query),
    identity.search("provider-e", endpoint, query),
    identity.search(provider, "changeApplication", query),
    identity.search(provider, endpoint, { clientAfm: "2" }),
  ],
};

describe.each(Object.keys(digests))("the digest of the kind `%s`", (name) => {
  const made = (): readonly (string | null)[] => (digests[name]?.() ?? []).map(hex);

  it("each digest that the store contains has 128 bits, and different inputs have different digests", () => {
    const all = made();
    expect(new Set(all).size).toBe(all.length);
    for (const digest of all) if (digest !== null) expect(digest).toMatch(/^[0-9a-f]{32}$/);
  });

  it("equal inputs always have the same digest", () => {
    expect(made()).toEqual(made());
  });
});

describe("digests", () => {
  it("the digests of fixed inputs never change, because the store contains digests", () => {
    const stored = Object.entries(digests).map(([name, make]) => [name, hex(make()[0] ?? null)]);
    expect(Object.fromEntries(stored)).toEqual({
      caller: "f59b0f17364c9ac038ad120a3e018d18",
      content: "f2b414e23413bcd368afbfacea6e103d",
      key: "53339eea74240186dc67246722ff07a1",
      match: "443c6a17ac537522e54dbe0caab83678",
      search: "cb0d1093c318793f1bebe88ad3db7909",
    });
  });

  it("two digests of the same input differ if the digests have different kinds or different secrets", () => {
    const other = createDigests(Buffer.alloc(32, 2));
    expect(hex(other.caller(caller))).not.toBe(hex(identity.caller(caller)));
    const all = Object.values(digests).flatMap((make) => make().map(hex));
    expect(new Set(all).size).toBe(all.length);
  });

  it("the content digest does not depend on the caller or on the order of the fields", () => {
    const reordered = { ...input, body: { b: [2], a: 1 } };
    const other = { ...request, caller: { ...caller, subject: "x" }, input: reordered };
    expect(hex(identity.content(other))).toBe(hex(identity.content(request)));
    const without = { ...request, input: { ...input, body: undefined } };
    const withNull = { ...request, input: { ...input, body: null } };
    expect(hex(identity.content(without))).toBe(hex(identity.content(withNull)));
  });

  it("a caller's pseudonym is the first 16 digits of the caller's digest", () => {
    const digest = hex(identity.caller(caller)) ?? "";
    expect(identity.pseudonym(caller)).toBe(digest.slice(0, 16));
    expect(pseudonymOf(identity.caller(caller))).toBe(digest.slice(0, 16));
    expect(identity.pseudonym(caller)).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("the header `Idempotency-Key`", () => {
  it.each([
    ["k", "k"],
    [" k\t", "k"],
    ["a key with spaces", "a key with spaces"],
    ["!#~}", "!#~}"],
    ['"quoted"', "quoted"],
    ['"a \\"b\\" \\\\ c"', 'a "b" \\ c'],
    ['inner"quote', 'inner"quote'],
    ["x".repeat(255), "x".repeat(255)],
    [`"${"x".repeat(255)}"`, "x".repeat(255)],
  ])("the gateway reads the header value %j as the idempotency key %j", (sent, key) => {
    expect(idempotencyKeyOf([sent])).toEqual({ key, isGenerated: false });
  });

  it.each([
    ['"k";generated', { key: "k", isGenerated: true }],
    ['"k"; generated', { key: "k", isGenerated: true }],
    ['"k";generated=?1', { key: "k", isGenerated: true }],
    ["k;generated", { key: "k;generated", isGenerated: false }],
    ['"k;generated"', { key: "k;generated", isGenerated: false }],
  ])(
    "the gateway reads the header `Idempotency-Key: %s` as %j, because only a quoted key can have a parameter",
    (sent, key) => {
      expect(idempotencyKeyOf([sent])).toEqual(key);
    },
  );

  it("the gateway treats a request without the header `Idempotency-Key` as a request without a key", () => {
    expect(idempotencyKeyOf(undefined)).toBeNull();
  });

  it.each<[readonly string[]]>([
    [[]],
    [[""]],
    [[" "]],
    [['""']],
    [["x".repeat(256)]],
    [["a", "a"]],
    [["a", "b"]],
    [["a\u007fb"]],
    [["a\u001fb"]],
    [["κλειδί"]],
    [['"open']],
    [['"a"b"']],
    [['"a\\b"']],
    [['"a\\']],
    [['"a" ; b']],
    [['"a";other']],
    [['"a";generated=?0']],
    [['"a";generated=1']],
    [['"a";generated;other']],
    [['"a";generated;generated']],
    [['"a";Generated']],
  ])(
    "the gateway refuses a request with invalid values of the header `Idempotency-Key`: %j",
    (sent) => {
      expect(() => idempotencyKeyOf(sent)).toThrow(
        new Refusal("INVALID_REQUEST", {
          detail:
            "Send Idempotency-Key once, with 1 to 255 printable ASCII characters, bare or in double quotes. After the closing quote, only ;generated can follow.",
        }),
      );
    },
  );
});

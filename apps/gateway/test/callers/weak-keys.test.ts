import {
  checkPrimeSync,
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
} from "node:crypto";
import type { JWK } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faultOfRsaKey } from "../../src/callers/rsa-keys.ts";
import { issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Insurer, json } from "../harness/insurer.ts";
import { makeKeyPair, type Sign, signWith } from "../harness/signing.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";

const ISSUER = "https://login.example";
const sound = makeKeyPair("rsa", { kid: "rsa-1" });
const soundModulus = numberOf(sound.jwk.n);

function numberOf(text = ""): bigint {
  return BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`);
}

function textOf(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex").toString(
    "base64url",
  );
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [one, other, x, y] = [value % modulus, modulus, 1n, 0n];
  while (one > 1n) [one, other, x, y] = [other, one % other, y, x - (one / other) * y];
  return ((x % modulus) + modulus) % modulus;
}

/** Returns a key pair of two given primes. */
function keyOfPrimes(p: bigint, q: bigint, e = 65_537n): { jwk: JWK; sign: Sign } {
  const d = inverse(e, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const texts = Object.entries(numbers).map(([name, number]) => [name, textOf(number)] as const);
  const jwk = { kty: "RSA", ...Object.fromEntries(texts) };
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return { jwk: { kty: "RSA", n: textOf(p * q), e: textOf(e) }, sign: signWith.RS256(key) };
}

/** Returns a 1,024-bit prime as the faulty library of CVE-2017-15361 created them: k · M + (65537^a mod M). */
function rocaPrime(): bigint {
  // The product of the first 126 primes has 971 bits.
  const primes: bigint[] = [];
  for (let number = 2n; primes.length < 126; number += 1n)
    if (primes.every((prime) => number % prime !== 0n)) primes.push(number);
  const product = primes.reduce((one, other) => one * other);
  for (;;) {
    const random = (bytes: number): bigint => BigInt(`0x${randomBytes(bytes).toString("hex")}`);
    // The prime is at least 1.5 · 2^1023, so that the product of two primes has 2,048 bits.
    const factor = (3n << 1022n) / product + 1n + (random(8) % (1n << 50n));
    const prime = factor * product + power(65_537n, random(20), product);
    if (checkPrimeSync(prime, { checks: 8 })) return prime;
  }
}

/**
 * Returns the input's SHA-256 digest as a PKCS #1 signature (RFC 8017, section 9.2). This signature is valid for the
 * exponent 1.
 */
const signWithoutKey: Sign = (input) => {
  const prefix = Buffer.from("3031300d060960864801650304020105000420", "hex");
  const digest = Buffer.concat([prefix, createHash("sha256").update(input).digest()]);
  const padding = Buffer.alloc(256 - 3 - digest.length, 0xff);
  return Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), digest]);
};

interface WeakKey {
  readonly jwk: JWK;
  readonly sign: Sign;
}

function generated(modulusLength: number, publicExponent: number): WeakKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength, publicExponent });
  return {
    jwk: { kty: "RSA", ...publicKey.export({ format: "jwk" }) },
    sign: signWith.RS256(privateKey),
  };
}

/** Weak keys, each with a function that signs tokens for the key. */
const weak: readonly (readonly [string, string, () => WeakKey])[] = [
  [
    "the exponent 1, for which anyone can sign",
    "weak_exponent",
    () => ({ jwk: { ...sound.jwk, kty: "RSA", e: textOf(1n) }, sign: signWithoutKey }),
  ],
  ["the exponent 3", "weak_exponent", () => generated(2_048, 3)],
  ["a modulus of 2,040 bits", "short_modulus", () => generated(2_040, 65_537)],
  ["a modulus of CVE-2017-15361", "roca_modulus", () => keyOfPrimes(rocaPrime(), rocaPrime())],
];

describe("a weak key in an issuer's key set", () => {
  let keyServer: Insurer;
  let world: TokenGateway;
  beforeAll(async () => {
    keyServer = await startKeyServer([]);
    world = await startGatewayWithIssuers({
      issuers: [issuerConfiguration(`${keyServer.baseUrl}/jwks`)],
    });
  });
  beforeEach(() => world.time.forward(3_600_000));
  afterAll(async () => {
    await world.stop();
    await keyServer.close();
  });

  it.each(weak)(
    "the gateway ignores a published key with %s, and logs and counts the key",
    async (_, reason, make) => {
      const { jwk, sign } = make();
      keyServer.behaviour = json(200, { keys: [{ ...jwk, kid: "weak" }, sound.jwk] });
      const already = world.gateway.log.length;
      const claims = { exp: Math.floor(world.time.now() / 1_000) + 300 };
      const show = async (token: string): Promise<number> =>
        (await world.ask(`Bearer ${token}`)).status;
      expect(await show(makeToken(sound, { header: { kid: "weak" }, claims, sign }))).toBe(401);
      expect(await show(makeToken(sound, { claims }))).toBe(200);
      const warnings = world.gateway.log
        .slice(already)
        .map((line) => JSON.parse(line))
        .filter(({ level }) => level === 40);
      expect(warnings.map(({ issuer, msg, reason: why }) => [issuer, msg, why])).toEqual([
        [ISSUER, "a key of an issuer is too weak", reason],
      ]);
      const metrics = await (await fetch(`${world.gateway.operationsAddress}/metrics`)).text();
      expect(metrics).toContain(
        `insurance_gateway_issuer_keys_refused_total{issuer="${ISSUER}",reason="${reason}"}`,
      );
    },
  );
});

describe("the check of RSA keys", () => {
  it.each([
    ["an exponent of 0", { e: textOf(0n) }, "weak_exponent"],
    ["an even exponent", { e: textOf(65_538n) }, "weak_exponent"],
    ["an exponent below 65537", { e: textOf(65_535n) }, "weak_exponent"],
    ["an exponent of more than 256 bits", { e: textOf((1n << 256n) + 1n) }, "weak_exponent"],
    ["the smallest allowed exponent", { e: textOf(65_537n) }, null],
    ["a larger odd exponent", { e: textOf(65_539n) }, null],
    ["the largest exponent", { e: textOf((1n << 256n) - 1n) }, null],
    ["an exponent of 2^256", { e: textOf(1n << 256n) }, "weak_exponent"],
    ["a modulus of 2,048 bits", { n: textOf(modulusOf("sound", 1n << 2_047n)) }, null],
    ["a modulus of 2,047 bits", { n: textOf((1n << 2_047n) - 1n) }, "short_modulus"],
    ["the factor 757", { n: textOf(soundModulus * 757n) }, null],
    ["a modulus as in CVE-2017-15361", { n: textOf(modulusOf("roca")) }, "roca_modulus"],
    ["a safe remainder for 11", { n: textOf(modulusOf("roca", 1n << 2_048n, 11n)) }, null],
    ["a safe remainder for 157", { n: textOf(modulusOf("roca", 1n << 2_048n, 157n)) }, null],
    ["an even modulus", { n: textOf(soundModulus + 1n) }, "divisible_modulus"],
    [
      "the small factor 751 in its modulus",
      { n: textOf(soundModulus * 751n) },
      "divisible_modulus",
    ],
    ["leading zeros before a short modulus", { n: shortWithZeros() }, "short_modulus"],
    ["no fault", {}, null],
    ["an empty modulus, which the cryptography library refuses", { n: "" }, null],
  ])(
    "the check of RSA keys reports why a key is too weak, or reports no fault: a key with %s",
    (_, changes, fault) => {
      expect(faultOfRsaKey({ ...sound.jwk, kty: "RSA", ...changes })).toBe(fault);
    },
  );

  it("the check of RSA keys ignores a key of another type", () => {
    expect(faultOfRsaKey({ ...makeKeyPair("ec", {}).jwk, kty: "EC" })).toBeNull();
  });
});

function shortWithZeros(): string {
  const { n = "" } = makeKeyPair("weakRsa", {}).jwk;
  return Buffer.concat([Buffer.alloc(128), Buffer.from(n, "base64url")]).toString("base64url");
}

/**
 * Returns a number without factors below 752. With `roca`, the number has the remainders of CVE-2017-15361 for all
 * small primes except the prime `except`.
 * @param least - a lower bound of the number
 */
function modulusOf(remainders: "roca" | "sound", least = 1n << 2_048n, except = 0n): bigint {
  const primes: bigint[] = [];
  for (let number = 2n; number < 752n; number += 1n)
    if (primes.every((prime) => number % prime !== 0n)) primes.push(number);
  const powersOf = (prime: bigint): ReadonlySet<bigint> =>
    new Set(Array.from({ length: 200 }, (_, exponent) => power(65_537n, BigInt(exponent), prime)));
  // The Chinese remainder theorem turns one remainder for each prime, none of which is 0, into one number.
  let [number, product] = [0n, 1n];
  for (const prime of primes) {
    const powers = powersOf(prime);
    const isRoca = remainders === "roca" && prime > 2n && prime <= 167n && prime !== except;
    let remainder = 1n;
    const last = prime > 2n ? prime - 1n : 1n;
    while (powers.has(remainder) !== isRoca && remainder < last) remainder += 1n;
    while (number % prime !== remainder) number += product;
    product *= prime;
  }
  return number + product * ((least - number) / product + 1n);
}

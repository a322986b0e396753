import type { JWK } from "jose";

/** Why an RSA key is refused. */
export type RsaKeyFault = "weak_exponent" | "short_modulus" | "divisible_modulus" | "roca_modulus";

/** NIST SP 800-131A, revision 2: fewer bits can be factored in the foreseeable future. */
const LEAST_MODULUS_BITS = 2048;
/** NIST SP 800-56B, revision 2, section 6.2: odd, more than 2^16 and less than 2^256. */
const LEAST_EXPONENT = 65_537n;
const EXPONENT_LIMIT = 2n ** 256n;
/** NIST SP 800-89, section 5.3.3: a modulus has no factor below 752. */
const SMALL_PRIMES = primesBelow(752);
/** The primes of the test that was published with CVE-2017-15361; a sound modulus passes it once in 2^27. */
const ROCA_PRIMES = SMALL_PRIMES.filter((prime) => prime > 2 && prime <= 167);
/** For each of them, the remainders of the powers of 65537: a ROCA modulus leaves no others. */
const ROCA_REMAINDERS: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  ROCA_PRIMES.map((prime) => [prime, powersOf(65_537 % prime, prime)]),
);

/**
 * Finds out whether a published RSA key is too weak to trust what it signed: signatures of an exponent of 1 can be written
 * by anybody, and the private key of such a modulus can be computed.
 * @returns null for a key that may be used, for a key of another kind, and for one without readable numbers, which the
 *   cryptography refuses by itself
 */
export function faultOfRsaKey({ e, kty, n }: JWK): RsaKeyFault | null {
  const exponent = numberOf(e);
  const modulus = numberOf(n);
  if (kty !== "RSA" || exponent === null || modulus === null) return null;
  if (exponent < LEAST_EXPONENT || exponent >= EXPONENT_LIMIT || exponent % 2n === 0n)
    return "weak_exponent";
  if (modulus.toString(2).length < LEAST_MODULUS_BITS) return "short_modulus";
  if (SMALL_PRIMES.some((prime) => remainder(modulus, prime) === 0)) return "divisible_modulus";
  return isRoca(modulus) ? "roca_modulus" : null;
}

/** CVE-2017-15361: a library made primes that are powers of 65537 modulo a product of small primes. */
function isRoca(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => ROCA_REMAINDERS.get(prime)?.has(remainder(modulus, prime)));
}

function remainder(value: bigint, divisor: number): number {
  return Number(value % BigInt(divisor));
}

/** Base64urlUInt (RFC 7518, section 2). */
function numberOf(text: unknown): bigint | null {
  if (typeof text !== "string" || text === "") return null;
  return BigInt(`0x0${Buffer.from(text, "base64url").toString("hex")}`);
}

function primesBelow(limit: number): readonly number[] {
  const primes: number[] = [];
  for (let number = 2; number < limit; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}

function powersOf(base: number, modulus: number): ReadonlySet<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * base) % modulus) powers.add(power);
  return powers;
}

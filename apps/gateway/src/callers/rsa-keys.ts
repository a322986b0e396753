import type { JWK } from "jose";

/** The reason why an RSA key is refused. */
export type RsaKeyFault = "weak_exponent" | "short_modulus" | "divisible_modulus" | "roca_modulus";

/**
 * Minimum length of a modulus. A shorter modulus may be factored in the foreseeable future (NIST SP 800-131A,
 * revision 2).
 */
const MIN_MODULUS_BITS = 2048;
/**
 * Minimum of an exponent, which must be odd, more than 2^16 and less than 2^256 (NIST SP 800-56B, revision 2, section
 * 6.2).
 */
const MIN_EXPONENT = 65_537n;
const EXPONENT_LIMIT = 2n ** 256n;
/** The primes below 752, none of which may be a factor of a modulus (NIST SP 800-89, section 5.3.3). */
const SMALL_PRIMES = primesBelow(752);
/** The primes of the published test for CVE-2017-15361 (ROCA). The test is wrong for one sound modulus in 2^27. */
const ROCA_PRIMES = SMALL_PRIMES.filter((prime) => prime > 2 && prime <= 167);
/** The possible remainders of a ROCA modulus for each prime of `ROCA_PRIMES`: the remainders of 65537's powers. */
const ROCA_REMAINDERS: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  ROCA_PRIMES.map((prime) => [prime, powersOf(65_537 % prime, prime)]),
);

/**
 * Returns the reason why a published RSA key is too weak: everyone can forge signatures for the exponent 1, and
 * everyone can compute the private key of a weak modulus.
 * @returns null for a usable key, for a key of another type, and for a key without readable numbers, which the
 * cryptography library refuses
 */
export function faultOfRsaKey({ e, kty, n }: JWK): RsaKeyFault | null {
  const exponent = decodeBigInt(e);
  const modulus = decodeBigInt(n);
  if (kty !== "RSA" || exponent === null || modulus === null) return null;
  if (exponent < MIN_EXPONENT || exponent >= EXPONENT_LIMIT || exponent % 2n === 0n)
    return "weak_exponent";
  if (modulus.toString(2).length < MIN_MODULUS_BITS) return "short_modulus";
  if (SMALL_PRIMES.some((prime) => remainder(modulus, prime) === 0)) return "divisible_modulus";
  return isRoca(modulus) ? "roca_modulus" : null;
}

/**
 * Reports whether a modulus has the fault CVE-2017-15361: the modulus's primes are powers of 65537 modulo small primes.
 */
function isRoca(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => ROCA_REMAINDERS.get(prime)?.has(remainder(modulus, prime)));
}

function remainder(value: bigint, divisor: number): number {
  return Number(value % BigInt(divisor));
}

/** Reads a Base64urlUInt (RFC 7518, section 2). */
function decodeBigInt(text: unknown): bigint | null {
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

import { hash } from "node:crypto";
import type { JSONWebKeySet, JWK } from "jose";
import * as errors from "jose/errors";
import { createLocalJWKSet } from "jose/jwks/local";
import type { IssuerKeys } from "./issuer.ts";
import { faultOfRsaKey, type RsaKeyFault } from "./rsa-keys.ts";

/**
 * Reads a JSON Web Key Set (RFC 7517).
 * @param refused - called for each key that is too weak; such a key is not used
 */
export function readPublishedKeys(
  { keys }: JSONWebKeySet,
  refused: (fault: RsaKeyFault) => void = () => {},
): IssuerKeys {
  const accepted = keys.flatMap((jwk) => {
    const find = createLocalJWKSet({ keys: [jwk] });
    const fault = faultOfRsaKey(jwk);
    if (fault !== null) refused(fault);
    return fault === null ? [{ id: keyIdOf(jwk), find }] : [];
  });
  const ids = new Set(accepted.map(({ id }) => id));
  return {
    async findKey(header) {
      // jose does not report which key of a set matches a token, so each key is in a separate set.
      const searched = await Promise.allSettled(accepted.map(({ find }) => find(header)));
      const [found, another] = searched
        .map((result, index) => ({ result, id: accepted[index]?.id ?? "" }))
        .filter(({ result }) => result.status === "fulfilled" || !isNoMatch(result.reason));
      if (found === undefined) throw new errors.JWKSNoMatchingKey();
      if (another !== undefined) throw new errors.JWKSMultipleMatchingKeys();
      if (found.result.status === "rejected") throw found.result.reason;
      return { key: found.result.value, id: found.id };
    },
    hasKey: (id) => ids.has(id),
  };
}

function isNoMatch(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey;
}

/**
 * Returns a key's id: the digest of all its members, so that new key material under the same `kid` has another id.
 */
function keyIdOf(jwk: JWK): string {
  const members = Object.entries(jwk).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash("sha256", JSON.stringify(members), "base64url");
}

import { hash } from "node:crypto";
import type { JSONWebKeySet, JWK } from "jose";
import * as errors from "jose/errors";
import { createLocalJWKSet } from "jose/jwks/local";
import type { IssuerKeys } from "./issuer.ts";
import { faultOfRsaKey, type RsaKeyFault } from "./rsa-keys.ts";

/**
 * Reads a JSON Web Key Set (RFC 7517).
 * @param refused - called for each key that is too weak; the set is read as if it were not there
 */
export function publishedKeys(
  { keys }: JSONWebKeySet,
  refused: (fault: RsaKeyFault) => void = () => {},
): IssuerKeys {
  const accepted = keys.flatMap((jwk) => {
    const find = createLocalJWKSet({ keys: [jwk] });
    const fault = faultOfRsaKey(jwk);
    if (fault !== null) refused(fault);
    return fault === null ? [{ id: idOf(jwk), find }] : [];
  });
  const ids = new Set(accepted.map(({ id }) => id));
  return {
    async findKey(header) {
      // Each key is a set of its own, so that it is known which one jose has found.
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

/** The digest of all that is published of a key, so that other material under the same `kid` is another key. */
function idOf(jwk: JWK): string {
  const members = Object.entries(jwk).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash("sha256", JSON.stringify(members), "base64url");
}

import { publicPem, signHs256, signWith } from "../signing.ts";
import { changed, type Forgery } from "./forgery.ts";

/** A token that states an algorithm, signed as the issuer's own. */
const stating = (name: string, alg: unknown): Forgery =>
  changed(name, "wrong_algorithm", { header: { alg } });
const typed = (name: string, typ: unknown): Forgery =>
  changed(name, "wrong_type", { header: { typ } });
const naming = (name: string, kid: unknown): Forgery =>
  changed(name, "unknown_key", { header: { kid } });

const algorithms: readonly Forgery[] = [
  stating("alg none, with a signature", "none"),
  stating("alg None", "None"),
  stating("alg nOnE", "nOnE"),
  stating("alg in small letters", "rs256"),
  stating("alg with a space", "RS256 "),
  stating("alg as an array", ["RS256"]),
  stating("alg null", null),
  stating("no alg", undefined),
  stating("an alg that nobody knows", "RS1"),
  changed("HS256 with the public key in PEM as the secret", "wrong_algorithm", ({ rsa }) => ({
    header: { alg: "HS256" },
    sign: signHs256(publicPem(rsa)),
  })),
  changed("HS256 with the published key as the secret", "wrong_algorithm", ({ rsa }) => ({
    header: { alg: "HS256" },
    sign: signHs256(JSON.stringify(rsa.jwk)),
  })),
  changed("HS256 with an empty secret", "wrong_algorithm", {
    header: { alg: "HS256" },
    sign: signHs256(""),
  }),
  changed("RS512, which the issuer does not use, by its own key", "wrong_algorithm", ({ rsa }) => ({
    header: { alg: "RS512" },
    sign: signWith.RS512(rsa.key),
  })),
  changed("PS256, which the issuer does not use, by its own key", "wrong_algorithm", ({ rsa }) => ({
    header: { alg: "PS256" },
    sign: signWith.PS256(rsa.key),
  })),
  changed("EdDSA, which only another issuer uses", "wrong_algorithm", ({ otherEd }) => ({
    header: { alg: "EdDSA", kid: "other-ed" },
    sign: signWith.EdDSA(otherEd.key),
  })),
];

const types: readonly Forgery[] = [
  typed("the type of an ID token", "JWT"),
  typed("no type", undefined),
  typed("the type of a logout token", "logout+jwt"),
  typed("another top-level type", "text/at+jwt"),
  typed("a type with a space", "at+jwt "),
  typed("a type with a parameter", "at+jwt;v=2"),
  typed("a type that is an array", ["at+jwt"]),
  typed("a type that is null", null),
];

const extensions: readonly Forgery[] = [
  changed("an extension that is critical", "extension", {
    header: { crit: ["urn:example:expiry"], "urn:example:expiry": 1 },
  }),
  changed("an empty crit", "extension", { header: { crit: [] } }),
  changed("a crit that is no array", "extension", { header: { crit: "exp" } }),
  changed("a crit that is null", "extension", { header: { crit: null } }),
  changed("b64 false and critical, the claims signed as they are", "extension", ({ rsa }) => ({
    header: { crit: ["b64"], b64: false },
    sign: (input) => {
      const [header = "", claims = ""] = input.split(".");
      return signWith.RS256(rsa.key)(`${header}.${Buffer.from(claims, "base64url").toString()}`);
    },
  })),
  changed("b64 false and not critical", "extension", { header: { b64: false } }),
];

const keyNames: readonly Forgery[] = [
  naming("a key that is not there", "rsa-2"),
  naming("a key of another issuer", "other-rsa"),
  naming("a key of another kind", "ec-1"),
  naming("no key, where several could be it", undefined),
  naming("an empty name of a key", ""),
  naming("a path instead of a key", "../../../../dev/null"),
  naming("a statement instead of a key", "rsa-1' OR '1'='1"),
  naming("a command instead of a key", "rsa-1|id"),
  naming("a property of every object instead of a key", "__proto__"),
  naming("a number instead of a key", 1),
  naming("an array with the key", ["rsa-1"]),
  changed("a key for encryption", "unknown_key", ({ encrypting }) => ({
    header: { kid: "encrypting" },
    sign: signWith.RS256(encrypting.key),
  })),
  changed("a key for another algorithm", "unknown_key", ({ contradicting }) => ({
    header: { kid: "contradicting" },
    sign: signWith.RS256(contradicting.key),
  })),
  changed("a key of 1024 bits", "unknown_key", ({ weak }) => ({
    header: { kid: "weak" },
    sign: signWith.RS256(weak.key),
  })),
  changed("a key that was published with its private part", "unusable_key", ({ overshared }) => ({
    header: { kid: "overshared" },
    sign: signWith.RS256(overshared.key),
  })),
];

/** Every forgery whose header gives it away. */
export const forgedHeaders: readonly Forgery[] = [
  ...algorithms,
  ...types,
  ...extensions,
  ...keyNames,
];

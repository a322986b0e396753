import { publicPem, signHs256, signWith } from "../../harness/signing.ts";
import { changed, type Forgery } from "./forgery.ts";

/** Returns a token whose header names the given algorithm, signed with the issuer's key. */
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
  stating("alg in lower case", "rs256"),
  stating("alg with a space", "RS256 "),
  stating("alg as an array", ["RS256"]),
  stating("alg null", null),
  stating("no alg", undefined),
  stating("an unknown alg", "RS1"),
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
  changed(
    "alg RS512, which the issuer does not use, and the issuer's own key",
    "wrong_algorithm",
    ({ rsa }) => ({
      header: { alg: "RS512" },
      sign: signWith.RS512(rsa.key),
    }),
  ),
  changed(
    "alg PS256, which the issuer does not use, and the issuer's own key",
    "wrong_algorithm",
    ({ rsa }) => ({
      header: { alg: "PS256" },
      sign: signWith.PS256(rsa.key),
    }),
  ),
  changed("alg EdDSA, which only another issuer uses", "wrong_algorithm", ({ otherEd }) => ({
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
  changed("a critical extension", "extension", {
    header: { crit: ["urn:example:expiry"], "urn:example:expiry": 1 },
  }),
  changed("an empty crit", "extension", { header: { crit: [] } }),
  changed("a crit that is no array", "extension", { header: { crit: "exp" } }),
  changed("a crit that is null", "extension", { header: { crit: null } }),
  changed(
    "a critical b64 with the value false, and a signature of the decoded claims",
    "extension",
    ({ rsa }) => ({
      header: { crit: ["b64"], b64: false },
      sign: (input) => {
        const [header = "", claims = ""] = input.split(".");
        return signWith.RS256(rsa.key)(`${header}.${Buffer.from(claims, "base64url").toString()}`);
      },
    }),
  ),
  changed("a b64 that is false and not critical", "extension", { header: { b64: false } }),
];

const keyNames: readonly Forgery[] = [
  naming("an unknown kid", "rsa-2"),
  naming("a kid of another issuer's key", "other-rsa"),
  naming("a kid of a key of another type", "ec-1"),
  naming("no kid, although the issuer has several keys", undefined),
  naming("an empty kid", ""),
  naming("a path as kid", "../../../../dev/null"),
  naming("an SQL statement as kid", "rsa-1' OR '1'='1"),
  naming("a shell command as kid", "rsa-1|id"),
  naming("the name of an object property as kid", "__proto__"),
  naming("a number as kid", 1),
  naming("an array as kid", ["rsa-1"]),
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

/** All forgeries with a wrong header. */
export const forgedHeaders: readonly Forgery[] = [
  ...algorithms,
  ...types,
  ...extensions,
  ...keyNames,
];

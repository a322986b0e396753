import { goodClaims, goodHeader } from "../../harness/good-token.ts";
import { compact, type Part, signWith } from "../../harness/signing.ts";
import type { Forgery } from "./forgery.ts";

/** Returns a forged token with another header or other claims, signed with the issuer's key. */
function containing(
  name: string,
  contents: { readonly header?: Part; readonly claims?: Part },
): Forgery {
  return {
    name,
    fault: "not_json",
    make: ({ rsa }) => {
      const { header = goodHeader(), claims = goodClaims() } = contents;
      return `Bearer ${compact(header, claims, signWith.RS256(rsa.key))}`;
    },
  };
}

const claims = JSON.stringify(goodClaims());
const header = JSON.stringify(goodHeader());
/** Inserts a text before the last brace of a JSON object. */
const ending = (json: string, more: string): string => `${json.slice(0, -1)}${more}}`;
const notUtf8 = (json: string): Buffer =>
  Buffer.concat([
    Buffer.from(`${json.slice(0, -1)},"name":"`),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ]);

/** Tokens whose header or claims are not exactly one JSON object in UTF-8 with unique member names. */
export const forgedContents: readonly Forgery[] = [
  containing("a header that is not UTF-8", { header: notUtf8(header) }),
  containing("claims that are not UTF-8", { claims: notUtf8(claims) }),
  containing("a header that is not JSON", { header: "alg=RS256" }),
  containing("claims that are not JSON", { claims: "sub=admin" }),
  containing("a header that is an array", { header: `[${header}]` }),
  containing("claims that are an array", { claims: `[${claims}]` }),
  containing("claims that are null", { claims: "null" }),
  containing("claims that are a text", { claims: '"admin"' }),
  containing("claims that are a number", { claims: "1" }),
  containing("a repeated name in the header", { header: ending(header, ',"alg":"RS256"') }),
  containing("a repeated name in the claims", { claims: ending(claims, ',"sub":"admin"') }),
  containing("a repeated name, once with an escape sequence", {
    claims: ending(claims, ',"s\\u0075b":"admin"'),
  }),
  containing("a repeated name in a nested object", {
    claims: ending(claims, ',"act":{"sub":1,"sub":2}'),
  }),
  containing("a byte order mark", { claims: `\u{feff}${claims}` }),
  containing("a comment", { claims: `${claims}// admin` }),
  containing("an extra comma", { claims: ending(claims, ",") }),
  containing("text after the claims", { claims: `${claims}{}` }),
  containing("the invalid number NaN", { claims: ending(claims, ',"n":NaN') }),
  containing("900 nested objects", {
    claims: ending(claims, `,"deep":${'{"a":'.repeat(900)}1${"}".repeat(900)}`),
  }),
];

import { goodClaims, goodHeader } from "../../harness/good-token.ts";
import { encode, signed, signWith } from "../../harness/signing.ts";
import { changed, type Forgery, rewritten } from "./forgery.ts";

/** Authorization headers without a valid bearer token. */
const headers: readonly Forgery[] = [
  rewritten("the scheme Basic", "not_bearer", () => `Basic ${btoa("user:password")}`),
  rewritten("the scheme Basic with a good token", "not_bearer", (token) => `Basic ${token}`),
  rewritten("the scheme DPoP", "not_bearer", (token) => `DPoP ${token}`),
  rewritten("no scheme", "not_bearer", (token) => token),
  rewritten("an empty Authorization header", "not_bearer", () => ""),
  rewritten("the scheme without a token", "not_bearer", () => "Bearer "),
  rewritten("a tab after the scheme", "not_bearer", (token) => `Bearer\t${token}`),
  rewritten("two tokens", "not_bearer", (token) => `Bearer ${token} ${token}`),
  rewritten(
    "two credentials in one header",
    "not_bearer",
    (token) => `Bearer ${token}, Bearer ${token}`,
  ),
  rewritten("a token and a parameter", "not_bearer", (token) => `Bearer ${token}, realm="x"`),
  rewritten("a token in quotation marks", "not_bearer", (token) => `Bearer "${token}"`),
  rewritten("a space in the token", "not_bearer", (token) => `Bearer ${token.replace(".", " .")}`),
  rewritten("a tab in the token", "not_bearer", (token) => `Bearer ${token.replace(".", ".\t")}`),
  rewritten("an encoded dot", "not_bearer", (token) => `Bearer ${token.replace(".", "%2E")}`),
  rewritten("a character outside ASCII", "not_bearer", (token) => `Bearer ${token}é`),
  rewritten("padding in the middle", "not_bearer", (token) => `Bearer ${token.replace(".", "=.")}`),
  changed("a length of more than 8 kB", "too_long", { claims: { filler: "x".repeat(6_200) } }),
];

/** Tokens that do not consist of three parts in canonical base64url. */
const parts: readonly Forgery[] = [
  rewritten("one part", "not_compact", () => "Bearer abc"),
  rewritten("two parts", "not_compact", (token) => `Bearer ${upTo(token, 2)}`),
  rewritten("four parts", "not_compact", (token) => `Bearer ${token}.e30`),
  rewritten("a dot at the end", "not_compact", (token) => `Bearer ${token}.`),
  rewritten("only two dots", "not_compact", () => "Bearer .."),
  rewritten("thousands of dots", "not_compact", () => `Bearer ${".".repeat(8_000)}`),
  rewritten(
    "the five parts of an encrypted token",
    "not_compact",
    (token) => `Bearer ${token}.e30.e30`,
  ),
  rewritten("an empty header", "not_compact", (token) => `Bearer ${token.replace(/^[^.]+/, "")}`),
  rewritten("empty claims", "not_compact", (token) => `Bearer ${token.replace(/\.[^.]+\./, "..")}`),
  rewritten("an empty signature", "not_compact", (token) => `Bearer ${upTo(token, 2)}.`),
  rewritten("alg none, and no signature", "not_compact", () => {
    const header = encode({ typ: "at+jwt", alg: "none" });
    return `Bearer ${header}.${encode(goodClaims())}.`;
  }),
  rewritten("padding at the end", "not_compact", (token) => `Bearer ${token}==`),
  rewritten("stray bits at the end", "not_compact", (token) => `Bearer ${withStrayBits(token)}`),
  rewritten("a signature of one letter", "not_compact", (token) => `Bearer ${upTo(token, 2)}.A`),
  {
    name: "the characters of plain base64",
    fault: "not_compact",
    make: ({ rsa }) => {
      const header = encode(goodHeader({ filler: "\u{3ffff}\u{3ffff}>>>???" }));
      return `Bearer ${signed(`${plain(header)}.${encode(goodClaims())}`, signWith.RS256(rsa.key))}`;
    },
  },
  {
    name: "stray bits in the claims, included in the signature",
    fault: "not_compact",
    make: ({ rsa }) => {
      const claims = ["", "x", "xx"]
        .map((filler) => encode(goodClaims({ filler })))
        .find((text) => text.length % 4 !== 0);
      const input = `${encode(goodHeader())}.${withStrayBits(claims ?? "")}`;
      return `Bearer ${signed(input, signWith.RS256(rsa.key))}`;
    },
  },
];

/** All forgeries with a wrong form. */
export const forgedForms: readonly Forgery[] = [...headers, ...parts];

function upTo(token: string, count: number): string {
  return token.split(".").slice(0, count).join(".");
}

function plain(base64url: string): string {
  const text = base64url.replaceAll("-", "+").replaceAll("_", "/");
  if (text === base64url) throw new Error("The text is the same in both alphabets");
  return text;
}

/** Sets the last bit of a base64url text. This bit carries no data if the length is not a multiple of four. */
function withStrayBits(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(text.at(-1) ?? "");
  const partLength = text.length - (text.lastIndexOf(".") + 1);
  if (partLength % 4 === 0 || last % 2 === 1) throw new Error("The text has no unused bits");
  return text.slice(0, -1) + alphabet.charAt(last + 1);
}
